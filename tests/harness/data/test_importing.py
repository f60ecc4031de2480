"""Originals as their authors publish them, small and made up here, become files of a data folder."""

from __future__ import annotations

import json

import pytest
from data_fakes import tree, write
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data import read_scored_pairs
from harness.data.catalog import Catalog, CatalogFile, Entry
from harness.data.contents import measure
from harness.data.importing import FORMATS, import_original
from harness.data.originals import clean
from harness.data.pins import Pins
from harness.errors import DataError, UsageError

NOTHING = Catalog({})


@pytest.fixture
def take(tmp_path):
    def run(name, path, catalog=NOTHING, **options):
        pins = Pins.read(tmp_path / "pins.json")
        found = list(import_original(name, path, tmp_path / "data", catalog, pins=pins, **options))
        return {one.place: one for one in found}, tree(tmp_path / "data")

    return run


SUBSETS = {"STS12-en-test": ["MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"]}


@pytest.fixture
def downstream(tmp_path):
    """SentEval's folder with something of every kind in it."""
    root = tmp_path / "SentEval"
    for subset in SUBSETS["STS12-en-test"]:
        write(
            root,
            f"downstream/STS/STS12-en-test/STS.input.{subset}.txt",
            f'a "quoted {subset}\tb\nno score\tx\nc\td\r\n',
        )
        write(root, f"downstream/STS/STS12-en-test/STS.gs.{subset}.txt", "4.750\n\n0\n")
    for split in ("train", "dev", "test"):
        line = f"main-captions\tMSRvid\t2012\t0001\t2.5\tone {split}\ttwo\textra\n"
        write(root, f"downstream/STS/STSBenchmark/sts-{split}.csv", line)
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    for split in ("train", "trial", "test_annotated"):
        write(root, f"downstream/SICK/SICK_{split}.txt", head + f"1\tA {split}\tB\t3.5\tNEUTRAL\r\n")
    for name, good, bad in (("MR", "rt-polarity.pos", "rt-polarity.neg"), ("CR", "custrev.pos", "custrev.neg")):
        write(root, f"downstream/{name}/{good}", "good\n\nfine\n\n")
        write(root, f"downstream/{name}/{bad}", "bad\n")
    (root / "downstream/MR/rt-polarity.neg").write_bytes("caf\xe9\n".encode("latin-1"))
    for split in ("train", "dev", "test"):
        write(root, f"downstream/SST/binary/sentiment-{split}", "a fine film\t1\nnot so\t0\n")
    write(root, "downstream/TREC/train_5500.label", "DESC:manner How is it done ?\n")
    write(root, "downstream/TREC/TREC_10.label", "NUM:dist How far is it ?\n")
    head = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
    for split in ("train", "test"):
        write(root, f"downstream/MRPC/msr_paraphrase_{split}.txt", head + f'1\t12\t13\t"One {split}\tTwo\r\n')
    return root


def test_senteval(downstream, take):
    _, files = take("senteval", downstream)
    assert files["sts/en-senteval/STS12/OnWN.tsv"] == '4.750\ta "quoted surprise.OnWN\tb\n0\tc\td\n'
    assert files["sts/en-senteval/STS-B/dev.tsv"] == "2.5\tone dev\ttwo\n"
    assert files["sts/en-senteval/SICK-R/dev.tsv"] == "3.5\tA trial\tB\n"
    assert files["transfer/en/MR/all.tsv"] == "1\tgood\n1\t.\n1\tfine\n1\t.\n0\tcafé\n"
    assert files["transfer/en/SST2/dev.tsv"] == "1\ta fine film\n0\tnot so\n"
    assert files["transfer/en/TREC/train.tsv"] == "DESC\tHow is it done ?\n"
    assert files["transfer/en/MRPC/test.tsv"] == '1\t"One test\tTwo\n'
    assert len(files) == 5 + 3 + 3 + 2 + 3 + 2 + 2
    assert not any(place.startswith("sts/en/") for place in files)


def test_unscored_rows_are_counted_and_the_raw_texts_have_their_own_place(downstream, take):
    found, files = take("senteval-raw", downstream / "downstream")
    assert (found["sts/en/STS12/MSRpar.tsv"].dropped, found["sts/en/STS12/MSRpar.tsv"].rows) == (1, 2)
    assert "sts/en/SICK-R/test.tsv" in files


