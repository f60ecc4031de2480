"""A tiny language model that writes letters, and instructions in its alphabet."""

from __future__ import annotations

from pathlib import Path

import torch

from baselines.synthetic.instructions import Instructions

ALPHABET = ["<end>", *"abcdefgh", " ", '"', "\n", "1", "2", "3"]
ASKED = Instructions({1.0: '1 "{text}"\n"', 0.5: '2 "{text}"\n"', 0.0: '3 "{text}"\n"'}, '"')


def write_letters(folder: Path, *, end: bool = True, positions: int = 64) -> Path:
    """Write a GPT-2 of one layer whose pieces are single characters."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    inner = Tokenizer(models.WordLevel({piece: i for i, piece in enumerate(ALPHABET)}, unk_token="a"))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    inner.decoder = decoders.Fuse()
    PreTrainedTokenizerFast(tokenizer_object=inner, **({"eos_token": "<end>"} if end else {})).save_pretrained(folder)
    config = GPT2Config(
        vocab_size=len(ALPHABET),
        n_positions=positions,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=0.3,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
