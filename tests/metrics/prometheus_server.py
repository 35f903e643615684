"""A real Prometheus on loopback over data that a test writes as OpenMetrics text; needs Debian's package `prometheus`.

    with started(text, tmp_path) as url:

Nothing is scraped, nothing outside the given folder is written, and the process that ends is the one that began here.
"""

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAMS = ("prometheus", "promtool")
_READY_S = 20.0
_IMPORT_S = 120.0
_TRIES = 3  # somebody else may take the free port first


def needed() -> None:
    """Skips the test where the programs are not installed; .ci/run installs them."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed: apt-get install prometheus")


@contextmanager
def started(openmetrics: str | Path, folder: Path) -> Iterator[str]:
    """The URL of a server that holds these samples, for as long as the block runs.

    The text has `# TYPE` lines, `name{label="x"} value unix_seconds` lines and `# EOF` at its end; samples of one
    metric stand together. The same folder may be started again without importing: pass an empty text.
    """
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    if openmetrics:
        _fill(data, openmetrics, folder)
    (folder / "prometheus.yml").write_text("global: {}\n", encoding="utf-8")
    process, url = _running(data, folder)
    try:
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def _fill(data: Path, openmetrics: str | Path, folder: Path) -> None:
    text = openmetrics
    if isinstance(text, str):
        file = folder / "samples.om"
        file.write_text(text, encoding="utf-8")
        text = file
    subprocess.run(
        [
            *("promtool", "tsdb", "create-blocks-from", "openmetrics", "--quiet"),
            "--max-block-duration=54h",  # the whole text is read again for each block
            *(str(text), str(data)),
        ],
        check=True,
        timeout=_IMPORT_S,
        capture_output=True,
    )


def _running(data: Path, folder: Path) -> tuple["subprocess.Popen[bytes]", str]:
    for _ in range(_TRIES):
        port = _free_port()
        process = _start(data, folder, port)
        url = f"http://127.0.0.1:{port}"
        try:
            if _ready(process, url):
                return process, url
        except BaseException:
            process.kill()
            process.wait(10)
            raise
        if process.poll() is None:
            process.kill()
            process.wait(10)
    raise AssertionError((folder / "log").read_text(encoding="utf-8", errors="replace")[-2000:])


def _start(data: Path, folder: Path, port: int) -> "subprocess.Popen[bytes]":
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [  # noqa: S607
                "prometheus",
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={data}",
                "--storage.tsdb.retention.time=100y",  # samples of years ago must not be deleted while they are read
                f"--web.listen-address=127.0.0.1:{port}",
                "--log.level=warn",
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _ready(process: "subprocess.Popen[bytes]", url: str) -> bool:
    until = time.monotonic() + _READY_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=1) as answer:  # noqa: S310 (loopback)
                if answer.status == 200:
                    return True
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
