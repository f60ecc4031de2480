"""Views: independent of batch, order and company; cached by content; damaged files rebuilt."""

from __future__ import annotations

import random

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harness.views.build
import harness.views.columns
from harness.errors import Skipped
from harness.languages import open_pack
from harness.operators import resolve
from harness.protocols import Change, Edit, Operator
from harness.protocols.operator import render
from harness.seeds import python_rng
from harness.views import ViewColumn, build_views

PACK = open_pack("english")
SPECS = ["crop@30", "delete@30", "swap@50", "punct", "repeat@word"]
TEXTS = ["The cat sat on the mat.", "", "No dogs, please!", "...", "The cat sat on the mat.", "a b c d e f g"]


def operators(*specs):
    return resolve(specs or SPECS, PACK)


class Shout(Operator):
    """Refuses one-word texts, counts its calls, and has a rate to hash."""

    name = "shout"
    calls = 0
    mark = "!"

    def apply(self, doc, rng):
        Shout.calls += 1
        return None if len(doc) < 2 else Edit.of(doc, [Change("insert", len(doc), len(doc), self.mark)])

    def fingerprint(self):
        return {"operator": self.spec, "mark": self.mark}


@pytest.fixture
def shout():
    Shout.calls = 0
    return Shout()


def test_columns_have_a_row_per_text_and_none_where_refused(shout):
    columns = build_views(["a b", "a", "c d"], [shout], pack=PACK, seed=0)
    shouted = (Change("insert", 2, 2, "!"),)
    assert columns == {"shout": ViewColumn.of("shout", [Edit("a b!", shouted), None, Edit("c d!", shouted)])}
    assert columns["shout"].texts == ["a b!", None, "c d!"]
    assert columns["shout"].edits == [shouted, None, shouted]
    assert len(columns["shout"]) == 3
    assert columns["shout"].coverage == pytest.approx(2 / 3)
    assert build_views([], [shout], pack=PACK, seed=0)["shout"].coverage == 0


@settings(deadline=None)
@given(st.lists(st.text(max_size=30) | st.sampled_from(TEXTS), max_size=8), st.integers(0, 99), st.randoms())
def test_neither_batch_nor_order_nor_company_matters(texts, seed, shuffler):
    together = build_views(texts, operators(), pack=PACK, seed=seed)
    assert list(together) == SPECS
    order = list(range(len(texts)))
    shuffler.shuffle(order)
    shuffled = build_views([texts[i] for i in order], operators("punct", "crop@30"), pack=PACK, seed=seed)
    for spec in ("crop@30", "punct"):
        assert [together[spec].texts[i] for i in order] == shuffled[spec].texts
        assert [together[spec].edits[i] for i in order] == shuffled[spec].edits
    for number, text in enumerate(texts[:2]):
        alone = build_views([text], operators(), pack=PACK, seed=seed)
        assert all(alone[spec].texts == [together[spec].texts[number]] for spec in SPECS)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_changes_applied_to_the_parse_make_the_text(text):
    (doc,) = PACK.parse([text])
    for column in build_views([text], operators(), pack=PACK, seed=3).values():
        if column.texts[0] is None:
            assert column.edits == [None]
        else:
            assert render(doc, column.edits[0]) == column.texts[0]


def test_small_chunks_change_nothing(monkeypatch):
    wide = build_views(TEXTS, operators(), pack=PACK, seed=1)
    monkeypatch.setattr(harness.views.build, "_CHUNK", 2)
    assert build_views(TEXTS, operators(), pack=PACK, seed=1) == wide
    assert build_views(TEXTS, operators(), pack=PACK, seed=1, progress=True) == wide


def test_the_stream_of_a_sentence_is_seed_operator_text():
    (operator,) = operators("delete@30")
    (doc,) = PACK.parse([TEXTS[5]])
    edit = operator.apply(doc, python_rng(9, "delete@30", TEXTS[5]))
    assert build_views(TEXTS, [operator], pack=PACK, seed=9)["delete@30"].texts[5] == edit.text


def test_seeds_differ_and_equal_texts_have_equal_views():
    columns = [build_views(TEXTS, operators(), pack=PACK, seed=s) for s in range(4)]
    assert len({tuple(c["delete@30"].texts) for c in columns}) == 4
    assert all(view.texts[0] == view.texts[4] for c in columns for view in c.values())


@pytest.mark.parametrize("way", ["parse", "tokenise_all"])
def test_each_text_is_parsed_once_for_all_operators_or_only_tokenised(shout, monkeypatch, way):
    seen = []

    def note(name):
        original = getattr(type(PACK), name)
        texts_noted = lambda texts: [seen.append((name, text)) or text for text in texts]  # noqa: E731
        monkeypatch.setattr(type(PACK), name, lambda self, texts: original(self, texts_noted(texts)))

    note("parse")
    note("tokenise_all")
    build_views(TEXTS, [*operators("crop@30", "punct"), *([shout] if way == "parse" else [])], pack=PACK, seed=0)
    assert sorted(seen) == sorted((way, text) for text in set(TEXTS))


