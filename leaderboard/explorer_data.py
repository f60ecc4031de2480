"""What does every operator of a language make of one sentence, and why does one leave it alone?

The only part of the leaderboard that opens a language pack or an encoder, and only when asked. A sentence that was typed stays in
the session's memory: nothing here writes it anywhere.
"""

from __future__ import annotations

import base64
import inspect
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from harness.errors import AugBenchError

if TYPE_CHECKING:
    from harness.protocols import Change, Doc, LanguagePack, Operator

#: characters that may be typed, and tokens that are drawn: longer trees cannot be read
MAX_CHARACTERS = 400
MAX_DRAWN = 60
#: seeds tried before an operator counts as not applicable
SEEDS = 10
#: displaCy's distance of words (a sixth of it is that of arcs, into which a label must fit) and of lines, in pixels, and how
#: many sentences of a text are drawn
_DISTANCE, _LINE, _MOST_TREES = 116, 30, 8
Mark = Literal["same", "inserted", "deleted"]


@dataclass(frozen=True)
class Piece:
    """A stretch of the sentence with its changes marked, blanks included."""

    text: str
    mark: Mark


@dataclass(frozen=True)
class View:
    """What one operator made of a sentence.

    text      the new sentence, None where the operator left it alone or could not be tried
    pieces    the sentence with what was inserted and deleted, in order; empty where it was not edited word by word
    why       in a sentence, why there is no new text; "" where there is one
    about     the first sentence of the operator's own description
    """

    spec: str
    text: str | None
    pieces: tuple[Piece, ...] = ()
    why: str = ""
    about: str = ""


def cleaned(typed: str) -> str:
    """Return a typed text as one line of at most `MAX_CHARACTERS` characters, without control characters and half surrogates."""
    kept = "".join(
        " " if unicodedata.category(c) == "Cc" else c
        for c in typed[: 10 * MAX_CHARACTERS]
        if unicodedata.category(c) != "Cs" and c not in "\ufffe\uffff"  # no XML may hold the last two
    )
    return " ".join(kept.split())[:MAX_CHARACTERS].strip()


def languages() -> list[str]:
    """Return the names of the installed packs, loading none."""
    from harness.protocols import registry

    return registry.names("languages")


def own_sentences(pack: LanguagePack, *, count: int = 60) -> dict[str, list[str]]:
    """Return sentences that come with a pack, by where they come from: its sample corpus, and its operators' examples."""
    from harness.examples import pack_examples

    found: dict[str, list[str]] = {}
    folder = pack.samples / "corpus" / pack.code
    lines: list[str] = []
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else []:
        with path.open(encoding="utf-8") as stream:
            lines += [text for line in islice(stream, count) if (text := cleaned(line))]
    if lines:
        found["sample corpus"] = list(dict.fromkeys(lines))[:count]
    try:
        examples = pack_examples(pack)
    except AugBenchError:
        examples = []  # `augbench check language` is the place that says what is wrong with them
    for example in examples:
        texts = found.setdefault(f"examples of {example.name}", [])
        if len(texts) < count and (text := cleaned(example.text)) and text not in texts:
            texts.append(text)
    return found


def operator_specs(pack: LanguagePack) -> list[str]:
    """Return every operator of a language with its variants, the pack's own in front."""
    from harness.operators import available, variants

    found = available(pack)
    names = sorted(found, key=lambda name: (found[name] != pack.name, name))
    return [spec for name in names for spec in (name, *(f"{name}@{v}" for v in variants(name, pack)))]


def parse(pack: LanguagePack, text: str) -> Doc:
    """Return the parse of one sentence."""
    return next(iter(pack.parse([text])))


def views(
    pack: LanguagePack, doc: Doc, specs: Sequence[str], *, seed: int = 0, encoder: str | None = None
) -> Iterator[View]:
    """Yield what each operator makes of a parsed sentence, under the random numbers of `augbench augment --seed`.

    encoder  folder for operators that need one (`mask`, `repeat`); without it they say so
    """
    from harness.operators import resolve
    from harness.protocols import OperatorTools, TokenOperator

    tools = OperatorTools(pack=pack, encoder=encoder, load_masked_lm=_load_masked_lm)
    for spec in specs:
        about = ""
        try:
            (operator,) = resolve([spec], pack, tools)
            about = _about(operator)
            if isinstance(operator, TokenOperator):
                yield _on_pieces(operator, doc.text, seed=seed, encoder=encoder)
            else:
                yield _on_text(operator, doc, seed=seed, about=about)
        except AugBenchError as error:
            yield View(spec, None, why=str(error), about=about)
        except Exception as error:  # a foreign operator that fails must not take the page along
            yield View(spec, None, why=f"the operator failed: {type(error).__name__}: {error}", about=about)


def marked(doc: Doc, changes: Sequence[Change]) -> tuple[Piece, ...]:
    """Return a sentence with its changes marked; a replacement is a deletion followed by an insertion."""
    out: list[Piece] = []
    position = 0

    def same(until: int) -> None:
        text = "".join(doc[i].text + doc[i].whitespace_ for i in range(position, until))
        if text:
            out.append(Piece(text, "same"))

    for change in sorted(changes, key=lambda c: (c.start, c.end)):
        same(change.start)
        gone = "".join(
            doc[i].text + (doc[i].whitespace_ if i < change.end - 1 else "") for i in range(change.start, change.end)
        )
        blank = doc[change.end - 1].whitespace_ if change.end > change.start else ""
        if change.kind == "insert" and out and out[-1].mark == "same" and out[-1].text.endswith(" "):
            # what is inserted stands in front of the blank behind the last token
            out[-1], blank = Piece(out[-1].text[:-1], "same"), " "
        if gone:
            out.append(Piece(gone, "deleted"))
        if change.text:
            out.append(Piece(change.text, "inserted"))
        if blank:
            out.append(Piece(blank, "same"))
        position = change.end
    same(len(doc))
    return tuple(piece for piece in out if piece.text)


