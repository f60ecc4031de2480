"""Clauses read from hand-built parses: the same in both label schemes."""

from __future__ import annotations

import pytest
from hypothesis import given
from randomdocs import documents
from trees import SCHEMES, clear, clearnlp, tree, ud, unparsed

from languages.english.grammar.sentences import finite_clauses, main_clause, roots, shared_verbs

#: text -> (subject, verbs, finite verb's tag, mood)
CLAUSES = {
    "He travelled widely in Europe.": ("He", "travelled", "VBD", "declarative"),
    "He is happy.": ("He", "is", "VBZ", "declarative"),
    "He's happy.": ("He", "'s", "VBZ", "declarative"),
    "I'm tired.": ("I", "'m", "VBP", "declarative"),
    "He is a king.": ("He", "is", "VBZ", "declarative"),
    "He was in Paris.": ("He", "was", "VBD", "declarative"),
    "They were playing chess.": ("They", "were playing", "VBD", "declarative"),
    "He has been ill.": ("He", "has been", "VBZ", "declarative"),
    "It has been sold.": ("It", "has been sold", "VBZ", "declarative"),
    "He will have left.": ("He", "will have left", "MD", "declarative"),
    "He'd win.": ("He", "'d win", "MD", "declarative"),
    "It may be true.": ("It", "may be", "MD", "declarative"),
    "I won't go.": ("I", "wo go", "MD", "declarative"),
    "He didn't answer.": ("He", "did answer", "VBD", "declarative"),
    "He has to go.": ("He", "has", "VBZ", "declarative"),
    "There is a church in the village.": ("There", "is", "VBZ", "declarative"),
    "There has been a mistake.": ("There", "has been", "VBZ", "declarative"),
    "The man who left is ill.": ("man", "is", "VBZ", "declarative"),
    "When he arrived, she left.": ("she", "left", "VBD", "declarative"),
    '"Go," he said.': ("he", "said", "VBD", "declarative"),
    "He left. She stayed.": ("He", "left", "VBD", "declarative"),
    "Lives in Paris.": (None, "Lives", "VBZ", "declarative"),
    "Was she ill?": ("she", "Was", "VBD", "question"),
    "Does he smoke?": ("he", "Does smoke", "VBZ", "question"),
    "What is this?": ("this", "is", "VBZ", "question"),
    "Why did he leave?": ("he", "did leave", "VBD", "question"),
    "Who won?": ("Who", "won", "VBD", "declarative"),
    "In the garden stands a tree.": ("tree", "stands", "VBZ", "inverted"),
    "Never before has he lost.": ("he", "has lost", "VBZ", "inverted"),
    "Take the bus.": (None, "Take", "VB", "imperative"),
    "Be careful.": (None, "Be", "VB", "imperative"),
    "Don't touch it.": (None, "Do touch", "VB", "imperative"),
    "Please sit down.": (None, "sit", "VB", "imperative"),
}


@pytest.mark.parametrize("text", CLAUSES)
def test_the_main_clause(text):
    for scheme in SCHEMES:
        clause = main_clause(scheme(text))
        subject = clause.subject.text if clause.subject is not None else None
        found = (subject, " ".join(verb.text for verb in clause.verbs), clause.tag, clause.mood)
        assert found == CLAUSES[text], scheme.__name__
        assert (clause.finite.i, clause.main_verb.i) == (clause.verbs[0].i, clause.verbs[-1].i)


@pytest.mark.parametrize("text", ["The Battle of Hastings", "A man playing a guitar", "A man who plays a guitar", "Born in Paris.",
                                  "What a day!", "No entry"])  # fmt: skip
def test_a_fragment_has_no_main_clause(text):
    for scheme in SCHEMES:
        assert main_clause(scheme(text)) is None


@pytest.mark.parametrize(
    ("text", "finite"),
    [
        ("A man who plays a guitar", ["plays"]),
        ("When he arrived, she left.", ["left", "arrived"]),
        ("He told her that it rained.", ["told", "rained"]),
        ("It was hot, but he ran.", ["was", "ran"]),
        ("He left. She stayed.", ["left", "stayed"]),
        ("Isn't it cold?", ["Is"]),
        ("He has to go.", ["has"]),
        ("The Battle of Hastings", []),
    ],
)
def test_every_finite_clause_main_ones_first(text, finite):
    for scheme in SCHEMES:
        assert [clause.finite.text for clause in finite_clauses(scheme(text))] == finite, scheme.__name__


