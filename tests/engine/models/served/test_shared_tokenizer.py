"""Threads that connect at the same time."""

import subprocess
import sys
from pathlib import Path

from byte_tokenizer import write_byte_tokenizer

PROGRAM = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from copyspan.models.served import shared_tokenizer
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(shared_tokenizer, [Path(sys.argv[1])] * 8))
assert all(one is found[0] for one in found)
"""


def test_threads_that_connect_at_the_same_time_share_one_tokenizer(tmp_path: Path) -> None:
    """In a process of its own, for the trouble is in the first import of the library below."""
    folder = write_byte_tokenizer(tmp_path / "tokenizer")
    done = subprocess.run([sys.executable, "-c", PROGRAM, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
