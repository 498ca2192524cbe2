"""A vLLM server on this machine's cores, as a process that tests start and kill."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

FOLDER = Path(os.environ.get("COPYSPAN_VLLM", Path.home() / ".cache" / "copyspan" / "vllm"))
PYTHON = FOLDER / "bin" / "python"
KEY = "sk-of-the-tests"
START_SECONDS = 300


class VllmServer:
    """Serves the model in a folder under a name. A context manager."""

    def __init__(self, model: Path, name: str, log: Path) -> None:
        self._model, self._name, self._log = model, name, log
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> "VllmServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [PYTHON, "-m", "vllm.entrypoints.openai.api_server", "--host", "127.0.0.1", "--port", str(self.port)]
        command += ["--model", str(self._model), "--served-model-name", self._name, "--dtype", "bfloat16"]
        command += ["--enforce-eager", "--max-model-len", "4096", "--enable-prompt-tokens-details"]
        env = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "2", "HF_HUB_OFFLINE": "1", "VLLM_API_KEY": KEY}
        env.pop("PYTHONPATH", None)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=env, start_new_session=True)
        until = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"vLLM did not start:\n{self._log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.5)

    def kill(self) -> None:
        """As the machine's failing would: at once, with all its processes."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False
