"""How is a file of labelled texts, or of labelled pairs of texts, read? The same rules as for scored pairs: `readers`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.data.readers import hash_rows, read_rows
from harness.errors import DataError


@dataclass(frozen=True)
class Labelled:
    """Texts, or tuples of texts, with a class each.

    labels  the labels as they stand in the file, n entries
    texts   n tuples of one text (`label<TAB>text`) or two (`label<TAB>sentence1<TAB>sentence2`)
    """

    labels: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.labels)

    def sha256(self) -> str:
        """Hash of the normalised content, not of the file's name or line ends."""
        return hash_rows([label, *texts] for label, texts in zip(self.labels, self.texts, strict=True))


def read_labelled(path: Path, *, pairs: bool = False, classes: tuple[str, ...] | None = None) -> Labelled:
    """Read `label<TAB>text`, or `label<TAB>sentence1<TAB>sentence2` if `pairs`.

    classes  the labels there may be; None: any that is not blank

    Raises DataError naming file, line and what was expected: wrong number of columns, a blank or unknown label, a blank
    text, an empty file, another encoding than UTF-8, a missing file.
    """
    columns = ("label", "sentence1", "sentence2") if pairs else ("label", "text")
    labels: list[str] = []
    texts: list[tuple[str, ...]] = []
    for number, (label, *fields) in enumerate(read_rows(path, columns), start=1):
        where = f"{path}, line {number}"
        if not label.strip():
            raise DataError(f"{where}: the label is blank, expected {_expected(classes)}.")
        if classes is not None and label not in classes:
            hint = " Files have no header line; remove it." if number == 1 and label.strip().lower() == "label" else ""
            raise DataError(f"{where}: the label is {label[:40]!r}, expected {_expected(classes)}.{hint}")
        for name, text in zip(columns[1:], fields, strict=True):
            if not text.strip():
                raise DataError(f"{where}: {name} is blank, expected a sentence.")
        labels.append(label)
        texts.append(tuple(fields))
    return Labelled(tuple(labels), tuple(texts))


def _expected(classes: tuple[str, ...] | None) -> str:
    return "a class" if classes is None else f"one of {', '.join(classes)}"
