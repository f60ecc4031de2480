"""VaSCL: its objective whole, where gradients go, its settings and budget, duplicates, and the conformance battery."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from test_vascl_losses import slow_contrast, slow_near, slow_neighbours, slow_shift

from baselines import vascl_losses
from baselines.simcse import SimCSE
from baselines.vascl import VaSCL
from harness.conformance.method import check_method
from harness.corpus import Corpus
from harness.encoder import load_text_encoder
from harness.errors import Skipped, UsageError
from harness.languages import open_pack
from harness.protocols import Batch, BuildContext, Step
from harness.provenance import code_digest
from harness.runs.plan import fill, preset_of
from harness.stages import Settings, execute

TAU = 0.3  # as in the slow losses
SMALL = {"temperature": TAU, "neighbours": 3, "batch_size": 16, "radius": 2.0}


@pytest.fixture
def built(tiny_encoder, sentences):
    """Return a function (settings, rows) -> (method, module without dropout, batch)."""

    def make(rows=8, **settings):
        method = VaSCL(**{**SMALL, **settings})
        torch.manual_seed(0)
        encoder = load_text_encoder(str(tiny_encoder), dropout=0.0)
        context = BuildContext(encoder, None, encoder.hidden_size, encoder.vocabulary, 1, 0)
        module = method.build(context).train()
        pieces = encoder.vocabulary.rows(sentences[: 2 * rows], 32)
        return method, module, Batch({"anchor": pieces[:rows], "positive": pieces[rows:]})

    return make


def gradients(module):
    return {name: p.grad.clone() for name, p in module.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("stop_gradient", ["code", "paper"])
@pytest.mark.parametrize(("rows", "near"), [(8, 3), (3, 2)], ids=["K", "a smaller last batch takes all others"])
def test_the_objective_is_both_losses(built, stop_gradient, rows, near):
    method, module, batch = built(rows, stop_gradient=stop_gradient)
    step = Step(4, 9, 0, 1)
    with torch.no_grad():
        loss = method.loss(module, batch, step)
        e = method.features(module, batch.inputs["anchor"])
        first, second = module.head(e), module.head(method.features(module, batch.inputs["positive"]))
        start = method._start(e, step).double().numpy()
    weights = [layer.weight.detach().double().numpy() for layer in module.head.layers if hasattr(layer, "weight")]

    def project(vector):
        return weights[1] @ np.maximum(weights[0] @ vector, 0)

    e, clean, second = (tensor.double().numpy() for tensor in (e, first, second))
    neighbours = slow_neighbours(e, near)
    shift = slow_shift(e, clean, neighbours, project, start, 2.0)
    virtual = np.array([project(row) for row in e + shift])
    contrast, expected = slow_contrast(clean, second), slow_near(clean, virtual, neighbours)
    assert float(loss.scalars["contrast"]) == pytest.approx(contrast, rel=1e-4)
    assert float(loss.scalars["neighbourhood"]) == pytest.approx(expected, rel=1e-3)
    assert float(loss.value) == pytest.approx(contrast + expected, rel=1e-3)


@pytest.mark.parametrize(("stop_gradient", "reached"), [("code", False), ("paper", True)])
def test_where_the_neighbourhood_loss_sends_gradients(built, stop_gradient, reached):
    found = []
    for neighbourhood in (True, False):
        method, module, batch = built(stop_gradient=stop_gradient, neighbourhood=neighbourhood)
        method.loss(module, batch, Step(0, 1, 0, 0)).value.backward()
        found.append(gradients(module))
    both, alone = found
    assert both.keys() == alone.keys()
    for name in both:
        if name.startswith("head."):
            assert not torch.allclose(both[name], alone[name], rtol=1e-3)
    encoder = [name for name in both if name.startswith("encoder.") and float(alone[name].abs().max()) > 1e-6]
    assert len(encoder) > 10
    for name in encoder:
        assert torch.allclose(both[name], alone[name], rtol=1e-4, atol=1e-7) is not reached, name


@pytest.mark.parametrize("stop_gradient", ["code", "paper"])
def test_the_loss_leaves_accumulated_gradients_and_the_noise_alone(built, stop_gradient):
    method, module, batch = built(stop_gradient=stop_gradient)
    for parameter in module.parameters():
        parameter.grad = torch.randn_like(parameter)
    before, noise = gradients(module), torch.get_rng_state()
    method.loss(module, batch, Step(0, 1, 0, 0))
    assert torch.equal(torch.get_rng_state(), noise)
    after = gradients(module)
    assert all(torch.equal(after[name], held) for name, held in before.items())


@pytest.mark.parametrize("stop_gradient", ["code", "paper"])
def test_gradients_of_several_batches_add_up(built, stop_gradient):
    method, module, batch = built(stop_gradient=stop_gradient)
    batches = [Batch({name: rows[part] for name, rows in batch.inputs.items()}) for part in (slice(0, 4), slice(4, 8))]
    single = []
    for number, part in enumerate(batches):
        module.zero_grad(set_to_none=True)
        method.loss(module, part, Step(number, 2, 0, 0)).value.backward()
        single.append(gradients(module))
    module.zero_grad(set_to_none=True)
    for number, part in enumerate(batches):
        method.loss(module, part, Step(number, 2, 0, 0)).value.backward()
    for name, total in gradients(module).items():
        assert torch.allclose(total, single[0][name] + single[1][name], rtol=1e-4, atol=1e-6), name


@pytest.mark.parametrize("start", ["uniform", "gaussian"])
def test_the_ascent_starts_on_the_sphere_by_seed_and_step(start):
    method, vectors = VaSCL(start=start, radius=15), torch.zeros(2000, 6)
    drawn = method._start(vectors, Step(3, 9, 0, 1))
    assert torch.allclose(drawn.norm(dim=1), torch.tensor(15.0))
    assert torch.equal(drawn, method._start(vectors, Step(3, 7, 1, 1)))
    assert not torch.equal(drawn, method._start(vectors, Step(4, 9, 0, 1)))
    assert not torch.equal(drawn, method._start(vectors, Step(3, 9, 0, 2)))
    # mean of the largest coordinate of a direction in six dimensions, from a million draws: a cube's are more even
    largest = float((drawn.abs().max(dim=1).values / 15).mean())
    assert largest == pytest.approx({"uniform": 0.628, "gaussian": 0.704}[start], abs=0.01)


def test_head_and_encoder_have_constant_rates_of_their_own(built):
    method, module, _ = built(learning_rate=1e-4, head_rate=50)
    optimizer = method.optimizer(module, fused=False)
    encoder, head = optimizer.param_groups
    assert (encoder["lr"], head["lr"]) == (1e-4, pytest.approx(5e-3))
    assert (encoder["weight_decay"], head["weight_decay"]) == (0, 0)
    assert {id(p) for p in head["params"]} == {id(p) for p in module.head.parameters()}
    assert {method.schedule(step, 10) for step in range(10)} == {1.0}
    assert [VaSCL(warmup=0.2).schedule(step, 10) for step in range(4)] == [0.5, 1, 1, 1]
    sizes = [tuple(p.shape) for p in module.head.parameters()]
    assert sizes == [(32, 32), (128, 32)]


@pytest.mark.parametrize(
    ("encoder", "radius"), [("distilroberta-base", 15), ("FacebookAI/roberta-base", 15), ("roberta-large", 30)]
)
def test_settings_are_the_papers(encoder, radius):
    config = VaSCL(**preset_of(VaSCL, encoder)[1]).config
    assert (config.radius, config.learning_rate, config.head_rate) == (radius, 5e-6, 100)
    assert (config.batch_size, config.epochs, config.temperature, config.neighbours) == (1024, 5, 0.05, 16)
    assert (config.max_length, config.pooler, config.train_pooler, config.eval_every) == (32, "avg", "avg", 500)
    assert (config.stop_gradient, config.start, config.duplicates) == ("code", "uniform", "drop")


def test_the_mini_encoder_has_simcses_budget():
    ours, simcse = (method(**preset_of(method, "mini")[1]).config for method in (VaSCL, SimCSE))
    names = ("learning_rate", "batch_size", "epochs", "max_steps", "max_length", "dropout", "pooler", "train_pooler")
    assert [getattr(ours, name) for name in names] == [getattr(simcse, name) for name in names]


def test_views_and_what_a_suite_file_writes():
    assert [view.operator for view in VaSCL(operator="none").views()] == [None, None]
    anchor, positive = VaSCL(operator="delete@10", proportion=0.5).views()
    assert (anchor.operator, positive.operator, positive.proportion) == (None, "delete@10", 0.5)


def test_the_losses_are_part_of_a_runs_identity():
    assert VaSCL().fingerprint()["losses"] == code_digest(vascl_losses)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"neighbours": 64, "batch_size": 64},
            r"neighbours = 64: .* other sentences of its batch, and batch_size is 64; give fewer, e\.g\. --set neighbours=8",
        ),
        ({"batch_size": 8}, r"neighbours = .*, and batch_size is 8; give fewer, e\.g\. --set neighbours=1"),
        ({"neighbours": 0}, "neighbours = 0: Input should be greater than or equal to 1"),
        ({"radius": 0}, "radius = 0: Input should be greater than 0"),
        ({"radius": -3.0}, r"radius = -3\.0: Input should be greater than 0"),
        ({"radius": float("inf")}, "radius = inf: Input should be a finite number"),
        ({"head_rate": 0}, "head_rate = 0: Input should be greater than 0"),
        ({"stop_gradient": "none"}, "Input should be 'code' or 'paper'"),
        ({"start": "normal"}, "Input should be 'uniform' or 'gaussian'"),
        ({"pooler": "cls_head"}, "VaSCL drops its head after training"),
        ({"neigbours": 4}, "has no setting 'neigbours'. Did you mean 'neighbours'"),
    ],
)
def test_bad_settings_get_one_sentence(settings, message):
    with pytest.raises(UsageError, match=message):
        fill("vascl", settings)


def run(tmp_path, tiny_encoder, texts, **settings):
    return execute(
        VaSCL(**{**SMALL, "epochs": 1, "max_steps": 2, "select": "last", "eval_every": 0, **settings}),
        corpus=Corpus("test", texts),
        pack=open_pack("english"),
        encoder=str(tiny_encoder),
        seed=0,
        settings=Settings(device="cpu", precision="fp32"),
        workdir=tmp_path,
    )


@pytest.mark.parametrize(("duplicates", "dropped"), [("drop", 20), ("keep", 0)])
def test_lines_that_are_there_twice_are_dropped(tmp_path, tiny_encoder, sentences, duplicates, dropped):
    texts = [*sentences[:40], *sentences[10:30]]
    notes = run(tmp_path, tiny_encoder, texts, duplicates=duplicates).notes
    assert notes["duplicates_dropped"] == dropped
    assert notes["training_rows"] + notes["held_out"] == 60 - dropped


def test_a_corpus_without_enough_neighbours_is_refused(tmp_path, tiny_encoder, sentences):
    with pytest.raises(UsageError, match="neighbours=10, and the corpus has only 10 different sentences"):
        run(tmp_path, tiny_encoder, [*sentences[:10], *sentences[:8]], neighbours=10)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"stop_gradient": "paper", "start": "gaussian"}], ids=str)
def test_the_conformance_battery(tiny_encoder, sentences, settings):
    pack = open_pack("english")
    for name, check in check_method(
        VaSCL, pack=pack, encoder=str(tiny_encoder), texts=sentences[:64], settings=settings
    ):
        try:
            check()
        except Skipped:
            assert name == "GPU agrees with CPU", name
