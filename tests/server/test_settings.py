import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from copyspan.engine import EngineSettings
from copyspan_lsp.settings import ServerSettings, read_settings

DEFAULTS = ServerSettings()
NAMES = tuple(DEFAULTS.model_dump(by_alias=True))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


def read(raw: object, base: ServerSettings = DEFAULTS) -> ServerSettings:
    """The settings of a `raw` that nobody may complain about."""
    settings, complaints = read_settings(raw, base)
    assert complaints == ()
    return settings


def test_public_names_and_defaults() -> None:
    assert DEFAULTS.model_dump(by_alias=True, exclude={"model"}) == {
        "device": "auto",
        "dtype": "auto",
        "contextSize": 16384,
        "searchWidth": 4,
        "codeActions": True,
        "maxLines": 300,
        "contextLines": 20,
        "warmStart": "auto",
        "adapter": "auto",
        "strategy": "auto",
        "serverUrl": "",
        "servedModel": "",
        "allowPlainHttp": False,
        "preload": False,
        "unloadAfter": 10,
        "trace": False,
    }


def test_engine_defaults_are_the_engines() -> None:
    assert DEFAULTS.engine_settings() == EngineSettings()


def test_engine_settings_take_over_every_value_that_the_engine_has() -> None:
    values = {"model": "m", "device": "cpu", "dtype": "float32", "contextSize": 512, "searchWidth": 9}
    assert read(values).engine_settings() == EngineSettings(
        model="m", device="cpu", dtype="float32", context_size=512, search_width=9
    )


def test_a_server_is_asked_only_where_one_is_set() -> None:
    assert DEFAULTS.engine_settings().server is None
    assert DEFAULTS.server_host is None
    assert read({"serverUrl": " "}).engine_settings().server is None
    values = {"serverUrl": " https://llm.example.org:8443/v1 ", "servedModel": "coder", "allowPlainHttp": True}
    wanted = read(values)
    assert wanted.engine_settings() == EngineSettings(
        server="https://llm.example.org:8443/v1", served_model="coder", allow_plain_http=True
    )
    assert wanted.server_host == "llm.example.org:8443"


def test_who_is_told_where_text_goes_is_told_no_password() -> None:
    assert read({"serverUrl": "https://me:secret@host/v1"}).server_host == "host"


@given(st.integers(min_value=-2, max_value=600))
def test_bounds_are_the_engines(number: int) -> None:
    for name in ("context_size", "search_width"):
        try:
            EngineSettings.model_validate({name: number})
        except ValidationError:
            assert getattr(read_settings({name: number}, DEFAULTS)[0], name) == getattr(DEFAULTS, name)
        else:
            assert getattr(ServerSettings.model_validate({name: number}), name) == number


@pytest.mark.parametrize("nothing", [None, {}, [], {"copyspan": None}, {"copyspan": {}}, {"copyspan": []}])
def test_nothing_said_leaves_the_base(nothing: object) -> None:
    base = ServerSettings(max_lines=7)
    assert read(nothing, base) == base


@pytest.mark.parametrize(
    "raw",
    [
        {"maxLines": 5, "trace": True},
        {"copyspan": {"maxLines": 5, "trace": True}},
        {"copyspan": {"maxLines": 5, "trace": True}, "editor": {"tabSize": 4}},
        {"copyspan.maxLines": 5, "copyspan.trace": True},
        {"maxLines": 5, "copyspan": {"trace": True}},
        {"maxLines": 5.0, "trace": True},
        {"maxLines": 5, "trace": True, "model": None},
    ],
)
def test_where_settings_may_stand(raw: object) -> None:
    assert read(raw) == ServerSettings(max_lines=5, trace=True)


def test_the_section_wins_over_what_stands_beside_it() -> None:
    assert read({"maxLines": 5, "copyspan": {"maxLines": 6}}).max_lines == 6


def test_later_settings_keep_what_they_do_not_name() -> None:
    assert read({"trace": True}, read({"maxLines": 5})) == ServerSettings(max_lines=5, trace=True)


