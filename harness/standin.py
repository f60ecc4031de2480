"""A small random encoder that stands in until a language pack ships a pre-trained one: it proves the plumbing, nothing else.

Vocabulary of the frequent words of the pack's own sample corpus and all its characters, BERT of 2 layers × 128 with seeded
random weights. Built once into the cache; the same on every machine.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from harness.cache import cache_dir, content_key
from harness.corpus import read_corpus
from harness.errors import EncoderError
from harness.protocols import LanguagePack
from harness.seeds import derive

NAME = "standin"
REASON = "the encoder is a small random stand-in"
_SHAPE: dict[str, Any] = {
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 128,
}
_PIECES = 4_000


def encoder_folder(name: str, pack: LanguagePack) -> str:
    """Return the folder or id to load for the encoder `name`; builds the stand-in when that is what was asked for."""
    return str(standin_folder(pack)) if name == NAME else name


def standin_folder(pack: LanguagePack) -> Path:
    """Return the stand-in's folder, building it on first use. Raises EncoderError if the pack has no sample corpus."""
    files = sorted((pack.samples / "corpus" / pack.code).glob("*.txt"))
    if not files:
        raise EncoderError(
            f"the language pack {pack.name!r} has no samples to build a stand-in from; use --encoder PATH."
        )
    corpus = read_corpus(files[0])
    key = content_key({"corpus": corpus.sha, "shape": _SHAPE, "pieces": _PIECES, "version": 2})
    folder = cache_dir() / "standin" / f"{pack.code}-{key[:12]}"
    if not (folder / "model.safetensors").is_file():
        fresh = folder.with_name(f"{folder.name}.{derive(0, str(id(corpus)))}.new")
        try:
            _build(corpus.sentences, fresh)
            if folder.exists():
                shutil.rmtree(folder)
            fresh.rename(folder)
        except OSError as error:
            if not (folder / "model.safetensors").is_file():  # another process was faster
                raise EncoderError(
                    f"cannot write the stand-in encoder to {folder} ({error}). Set AUGBENCH_CACHE to a writable folder."
                ) from error
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _build(sentences: list[str], folder: Path) -> None:
    import torch
    import transformers
    from transformers import BertConfig, BertModel, BertTokenizer

    folder.mkdir(parents=True)
    transformers.logging.disable_progress_bar()
    (folder / "vocab.txt").write_text("\n".join(_vocabulary(sentences)) + "\n", encoding="utf-8")
    limit = _SHAPE["max_position_embeddings"]
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=True, model_max_length=limit)
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive(0, NAME))
        model = BertModel(BertConfig(vocab_size=len(tokenizer), **_SHAPE))
    model.save_pretrained(folder)


def _vocabulary(sentences: list[str]) -> list[str]:
    """Special tokens, characters, then words seen twice by falling frequency.

    Not the library's WordPiece trainer: it numbers pieces in the order of a hash table, another one in every process.
    """
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    normalizer, splitter = BertNormalizer(lowercase=True), BertPreTokenizer()
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(sentence)))
    characters = sorted({character for word in counts for character in word})
    words = [word for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count > 1]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters), *words]
    return list(dict.fromkeys(pieces))[:_PIECES]
