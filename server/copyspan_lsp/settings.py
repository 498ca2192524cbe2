"""Settings of the server, read leniently: what is wrong is said in words, and all the rest takes effect.

It knows no LSP and no editor; it is given what a client sent, as plain JSON values.
"""

import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from copyspan.config import CONTEXT_LINES, StrategyWish
from copyspan.engine import EngineSettings

SECTION = "copyspan"
"""The name under which clients keep these settings among those of other programs."""

_ENGINE = EngineSettings()


class ServerSettings(BaseModel):
    """What a person may set in an editor, in camelCase there; every field has a default that works."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)

    model: str = Field(default=_ENGINE.model, min_length=1)
    """As for the engine: a name from `copyspan models list`, a Hugging Face id, a local folder, or a GGUF file."""
    device: str = Field(default=_ENGINE.device, min_length=1)
    """As for the engine: "auto", or a torch device such as "cuda:1"."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = _ENGINE.dtype
    """As for the engine."""
    adapter: str = Field(default=_ENGINE.adapter, min_length=1)
    """As for the engine: "auto", "none", or the folder of what taught the model to write programs."""
    strategy: StrategyWish = "auto"
    """How edits are made: by rewriting what is verified, by programs, or as it suits."""
    server_url: str = ""
    """The URL of an OpenAI-compatible server that runs the model; empty runs it on this machine. The key that it wants
    comes from the environment (COPYSPAN_API_KEY)."""
    served_model: str = ""
    """What the server calls the model, where that is another name than the model's."""
    allow_plain_http: bool = _ENGINE.allow_plain_http
    """Whether documents may go to another machine without encryption."""
    context_size: int = Field(default=_ENGINE.context_size, ge=256)
    """The most tokens of prompt and answer together."""
    search_width: int = Field(default=_ENGINE.search_width, ge=1, le=64)
    """How many departures a search tries."""
    code_actions: bool = True
    """Whether edits are offered in the editor's list of code actions."""
    max_lines: int = Field(default=300, ge=1)
    """The longest document, in lines, that is edited whole when nothing is selected."""
    context_lines: int = Field(default=CONTEXT_LINES, ge=0)
    """How many lines above a selection or block are shown to the model, so that it knows their names."""
    warm_start: Literal["auto", "on", "off"] = "auto"
    """Whether a document's prompt is read before an edit is asked for; "auto" does so on a GPU."""
    preload: bool = False
    """Whether the model is loaded when the server starts, not at the first edit."""
    unload_after: float = Field(default=10, ge=0, le=100_000)
    """Minutes without an edit after which the model gives its memory back; 0 is never."""
    trace: bool = False
    """Whether logs may hold documents' text."""

    @property
    def server_host(self) -> str | None:
        """Where documents are sent, for people: the server without what could be a name or a password."""
        parts = urlsplit(self.server_url.strip())
        return parts.netloc.rpartition("@")[2] or None

    def engine_settings(self) -> EngineSettings:
        """The part that an engine is loaded with. Two equal values can share one engine."""
        return EngineSettings(
            model=self.model,
            device=self.device,
            dtype=self.dtype,
            adapter=self.adapter,
            server=self.server_url.strip() or None,
            served_model=self.served_model.strip() or None,
            allow_plain_http=self.allow_plain_http,
            context_size=self.context_size,
            search_width=self.search_width,
        )


_SCHEMA: dict[str, dict[str, Any]] = ServerSettings.model_json_schema()["properties"]


def read_settings(raw: object, base: ServerSettings) -> tuple[ServerSettings, tuple[str, ...]]:
    """The settings after `raw`, and a sentence for people about everything in it that has no effect.

    `raw` is None, an object of settings, or an object that holds one under "copyspan", beside settings of other
    programs. A setting that is absent, null or wrong stays as it is in `base`. Nothing is raised.
    """
    found, complaints = _find(raw)
    unknown = [name for name in found if name not in _SCHEMA]
    known = {name: _whole(value) for name, value in found.items() if name in _SCHEMA and value is not None}
    before = base.model_dump(by_alias=True)
    wrong = _wrong(before | known)
    complaints += [_unknown(name) for name in unknown]
    complaints += [_misfit(name, known[name], before[name]) for name in known if name in wrong]
    good = {name: value for name, value in known.items() if name not in wrong}
    return ServerSettings.model_validate(before | good), tuple(complaints)


def _find(raw: object) -> tuple[dict[str, object], list[str]]:
    """The settings by name, wherever they stand, and a complaint where there can be none."""
    if not raw:  # None or {}; also [], which is an empty table for clients that are written in Lua
        return {}, []
    if not isinstance(raw, Mapping):
        return {}, [f"The settings of {SECTION} are {_show(raw)}, and have to be an object. They are ignored."]
    if SECTION not in raw:
        return dict(_without_prefix(raw)), []
    inner, complaints = _find(raw[SECTION])
    # What stands beside the section are other programs' settings, unless the name says that they are ours.
    ours = {name: value for name, value in _without_prefix(raw) if name in _SCHEMA}
    return ours | inner, complaints


def _without_prefix(raw: Mapping[Any, object]) -> Iterator[tuple[str, object]]:
    return ((str(name).removeprefix(f"{SECTION}."), value) for name, value in raw.items())


def _whole(value: object) -> object:
    """JSON has one kind of number, and some clients write 300 as 300.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _wrong(values: dict[str, object]) -> set[object]:
    try:
        ServerSettings.model_validate(values)
    except ValidationError as error:
        return {problem["loc"][0] for problem in error.errors()}
    return set()


def _unknown(name: str) -> str:
    by_case = {known.lower(): known for known in _SCHEMA}
    near = get_close_matches(name.lower().replace("_", ""), by_case, n=1)
    advice = f"Did you mean {by_case[near[0]]}?" if near else f"The settings are {', '.join(sorted(_SCHEMA))}."
    shown = name if name.isidentifier() else _show(name)
    return f"There is no setting {_cut(shown)}, and it is ignored. {advice}"


def _misfit(name: str, value: object, before: object) -> str:
    return (
        f"The setting {name} is {_show(value)}, and has to be {_wanted(_SCHEMA[name])}. {_show(before)} holds instead."
    )


def _wanted(schema: Mapping[str, Any]) -> str:
    """What a setting takes, in words: "a whole number from 1 to 64"."""
    if "enum" in schema:
        *others, last = map(_show, schema["enum"])
        return f"{', '.join(others)} or {last}"
    kinds = {"boolean": "true or false", "string": "a text that is not empty" if "minLength" in schema else "a text"}
    kinds |= {"integer": "a whole number", "number": "a number"}
    kind = kinds[schema["type"]]
    if "minimum" not in schema:
        return kind
    if "maximum" not in schema:
        return f"{kind}, at least {schema['minimum']}"
    return f"{kind} from {schema['minimum']} to {schema['maximum']}"


def _show(value: object) -> str:
    """A value as its author wrote it, which was JSON."""
    return _cut(json.dumps(value, ensure_ascii=False, default=repr))


def _cut(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