@pytest.mark.parametrize("minutes", [0, 0.5, 10, 10.0])
def test_minutes_may_be_any_number(minutes: float) -> None:
    assert read({"unloadAfter": minutes}).unload_after == minutes


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("maxLines", 0, "The setting maxLines is 0, and has to be a whole number, at least 1. 300 holds instead."),
        ("maxLines", 2.5, "The setting maxLines is 2.5, and has to be a whole number, at least 1. 300 holds instead."),
        ("maxLines", "9", 'The setting maxLines is "9", and has to be a whole number, at least 1. 300 holds instead.'),
        ("maxLines", True, "is true, and has to be a whole number"),
        ("searchWidth", 65, "is 65, and has to be a whole number from 1 to 64. 4 holds instead."),
        ("trace", "on", 'is "on", and has to be true or false. false holds instead.'),
        ("trace", 1, "is 1, and has to be true or false."),
        ("warmStart", True, 'is true, and has to be "auto", "on" or "off". "auto" holds instead.'),
        ("unloadAfter", float("nan"), "is NaN, and has to be a number from 0 to 100000."),
        ("unloadAfter", float("inf"), "is Infinity, and has to be a number from 0 to 100000."),
        ("unloadAfter", 10**400, "has to be a number from 0 to 100000."),
        ("unloadAfter", -1, "is -1, and has to be a number from 0 to 100000."),
        ("model", "", 'is "", and has to be a text that is not empty.'),
        ("model", {"a": 1}, 'is {"a": 1}, and has to be a text'),
        ("dtype", "int8", 'is "int8", and has to be "auto", "bfloat16", "float16" or "float32".'),
    ],
)
def test_a_wrong_value_is_told_and_hinders_no_other(name: str, value: object, sentence: str) -> None:
    settings, complaints = read_settings({name: value, "contextLines": 3}, DEFAULTS)
    assert settings == ServerSettings(context_lines=3)
    assert len(complaints) == 1
    assert sentence in complaints[0]


def test_a_wrong_value_leaves_the_base_and_not_the_default() -> None:
    settings, complaints = read_settings({"maxLines": 0}, ServerSettings(max_lines=7))
    assert settings.max_lines == 7
    assert complaints[0].endswith("7 holds instead.")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("maxLine", "maxLines"), ("max_lines", "maxLines"), ("MAXLINES", "maxLines"), ("warmstart", "warmStart")],
)
def test_an_unknown_name_is_told_with_the_nearest(name: str, meant: str) -> None:
    settings, complaints = read_settings({name: 5, "trace": True}, DEFAULTS)
    assert settings == ServerSettings(trace=True)
    assert complaints == (f"There is no setting {name}, and it is ignored. Did you mean {meant}?",)


def test_a_name_like_no_other_is_told_with_all() -> None:
    (complaint,) = read_settings({"zzz": 5}, DEFAULTS)[1]
    assert all(name in complaint for name in NAMES)


def test_a_name_is_shown_on_one_line() -> None:
    (complaint,) = read_settings({"a\nb": 5}, DEFAULTS)[1]
    assert complaint.startswith(r'There is no setting "a\nb", and')


@pytest.mark.parametrize("raw", ["model", 3, [1], {"copyspan": True}])
def test_what_is_no_object_is_told(raw: object) -> None:
    settings, complaints = read_settings(raw, DEFAULTS)
    assert settings == DEFAULTS
    assert len(complaints) == 1
    assert "have to be an object" in complaints[0]


def test_a_long_value_is_cut() -> None:
    (complaint,) = read_settings({"trace": "x" * 5000}, DEFAULTS)[1]
    assert len(complaint) < 200


@given(json_values | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=6), json_values, max_size=6))
def test_every_entry_takes_effect_or_is_told(raw: object) -> None:
    settings, complaints = read_settings(raw, DEFAULTS)
    assert ServerSettings.model_validate(settings.model_dump()) == settings
    if isinstance(raw, dict) and "copyspan" not in raw and not any(name.startswith("copyspan.") for name in raw):
        values = settings.model_dump(by_alias=True)
        taken = [name for name, value in raw.items() if name in values and value in (None, values[name])]
        assert len(taken) + len(complaints) >= len(raw)
    assert not any("\n" in complaint for complaint in complaints)