def tree_pictures(doc: Any, *, dark: bool = False) -> list[str]:
    """Return the dependency trees of a text, one per sentence, as `data:` addresses of SVG pictures; [] if there is none.

    A picture is inert wherever it is shown: what it holds is drawn and never read as part of the page.
    """
    from spacy import displacy

    if not doc.has_annotation("DEP"):
        return []
    colours = {"color": "#f0f0f0" if dark else "#202020", "bg": "transparent"}
    options = {
        "compact": True,
        "distance": _DISTANCE,
        "word_spacing": _LINE,
        "arrow_spacing": 14,
        "arrow_stroke": 2,
        **colours,
    }
    options["font"] = "system-ui, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
    pictures = []
    for sentence in islice((found for found in doc.sents if len(found) <= MAX_DRAWN), _MOST_TREES):
        words, arcs = _tree(sentence)
        if not arcs and len(words) < 2:
            continue
        drawn = {"words": words, "arcs": arcs, "settings": {"lang": doc.lang_, "direction": "ltr"}, "title": None}
        svg = _cropped(displacy.render([drawn], style="dep", manual=True, jupyter=False, options=options))
        pictures.append("data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii"))
    return pictures


def similarities(embedder: Any, sentence: str, others: Sequence[str]) -> list[float | None]:
    """Return the cosine of a sentence and each of the others, × 100; None where a vector is zero."""
    import numpy as np

    if not others:
        return []
    vectors = np.asarray(embedder.encode([sentence, *others]), dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1)
    products = vectors[1:] @ vectors[0]
    return [
        None if norm == 0 or norms[0] == 0 else 100.0 * float(product / norm / norms[0])
        for product, norm in zip(products, norms[1:], strict=True)
    ]


def open_encoder(pack: LanguagePack) -> tuple[Any, str]:
    """Return the pack's own small encoder, opened on the CPU, and its folder. Raises EncoderError if it ships none."""
    from harness.encoder import open_embedder
    from harness.mini import NAME, encoder_folder

    folder = encoder_folder(NAME, pack)
    return open_embedder(folder, pooler="avg", device="cpu", precision="fp32"), folder


def _on_text(operator: Operator, doc: Doc, *, seed: int, about: str) -> View:
    from harness.seeds import python_rng

    edit = operator.apply(doc, python_rng(seed, operator.spec, doc.text))
    if edit is not None:
        return View(operator.spec, edit.text, marked(doc, edit.changes), about=about)
    for other in range(SEEDS):
        tried = operator.apply(doc, python_rng(other, operator.spec, doc.text))
        if tried is not None:
            why = f"left alone by chance: it depends on the seed, and seed {other} changes the sentence."
            return View(operator.spec, None, why=why, about=about)
    why = f"nothing in this sentence fits the rule (tried with {SEEDS} seeds); in training it is paired with itself."
    return View(operator.spec, None, why=why, about=about)


def _on_pieces(operator: Any, text: str, *, seed: int, encoder: str | None) -> View:
    from harness.seeds import python_rng

    about = "Works on the encoder's word pieces, so that the new text is put together from pieces."
    if encoder is None:
        why = "works on an encoder's word pieces: switch on the pack's encoder above."
        return View(operator.spec, None, why=why, about=about)
    from harness.encoder import load_tokenizer

    tokenizer: Any = load_tokenizer(encoder)
    ids = operator.apply_ids(tokenizer(text)["input_ids"], python_rng(seed, operator.spec, text))
    if ids is None:
        return View(operator.spec, None, why="chance repeated no piece under this seed.", about=about)
    return View(operator.spec, str(tokenizer.decode(ids, skip_special_tokens=True)), about=about)


def _about(operator: Any) -> str:
    """The first sentence of a description. A class without its own has none: its base class speaks of operators at large."""
    doc = vars(type(operator)).get("__doc__")
    return "" if not doc else " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())


def _cropped(svg: str) -> str:
    """A picture without the empty space that displaCy leaves above flat arcs."""
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    if size is None:
        return svg
    width, height = map(float, size.groups())
    levels = (height - 2 - 3 * _LINE) / (_DISTANCE / 2)
    top = max(0.0, levels * _DISTANCE / 2 - levels * _DISTANCE / 6 - 14)
    left = height - top
    new = f'width="{width:g}" height="{left:g}" viewBox="0 {top:g} {width:g} {left:g}"'
    return svg.replace(size.group(), new, 1).replace(f"height: {size.group(2)}px; ", "", 1)


def _tree(sentence: Any) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """A sentence as displaCy draws it by hand. displaCy escapes words; tags and labels are a pack's own, so we escape them."""
    from html import escape

    first = sentence.start
    words = [{"text": token.text, "tag": escape(token.pos_ or token.tag_)} for token in sentence]
    arcs = []
    for token in sentence:
        if token.head.i == token.i:
            continue
        here, head = token.i - first, token.head.i - first
        arc = {"start": min(here, head), "end": max(here, head), "label": escape(token.dep_)}
        arcs.append({**arc, "dir": "left" if here < head else "right"})
    return words, arcs


def _load_masked_lm(encoder: str) -> Any:
    from harness.encoder import load_masked_lm

    return load_masked_lm(encoder)
