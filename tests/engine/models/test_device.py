"""Which device and number format is taken."""

import pytest
import torch

from copyspan.errors import UsageError
from copyspan.models.device import best_device, best_dtype


@pytest.mark.parametrize("device", ["nowhere", "cuda:99", "meta:x"])
def test_a_device_that_is_not_there_is_refused_in_words(device: str) -> None:
    with pytest.raises(UsageError, match=rf"no device '{device}'.*device auto, which means {best_device()}"):
        best_dtype(device, "auto")


def test_a_wish_is_granted() -> None:
    assert best_dtype("cpu", "float32") == ("cpu", torch.float32)


def test_a_gpu_is_taken_by_itself_and_in_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: True)
    monkeypatch.setattr("copyspan.models.device._check", lambda device: None)
    assert best_dtype("auto", "auto") == ("cuda:0", torch.bfloat16)
