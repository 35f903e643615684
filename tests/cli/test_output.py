"""Standard output as machines really have it: other encodings, readers that leave, full disks, narrow terminals."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from kubegap_mcp.cli import main

AUDIT, INCIDENT = ["audit", "--demo"], ["incidents", "show", "IL-0129"]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KUBECONFIG", "KUBEGAP_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "COLUMNS", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


class Disk(io.RawIOBase):
    """Takes bytes, or fails as a full disk or a left pipe does."""

    def __init__(self, failure: OSError | None = None) -> None:
        self.failure = failure
        self.kept = b""

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | memoryview", /) -> int:  # type: ignore[override]
        if self.failure:
            raise self.failure
        self.kept += bytes(data)
        return len(data)


def put(monkeypatch: pytest.MonkeyPatch, disk: Disk, encoding: str = "utf-8") -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(disk), encoding=encoding, newline="\n"))


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp949", "utf-8"])
@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("words", [AUDIT, ["nodes", "--demo"], ["checks", "list"], INCIDENT], ids="-".join)
def test_no_letter_stops_an_answer(
    words: list[str], lang: str, encoding: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = Disk()
    with monkeypatch.context() as patch:
        put(patch, disk, encoding)
        code = main([*words, "--lang", lang])

    assert (code, capsys.readouterr().err) == (0, "")
    text = disk.kept.decode(encoding)
    assert "2025-huggingface-smollm3-throughput" in text or words[0] in {"nodes", "checks"}
    if lang == "en" and words == AUDIT:
        assert "?" not in text


def test_json_says_the_same_in_every_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for encoding in ("utf-8", "ascii"):
        disk = Disk()
        with monkeypatch.context() as patch:
            put(patch, disk, encoding)
            main([*INCIDENT, "--format", "json", "--lang", "ko"])
        answers.append(json.loads(disk.kept.decode(encoding)))

    assert answers[0] == answers[1]


@pytest.mark.parametrize("words", [AUDIT, INCIDENT], ids=["by rich", "at once"])
def test_a_full_disk_is_an_error_and_not_a_gap(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        disk = Disk(OSError(28, "No space left on device"))
        put(patch, disk)
        code = main(words)
        disk.failure = None  # else it complains once more when it goes

    assert (code, capsys.readouterr().err) == (2, "kubegap: No space left on device\n")


def test_a_closed_output_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        code = main(AUDIT)

    assert code == 2
    assert "standard output is closed" in capsys.readouterr().err


def test_a_fault_of_kubegap_itself_is_an_error_and_not_a_gap(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr("kubegap_mcp.cli.audit.run", broken)

    assert main(AUDIT) == 2
    assert capsys.readouterr().err.endswith("please report it with the lines above\n")


@pytest.mark.parametrize("words", [AUDIT, INCIDENT, ["audit", "--help"]], ids=["by rich", "at once", "by argparse"])
def test_a_reader_that_goes_away_is_no_failure_to_talk_about(words: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        [sys.executable, "-m", "kubegap_mcp", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=20) == 141


@pytest.mark.parametrize("columns", [60, 80, 200])
@pytest.mark.parametrize("words", [["nodes", "--demo"], ["checks", "list"], AUDIT], ids="-".join)
def test_a_terminal_of_any_width_shows_names_whole(
    words: list[str], columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": str(columns)}.items():
        monkeypatch.setenv(name, value)
    main([*words, "--lang", "en"])

    text = capsys.readouterr().out.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
    shown, _, _ = text.partition("Try next")
    for name in {
        "nodes": ["aks-h100-29411376-vmss000023", "nvidia.com/gpu-driver-upgrade-state"],
        "checks": ["storage_tiering.shm_missing_or_unbounded"],
        "audit": ["storage_tiering.shm_missing_or_unbounded", "2025-huggingface-smollm3-throughput"],
    }[words[0]]:
        assert name in shown
    assert max(cell_len(line) for line in shown.splitlines()) <= columns


def test_a_pipe_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    main(["nodes", "--demo", "--lang", "en"])

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("30 GPU nodes") and line.endswith(" free.") for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_next_steps_can_be_typed_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a checkout's own .venv, which is not on PATH, the program is named by path."""
    programs = tmp_path / "a folder" / "bin"
    programs.mkdir(parents=True)
    (programs / "kubegap").touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    main(AUDIT)
    by_path = capsys.readouterr().out
    monkeypatch.setenv("PATH", str(programs))
    main(AUDIT)
    by_name = capsys.readouterr().out

    for command in ("nodes", "register claude-code", "register codex"):
        assert f"\n  'a folder/bin/kubegap' {command} --demo\n" in by_path
        assert f"\n  kubegap {command} --demo\n" in by_name
