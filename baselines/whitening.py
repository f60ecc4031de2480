"""What is gained by whitening alone? The untrained encoder's vectors, made isotropic with statistics of the corpus.

An anchor that trains nothing and is hard to beat (Su et al. 2021): published for bert-base-uncased are 66.28 on the seven STS
tasks, against 56.70 for the same average of first and last layer without whitening.

    z = (x − μ) U Λ^{-1/2} [:, :k]        U Λ Uᵀ = covariance of the corpus vectors, largest eigenvalues first

This is the inductive variant: μ, U and Λ come from sentences of the run's corpus and never from a task. (Published tables
name theirs: "NLI" is inductive as well, "target" was fitted on the very test sentences.) Cosine follows in the tasks; the
vectors are not scaled to length 1 here.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from baselines.untrained import Untrained, UntrainedConfig
from harness.errors import DataError, EncoderError, UsageError
from harness.protocols import Embedder
from harness.seeds import numpy_rng

log = logging.getLogger(__name__)

#: A direction is left out if the vectors' standard deviation along it is at most this share of their root mean square
#: length: float32 rounding reaches 1e-8 (bf16 arithmetic too), real directions 4e-5 to 5e-3 (measured on two encoders). No
#: exotic case: a mean of layer-normalised states never varies in one direction, and whitening would blow that noise up.
VANISHING = 1e-6

_BLOCK = 16_384  # sentences held in memory at a time
_ENCODER, _WEIGHTS, _DESCRIBED = "encoder", "whitening.safetensors", "whitening.json"


class WhiteningConfig(UntrainedConfig):
    """The settings of `untrained`, and those of the map.

    dimensions  k, how many directions are kept, those of largest variance; None = all that do not vanish
    sentences   how many sentences of the corpus the statistics come from, a fixed sample; None = all
    """

    dimensions: int | None = Field(None, ge=1)
    sentences: int | None = Field(None, ge=2)


class Whitening(Untrained):
    """The untrained encoder, pooled and whitened with the corpus (Su et al. 2021)."""

    name: ClassVar[str] = "whitening"
    Config = WhiteningConfig
    citation: ClassVar[str] = (
        "Su et al. (2021), Whitening Sentence Representations for Better Semantics and Faster Retrieval"
    )

    def fit(self, context: Any) -> WhitenedEmbedder:
        """Open the encoder as `untrained` does, encode sentences of `context.sentences` and return the whitened embedder.

        Raises DataError if there is no sentence or too few different ones for the dimensions, and UsageError if more
        dimensions are asked for than the encoder has or its vectors vary in.
        """
        embedder, wanted = super().fit(context), self.config.dimensions
        size = embedder.encoder.hidden_size
        if wanted is not None and wanted > size:
            raise UsageError(
                f"whitening was asked for {wanted} dimensions, the encoder has {size}; set dimensions to {size} or less."
            )
        sentences = self._sample(list(context.sentences))
        _check_enough(sentences, wanted or size)
        mean, covariance = moments(embedder, sentences, progress=getattr(context, "progress", False))
        variances, directions = principal_axes(mean, covariance)
        if len(variances) < (wanted or 1):
            raise UsageError(
                f"whitening was asked for {wanted or 'all'} dimensions, but the vectors of the corpus vary in {len(variances)} "
                f"of {size} directions only; set dimensions to what they vary in, or choose another pooler or encoder."
            )
        return WhitenedEmbedder(
            embedder,
            mean,
            directions[:, :wanted],
            variances[:wanted],
            sentences=len(sentences),
            vanishing=size - len(variances),
        )

    def _sample(self, sentences: list[str]) -> list[str]:
        """The sentences the statistics come from, in the order of the corpus. The stream is fixed: no seed enters a fit."""
        limit = self.config.sentences
        if limit is None or limit >= len(sentences):
            if limit is not None and limit > len(sentences):
                log.warning(
                    "the corpus has %d sentences, fewer than the %d set; all of them are used", len(sentences), limit
                )
            return sentences
        kept = numpy_rng(0, "whitening").permutation(len(sentences))[:limit]
        return [sentences[i] for i in sorted(kept.tolist())]


def _check_enough(sentences: Sequence[str], dimensions: int) -> None:
    """n sentences span n − 1 directions; whitening all of those puts every two of them equally far apart."""
    if not sentences:
        raise DataError(
            "whitening needs a corpus to take statistics from, got no sentences; give one with --corpus FILE."
        )
    different = len(set(sentences))
    if different <= dimensions:
        raise DataError(
            f"whitening to {dimensions} dimensions needs more than {dimensions} different sentences, got {different}; give a "
            f"larger corpus (--corpus FILE, or a larger `sentences`), or fewer dimensions (--set dimensions=K)."
        )


def moments(embedder: Embedder, sentences: Sequence[str], *, progress: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return mean (d,) and covariance (d, d; divisor n − 1) of the vectors of at least 2 sentences, in float64.

    Blocks are encoded one after the other and merged (Chan, Golub and LeVeque 1983), so that memory does not grow with the
    corpus. Raises EncoderError if a vector holds NaN or infinity, naming the sentence.
    """
    from harness.adapters import check_vectors

    count, mean, scatter = 0, np.zeros(()), np.zeros(())
    for start, stop in _blocks(len(sentences)):
        texts = sentences[start:stop]
        vectors = check_vectors(embedder.encode(texts, progress=progress), texts).astype(np.float64)
        own_mean = vectors.mean(axis=0)
        centred = vectors - own_mean
        step, weight = own_mean - mean, len(texts) / (count + len(texts))
        scatter = scatter + centred.T @ centred + np.outer(step, step) * (count * weight)
        mean = mean + step * weight
        count += len(texts)
    return mean, scatter / (count - 1)


