"""The parse cache: each text is parsed once per pack, and nothing that happens to its files changes a view."""

from __future__ import annotations

import os
import random
import shutil
import stat

import pytest
import view_fakes
from hypothesis import given
from hypothesis import strategies as st
from view_fakes import LOADED, PARSED, Toy, toy  # noqa: F401

import harness.views.build
import harness.views.planning
from harness.errors import DataError
from harness.languages import SpacyPack, open_pack
from harness.operators import resolve
from harness.views import build_views, stream_views
from harness.views.parses import ParseCache, UnusableShard

TEXTS = [f"sentence number {i} of {'many ' * (i % 5)}all" for i in range(300)]


@pytest.fixture
def pack(monkeypatch):
    monkeypatch.setattr(harness.views.build, "_CHUNK", 64)
    PARSED.clear()
    LOADED.clear()
    return Toy()


def views(pack, folder, texts=TEXTS, spec="tag", seed=0, **more):
    return build_views(texts, resolve([spec], pack), pack=pack, seed=seed, parses=folder, **more)


def shards(folder):
    return sorted(folder.rglob("*.safetensors"))


def test_what_was_parsed_is_loaded_by_other_seeds_operators_and_corpora(pack, tmp_path):
    first = views(pack, tmp_path)
    assert sorted(PARSED) == sorted(TEXTS)
    assert len(shards(tmp_path)) == 5
    PARSED.clear()
    assert views(pack, tmp_path, seed=1) == first
    assert PARSED == []
    assert sorted(LOADED) == sorted(TEXTS)
    mixed = [*TEXTS[250:], *(f"new {i}" for i in range(120)), *TEXTS[:50]]
    assert views(pack, tmp_path, mixed) == views(pack, None, mixed)
    assert PARSED[:120] == [f"new {i}" for i in range(120)]
    assert len(PARSED) == 120 + len(mixed)


def test_a_stream_uses_and_fills_the_same_cache(pack, tmp_path):
    portions = [TEXTS[:120], TEXTS[120:150], TEXTS[150:]]
    operators = resolve(["tag"], pack)

    def made():
        return list(stream_views(portions, operators, pack=pack, seed=0, parses=tmp_path))

    first = made()
    assert [texts for texts, _ in first] == portions
    assert [row for _, columns in first for row in columns["tag"].texts] == views(pack, None)["tag"].texts
    PARSED.clear()
    assert made() == first
    assert portions[1] == PARSED  # too few to be kept
    PARSED.clear()
    assert views(pack, tmp_path)["tag"].texts == views(pack, None)["tag"].texts
    assert [*portions[1], *TEXTS] == PARSED


def test_few_texts_and_operators_without_parse_leave_it_alone(pack, tmp_path):
    views(pack, tmp_path, TEXTS[:99])
    PARSED.clear()
    views(pack, tmp_path, spec="pick")
    assert PARSED == []
    assert list(tmp_path.iterdir()) == []


