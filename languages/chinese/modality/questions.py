"""A modal into a question.

`如何下载` → `应该如何下载`, `为什么天空是蓝色的` → `为什么天空一定是蓝色的`, `你住在北京吗` → `你一定住在北京吗`.
"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch, before
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.modality.phrases import is_state, subject_word
from languages.chinese.modality.place import fits, listed, modal_gap


def modal_before_how(doc: Any, rng: random.Random) -> list[Patch] | None:
    """Return the patch for a question that asks how something is done, None for others: a verb has to follow `如何`."""
    words, modals = lexicon("modals")["question"], listed("before") | listed("instead")
    for token in doc[: len(doc) - 1]:
        when = form(token) in ("什么时候", "何时") or (form(token) == "什么" and form(token.nbor()) == "时候")
        where = form(token) == "在" and form(token.nbor())[0] == "哪"
        if when or where:
            clear = fits(doc, token.i) and (token.i == 0 or not listed("before") & {form(token.nbor(-1))})
            return [before(token, rng.choice(words["what"]))] if clear and not words_of(doc, token.i) & modals else None
        if form(token) not in words["how_words"] or not fits(doc, token.i):
            continue
        near = {form(t) for t in doc[max(token.i - 2, 0) : token.i + 3]}
        following = token.nbor()
        if (
            near & modals
            or form(following)[0] in "了啦样回不没这那"
            or following.pos_ not in ("VERB", "ADV", "ADP", "NOUN", "ADJ")
        ):
            return None
        if any(form(t) in ("的", "了") for t in doc[token.i + 1 : token.i + 4]) and doc[-1].text in ("的", "了"):
            return None  # `他是怎么死的`: it has happened
        return [before(token, rng.choice(words["how"]))]
    return None


def words_of(doc: Any, index: int) -> set[str]:
    """The words around a token, in simplified characters."""
    return {form(t) for t in doc[max(index - 3, 0) : index + 4]}


def modal_into_question(predicate: Predicate, text: str, rng: random.Random) -> list[Patch] | None:
    """Return the patch for a question without a modal, None for one that asks whether.

    text  the sentence, in simplified characters
    """
    words = lexicon("modals")["question"]
    if any(word in text for word in words["whether"]):
        return None
    doc = predicate.doc
    yes_no = text.rstrip("？?。 ").endswith(("吗", "么", "吧", "嘛"))
    yes_no = yes_no and not text.rstrip("？?。 ").endswith(("什么", "怎么"))
    yes_no = yes_no or not any(word in text for word in lexicon("punctuation")["interrogatives"])
    why = any(word in text for word in words["why_words"])
    at = modal_gap(predicate) if why else _last_gap(predicate, yes_no=yes_no)
    if at is None or not fits(doc, at):
        return None
    if why:
        asked = max(text.find(word) + len(word) for word in words["why_words"] if word in text)
        if doc[at].idx < asked:
            at = predicate.token.i
        if doc[at].idx < asked or not fits(doc, at):
            return None
        return [before(doc[at], rng.choice(words["why_state" if is_state(predicate) else "why"]))]
    if yes_no:
        person = subject_word(predicate) in listed("deontic", "persons")
        duty = person and at <= predicate.token.i and not is_state(predicate) and predicate.stretch.negator is None
        return [before(doc[at], rng.choice(["必须", "一定要"] if duty else words["yes_no"]))]
    return [before(doc[at], rng.choice(words["what"]))]


def _last_gap(predicate: Predicate, *, yes_no: bool) -> int | None:
    """The gap in front of the verb that the question is about: `泡水 | 有什么功效`, `吃鱼 | 有好处吗`.

    The last 是, 有 or verb in front of what asks; its adverbs and negation come along.
    """
    doc, piece = predicate.doc, predicate.piece
    asks = [t.i for t in piece.tokens if form(t) in listed("question", "asks") or form(t)[0] in "哪谁啥"]
    if not yes_no and not asks:
        return None
    end = piece.end if yes_no else asks[0]
    light = [i for i in range(predicate.token.i, end) if form(doc[i]) in listed("question", "light")]
    verbs = (
        light
        if yes_no
        else [
            i
            for i in range(predicate.token.i, end)
            if doc[i].pos_ in ("VERB", "AUX") and form(doc[i]) not in ("了", "着", "过")
        ]
    )
    verb = verbs[-1] if verbs else predicate.token.i
    if verb >= end or "的" in {form(t) for t in doc[verb : verb + 2]}:
        return None
    if verb == predicate.token.i:
        return modal_gap(predicate)
    while verb - 1 > piece.start and (
        doc[verb - 1].pos_ == "ADV" or form(doc[verb - 1]) in ("不", "没", "能", "会", "可以", "可", "要", "都")
    ):
        verb -= 1
    return verb
