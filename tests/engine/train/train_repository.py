"""A git repository that a test makes."""

import os
import subprocess
from pathlib import Path

FIVE = "one\ntwo\nthree\nfour\nfive\n"
SIX = FIVE + "six\n"


class Repository:
    """A repository of this test's own, with dates that do not move."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> None:
        names = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {f"GIT_{role}_DATE": "2020-01-01T00:00:00Z" for role in ("AUTHOR", "COMMITTER")}
        env = os.environ | names | dates | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", *arguments], cwd=self.folder, env=env, check=True, capture_output=True)

    def commit(self, subject: str, **files: str | bytes) -> None:
        """Write files, whose names have `__` for a full stop and `___` for a slash, and commit them."""
        for name, text in files.items():
            path = self.folder / name.replace("___", "/").replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", subject)
