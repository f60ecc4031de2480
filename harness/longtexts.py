"""How is a text of any length cut into tokens, and which is too long for a tree?"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness.errors import DataError
from harness.protocols.scripts import UNSPACED

if TYPE_CHECKING:
    from spacy.language import Language

log = logging.getLogger(__name__)

# spaCy strips affixes one by one, each time copying the rest: quadratic in the length of a run without blanks.
# No word is that long; a run that is gets cut, so that a line of 20,000 dots costs a second and not a minute. A line of Chinese
# is no word, its tokenisers are not of that kind, and it must not be cut inside one: it is no run.
_LONGEST_RUN = 1_000
_PIECE = 200
# A text of more tokens is no sentence; it is left without a tree, and no rule applies to it.
LONGEST_PARSE = 5_000
_LONG_RUN = re.compile(rf"[^\s{UNSPACED}]{{{_LONGEST_RUN + 1},}}")


def tokens(pipeline: Language, text: str) -> Any:
    """Return the `Doc` of a text with tokens only. Raises DataError for half surrogate pairs, which no UTF-8 file can hold."""
    try:
        # not `make_doc`: the tokeniser alone has no length limit
        if len(text) <= _LONGEST_RUN or not _has_long_run(text):
            return pipeline.tokenizer(text)
        return _tokens_in_pieces(pipeline, text)
    except UnicodeEncodeError:
        raise DataError(
            f"{text[:40]!r} holds half of a surrogate pair, which is not valid text; "
            "decode the input as UTF-8 before it gets here."
        ) from None


def _tokens_in_pieces(pipeline: Language, text: str) -> Any:
    from spacy.tokens import Doc as SpacyDoc

    tokens = [token for piece in _pieces(text) for token in pipeline.tokenizer(piece)]
    spaces = [bool(token.whitespace_) for token in tokens]
    return SpacyDoc(pipeline.vocab, words=[token.text for token in tokens], spaces=spaces)


def unparsed(doc: Any) -> Any:
    """Return a document with the same tokens as one sentence without tags or tree, and say so."""
    log.warning("a text of %s tokens is not parsed: %r …", f"{len(doc):,}", doc.text[:40])
    starts = [i == 0 for i in range(len(doc))]
    spaces = [bool(token.whitespace_) for token in doc]
    # built anew: setting the starts one by one is quadratic
    return type(doc)(doc.vocab, words=[token.text for token in doc], spaces=spaces, sent_starts=starts)


def _has_long_run(text: str) -> bool:
    return _LONG_RUN.search(text) is not None


def _pieces(text: str) -> Iterator[str]:
    """Cut `text` inside runs longer than the limit, and nowhere else."""
    start = 0
    for run in _LONG_RUN.finditer(text):
        for cut in range(run.start() + _PIECE, run.end(), _PIECE):
            yield text[start:cut]
            start = cut
    yield text[start:]