def test_packs_that_store_nothing_parse_every_time(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(Toy, "storable", False)
    assert views(pack, tmp_path) == views(pack, tmp_path)
    assert len(PARSED) == 2 * len(TEXTS)
    assert shards(tmp_path) == []


def test_another_parser_does_not_see_these_parses(pack, tmp_path, monkeypatch):
    views(pack, tmp_path)
    monkeypatch.setattr(Toy, "version", 2)
    PARSED.clear()
    views(pack, tmp_path)
    assert len(PARSED) == len(TEXTS)
    assert len({file.parent for file in shards(tmp_path)}) == 2


def damages(content):
    yield b""
    yield b"no shard at all, but long enough to hold a header"
    yield content[: len(content) // 2]
    rng = random.Random(0)
    for _ in range(5):
        changed = bytearray(content)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        yield bytes(changed)


def test_damaged_shards_are_made_anew_with_a_warning(pack, tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(harness.views.build, "_CHUNK", 150)
    first = views(pack, tmp_path / "whole")
    for number, damage in enumerate(damages(shards(tmp_path)[1].read_bytes())):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", folder)
        sound, victim = shards(folder)
        victim.write_bytes(damage)
        caplog.clear()
        PARSED.clear()
        assert views(pack, folder) == first
        assert caplog.text.count("are damaged (") == 1
        assert str(victim) in caplog.text
        assert len(PARSED) == 150
        PARSED.clear()
        assert views(pack, folder) == first
        # one hash was damaged at most; its sentence alone is not worth a shard
        assert len(PARSED) <= 1
        assert sound in shards(folder)


def test_a_shard_that_vanishes_meanwhile_costs_a_warning(pack, tmp_path):
    views(pack, tmp_path)
    cache = ParseCache.of(tmp_path, pack)
    found = cache.look_up(TEXTS)
    assert (found.shard >= 0).all()
    name = found.shards[0]
    (cache.folder / name).unlink()
    with pytest.raises(UnusableShard, match=r"No such file or directory\); these sentences are parsed anew"):
        cache.load(name, [0])


def test_equal_hashes_do_not_make_equal_texts(pack, tmp_path, monkeypatch):
    import harness.views.parses

    def keys(texts):
        return harness.views.parses.np.array([len(text) for text in texts], dtype="uint64")

    monkeypatch.setattr(harness.views.parses, "_keys", keys)
    views(pack, tmp_path)
    assert views(pack, tmp_path) == views(pack, None)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_costs_one_warning(pack, tmp_path, caplog):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert views(pack, tmp_path / "parses") == views(pack, None)
    assert caplog.text.count("parses are not kept") == 1


def test_a_folder_that_cannot_be_made_costs_one_warning(pack, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    assert views(pack, tmp_path / "file" / "parses") == views(pack, None)
    assert caplog.text.count("parses are not kept: cannot write to") == 1


def test_a_pack_that_cannot_load_is_not_taken_for_damage(pack, tmp_path, monkeypatch):
    views(pack, tmp_path)
    files = shards(tmp_path)

    def refuse(self, data, places):
        raise DataError("the pipeline is not installed")

    monkeypatch.setattr(Toy, "load_docs", refuse)
    with pytest.raises(DataError, match="not installed"):
        views(pack, tmp_path)
    assert shards(tmp_path) == files


def test_shards_hold_no_pickle_and_are_named_by_content(pack, tmp_path):
    from safetensors.numpy import load_file

    views(pack, tmp_path)
    for file in shards(tmp_path):
        arrays = load_file(file)
        assert sorted(arrays) == ["docs", "keys"]
        assert len(arrays["keys"]) in (44, 64)
    before = {file: file.stat().st_mtime_ns for file in shards(tmp_path)}
    other = ParseCache.of(tmp_path, pack)
    docs = list(pack.parse(TEXTS[:64]))
    other.save(TEXTS[:64], docs)
    assert before.keys() == set(shards(tmp_path))


# -- spaCy ------------------------------------------------------------------------------------------------------------
class Parsed(SpacyPack):
    """spaCy's tokeniser and a component that invents a parse, entities and lemmas."""

    parser = "invented"

    def __init__(self, *, parses=True, notes=False):
        super().__init__(open_pack("english").folder)
        self.parses = parses
        self.notes = notes

    def load_pipeline(self):
        import spacy
        from spacy.language import Language
        from spacy.tokens import Doc

        @Language.component(f"invent_{self.notes}")
        def invent(doc):
            n = len(doc)
            rng = random.Random(doc.text)
            heads = [rng.randrange(i, n) for i in range(n)]
            made = Doc(
                doc.vocab,
                words=[t.text for t in doc],
                spaces=[bool(t.whitespace_) for t in doc],
                tags=[f"T{len(t)}" for t in doc],
                pos=[rng.choice(["NOUN", "VERB", "X"]) for _ in doc],
                morphs=[rng.choice(["", "Number=Sing", "Tense=Past|VerbForm=Fin"]) for _ in doc],
                lemmas=[t.text.lower() for t in doc],
                heads=heads,
                deps=["ROOT" if head == i else rng.choice(["nsubj", "dobj"]) for i, head in enumerate(heads)],
                ents=[rng.choice(["O", "B-GPE"]) for _ in doc],
            )
            if self.notes:
                made.user_data["note"] = object()
            return made

        nlp = spacy.blank("en")
        if self.parses:
            nlp.add_pipe(f"invent_{self.notes}")
        return nlp


PACKS = [Parsed(), Parsed(parses=False)]
ANNOTATIONS = ("TAG", "POS", "MORPH", "LEMMA", "DEP", "HEAD", "SENT_START", "ENT_IOB", "ENT_TYPE")


def seen(doc):
    """All that a rule may read."""
    rows = []
    for t in doc:
        row = [t.text, t.whitespace_, t.idx, t.tag_, t.pos_, str(t.morph), t.lemma_, t.norm_, t.dep_, t.head.i]
        row += [t.is_sent_start, t.ent_iob_, t.ent_type_]
        if doc.has_annotation("DEP"):  # spaCy crashes if asked for the children in a text without a parse
            row += [[c.i for c in t.children], t.left_edge.i, t.right_edge.i, [a.i for a in t.ancestors]]
        rows.append(row)
    sentences = [(s.start, s.end) for s in doc.sents] if doc.has_annotation("SENT_START") else None
    return doc.text, rows, sentences, {name: doc.has_annotation(name) for name in ANNOTATIONS}


@pytest.mark.parametrize("pack", PACKS, ids=["parsed", "tokens"])
@given(st.lists(st.text(max_size=40) | st.sampled_from(["She didn't go.", "", " ", "a  b\n", "He ca n't, I'm 5km!"])))
def test_spacy_documents_come_back_as_they_were(pack, texts):
    docs = list(pack.parse(texts))
    data = pack.store_docs(docs)
    places = list(range(len(texts)))[::2][::-1]
    for place, doc in zip(places, pack.load_docs(data, places), strict=True):
        assert seen(doc) == seen(docs[place])


def test_documents_load_where_nothing_was_parsed_before():
    texts = ["An unheard-of word: zyzzyva!", "He didn't."]
    docs = list(PACKS[0].parse(texts))
    loaded = Parsed().load_docs(PACKS[0].store_docs(docs), [0, 1])
    assert [seen(doc) for doc in loaded] == [seen(doc) for doc in docs]


def test_documents_with_unknown_additions_are_not_stored():
    pack = Parsed(notes=True)
    assert pack.store_docs(list(pack.parse(["one", "two"]))) is None


def test_fakes_parse_differently_from_tokens():
    """Else the tests above could not tell a lost parse."""
    (word,) = view_fakes.Words.of("word", parsed=True)
    assert word.tag_ == "4"
    assert next(Toy().tokenise_all(["word"]))[0].tag_ is None
