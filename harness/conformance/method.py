"""Does a method keep its contract? The battery that our own methods pass and that plug-in authors run on theirs.

`check_method(method_class)` yields named checks, each a callable that raises AssertionError with what was expected; use it
with `pytest.mark.parametrize`, or on the command line: `augbench check method NAME`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from harness.conformance import Check
from harness.conformance.method_subject import Subject
from harness.corpus import Corpus
from harness.errors import Skipped
from harness.protocols import Embedder, LanguagePack, Method
from harness.stages import Settings, execute
from harness.training.gradcache import cached_backward

_ROWS = 64


def check_method(
    method: type[Method],
    *,
    pack: LanguagePack,
    encoder: str = "mini",
    texts: Sequence[str] | None = None,
    settings: dict[str, Any] | None = None,
) -> Iterator[Check]:
    """Yield (name, check) for a method class. A check raises AssertionError, or Skipped with a reason.

    texts: training sentences (default: the pack's samples);  settings: hyper-parameters the method cannot do without

    A method class may name settings that suit the checks' batches of 16 sentences in a class attribute `check_settings`.
    """
    if texts is None:
        from harness.corpus import read_corpus

        sample = sorted((pack.samples / "corpus" / pack.code).glob("*.txt"))[0]
        texts = read_corpus(sample, limit=_ROWS if method.trained else None).sentences
    subject = Subject(method, pack, encoder, texts, settings or {})
    yield "config is typed, frozen and JSON", partial(_config, subject)
    yield "presets are valid", partial(_presets, subject)
    yield "a run ends in an embedder", partial(_embedder, subject)
    if not method.trained:
        return
    yield "one batch can be fitted", partial(_one_step_fit, subject)
    yield "gradients reach every trainable weight", partial(_gradients, subject)
    yield "equal seeds give equal weights", partial(_deterministic, subject)
    yield "a killed run resumes to the same weights", partial(_resume, subject)
    yield "bf16 agrees with fp32", partial(_precision, subject)
    yield "micro-batches give the whole batch's gradient", partial(_chunks, subject)
    yield "GPU agrees with CPU", partial(_gpu, subject)


def _config(s: Subject) -> None:
    config = s.method().config
    again = type(config)(**json.loads(config.model_dump_json()))
    assert again == config, "the config does not survive JSON"
    try:
        config.__setattr__(next(iter(type(config).model_fields), "anything"), None)
    except Exception:
        return
    raise AssertionError("the config can be changed after it was made; set frozen=True")


def _presets(s: Subject) -> None:
    for family, values in s.cls.presets.items():
        try:
            s.cls(**{**s.given, **values})
        except Exception as error:
            raise AssertionError(f"preset {family!r} does not fit the config: {error}") from error


def _embedder(s: Subject) -> None:
    texts = s.texts
    documents = [texts[i : i + 4] for i in range(0, len(texts), 4)] if s.cls.data == "documents" else None
    with tempfile.TemporaryDirectory() as folder:
        outcome = execute(
            s.method(),
            corpus=Corpus("check", list(texts), documents=documents),
            pack=s.pack,
            encoder=s.encoder,
            seed=0,
            settings=Settings(device="cpu", precision="fp32"),
            workdir=Path(folder),
        )
    assert isinstance(outcome.embedder, Embedder), f"got {type(outcome.embedder).__name__}, expected an Embedder"
    vectors = outcome.embedder.encode(list(texts[:3]))
    assert vectors.shape[0] == 3, f"3 texts gave {vectors.shape[0]} vectors"
    assert outcome.embedder.fingerprint() == outcome.embedder.fingerprint(), "the embedder's fingerprint is not stable"
    json.dumps([outcome.notes, outcome.curves, outcome.embedder.describe()], allow_nan=False)


def _one_step_fit(s: Subject) -> None:
    method, module, batch, step = s.step()
    optimizer = method.optimizer(module, fused=False)
    losses = []
    for _ in range(25):
        torch.manual_seed(0)  # the same dropout each time: one fixed problem
        loss = method.loss(module, batch, step).value
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert min(losses[-5:]) < losses[0], (
        f"the loss of one batch did not fall in 25 steps: {losses[0]:.4f} → {losses[-1]:.4f}"
    )


def _gradients(s: Subject) -> None:
    method, module, batch, step = s.step()
    loss = method.loss(module, batch, step)
    assert loss.value.dim() == 0, f"loss has shape {tuple(loss.value.shape)}, expected a scalar"
    assert loss.value.dtype == torch.float32, f"loss is {loss.value.dtype}, expected float32"
    loss.value.backward()
    optimised = {id(p) for group in method.param_groups(module) for p in group["params"]}
    read = _read_by_pooler(module)
    for name, parameter in module.named_parameters():
        has = parameter.grad is not None and bool(parameter.grad.abs().sum() > 0)
        if parameter.requires_grad and id(parameter) not in optimised:
            raise AssertionError(f"{name} requires a gradient but is in no parameter group; freeze it or add it")
        if id(parameter) in optimised and not has and read(name):
            raise AssertionError(f"{name} is optimised but gets no gradient from the loss")
        if id(parameter) not in optimised and has:
            raise AssertionError(f"{name} gets a gradient but is not optimised")


def _read_by_pooler(module: torch.nn.Module) -> Callable[[str], bool]:
    """BERT's own pooler and unused embeddings get no gradient unless a pooler reads them; that is not a fault."""
    unread = (".pooler.", "position_embeddings", "token_type_embeddings", ".key.bias")
    return lambda name: not any(part in name for part in unread)


def _deterministic(s: Subject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        a, b = (s.run(Path(folder) / name).module.state_dict() for name in "ab")
    _equal(a, b)


def _resume(s: Subject) -> None:
    class Killed(Exception):
        pass

    def kill(done: int, total: int, scalars: dict[str, float]) -> None:
        if done == 3:
            raise Killed

    settings = Settings(device="cpu", precision="fp32", checkpoint_every=2)
    with tempfile.TemporaryDirectory() as folder:
        whole = s.run(Path(folder) / "whole", settings)
        try:
            s.run(Path(folder) / "part", settings, progress=kill)
        except Killed:
            pass
        else:
            raise Skipped("fewer than 3 steps on these texts")
        resumed = s.run(Path(folder) / "part", settings)
    assert resumed.notes["resumed_at"] == 2, "the run did not start from its checkpoint"
    _equal(whole.module.state_dict(), resumed.module.state_dict())


def _precision(s: Subject) -> None:
    losses = []
    for enabled in (False, True):
        method, module, batch, step = s.step(dropout=0.0)
        torch.manual_seed(0)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            losses.append(float(method.loss(module, batch, step).value.detach()))
    full, half = losses
    assert abs(full - half) <= 0.05 * max(1.0, abs(full)), f"loss is {full:.4f} in fp32 but {half:.4f} in bf16"


def _chunks(s: Subject) -> None:
    if not s.learner().chunkable:
        raise Skipped("the method overrides loss(), so it is never run in micro-batches")
    gradients = []
    for chunk in (0, 5):
        method, module, batch, step = s.step(dropout=0.0)
        if chunk:
            cached_backward(
                method, module, batch, step, rows_per_chunk=chunk, context=lambda: torch.autocast("cpu", enabled=False)
            )
        else:
            method.loss(module, batch, step).value.backward()
        gradients.append({n: p.grad for n, p in module.named_parameters() if p.grad is not None})
    for name, whole in gradients[0].items():
        part = gradients[1].get(name)
        limit = 1e-4 * max(1.0, float(whole.abs().max()))
        assert part is not None, f"{name} gets no gradient in micro-batches"
        assert float((whole - part).abs().max()) < limit, f"the gradient of {name} differs"


def _gpu(s: Subject) -> None:
    if not torch.cuda.is_available():
        raise Skipped("no GPU here")
    losses = []
    for device in ("cpu", "cuda"):
        method, module, batch, step = s.step(dropout=0.0)
        module.to(device)
        batch.tensors = {k: v.to(device) for k, v in batch.tensors.items()}
        losses.append(float(method.loss(module, batch, step).value.detach()))
    assert abs(losses[0] - losses[1]) < 1e-2 * max(1.0, abs(losses[0])), (
        f"loss is {losses[0]} on CPU, {losses[1]} on GPU"
    )


def _equal(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> None:
    for name, tensor in a.items():
        assert torch.equal(tensor, b[name]), f"{name} differs between two runs of one seed"