def principal_axes(mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the variances (m,), descending, and axes (d, m) of a covariance, without the directions that vanish."""
    values, axes = np.linalg.eigh(covariance)
    kept = values > VANISHING**2 * (mean @ mean + np.trace(covariance))
    return values[kept][::-1].copy(), axes[:, kept][:, ::-1].copy()


class WhitenedEmbedder:
    """Texts to whitened vectors of another embedder (see `harness.protocols.Embedder`).

    mean (d,), directions (d, k) and variances (k,) in float64;  sentences: how many they come from
    vanishing  how many of the d directions were left out because the vectors do not vary in them
    """

    def __init__(
        self,
        embedder: Any,
        mean: np.ndarray,
        directions: np.ndarray,
        variances: np.ndarray,
        *,
        sentences: int,
        vanishing: int,
    ) -> None:
        self.embedder, self.mean, self.sentences, self.vanishing = embedder, mean, sentences, vanishing
        self.directions, self.variances = np.ascontiguousarray(directions), np.ascontiguousarray(variances)
        self.map = self.directions / np.sqrt(self.variances)

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> np.ndarray:
        """Return vectors, float32 (len(texts), k), computed in float64 and not normalised."""
        vectors = self.embedder.encode(texts, progress=progress)
        out = np.empty((len(vectors), self.map.shape[1]), dtype=np.float32)
        for start, stop in _blocks(len(vectors)):
            out[start:stop] = (vectors[start:stop].astype(np.float64) - self.mean) @ self.map
        return out

    def fingerprint(self) -> str:
        """Return the sha256 of the embedder beneath, the statistics and how they were made."""
        total = hashlib.sha256(json.dumps([self._settings(), self.embedder.fingerprint()], sort_keys=True).encode())
        for array in (self.mean, self.directions, self.variances):
            total.update(f"{array.shape}:{array.dtype.str}".encode())
            total.update(array.tobytes())
        return total.hexdigest()

    def describe(self) -> dict[str, Any]:
        """Return what is recorded: the embedder beneath (pooler, length, precision …) and the map."""
        return {**self.embedder.describe(), **self._settings()}

    def _settings(self) -> dict[str, Any]:
        return {
            "embedder": "whitening",
            "dimensions": len(self.variances),
            "statistics": "inductive: sentences of the training corpus, none of a task",
            "sentences": self.sentences,
            "vanishing_directions": self.vanishing,
            "vanishing_below": f"{VANISHING:g} of the root mean square length",
        }

    def save(self, folder: Path | str) -> None:
        """Write the statistics to `folder` and the encoder to `folder`/encoder; sentence-transformers opens the whole.

        The encoder has a folder of its own because whoever opened it alone, by mistake, would get vectors not whitened.
        """
        from safetensors.numpy import save_file

        folder = Path(folder)
        self.embedder.save(folder / _ENCODER)
        save_file({"mean": self.mean, "directions": self.directions, "variances": self.variances}, folder / _WEIGHTS)
        kept = {**self._settings(), "format": 1, "sentence_transformers": self._save_as_modules(folder)}
        _write(folder / _DESCRIBED, kept)

    def _save_as_modules(self, folder: Path) -> bool:
        """Add sentence-transformers' list of modules, with the map as a linear layer; False if the encoder has none."""
        from safetensors.numpy import save_file

        listed = folder / _ENCODER / "modules.json"
        if not listed.is_file():
            return False
        modules = json.loads(listed.read_text(encoding="utf-8"))
        modules = [{**module, "path": f"{_ENCODER}/{module['path']}".rstrip("/")} for module in modules]
        number = len(modules)
        where = folder / f"{number}_Whitening"
        modules.append(
            {"idx": number, "name": str(number), "path": where.name, "type": "sentence_transformers.models.Dense"}
        )
        shape = {"in_features": self.map.shape[0], "out_features": self.map.shape[1], "bias": True}
        where.mkdir(exist_ok=True)
        _write(where / "config.json", {**shape, "activation_function": "torch.nn.modules.linear.Identity"})
        linear = {"linear.weight": self.map.T, "linear.bias": -self.mean @ self.map}
        weights = {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in linear.items()}
        save_file(weights, where / "model.safetensors")
        _write(folder / "modules.json", modules)
        return True

    @classmethod
    def load(cls, folder: Path | str, *, precision: str = "auto", device: str = "auto") -> WhitenedEmbedder:
        """Open a folder written by `save`. Raises EncoderError if it is not one."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        from harness.encoder import TextEmbedder

        folder = Path(folder)
        if not (folder / _DESCRIBED).is_file():
            raise EncoderError(f"{folder} has no {_DESCRIBED}; expected a folder saved by the method whitening.")
        try:
            kept, arrays = json.loads((folder / _DESCRIBED).read_text(encoding="utf-8")), load_file(folder / _WEIGHTS)
            statistics = [arrays[name] for name in ("mean", "directions", "variances")]
            counts = {"sentences": kept["sentences"], "vanishing": kept["vanishing_directions"]}
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise EncoderError(f"the whitening in {folder} is damaged ({error}); run the method again.") from None
        return cls(TextEmbedder.load(folder / _ENCODER, precision=precision, device=device), *statistics, **counts)


def _blocks(total: int) -> Iterator[tuple[int, int]]:
    for start in range(0, total, _BLOCK):
        yield start, min(start + _BLOCK, total)


def _write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
