"""Ten thousand random edits while a person types; the buffer must hold what it has to, or be untouched.

Each round opens a random document in an editor (`fuzz_editor`, slow and independent of the server's positions and
edits), asks for an edit of a selection, of the whole or of an instruction comment, changes the document at random
moments, applies what comes, and asks for next candidates. What the buffer has to hold is known from zones: the text
above the scope, in it and below it, which every change of the editor moves.
"""

from collections import Counter

import pytest
from fuzz_round import Round

NUM_ROUNDS, NUM_PARTS = 10_000, 5

IN_A_THOUSAND = {
    "applied, for sure": 500,
    "rebased, for sure": 70,
    "rebased": 60,
    "refused for sure": 150,
    "refused: RequestCancelled": 20,
    "refused: OutputRejected": 10,
    "refused: SourceError": 5,
    "rejected": 150,
    "applied in part": 10,
    "too late": 30,
    "scope: block": 20,
    "with a comment": 100,
}
"""What has to come about, at least, for the rounds to tell anything."""


@pytest.mark.parametrize("part", range(NUM_PARTS))
def test_the_buffer_holds_what_it_has_to(part):
    seen: Counter[str] = Counter()
    for number in range(part, NUM_ROUNDS, NUM_PARTS):
        try:
            Round(number, seen).play()
        except Exception as error:
            raise AssertionError(f"round {number} failed; Round({number}, Counter()).play() repeats it") from error
    thousands = NUM_ROUNDS / NUM_PARTS / 1_000
    assert {name: count for name, count in IN_A_THOUSAND.items() if seen[name] < count * thousands} == {}
