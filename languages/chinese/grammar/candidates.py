"""Which words of a piece may be its predicate? No attribute, no preposition in front of a verb, no mistagged noun."""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.pieces import Piece


def may_be_predicate(token: Any, piece: Piece) -> bool:
    """Whether a word may be the predicate of its piece, by tag, label, form and neighbours."""
    text = form(token)
    if token.i > piece.start and (form(token.nbor(-1)) == "所" or _comment(token)):
        return False
    if labels.is_copula(token):
        return token.i + 1 < piece.end and not _resultative(token, piece) and not is_attributive(token, piece)
    if text in lexicon("verbs")["possess"] or text in ("没有", "没"):
        idiom = token.i + 1 < piece.end and form(token.nbor()) in ("见", "鉴于")
        if token.i > piece.start and form(token.nbor(-1)) in ("在", "于", "以", "从") and token.nbor(-1).pos_ == "ADP":
            return False  # 在没有人反对的情况下
        if (
            text in ("没有", "没")
            and token.i + 3 < piece.end
            and token.nbor().pos_ == "VERB"
            and form(token.nbor(2)) == "的"
        ):
            return False  # 没有命名的名称会…
        return not idiom and not is_attributive(token, piece)
    if (
        token.pos_ not in ("VERB", "AUX", "ADJ")
        or text in words("verbs", "aspects")
        or text in words("verbs", "never_verbs")
    ):
        return False
    if labels.is_modal(token) or labels.is_bei(token) or labels.is_ba(token):
        return False
    if token.pos_ == "ADJ" and (
        token.dep_ in labels.ATTRIBUTIVE or token.dep_ in ("advmod", "obl", "obj", "nsubj", "case")
    ):
        return False
    if token.pos_ != "ADJ" and token.dep_ in (
        "compound",
        "nmod",
        "amod",
        "flat",
        "flat:name",
        "appos",
        "nummod",
        "clf",
        "case:loc",
    ):
        return False
    if token.dep_ in ("mark", "case") and text in words("verbs", "coverbs"):
        return False
    if _after_classifier(token, piece) or _noun_at_end(token, piece):
        return False
    following = token.nbor() if token.i + 1 < piece.end else None
    if text in words("verbs", "coverbs") and _verb_follows(token, piece):
        return False
    # a verb behind a verb is its complement (看 到, 成立 于)
    if following is None and token.i == piece.start and token.pos_ == "ADJ" and token.dep_ not in labels.ROOT:
        return False
    return not is_attributive(token, piece)


def _comment(token: Any) -> bool:
    """对我来说, 总体来看."""
    return form(token) in ("说", "看", "讲") and form(token.nbor(-1)) in ("来", "总的来", "一般来")


def _resultative(token: Any, piece: Piece) -> bool:
    """命名为, 升为: 为 behind a verb is part of it."""
    if form(token) != "为" or token.i == piece.start:
        return False
    previous = token.nbor(-1)
    return previous.pos_ == "VERB" or form(previous) in words("known_verbs", "verbs")


def _after_classifier(token: Any, piece: Piece) -> bool:
    """A verb right behind 一个, 这种 … opens an attribute if 的 follows (`一个拿着包的人`)."""
    i = token.i - 1
    while i >= piece.start and labels.is_adverb(piece.doc[i]):
        i -= 1
    if i < piece.start:
        return False
    previous = piece.doc[i]
    counted = (
        previous.dep_ in ("clf", "mark:clf")
        or previous.tag_ in ("NNB", "M")
        or form(previous) in words("verbs", "classifiers")
    )
    numeral = (i > piece.start and (piece.doc[i - 1].pos_ in ("NUM", "DET"))) or form(previous)[0] in "一两这那每某"
    fused = form(previous) in words("verbs", "determiners") or (
        form(previous)[0] in "一两三这那每某几" and form(previous)[1:] in words("verbs", "classifiers")
    )
    if not (fused or (counted and numeral)):
        return False
    return any(form(t) == "的" and t.i > token.i for t in piece.tokens)


def _noun_at_end(token: Any, piece: Piece) -> bool:
    """A word tagged VERB that ends its piece behind `… 的 (N)` is a noun (`用户的身份认证`)."""
    if token.i + 1 < piece.end or token.dep_ == "cop":
        return False
    i = token.i - 1
    while i > piece.start and labels.is_nominal(piece.doc[i]):
        i -= 1
    return i > piece.start and form(piece.doc[i]) in ("的", "之")


def _verb_follows(token: Any, piece: Piece) -> bool:
    return any(
        t.i > token.i
        and (t.pos_ in ("VERB", "ADJ") or labels.is_copula(t))
        and t.dep_ not in labels.FUNCTION
        and t.dep_ not in labels.ATTRIBUTIVE
        and not is_attributive(t, piece)
        for t in piece.tokens
    )


def is_attributive(token: Any, piece: Piece) -> bool:
    """Whether a word belongs to an attribute in front of its noun (建造 in `他建造的桥`)."""
    following = token.nbor() if token.i + 1 < piece.end else None
    if (
        following is not None
        and form(following) in ("的", "之")
        and token.i + 2 < piece.end
        and not labels.is_copula(token)
    ):
        after = token.nbor(2)
        if labels.is_nominal(after) or after.pos_ in ("ADJ", "DET") or after.tag_ in ("PFA", "JJ", "CD", "DT"):
            return True
    if any(form(t) == "者" and t.i > token.i for t in piece.tokens) and not labels.is_copula(token):
        agent = next(t for t in piece.tokens if form(t) == "者" and t.i > token.i)
        if (
            not any(form(t) == "的" for t in piece.doc[token.i : agent.i])
            and agent.i - token.i <= 5
            and agent.i + 1 < piece.end
        ):
            return True
    node = token.head if labels.is_copula(token) and token.dep_ == "cop" else token
    seen = 0
    while node.head.i != node.i and piece.start <= node.head.i < piece.end and seen < 30:
        if node.dep_ in labels.ATTRIBUTIVE and node.head.i > token.i:
            between = piece.doc[token.i : node.head.i]
            if node.dep_ in ("acl", "acl:relcl", "relcl"):
                return any(form(t) in ("的", "之") for t in between)
            return True
        node = node.head
        seen += 1
    return False


def is_known(token: Any, piece: Piece) -> bool:
    """Whether the lexicon knows a word as a predicate, or an aspect mark behind it shows that it is one."""
    text = form(token)
    verbs = words("known_verbs", "verbs")
    if (
        labels.is_copula(token)
        or text in lexicon("verbs")["possess"]
        or text in verbs
        or text in words("verbs", "states")
    ):
        return True
    if aspect_of(piece, token).mark or text in lexicon("negation")["affirm_verb"]:
        return True
    if token.pos_ == "ADJ":
        previous = piece.doc[token.i - 1] if token.i > piece.start else token
        return (
            len(text) > 1
            or form(previous) in words("verbs", "degrees")
            or form(previous) in words("adverbs", "negators")
        )
    if len(text) == 2 and text[1] == "于":
        return True
    return len(text) == 2 and text[0] in verbs and text[1] in "到在于入出成给上下起去来见完好开回为向往至进"
