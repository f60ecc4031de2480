"""On an accelerator: same vectors, same losses, exact resume, every precision, torch.compile."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from baselines.simcse import SimCSE
from harness.encoder import TextEmbedder, load_text_encoder
from harness.training import Settings, TokenArray, TrainingData, train

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device on this machine"),
]


class Killed(Exception):
    pass


def run(encoder, sentences, folder, *, kill_at: int = 0, **settings):
    def load():
        layout = "padded" if settings.get("compile") else "auto"
        return load_text_encoder(
            str(encoder), device=settings["device"], layout=layout, dropout=settings.get("_dropout")
        )

    def progress(done: int, total: int, scalars: dict[str, float]) -> None:
        if done == kill_at:
            raise Killed

    vocabulary = load().vocabulary
    rows = TokenArray.of(vocabulary.rows(sentences, 32), vocabulary.size)
    method = SimCSE(batch_size=16, learning_rate=1e-3, epochs=2, eval_every=4, select="label-free")
    chosen = Settings(checkpoint_every=3, log_every=1, **{k: v for k, v in settings.items() if not k.startswith("_")})
    return train(
        method,
        TrainingData({"anchor": rows, "positive": rows}, {}),
        load_encoder=load,
        seed=0,
        workdir=folder,
        settings=chosen,
        probe=vocabulary.rows(sentences[:20]),
        progress=progress,
    )


def losses(result) -> list[float]:
    return [point["value"] for point in result.curves if point["name"] == "loss"]


@pytest.mark.parametrize("pooler", ["cls", "avg", "avg_first_last"])
def test_vectors_equal_those_of_the_cpu(tiny_encoder, sentences, pooler):
    vectors = [
        TextEmbedder(load_text_encoder(str(tiny_encoder), pooler=pooler, device=device), precision="fp32").encode(
            sentences
        )
        for device in ("cpu", "cuda")
    ]
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=1e-3, atol=1e-3)


def test_without_dropout_training_follows_the_cpu(tiny_encoder, sentences, tmp_path):
    cpu = run(tiny_encoder, sentences, tmp_path / "cpu", device="cpu", precision="fp32", _dropout=0.0)
    gpu = run(tiny_encoder, sentences, tmp_path / "gpu", device="cuda", precision="fp32", _dropout=0.0)
    assert losses(gpu)[:6] == pytest.approx(losses(cpu)[:6], rel=2e-2)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_every_precision_learns(tiny_encoder, sentences, tmp_path, precision):
    found = losses(run(tiny_encoder, sentences, tmp_path, device="cuda", precision=precision))
    assert np.mean(found[-4:]) < np.mean(found[:4])


def test_a_killed_run_resumes_to_the_same_weights(tiny_encoder, sentences, tmp_path):
    whole = run(tiny_encoder, sentences, tmp_path / "whole", device="cuda", precision="fp32")
    with pytest.raises(Killed):
        run(tiny_encoder, sentences, tmp_path / "part", kill_at=8, device="cuda", precision="fp32")
    resumed = run(tiny_encoder, sentences, tmp_path / "part", device="cuda", precision="fp32")
    assert resumed.notes["resumed_at"] == 6
    for name, tensor in whole.module.state_dict().items():
        torch.testing.assert_close(resumed.module.state_dict()[name], tensor, rtol=1e-5, atol=1e-6)


def test_compiled_training_follows_eager(tiny_encoder, sentences, tmp_path):
    eager = run(tiny_encoder, sentences, tmp_path / "e", device="cuda", precision="fp32", layout="padded", _dropout=0.0)
    fast = run(tiny_encoder, sentences, tmp_path / "c", device="cuda", precision="fp32", compile=True, _dropout=0.0)
    assert losses(fast)[:6] == pytest.approx(losses(eager)[:6], rel=2e-2)
