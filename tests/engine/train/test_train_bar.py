import io

from rich.console import Console

from copyspan.cli.train_bar import TrainBar
from copyspan.train.log import StepEntry, ValidationEntry


def step(number: int) -> StepEntry:
    return StepEntry(
        step=number, epoch=1, loss=0.25, learning_rate=1e-4, norm=1.0, num_tokens=3000, num_learnt=90, seconds=2.0
    )


def shown(is_terminal: bool) -> str:
    console = Console(file=io.StringIO(), force_terminal=is_terminal, width=120, color_system=None)
    with TrainBar(console) as bar:
        bar.started(0, 40_000)
        bar.logged(step(1))
        bar.logged(ValidationEntry(step=1, num_pairs=8, loss=0.5, exact=0.25, seconds=1.0))
    return console.file.getvalue()


def test_a_terminal_gets_loss_speed_and_the_expected_end():
    text = shown(is_terminal=True)
    assert "Step 1 of 40,000, loss 0.2500, 1,500 tokens/s, ends " in text
    assert "Step 1: loss 0.5000 on 8 held-out pairs, 25% of their programs exact" in text


def test_what_is_no_terminal_gets_lines_and_not_one_for_each_step():
    assert shown(is_terminal=False) == (
        "Trains 40,000 steps\nStep 1: loss 0.5000 on 8 held-out pairs, 25% of their programs exact\n"
    )
