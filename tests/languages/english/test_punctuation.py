"""PI on hand-built parses of both label schemes: which marks go where, and that nothing else changes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import consistent, made
from randomdocs import documents
from trees import clearnlp, tree, unparsed

from harness.seeds import python_rng
from languages.english.marks.final import final_mark
from languages.english.marks.gaps import Gaps
from languages.english.punctuation import WEIGHTS, PunctuationInsertion, places

OPERATOR = PunctuationInsertion()
MANY = range(400)

HE = (
    "He|PRP|PRON|nsubj|2 travelled|VBD|VERB|ROOT|2 widely|RB|ADV|advmod|2 in|IN|ADP|case|5 Europe|NNP|PROPN|obl|2 "
    ".|.|PUNCT|punct|2"
)
BARN = (
    "The|DT|DET|det|2 roof|NN|NOUN|nsubj|6 of|IN|ADP|case|5 the|DT|DET|det|5 barn|NN|NOUN|nmod|2 fell|VBD|VERB|ROOT|6 "
    ".|.|PUNCT|punct|6"
)
RELATIVE = (
    "The|DT|DET|det|2 man|NN|NOUN|nsubj|7 who|WP|PRON|nsubj|4 called|VBD|VERB|acl:relcl|2 is|VBZ|AUX|cop|7 "
    "very|RB|ADV|advmod|7 old|JJ|ADJ|ROOT|7 .|.|PUNCT|punct|7"
)
FRONTED = (
    "In|IN|ADP|case|2 1999|CD|NUM|obl|4 he|PRP|PRON|nsubj|4 moved|VBD|VERB|ROOT|4 to|IN|ADP|case|6 Rome|NNP|PROPN|obl|4 "
    ".|.|PUNCT|punct|4"
)
WHEN = (
    "When|WRB|ADV|advmod|4 the|DT|DET|det|3 bell|NN|NOUN|nsubj|4 rang|VBD|VERB|advcl|7 the|DT|DET|det|6 "
    "pupils|NNS|NOUN|nsubj|7 ran|VBD|VERB|ROOT|7 .|.|PUNCT|punct|7"
)
COORDINATED = (
    "The|DT|DET|det|2 sun|NN|NOUN|nsubj|3 rose|VBD|VERB|ROOT|3 and|CC|CCONJ|cc|6 birds|NNS|NOUN|nsubj|6 "
    "sang|VBD|VERB|conj|3 .|.|PUNCT|punct|3"
)
ALTHOUGH = (
    "She|PRP|PRON|nsubj|2 bought|VBD|VERB|ROOT|2 it|PRP|PRON|obj|2 although|IN|SCONJ|mark|7 it|PRP|PRON|nsubj|7 "
    "was|VBD|AUX|cop|7 old|JJ|ADJ|advcl|2 .|.|PUNCT|punct|2"
)
INFINITIVE = (
    "She|PRP|PRON|nsubj|2 wants|VBZ|VERB|ROOT|2 to|TO|PART|mark|4 learn|VB|VERB|xcomp|2 Greek|NNP|PROPN|obj|4 "
    ".|.|PUNCT|punct|2"
)
HOWEVER = (
    "His|PRP$|PRON|nmod:poss|2 heart|NN|NOUN|nsubj|4 however|RB|ADV|advmod|4 failed|VBD|VERB|ROOT|4 .|.|PUNCT|punct|4"
)
QUESTION = "Is|VBZ|AUX|cop|4 the|DT|DET|det|3 museum|NN|NOUN|nsubj|4 open|JJ|ADJ|ROOT|4 ?|.|PUNCT|punct|4"
CONTRACTED = "He|PRP|PRON|nsubj|3 's|VBZ|AUX|cop|3 late|JJ|ADJ|ROOT|3 .|.|PUNCT|punct|3"
THERE = "There|EX|PRON|expl|2 are|VBP|VERB|ROOT|2 two|CD|NUM|nummod|4 cups|NNS|NOUN|nsubj|2 .|.|PUNCT|punct|2"
QUOTED = (
    "The|DT|DET|det|2 boss|NN|NOUN|nsubj|3 said|VBD|VERB|ROOT|3 \"~|``|PUNCT|punct|5 never~|RB|ADV|advmod|3 \"|''|PUNCT|punct|5 "
    "again|RB|ADV|advmod|3 .|.|PUNCT|punct|3"
)
BRACKETS = (
    "The|DT|DET|det|2 tower|NN|NOUN|nsubj|7 (~|(|PUNCT|punct|4 built|VBN|VERB|acl|2 1820|CD|NUM|obl|4 )|)|PUNCT|punct|4 "
    "burned|VBD|VERB|ROOT|7 .|.|PUNCT|punct|7"
)
CURLY = (
    "My|PRP$|PRON|nmod:poss|2 uncle|NN|NOUN|nmod:poss|4 ’s|POS|PART|case|2 dog|NN|NOUN|nsubj|5 bites|VBZ|VERB|ROOT|5 "
    ".|.|PUNCT|punct|5"
).replace("uncle|", "uncle~|")
REFERENCE = {
    HE: {
        "He, travelled widely in Europe.",
        "He travelled widely in Europe!",
    },
    BARN: {"The roof of the barn, fell.", '"The roof of the barn" fell.', "The roof of the barn fell!"},
    RELATIVE: {
        "The man who called, is very old.",
        '"The man who called" is very old.',
        "The man who called is very old!",
    },
    FRONTED: {
        "In 1999, he moved to Rome.",
        "In 1999 he, moved to Rome.",
        "In 1999 he moved to Rome!",
    },
    WHEN: {
        "When the bell rang, the pupils ran.",
        "When the bell rang the pupils ran!",
    },
    COORDINATED: {
        "The sun rose, and birds sang.",
        "The sun, rose and birds sang.",
        '"The sun" rose and birds sang.',
        "The sun rose and birds sang!",
    },
    ALTHOUGH: {
        "She bought it, although it was old.",
        "She, bought it although it was old.",
        "She bought it although it was old!",
    },
    INFINITIVE: {"She, wants to learn Greek.", "She wants to learn Greek!"},
    HOWEVER: {
        "His heart, however, failed.",
        '"His heart" however failed.',
        "His heart however failed!",
    },
    QUESTION: {'Is "the museum" open?'},
    CONTRACTED: {"He's late!"},
    THERE: {"There are two cups!"},
    QUOTED: {'The boss, said "never" again.', 'The boss said "never" again!'},
    BRACKETS: {"The tower (built 1820), burned.", "The tower (built 1820) burned!"},
    CURLY: {"My uncle’s dog, bites.", "“My uncle’s dog” bites.", "My uncle’s dog bites!"},
}


@pytest.mark.parametrize("source", REFERENCE, ids=lambda source: tree(source).text)
def test_every_licensed_place_and_no_other(source):
    for doc in (tree(source), clearnlp(tree(source))):
        assert made(OPERATOR, doc, MANY) == REFERENCE[source]


def test_a_bare_name_takes_no_comma():
    doc = tree("Maria|NNP|PROPN|nsubj|2 sings|VBZ|VERB|ROOT|2 .|.|PUNCT|punct|2")
    assert made(OPERATOR, doc, MANY) == {'"Maria" sings.', "Maria sings!"}


def test_a_subject_that_does_not_agree_is_taken_for_a_parsing_error():
    doc = tree("The|DT|DET|det|2 list|NN|NOUN|nsubj|3 are|VBP|VERB|ROOT|3 long|JJ|ADJ|acomp|3 .|.|PUNCT|punct|3")
    assert made(OPERATOR, doc) == {"The list are long!"}


def test_a_denied_because_clause_keeps_its_reading():
    rest = "because|IN|SCONJ|mark|7 it|PRP|PRON|nsubj|7 rained|VBD|VERB|advcl|{head} .|.|PUNCT|punct|{head}"
    denied = "They|PRP|PRON|nsubj|4 did|VBD|AUX|aux|4 not|RB|PART|advmod|4 leave|VB|VERB|ROOT|4 "
    affirmed = "They|PRP|PRON|nsubj|4 will|MD|AUX|aux|4 surely|RB|ADV|advmod|4 leave|VB|VERB|ROOT|4 "
    assert "They will surely leave, because it rained." in made(OPERATOR, tree(affirmed + rest.format(head=4)), MANY)
    assert "They did not leave, because it rained." not in made(OPERATOR, tree(denied + rest.format(head=4)), MANY)


def test_clause_boundaries_come_first_and_commas_behind_subjects_are_rare():
    doc = tree(FRONTED)
    drawn = [OPERATOR.apply(doc, python_rng(seed, "pi")).text for seed in range(1000)]
    counts = {text: drawn.count(text) for text in set(drawn)}
    assert max(counts, key=counts.get) == "In 1999, he moved to Rome."
    assert min(counts.values()) == counts["In 1999 he, moved to Rome."]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("A short history of glass", "A short history of glass!"),
        ("He left.", "He left!"),
        ("three eggs and some flour;", "three eggs and some flour!"),
        ("The winners:", "The winners!"),
        ("He left .  ", "He left !  "),
        ('She said, "It is late."', 'She said, "It is late!"'),
        ("It burned (twice).", "It burned (twice)!"),
        ("Emma Berg (painter)", "Emma Berg (painter)!"),
        ('He wrote "Hills"', 'He wrote "Hills"!'),
        ("It closes at 5 p.m.", "It closes at 5 p.m.!"),
        ("He works for Hill Inc.", "He works for Hill Inc.!"),
        ("The symphony Op.", "The symphony Op.!"),
        ("They play in Group B.", "They play in Group B!"),
        ("It grew by 5%.", "It grew by 5%!"),
        ("It cost 5%", "It cost 5%!"),
        ("Great 😀", "Great 😀!"),
        ("彼は行った。", "彼は行った！"),
        ("in 1999\n", "in 1999!\n"),
    ],
)
def test_the_end_of_unparsed_text(text, marked):
    assert made(OPERATOR, unparsed(text)) == {marked}


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t", "...", "?!", "—", "Why?", "Stop!", "And then...", "Then …", 'He cried, "No!"', "He loves Jeopardy!.",
     "More at https://example.org/a", "See https://example.org/a.", "Write to a@example.org", "end<br>", "| x |", "A –", "(Why?)"],
)  # fmt: skip
def test_no_place_at_the_end(text):
    assert made(OPERATOR, unparsed(text)) == {None}


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("a b", [0, 0, 0]),
        ("a (b c) d", [0, 0, 1, 1, 1, 0, 0]),
        ('a "b c" d', [0, 0, 1, 1, 1, 0, 0]),
        ("a “b” c", [0, 0, 1, 1, 0, 0]),
        ("a ( b", [0, 0, 1, 0]),
        ("a ) b", [1, 1, 0, 0]),
        ('a " b', [1, 1, 1, 1]),
        ("the dogs’ tails", [0, 0, 0, 0, 0]),
    ],
)
def test_the_gaps_inside_quotations_and_brackets(text, inside):
    assert [int(x) for x in Gaps(unparsed(text)).inside] == inside


def test_no_comma_without_a_blank_or_beside_a_mark():
    doc = unparsed("He's here, now (or never) at https://a.org/b/c today")
    gaps = Gaps(doc)
    free = [doc[i].text for i in range(len(doc)) if gaps.takes_comma(i)]
    assert free == ["here", "at", "https://a.org/b/c"]


def words_of(text: str) -> list[str]:
    return [c for c in text if not unicodedata.category(c).startswith("P")]


@given(documents(), st.integers(0, 5))
def test_only_punctuation_changes_whatever_the_parse(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed, "pi"))
    if edit is not None:
        consistent(edit, doc)
        assert words_of(edit.text) == words_of(doc.text)


@given(documents())
def test_no_place_doubles_a_mark_or_touches_another(doc):
    for place in places(doc):
        for change in place.changes:
            if change.kind == "insert" and change.text == ",":
                left, right = doc[change.start - 1], doc[change.start]
                assert left.whitespace_ == " "
                assert left.text[-1] not in ",;:!?("
                assert right.text[0] not in ",;:!?.)"
                assert not Gaps(doc).inside[change.start]


@given(st.text(max_size=60))
def test_any_text_survives(text):
    doc = unparsed(text)
    edit = OPERATOR.apply(doc, python_rng(0, "pi"))
    assert (edit is None) == (final_mark(doc) is None)
    if edit is not None:
        assert words_of(edit.text) == words_of(text)


@given(documents())
def test_every_place_has_a_weight(doc):
    assert {place.rule for place in places(doc)} <= set(WEIGHTS)


def test_variants():
    with pytest.raises(ValueError, match="pi@paper"):
        PunctuationInsertion("loud")
    assert OPERATOR.fingerprint() == PunctuationInsertion().fingerprint()
