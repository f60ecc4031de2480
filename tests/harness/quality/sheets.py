"""Lines to draw from, and what a reader does to a sheet."""

from __future__ import annotations

LINES = [f"Sentence number {number} is about {what}." for number in range(30) for what in ("a boat", "the fog")]
LINES += ["...", "", "A line with\ta tab and a \\ in it.", LINES[0], "She said: \"Go.\" and 'no'."]


def cells(sheet):
    return [line.split("\t") for line in sheet.read_text(encoding="utf-8").split("\n")[:-1]]


def fill(sheet, labels="right", note=""):
    header, *rows = cells(sheet)
    given_labels = [labels] * len(rows) if isinstance(labels, str) else labels
    rows = [[*row[:4], label, note] for row, label in zip(rows, given_labels, strict=True)]
    sheet.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n", encoding="utf-8")


def replace_line(sheet, number, change):
    lines = sheet.read_text(encoding="utf-8").split("\n")
    lines[number - 1] = change(lines[number - 1])
    sheet.write_text("\n".join(lines), encoding="utf-8")
