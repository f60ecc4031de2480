"""`mini` means the encoder a pack ships, and a pack without one says what to do."""

from __future__ import annotations

import pytest

from harness.encoder import open_embedder
from harness.errors import EncoderError
from harness.languages import open_pack
from harness.mini import encoder_folder
from harness.protocols import registry


@pytest.mark.parametrize("language", registry.names("languages"))
def test_every_pack_ships_an_encoder_that_knows_its_language(language):
    pack = open_pack(language)
    embedder = open_embedder(encoder_folder("mini", pack))
    text = {"en": "the house was not sold", "zh": "这座房子没有卖掉"}[pack.code]
    row = embedder.encoder.vocabulary.rows([text])[0]
    assert embedder.encoder.vocabulary.unknown not in row
    assert len(row) <= len(text) + 2
    assert embedder.encoder.config.hidden_dropout_prob == 0.1  # what SimCSE lives on
    assert sum(f.stat().st_size for f in pack.encoder.iterdir()) < 12.5e6


def test_names_are_passed_on_and_random_stays_in_front():
    pack = open_pack("en")
    assert encoder_folder("./other", pack) == "./other"
    assert encoder_folder("random:bert-base-uncased", pack) == "random:bert-base-uncased"
    assert encoder_folder("random:mini", pack) == f"random:{pack.encoder}"


def test_a_pack_without_an_encoder_says_what_to_do():
    pack = open_pack("en")

    class Bare(type(pack)):
        def __init__(self):
            self.__dict__.update(pack.__dict__)
            self.encoder = None

    with pytest.raises(EncoderError, match="augbench pretrain --language en"):
        encoder_folder("mini", Bare())
