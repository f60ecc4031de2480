"""Automatic choices come with a reason; impossible ones with a next step."""

from __future__ import annotations

import pytest
import torch

from harness.encoder import precision
from harness.errors import UsageError


def test_cpu_precision_follows_the_hardware(monkeypatch):
    monkeypatch.setattr(precision, "cpu_has_bf16", lambda: True)
    assert precision.choose_precision("cpu") == ("bf16", "the CPU multiplies bf16 natively")
    monkeypatch.setattr(precision, "cpu_has_bf16", lambda: False)
    assert precision.choose_precision("cpu") == ("fp32", "no native bf16 on this device")
    assert precision.choose_precision("cpu", "bf16") == ("bf16", "as asked")


def test_impossible_choices_are_explained():
    with pytest.raises(UsageError, match="fp16 is emulated"):
        precision.choose_precision("cpu", "fp16")
    with pytest.raises(UsageError, match="fp32, bf16, fp16"):
        precision.choose_precision("cpu", "half")
    with pytest.raises(UsageError, match="--device auto"):
        precision.choose_device("cuda:99")
    with pytest.raises(UsageError, match="--device auto"):
        precision.choose_device("toaster")


def test_autocast_changes_matrix_products_only_when_asked():
    a = torch.randn(4, 4)
    with precision.autocast(torch.device("cpu"), "bf16"):
        assert (a @ a).dtype == torch.bfloat16
    with precision.autocast(torch.device("cpu"), "fp32"):
        assert (a @ a).dtype == torch.float32
