"""A method in stages keeps the contract: the battery looks at what its last stage trains."""

from __future__ import annotations

import pytest

from baselines.synthetic.method import Dino, Rise
from harness.conformance.method import check_method
from harness.conformance.method_subject import Subject
from harness.errors import Skipped
from harness.languages import open_pack
from harness.protocols import Method, Stage

# edits that need no parser; the classifier in one epoch
SETTINGS = {"same": ("delete@20",), "half": ("swap@20",), "classifier_epochs": 1, "dev": "suite", "max_steps": 8}


@pytest.mark.slow
@pytest.mark.parametrize("method", [Dino, Rise])
def test_the_battery_passes(tiny_encoder, sentences, method):
    settings = {name: value for name, value in SETTINGS.items() if name in method.Config.model_fields}
    checks = check_method(
        method, pack=open_pack("en"), encoder=str(tiny_encoder), texts=sentences[:64], settings=settings
    )
    for name, check in checks:
        try:
            check()
        except Skipped:
            assert name == "GPU agrees with CPU"


def test_what_is_checked_is_what_the_last_stage_trains(tiny_encoder, sentences):
    subject = Subject(Dino, open_pack("en"), str(tiny_encoder), sentences[:40], SETTINGS)
    assert subject.learner().name == "pair-regression"
    data = subject.data()
    assert set(data.views) == {"left", "right"}
    assert set(data.numbers) == {"label", "weight"}


def test_stages_that_train_nothing_are_noticed(tiny_encoder, sentences):
    class Idle(Method):
        name = "idle"

        def stages(self):
            return (Stage("one", lambda context: None), Stage("two", lambda context: None))

    subject = Subject(Idle, open_pack("en"), str(tiny_encoder), sentences[:40], {})
    with pytest.raises(AssertionError, match=r"no stage calls context\.train"):
        subject.learner()
