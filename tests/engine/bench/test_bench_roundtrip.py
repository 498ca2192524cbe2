import pytest
from bench_doubles import WordTokens, case
from hypothesis import given, settings
from hypothesis import strategies as st

from copyspan.bench import roundtrip
from copyspan.bench.roundtrip import measure, roundtrip_table

texts = st.lists(st.sampled_from(["a", "b b", "é😀", "<gen>", "\n", "\n", "\r\n", "\r", "\x0c"]), max_size=8).map(
    "".join
)


@given(texts, texts)
@settings(deadline=None)
def test_every_program_is_exact_in_every_variant(before, after):
    records = list(measure(case(before, after), WordTokens(), min_span=2))
    assert len(records) == len({record.key for record in records}) == 12
    assert [record for record in records if not record.is_exact] == []


@pytest.mark.parametrize("way", ["render", "resolve", "format_program"])
def test_a_fault_is_found(monkeypatch, way):
    true = getattr(roundtrip, way)
    damaged = {
        "render": lambda *args: true(*args) + "x",
        "resolve": lambda program, *args: true(type(program)(), *args),
        "format_program": lambda program: true(type(program)(program.ops[1:])),
    }
    monkeypatch.setattr(roundtrip, way, damaged[way])
    records = list(measure(case("a\nb\n", "a\nc\n"), WordTokens()))
    assert not any(record.is_exact for record in records)
    assert roundtrip_table(records).rows[0][-1].startswith("100.00 [")


def test_the_variants_are_what_they_are_called():
    found = {}

    class Spy(WordTokens):
        def ids(self, text):
            found.setdefault(len(found), text)
            return super().ids(text)

    list(measure(case("a\n", "b\n"), Spy()))
    assert [found[i] for i in range(12)] == [
        *("a\n", "b\n", "a\r\n", "b\r\n", "a", "b", "a", "b", "a\n", "b", "a", "b\n"),
    ]


def test_the_table():
    records = list(measure(case("a\n", "b\n"), WordTokens()))
    assert [row[:-1] for row in roundtrip_table(records).rows] == [
        (name, "1", "12", "12", "12", "12", "12") for name in ("some (plain)", "all")
    ]
