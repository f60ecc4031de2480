"""How is an encoder named? A folder or hub id; `mini` for the one a language pack ships; `random:` before it for fresh weights."""

from __future__ import annotations

from harness.errors import EncoderError
from harness.protocols import LanguagePack

NAME = "mini"
#: before a name: the encoder's shape and tokenizer, with weights nobody has trained
RANDOM = "random:"


def without_random(name: str) -> str:
    """Return the folder or id in a name."""
    return name.removeprefix(RANDOM)


def encoder_folder(name: str, pack: LanguagePack) -> str:
    """Return the folder or id to load for an encoder's name, which may have `random:` before it.

    Raises EncoderError if the pack ships no encoder.
    """
    if without_random(name) != NAME:
        return name
    if pack.encoder is None:
        raise EncoderError(
            f"the language pack {pack.name!r} ships no encoder; name one with --encoder PATH|ID, or make one with "
            f"`augbench pretrain --language {pack.code} --text FILE --out DIR`."
        )
    return (RANDOM if name.startswith(RANDOM) else "") + str(pack.encoder)