def test_a_set_is_taken_whole_or_not_at_all(downstream, take):
    (downstream / "downstream/STS/STS12-en-test/STS.gs.MSRvid.txt").unlink()
    with pytest.raises(DataError, match=r"lacks STS\.gs\.MSRvid\.txt"):
        take("senteval", downstream)


def test_scores_and_pairs_must_fit(downstream, take):
    write(downstream, "downstream/STS/STS12-en-test/STS.gs.MSRpar.txt", "1\n2\n3\n4\n")
    with pytest.raises(DataError, match=r"has 4 scores, .* 3 pairs"):
        take("senteval", downstream)


def test_sick_of_one_file(tmp_path, take):
    head = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"
    rows = "1\tA\tB\tNEUTRAL\t4.5\tTRAIN\n2\tC\tD\tNEUTRAL\t3\tTEST\n3\tE\tF\tENTAILMENT\t5\tTRIAL\n"
    _, files = take("sick", write(tmp_path, "SICK/SICK.txt", head + rows).parent)
    assert files == {
        f"sts/en/SICK-R/{s}.tsv": t for s, t in (("train", "4.5\tA\tB\n"), ("test", "3\tC\tD\n"), ("dev", "5\tE\tF\n"))
    }


def test_cnsd(tmp_path, take):
    write(tmp_path, "o/cnsd-sts-dev.txt", "2012-1||一个人。||一个\u2028男人。 ||5\n")
    assert take("cnsd", tmp_path / "o")[1] == {"sts/zh/STS-B/dev.tsv": "5\t一个人。\t一个 男人。\n"}


def test_simclue(tmp_path, take):
    lines = [
        {"query": "甲", "title": "乙", "neg_title": "丙"},
        {"id": 3, "sentence_0": "乙", "sentence_1": "丁", "label": "1"},
    ]
    path = write(tmp_path, "o/train.json", "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n\n")
    assert take("simclue", path)[1] == {"corpus/zh/simclue_imported.txt": "甲\n乙\n丙\n丁\n"}
    assert take("simclue", path.parent)[0]["corpus/zh/simclue_imported.txt"].outcome == "there"


def test_qqp_of_glue(tmp_path, take):
    head = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n"
    write(tmp_path, "o/train.tsv", head + '1\t2\t3\tIs "it\tSo?\t1\n4\t5\tcut off\n6\t7\t8\tA?\tB?\t0\n')
    found, files = take("qqp", tmp_path / "o")
    assert files == {"other/en/QQP/train.tsv": '1\tIs "it\tSo?\n0\tA?\tB?\n'}
    assert found["other/en/QQP/train.tsv"].dropped == 1


@pytest.mark.parametrize(
    ("name", "file", "place"),
    [
        ("snli", "train.tsv", "other/en/SNLI/train.tsv"),
        ("snli", "snli_1.0_test.txt", "other/en/SNLI/test.tsv"),
        ("mnli", "dev_matched.tsv", "other/en/MNLI/dev_matched.tsv"),
        ("mnli", "multinli_1.0_train.txt", "other/en/MNLI/train.tsv"),
    ],
)
def test_nli(tmp_path, take, name, file, place):
    rows = "neutral\t(p\ta\tb\n-\t(p\tc\td\ncontradiction\t(p\te\tf\n"
    write(tmp_path, f"o/{file}", "gold_label\tparse\tsentence1\tsentence2\n" + rows)
    found, files = take(name, tmp_path / "o")
    assert files == {place: "neutral\ta\tb\ncontradiction\te\tf\n"}
    assert found[place].dropped == 1


def test_ud(tmp_path, take):
    rows = [
        "# text = Go on",
        "1-2\tGo on\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|X=1",
        "1\tGo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t0:root\tX=1",
        "1.1\tit\tit\tPRON\tPRP\t_\t_\t_\t1:nsubj\t_",
        "",
    ]
    for language in ("en", "de"):
        write(tmp_path, f"o/{language}_x-ud-dev.conllu", "\n".join([*rows, *rows]) + "\n")
    found, files = take("ud", tmp_path / "o")
    expected = (
        "# text = Go on\n1-2\tGo on\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tGo\tgo\tVERB\tVB\t{}\t0\troot\t_\t_\n\n"
    )
    assert files["treebank/en/en_x-ud-dev.conllu"] == 2 * expected.format("_")
    assert files["treebank/de/de_x-ud-dev.conllu"] == 2 * expected.format("Mood=Imp")
    assert (found["treebank/en/en_x-ud-dev.conllu"].rows, found["treebank/en/en_x-ud-dev.conllu"].dropped) == (2, 2)