def test_word_piece_operators_have_no_text_view():
    with pytest.raises(ValueError, match="repeat works on word pieces"):
        build_views(TEXTS, operators("repeat"), pack=PACK, seed=0)


def test_errors_say_where_and_known_ones_pass(shout, monkeypatch):
    monkeypatch.setattr(Shout, "apply", lambda self, doc, rng: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        build_views(TEXTS, [shout], pack=PACK, seed=0)
    assert "in operator shout, among the sentences from 'The cat" in caught.value.__notes__[0]

    def skip(self, doc, rng):
        raise Skipped("no model")

    monkeypatch.setattr(Shout, "apply", skip)
    with pytest.raises(Skipped, match=r"^no model$"):
        build_views(TEXTS, [shout], pack=PACK, seed=0)


# -- cache ------------------------------------------------------------------------------------------------------------
def test_a_second_call_reads_what_the_first_wrote(tmp_path, shout):
    first = build_views(TEXTS, [shout, *operators()], pack=PACK, seed=0, cache=tmp_path)
    calls = shout.calls
    assert calls == len(set(TEXTS))
    assert build_views(TEXTS, [*operators(), shout], pack=PACK, seed=0, cache=tmp_path) == first
    assert shout.calls == calls
    files = list(tmp_path.iterdir())
    assert len(files) == 6
    assert all(pq.read_schema(f).names == ["row", "text", "edits"] for f in files)


def test_everything_a_view_depends_on_is_in_its_key(tmp_path, shout, monkeypatch):
    def files_after(texts=TEXTS, seed=0, pack=PACK):
        build_views(texts, [shout], pack=pack, seed=seed, cache=tmp_path)
        return len(list(tmp_path.iterdir()))

    assert files_after() == 1
    assert files_after() == 1
    assert files_after(seed=1) == 2
    assert files_after(texts=TEXTS[:-1]) == 3
    assert files_after(texts=TEXTS[::-1]) == 4
    monkeypatch.setattr(Shout, "mark", "?")
    assert files_after() == 5
    other = open_pack("english")
    monkeypatch.setattr(other, "fingerprint", lambda: {"parser": "newer"})
    assert files_after(pack=other) == 6
    monkeypatch.setattr(harness.views.columns, "code_digest", lambda obj: "edited")
    assert files_after() == 7


def damages(file):
    content = file.read_bytes()
    yield b""
    yield b"not parquet"
    yield content[: len(content) // 2]
    middle = bytearray(content)
    rng = random.Random(0)
    for _ in range(200):
        middle[rng.randrange(4, len(middle))] ^= 0xFF
    yield bytes(middle)


def test_many_row_groups_come_back_as_one_column(tmp_path, monkeypatch):
    monkeypatch.setattr(harness.views.columns, "_GROUP", 4)
    first = build_views(TEXTS, operators(), pack=PACK, seed=0, cache=tmp_path)
    assert {pq.ParquetFile(file).num_row_groups for file in tmp_path.iterdir()} == {2}
    assert build_views(TEXTS, operators(), pack=PACK, seed=0, cache=tmp_path) == first
    assert first == build_views(TEXTS, operators(), pack=PACK, seed=0)


def test_damaged_files_are_rebuilt_with_a_warning(tmp_path, caplog):
    good = build_views(TEXTS, operators("swap@50"), pack=PACK, seed=0, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    for damage in damages(file):
        file.write_bytes(damage)
        caplog.clear()
        assert build_views(TEXTS, operators("swap@50"), pack=PACK, seed=0, cache=tmp_path) == good
        assert "is damaged" in caplog.text
        assert file.read_bytes() == content


def test_a_file_of_other_rows_is_rebuilt(tmp_path, caplog):
    build_views(TEXTS, operators("swap@50"), pack=PACK, seed=0, cache=tmp_path)
    (long,) = tmp_path.iterdir()
    build_views(TEXTS[:2], operators("swap@50"), pack=PACK, seed=0, cache=tmp_path)
    (short,) = set(tmp_path.iterdir()) - {long}
    short.write_bytes(long.read_bytes())
    assert len(build_views(TEXTS[:2], operators("swap@50"), pack=PACK, seed=0, cache=tmp_path)["swap@50"]) == 2
    assert "its rows are not those of the corpus" in caplog.text


def test_a_folder_that_cannot_be_written_costs_only_a_warning(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    columns = build_views(TEXTS, operators("punct"), pack=PACK, seed=0, cache=tmp_path / "file" / "views")
    assert columns == build_views(TEXTS, operators("punct"), pack=PACK, seed=0)
    assert "views of punct are not cached: cannot write" in caplog.text
