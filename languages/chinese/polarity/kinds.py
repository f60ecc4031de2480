"""Where can words that speak about a whole text stand: in front of it, behind it, or around it?"""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.pieces import COMMAS, STOPS, hidden_tokens, pieces
from languages.chinese.grammar.predicates import main_predicate
from languages.chinese.grammar.script import simplified
from languages.chinese.grammar.sentences import is_fragment, is_question
from languages.chinese.polarity.scope import words_

_OPENING, _CLOSING = "“「『‘《（(【", "”」』’》）)】"
#: a longer text without a verb is more likely a sentence whose verb was not found
_TITLE = 30
#: a longer text is no order
_ORDER = 12


def is_open(doc: Any) -> bool:
    """Whether words behind the text would not be about all of it.

    So it is with several sentences, a quotation that begins and does not end or that ends behind its full stop, and a list or
    announcement that ends in a comma or colon.
    """
    text = doc.text.strip()
    if any(text.count(a) != text.count(b) for a, b in zip(_OPENING, _CLOSING, strict=True)) or text.count('"') % 2:
        return True
    body = text.rstrip("".join(STOPS) + "~～")
    if (
        body[-1:] in COMMAS
        or text[-1:] in "…—"
        or body[-1:] in "—–…"
        or (text[-1:] in '”」』"' and text[-2:-1] in STOPS)
    ):
        return True
    return any(p.sentence for p in pieces(doc))


def asks(doc: Any) -> bool:
    """Whether a text is a question, and not a story in which somebody asks (`他说：“谁？”`)."""
    return is_question(doc) and not _quotes(doc)


def is_title(doc: Any) -> bool:
    """Whether the text is a noun phrase: no verb, or all verbs inside attributes (`弹吉他的人`); or a set phrase (`长生不死`)."""
    found = pieces(doc)
    if len(found) != 1 or not found[0].tokens or len(doc.text) > _TITLE or is_order(doc):
        return False
    tokens = found[0].tokens
    first, last = tokens[0], tokens[-1]
    if len(tokens) == 1:
        return last.pos_ in ("NOUN", "PROPN", "NUM", "X")
    if is_set_phrase(doc):
        return True
    if any(form(t) in ("是", "了") for t in tokens) or form(last) in words("known_verbs", "verbs") or _says(last):
        return False
    if not labels.is_nominal(last):
        return False
    main = main_predicate(doc)
    # 坐在长凳上的人: a verb or preposition with which a text begins belongs to what 的 closes
    closed = form(tokens[-2]) == "的" and len(last.text) <= 2 and tokens[-3:][0].pos_ != "PRON"
    if closed and first.pos_ in ("VERB", "ADP") and (main is None or main.subject is None):
        return True
    if first.pos_ in ("PRON", "DET") and any(t.pos_ in ("VERB", "AUX") for t in tokens):
        return False  # more often a clause whose verb was cut wrongly
    return not any(_clausal(t, tokens) for t in tokens) and (
        is_fragment(doc) or (main is None and last.dep_ in labels.ROOT)
    )


def _clausal(token: Any, tokens: list[Any]) -> bool:
    """Whether a modal, preposition or state verb stands in no attribute: no 的 follows."""
    if form(token) in words("clauses", "places"):
        return False
    if labels.is_adposition(token) and token.i > tokens[0].i and labels.is_nominal(token.nbor(-1)):
        return True  # N 在 …: of N something is said
    closes = any(form(t) == "的" and t.i > token.i for t in tokens)
    if form(token) in words_("told_of"):
        return True
    state = form(token) in words("verbs", "states") and not labels.is_nominal(token)
    return (state or labels.is_adposition(token) or labels.is_modal(token)) and not closes


def is_set_phrase(doc: Any) -> bool:
    """Whether the text has four characters and no subject: an idiom or a title."""
    tokens = pieces(doc)[0].tokens
    return (
        len("".join(t.text for t in tokens)) == 4
        and doc.text.strip()[-1:].isalnum()
        and tokens[0].pos_ not in ("PRON", "DET")
    )


def is_order(doc: Any) -> bool:
    """Whether a short text without a mark tells somebody, or a machine, what to do: it begins with a verb (`打开相机`)."""
    found = pieces(doc)
    if len(found) != 1 or not found[0].tokens or len(doc.text) > _ORDER or not doc.text.strip()[-1:].isalnum():
        return False
    tokens = found[0].tokens
    if (
        len(tokens) < 2
        or any(form(t) in words_("no_order") or form(t)[:1] in "不没无未" for t in tokens)
        or is_question(doc)
    ):
        return False
    return form(tokens[0]) in words_("orders") or (form(tokens[0]) == "再" and form(tokens[1]) in words_("orders"))


def is_plain(doc: Any) -> bool:
    """Whether the text is one short clause with a subject and without marks inside: words can be put around it."""
    found, marks = pieces(doc), set('“”「」『』"（）()：:、；;—…')
    if len(found) != 1 or not found[0].tokens or len(doc.text) > 25 or marks & set(doc.text) or hidden_tokens(doc):
        return False
    last = found[0].tokens[-1]
    if form(found[0].tokens[0]) in words("clauses", "openers"):
        return False
    main = main_predicate(doc)
    return main is not None and main.subject is not None and not _says(last) and form(last) != "的"


def tells(doc: Any) -> bool:
    """Whether somebody says or thinks what follows (`X指出，…`), or a reason follows: a denial behind it might be of that only."""
    found = pieces(doc)
    reports = any(
        p.mark is not None and (form(doc[p.end - 1]) in words_("report") or _says(doc[p.end - 1])) for p in found[:-1]
    )
    return reports or _quotes(doc) or any(form(p.tokens[0]) in words_("reasons") for p in found[1:] if p.tokens)


def takes_a_stance(doc: Any) -> bool:
    """Whether a text says what somebody says, thinks, imagines or deems possible (see `stance` in negation.toml)."""
    text = simplified(doc.text)
    return any(word in text for word in words_("stance")) or any(form(t) in words_("stance_words") for t in doc)


def hides_its_point(doc: Any) -> bool:
    """Whether words behind a text would hang on its last part only: a list behind a colon, an embedded question, a concession.

    Also a bare list (`甲、乙、丙。`), in which nothing is asserted that they could deny.
    """
    text = simplified(doc.text)
    if "：" in text or ":" in text or any(word in text for word in words_("hiding")):
        return True
    return text.count("、") > 1 and not any(t.pos_ in ("VERB", "AUX", "ADJ") or labels.is_copula(t) for t in doc)


def is_notice(doc: Any) -> bool:
    """Whether a text is a note to the reader (`参见：…`)."""
    return simplified(doc.text).startswith(tuple(words_("notices")))


def _quotes(doc: Any) -> bool:
    """Whether a colon stands behind words of saying (又说了一声：…)."""
    marked = [p for p in pieces(doc) if p.mark is not None and doc[p.mark].text[:1] in ":："]
    return any(_says(t) for p in marked for t in p.tokens)


def _says(token: Any) -> bool:
    return form(token)[-1] in words_("says")