def known(tmp_path, text):
    place = "sts/zh/STS-B/dev.tsv"
    content = measure(write(tmp_path, "known.tsv", text), place)
    file = CatalogFile(place, content.rows, content.sha256)
    return Catalog({"sts/zh/STS-B": Entry("sts/zh/STS-B", "t", "s", "l", "c", "", {place: file})})


def test_what_came_is_compared_with_the_catalog(tmp_path, take):
    write(tmp_path, "o/cnsd-sts-dev.txt", "1||甲||乙||5\n")
    place = "sts/zh/STS-B/dev.tsv"
    assert take("cnsd", tmp_path / "o", known(tmp_path, "5\t甲\t乙\n"))[0][place].note == "as in the catalog"
    write(tmp_path, "o/cnsd-sts-dev.txt", "1||甲||丙||5\n")
    found, files = take("cnsd", tmp_path / "o", known(tmp_path, "5\t甲\t乙\n"))
    assert (found[place].outcome, files[place]) == ("kept", "5\t甲\t乙\n")
    found, files = take("cnsd", tmp_path / "o", known(tmp_path, "5\t甲\t乙\n"), replace=True)
    assert (found[place].outcome, files[place]) == ("written", "5\t甲\t丙\n")
    assert "differs from the catalog" in found[place].note


@pytest.mark.parametrize(
    ("name", "file", "text", "words"),
    [
        ("cnsd", "cnsd-sts-dev.txt", "1||a||b\n", "line 1: 3 fields"),
        ("cnsd", "cnsd-sts-dev.txt", "1||a||b||high\n", "'high', expected a number"),
        ("cnsd", "cnsd-sts-dev.txt", "1||a||b||nan\n", "expected a number from 0 to 5"),
        ("cnsd", "other.txt", "x", "has none of cnsd-sts-train.txt"),
        ("mrpc", "msr_paraphrase_test.txt", "Quality\tx\n1\ty\n", "no column #1 String"),
        ("mrpc", "msr_paraphrase_test.txt", "Quality\t#1 String\t#2 String\n1\tx\n", "line 2: 2 columns"),
        (
            "mrpc",
            "msr_paraphrase_test.txt",
            "Quality\t#1 String\t#2 String\n2\tx\ty\n",
            "the label '2' is none of 0, 1",
        ),
        ("snli", "dev.tsv", "gold_label\tsentence1\tsentence2\n-\tx\ty\n", "has no row"),
        ("simclue", "a.json", "[1]\n", "line 1: no JSON object"),
        ("simclue", "a.txt", "x", r"has no \*\.json"),
        ("ud", "en_x-ud-dev.conllu", "1\tGo\n", "line 1: 2 columns"),
        ("senteval", "x", "x", "nothing of SentEval"),
    ],
)
def test_what_is_not_the_format_is_refused(tmp_path, take, name, file, text, words):
    write(tmp_path, f"o/{file}", text)
    with pytest.raises(DataError, match=words):
        take(name, tmp_path / "o")
    assert not list((tmp_path / "data").rglob("*.*"))


def test_unknown_formats(tmp_path, take):
    with pytest.raises(UsageError, match="Did you mean 'senteval'"):
        take("sent-eval", tmp_path)
    with pytest.raises(DataError, match="does not exist; cnsd expects"):
        take("cnsd", tmp_path / "none")
    assert all(" -> " in about for _, about in FORMATS.values())


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=40)
@given(pairs=st.lists(st.tuples(st.floats(0, 5), TEXT.map(clean), TEXT.map(clean)), min_size=1, max_size=6))
def test_any_text_survives_the_way_from_an_original(tmp_path_factory, pairs):
    """A text without separators stands in the data folder as in the original, an empty one as a full stop."""
    folder = tmp_path_factory.mktemp("any")
    head = "sentence_B\tsentence_A\trelatedness_score\tSemEval_set\n"
    write(folder, "SICK.txt", head + "".join(f"{b}\t{a}\t{s!r}\tTEST\n" for s, a, b in pairs))
    pins = Pins.read(folder / "pins.json")
    list(import_original("sick", folder / "SICK.txt", folder / "data", NOTHING, pins=pins))
    found = read_scored_pairs(folder / "data/sts/en/SICK-R/test.tsv")
    assert found.gold.tolist() == [s for s, _, _ in pairs]
    assert list(found.pairs) == [(a or ".", b or ".") for _, a, b in pairs]
