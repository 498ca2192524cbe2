"""Where a model runs and in which number format."""

import torch

from copyspan.errors import UsageError


def best_dtype(device: str, dtype: str) -> tuple[str, torch.dtype]:
    """Resolve "auto": CUDA, then MPS, then CPU; bfloat16 where the device computes in it, else float32.

    Raises UsageError for a device that does not exist here.
    """
    where = best_device() if device == "auto" else device
    _check(where)
    if dtype != "auto":
        return where, getattr(torch, dtype)
    return where, torch.bfloat16 if computes_bfloat16(where) else torch.float32


def best_device() -> str:
    """The fastest device that is there."""
    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _check(device: str) -> None:
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # each backend has its own
        raise UsageError(
            f"There is no device {device!r} here ({str(error).splitlines()[0]}). "
            f"Take the device auto, which means {best_device()} on this machine."
        ) from error


def computes_bfloat16(device: str) -> bool:
    """Whether the device multiplies in bfloat16 by instructions of its own; emulation is slower than float32."""
    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.startswith("mps"):
        return True
    x86 = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    if x86 is not None and x86():
        return True
    return bool(torch.cpu.get_capabilities().get("bf16", False)) if hasattr(torch.cpu, "get_capabilities") else False
