"""Settings of the engine, validated where they enter."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

DEFAULT_MODEL = "Qwen2.5-Coder-1.5B-Instruct"

CONTEXT_LINES = 20
"""How many lines above a selection a model is shown, unless told otherwise (LOG.md)."""

KEY_VARIABLE = "COPYSPAN_API_KEY"
"""The environment variable that holds a server's key."""

StrategyName = Literal["verified", "program", "ensemble"]
StrategyWish = Literal["auto", "verified", "program", "ensemble"]


class EngineSettings(BaseModel):
    """What a person may set about the engine; every field has a default that works."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = DEFAULT_MODEL
    """A name from `copyspan models list`, a Hugging Face id, a local folder, or a GGUF file."""
    device: str = "auto"
    """"auto" (CUDA, then MPS, then CPU), or a torch device such as "cuda:1"."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    """"auto" is bfloat16 where the processor computes in it, else float32."""
    adapter: str = "auto"
    """What taught the model to write programs: "auto" (one that comes with copyspan, where one fits), "none", or the
    folder of an adapter."""
    server: str | None = None
    """The URL of an OpenAI-compatible server that runs the model; None runs it in this process. The key that it wants
    comes from the environment (COPYSPAN_API_KEY) and is no setting, so that no file and no log holds it."""
    served_model: str | None = None
    """What the server calls the model, where that is another name; `model` then says whose tokenizer it has."""
    allow_plain_http: bool = False
    """Whether documents may go to another machine without encryption."""
    context_size: int = Field(default=16384, ge=256)
    """The most tokens of prompt and answer together; a model with a shorter context sets its own."""
    max_new_tokens: int = Field(default=4096, ge=1)
    """The most tokens that the model may write anew (copied tokens do not count) before an edit is given up."""
    search_width: int = Field(default=4, ge=1, le=64)
    """How many departures a search tries."""
    cache_dir: Path | None = None
    """Where models lie; by default the user's cache directory, or COPYSPAN_CACHE."""
