"""The real language server with a scripted model in the place of a language model: `python scripted_server.py`.

The model carries out what it is told in these words, on the document or part that it is shown:
    replace OLD with NEW              also "with NEW or NEWER": further candidates, the likeliest first, of which the
                                      second leaves the first OLD as it is, the third the first two, and so on
    leave it, or replace OLD with NEW changes nothing at first, so that a search follows
    write the placeholder, wrap it    answers that are refused
    explain it, replace OLD with NEW  an answer with an explanation after its end
    leave out the end                 an answer without its last lines
    append TEXT, delete TEXT          one line more at the end; no line that holds the text
Marks in brackets, anywhere in the instruction:
    [slow]  every forward takes 20 ms    [oom]  the device has no memory left    [bug]  an error that nobody expects
    [until FILE]  every forward waits until the file exists
    [at TEXT until FILE]  the same, as soon as the answer holds the text
The model's name may be "missing", or hold such a mark, for which the loading waits.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from copyspan.engine import Engine, EngineSettings, Progress
from copyspan.errors import Cancelled, ModelMissing, OutOfMemory
from copyspan.models.protocol import Scores
from copyspan.testing import ASSISTANT, ScriptedModel, fenced
from copyspan_lsp.__main__ import serve

SLOW_SECONDS = 0.02


def script(prompt: str) -> list[str]:
    """The answers to a rewriting prompt."""
    found = re.search(r".*^(`{3,})(\w*)\n(.*?)^\1\n\n(Instruction: .*)", prompt, re.DOTALL | re.MULTILINE)
    if found is None:
        return [""]
    fence, language, body, instruction = found.groups()
    told = "\nHere is what I changed:\n" if "explain it" in instruction else ""
    return [fenced(answer, language, fence) + told for answer in answers_to(instruction, body)]


def answers_to(instruction: str, body: str) -> list[str]:
    """What the model would write for a document."""
    if "write the placeholder" in instruction:
        return ["# ... existing code ...\n" + body[body.index("\n") + 1 :]]
    if "wrap it" in instruction:
        return [f"<think>\nhm\n</think>\n{body}"]
    if "leave out the end" in instruction:
        return ["".join(body.splitlines(keepends=True)[:-12])]
    if added := re.search(r"append (\S+)", instruction):
        return [f"{body}{added[1]}\n"]
    if unwanted := re.search(r"delete (\S+)", instruction):
        return ["".join(line + "\n" for line in body.split("\n")[:-1] if unwanted[1] not in line)]
    wanted = re.search(r"replace (\S+) with (\S+(?: or \S+)*)", instruction)
    if wanted is None:
        return [body]
    old, news = wanted[1], wanted[2].split(" or ")
    changed = [_replaced_from(i, body, old, new) for i, new in enumerate(news)]
    return [body, *changed] if "leave it" in instruction else changed


def _replaced_from(first: int, body: str, old: str, new: str) -> str:
    parts = body.split(old)
    return old.join(parts[: first + 1]) + "".join(new + part for part in parts[first + 1 :])


class MarkedModel(ScriptedModel):
    """Obeys the marks of the instruction."""

    def extend(
        self, tokens: Sequence[int], *, cancelled: Callable[[], bool] = lambda: False, **wanted: object
    ) -> Scores:
        instruction = bytes(t for t in [*self.tokens[-400:], *tokens] if t < 256).decode(errors="replace")
        if "[oom]" in instruction:
            raise OutOfMemory("cpu ran out of memory (scripted). Edit fewer lines.")
        if "[bug]" in instruction:
            raise RuntimeError("SECRET that must not travel")
        context = bytes(t for t in [*self.tokens, *tokens] if t < 256).decode(errors="replace")
        if "[slow]" in context:
            until = time.monotonic() + SLOW_SECONDS
            wait(lambda: cancelled() or time.monotonic() >= until)
        wait_for_file(context, cancelled)
        self._pause(context, cancelled)
        if cancelled():
            raise Cancelled("The edit was cancelled.")
        return super().extend(tokens, cancelled=cancelled, **wanted)  # type: ignore[arg-type]

    def _pause(self, context: str, cancelled: Callable[[], bool]) -> None:
        """Stay at a text of the answer, where a mark says so."""
        mark = re.search(r"\[at (\S+) until (\S+)\]", context)
        if mark is None or ASSISTANT not in self.tokens:
            return
        start = len(self.tokens) - self.tokens[::-1].index(ASSISTANT)
        if mark[1] in bytes(t for t in self.tokens[start:] if t < 256).decode(errors="replace"):
            wait(lambda: cancelled() or Path(mark[2]).exists())


def wait_for_file(text: str, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Wait for what a mark names, if the text holds one."""
    if mark := re.search(r"\[until (\S+)\]", text):
        wait(lambda: cancelled() or Path(mark[1]).exists())


def wait(ended: Callable[[], bool]) -> None:
    while not ended():
        time.sleep(0.001)


def load(settings: EngineSettings, progress: Progress) -> Engine:
    """A loader whose model's name says what becomes of it."""
    if settings.model == "missing":
        raise ModelMissing(
            "The model missing is not on this machine (1.1 GB). `copyspan models fetch missing` gets it."
        )
    progress.started(f"Loading {settings.model} on cpu", None, "")
    wait_for_file(settings.model)
    time.sleep(float(os.environ.get("SCRIPTED_LOAD_SECONDS", "0")))
    progress.finished()
    limit = int(os.environ.get("SCRIPTED_DRAFT_LIMIT", "64"))
    return Engine(MarkedModel(script, context_size=settings.context_size * 16, draft_limit=limit), settings)


if __name__ == "__main__":
    arguments = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    serve(load=load, **arguments)