@pytest.mark.parametrize(
    ("text", "plural"),
    [
        ("He is happy.", False), ("We're late.", True), ("I am tired.", True), ("They live in Rome.", True), ("Rain fell.", False),
        ("She lives in Paris.", False), ("There are dogs here.", True), ("They were playing chess.", True),
        ("You must stop.", True), ("She can swim.", False),
    ],
)  # fmt: skip
def test_number(text, plural):
    for scheme in SCHEMES:
        assert main_clause(scheme(text)).plural is plural, scheme.__name__


def test_a_coordinated_subject_is_plural():
    doc = tree("Ann|NNP|PROPN|nsubj|4 and|CC|CCONJ|cc|3 Bob|NNP|PROPN|conj|1 left|VBD|VERB|ROOT|4 .|.|PUNCT|punct|4")
    assert main_clause(doc).plural
    assert main_clause(clearnlp(doc)).plural


@pytest.mark.parametrize(
    ("text", "auxiliary"),
    [("He is happy.", True), ("He has a car.", False), ("He has won the race.", True), ("He did his work.", False),
     ("He didn't answer.", True), ("She can swim.", True), ("He has to go.", False), ("Rain fell.", False)],
)  # fmt: skip
def test_which_verbs_take_not_themselves(text, auxiliary):
    for scheme in SCHEMES:
        assert main_clause(scheme(text)).is_auxiliary is auxiliary


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("He also travelled and wrote books.", ["wrote"]),
        ("They live in Rome and work in Milan.", ["work"]),
        ("He is tired and wants rest.", ["wants"]),
        ("He came and she left.", []),
        ("It was hot, but he ran.", []),
        ("He thought it was late and left.", None),
    ],
)
def test_verbs_that_share_subject_and_tense(text, shared):
    for scheme in SCHEMES:
        found = shared_verbs(main_clause(scheme(text)))
        assert (found if found is None else [verb.text for verb, _ in found]) == shared, scheme.__name__


@pytest.mark.parametrize(
    ("word", "wrong_tag", "right_tag"),
    [("travelled", "VBN", "VBD"), ("live", "VB", "VBP")],
)
def test_spelling_and_subject_correct_the_tagger(word, wrong_tag, right_tag):
    doc = tree(f"They|PRP|PRON|nsubj|2 {word}|{wrong_tag}|VERB|ROOT|2 there|RB|ADV|advmod|2 .|.|PUNCT|punct|2")
    assert main_clause(doc).tag == right_tag


def test_a_passive_participle_is_no_finite_verb():
    doc = tree("Man|NN|NOUN|nsubj:pass|2 killed|VBD|VERB|ROOT|2 in|IN|ADP|case|4 crash|NN|NOUN|obl|2")
    assert main_clause(doc) is None


def test_unparsed_text_has_no_clause():
    doc = unparsed("He travelled.")
    assert main_clause(doc) is None
    assert roots(doc) == list(finite_clauses(doc)) == []


def test_the_converter_follows_spacys_models():
    """Two sentences as the English models of spaCy parse them."""
    is_happy = "He|PRP|PRON|nsubj|2 is|VBZ|AUX|ROOT|2 not|RB|PART|neg|2 happy|JJ|ADJ|acomp|2 .|.|PUNCT|punct|2"
    church = (
        "There|EX|PRON|expl|2 is|VBZ|VERB|ROOT|2 a|DT|DET|det|4 church|NN|NOUN|attr|2 in|IN|ADP|prep|4 the|DT|DET|det|7 "
        "village|NN|NOUN|pobj|5 .|.|PUNCT|punct|2"
    )
    for text, written in (("He is not happy.", is_happy), ("There is a church in the village.", church)):
        rows = [[(t.text, t.dep_, t.head.i) for t in doc] for doc in (clear(text), tree(written))]
        assert rows[0] == rows[1]


@given(documents())
def test_any_parse_can_be_read(doc):
    for clause in finite_clauses(doc):
        assert clause.finite in clause.verbs
        assert clause.tag in ("MD", "VBZ", "VBP", "VBD", "VB")
        assert [v.i for v in clause.verbs] == sorted(v.i for v in clause.verbs)
        assert {clause.plural, clause.asks, clause.is_auxiliary} <= {True, False}
        shared_verbs(clause)


def test_both_schemes_of_the_treebank_are_trees():
    for text in CLAUSES:
        assert len(roots(ud(text))) == len(roots(clear(text))) >= 1
