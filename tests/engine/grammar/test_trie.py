"""The walk over the trie does what running the automaton over every string does."""

from hypothesis import given
from hypothesis import strategies as st

from copyspan.grammar.trie import Node, Trie, Walk

few_bytes = st.lists(st.sampled_from([0x00, 0x61, 0x62, 0xFE, 0xFF]), min_size=1, max_size=4).map(bytes)


def step(state: int, byte: int) -> int | None:
    """States 0..5; byte 0x61 is always fine, 0xff counts up, and the others need an even state."""
    if byte == 0x61:
        return state
    if byte == 0xFF:
        return state + 1 if state < 5 else None
    return state if state % 2 == 0 else None


def accepted(trie: Trie, walk: Walk) -> list[bytes]:
    return [string for start, stop in walk.accepted for string in trie.strings[start:stop]]


def run(string: bytes) -> bool:
    state: int | None = 0
    for byte in string:
        state = step(state, byte) if state is not None else None
    return state is not None


@given(st.lists(few_bytes, max_size=30))
def test_a_walk_equals_running_every_string(strings: list[bytes]) -> None:
    trie = Trie(tuple(sorted(strings)), is_plain=lambda string: set(string) == {0x61})

    walk = trie.walk(trie.root, 0, step, takes_plain=lambda state: True)

    assert sorted(accepted(trie, walk)) == sorted(string for string in strings if run(string))
    covered = sorted(index for run_ in (*walk.accepted, *walk.rejected) for index in range(*run_))
    assert covered == list(range(len(strings)))


@given(st.lists(few_bytes, max_size=30))
def test_a_stopped_walk_can_go_on(strings: list[bytes]) -> None:
    trie = Trie(tuple(sorted(strings)), is_plain=lambda string: False)

    first = trie.walk(trie.root, 0, step, takes_plain=lambda state: False, stops=lambda state: state == 1)
    rest = [trie.walk(node, 1, step, takes_plain=lambda state: False) for node in first.stopped]

    whole = first.joined(rest)
    assert not whole.stopped
    assert sorted(accepted(trie, whole)) == sorted(string for string in strings if run(string))


def test_plain_strings_are_taken_without_a_step() -> None:
    trie = Trie((b"aa", b"ab", b"b", b"b!"), is_plain=lambda string: b"!" not in string)
    steps = list[int]()

    def recording(state: int, byte: int) -> int | None:
        steps.append(byte)
        return state if byte != ord("!") else None

    walk = trie.walk(Node(0, 4, 0), 0, recording, takes_plain=lambda state: True)

    assert accepted(trie, walk) == [b"b", b"aa", b"ab"]
    assert bytes(steps) == b"ab!"
