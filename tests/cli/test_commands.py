"""The command line: exit codes that a pipeline can trust, formats, and one sentence for each failure."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_apiserver import FakeApiServer, Rights
from kube_objects import nodes, pod
from metrics.fake_source import FakeSource

from kubegap_mcp.cli import main
from kubegap_mcp.cli.audit import exit_code
from kubegap_mcp.report.models import AuditAnswer


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KUBECONFIG", "KUBEGAP_LANG", "LC_ALL", "LC_MESSAGES", "LANG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param([], 0, id="gaps alone are a report, not a failure"),
        pytest.param(["--fail-on", "critical"], 1, id="a critical gap"),
        pytest.param(["--fail-on", "critical", "--topic", "gpu_health"], 0, id="no critical gap in the topic"),
        pytest.param(["--fail-on", "high", "--topic", "gpu_health"], 1, id="a high gap in the topic"),
        pytest.param(["--require-coverage", "100"], 0, id="everything could be judged"),
    ],
)
def test_the_exit_code_of_an_audit(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "audit", "--demo", *words)[0] == code


def audit(*, evaluated: int, total: int, **severities: int) -> AuditAnswer:
    return AuditAnswer.model_validate(
        {
            "cluster": {"context": "c", "server_version": None, "source": "live", "read_at": "", "age_s": 0},
            "status": "gap" if severities else "clear",
            "summary": "",
            "counts": {},
            "by_severity": severities,
            "coverage": {"evaluated": evaluated, "total": total, "unread": []},
            "gaps": [],
            "gaps_total": 0,
            "omitted": None,
            "closest_incidents": [],
            "notes": [],
        }
    )


@pytest.mark.parametrize(
    ("answer", "fail_on", "coverage", "code"),
    [
        pytest.param(audit(evaluated=11, total=11), "low", None, 0, id="all seen, nothing found"),
        pytest.param(audit(evaluated=10, total=11), "low", None, 3, id="one unknown is no success"),
        pytest.param(audit(evaluated=10, total=11), "low", 90.0, 0, id="one unknown that is allowed for"),
        pytest.param(audit(evaluated=10, total=11, low=1), "medium", 90.0, 0, id="a gap below the bar"),
        pytest.param(audit(evaluated=10, total=11, high=1), "medium", None, 1, id="a gap goes before coverage"),
        pytest.param(audit(evaluated=10, total=11), None, None, 0, id="a report"),
        pytest.param(audit(evaluated=0, total=11), None, None, 3, id="a report of nothing"),
        pytest.param(audit(evaluated=0, total=0), None, None, 3, id="no checks at all"),
    ],
)
def test_what_could_not_be_read_never_counts_as_success(
    answer: AuditAnswer, fail_on: str | None, coverage: float | None, code: int
) -> None:
    assert exit_code(answer, fail_on=fail_on, require_coverage=coverage) == code


def test_json_is_the_answer_of_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "audit", "--demo", "--format", "json")

    answer: dict[str, Any] = json.loads(out)
    assert list(answer)[:3] == ["schema", "cluster", "status"]
    assert answer["status"] == "gap"
    assert err == ""


def test_text_ends_with_commands_to_try_next(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "audit", "--demo", "--lang", "en")

    after = out.split("Try next\n")[1]
    assert "kubegap nodes --demo\n" in after
    assert "kubegap register claude-code --demo\n" in after
    assert "kubegap register codex --demo\n" in after


def test_what_to_try_next_keeps_the_configuration_and_the_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.toml").write_text("")
    (tmp_path / "own").mkdir()
    own = f"--config {tmp_path / 'k.toml'} --incidents {tmp_path / 'own'}"
    _, out, _ = run(capsys, "audit", "--demo", "--lang", "en", *own.split(" "))

    after = out.split("Try next\n")[1]
    for command in ("nodes", "doctor", "register claude-code", "register codex"):
        assert f"kubegap {command} --demo {own}\n" in after


SERVICE = "monitoring/prometheus:9090"


def _try_next(tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    """What comes after the head, and the options that say which cluster."""
    with FakeSource() as source, FakeApiServer(nodes(1), services={SERVICE: source.url}) as api:
        config = str(api.kubeconfig(tmp_path))
        _, out, _ = run(capsys, "audit", "--kubeconfig", config, "--lang", "en", "--topic", "ib_health", *words)
    return out.split("Try next\n")[1], f"--kubeconfig {config}"


def test_what_to_try_next_asks_the_same_metrics_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeSource() as source:
        after, cluster = _try_next(tmp_path, capsys, "--prometheus", source.url)

    for command in ("nodes", "doctor", "register codex"):
        assert f"kubegap {command} {cluster} --prometheus {source.url}\n" in after


def test_what_to_try_next_asks_the_same_service(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after, cluster = _try_next(tmp_path, capsys, "--prometheus-service", SERVICE)

    assert f"kubegap nodes {cluster} --prometheus-service {SERVICE}\n" in after


def test_what_to_try_next_repeats_no_credentials(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeSource() as source:
        url = source.url.replace("://", "://reader:s3cret@")
        after, cluster = _try_next(tmp_path, capsys, "--prometheus", url)

    assert f"kubegap nodes {cluster}\n" in after
    assert "s3cret" not in after
    assert "--prometheus" not in after


@pytest.mark.parametrize(
    ("name", "value", "words", "said"),
    [
        pytest.param("KUBEGAP_LANG", "ko", [], "틈", id="the variable"),
        pytest.param("LANG", "ko_KR.UTF-8", [], "틈", id="the locale"),
        pytest.param("LANG", "ko_KR.UTF-8", ["--lang", "en"], "gaps", id="the option goes first"),
        pytest.param("LANG", "C", [], "gaps", id="English where nothing says otherwise"),
        pytest.param("KUBEGAP_LANG", "tlh", [], "gaps", id="a language that kubegap does not speak"),
    ],
)
def test_the_language_comes_from_option_variable_locale(
    name: str,
    value: str,
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(name, value)

    assert said in run(capsys, "audit", "--demo", *words)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["audit"], "--demo", id="no kubeconfig names the ways on"),
        pytest.param(["audit", "--snapshot", "nowhere"], "nowhere", id="no such snapshot"),
        pytest.param(["audit", "--demo", "--topic", "weather"], "the topics are", id="no such topic"),
        pytest.param(["audit", "--demo", "--snapshot", "."], "exclude each other", id="two sources"),
        pytest.param(["audit", "--demo", "--context", "prod"], "prod", id="a context that the demo is not"),
        pytest.param(["checks", "show", "storage_tiering.fast_tier"], "fast_tier_near_full", id="a check nearly"),
        pytest.param(["incidents", "show", "IL-9999"], "there is no incident", id="no such incident"),
        pytest.param(["incidents", "search", "--component", "toaster"], "toaster", id="no such component"),
        pytest.param(["nodes", "--demo", "--selector", "a=(("], "selector", id="no selector"),
        pytest.param(["nodes", "--demo", "--cursor", "%%"], "cursor", id="no cursor"),
    ],
)
def test_each_failure_is_one_sentence_with_the_next_step(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *words)

    assert code == 2
    assert out == ""
    assert err.startswith("kubegap: ")
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in err

    code, out, korean = run(capsys, *words, "--lang", "ko")
    assert (code, out) == (2, "")
    assert re.search("[가-힣]", korean)
    assert korean.startswith("kubegap: ")
    assert korean.count("\n") == 1


def test_a_failure_before_any_option_is_read_is_told_in_the_persons_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEGAP_LANG", "ko")
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["rbac"]) == 2
    assert "표준 출력이 닫혀 있음" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["nodes", "--demo", "--verdict", "not_ready"], "not ready", id="nodes"),
        pytest.param(["nodes", "--demo", "--format", "markdown"], "| node ", id="nodes as Markdown"),
        pytest.param(["incidents", "search", "infiniband", "flapping"], "IL-0025", id="incidents by words"),
        pytest.param(["incidents", "show", "il-0129"], "SmolLM3", id="an incident by its alias"),
        pytest.param(["incidents", "show", "IL-0129", "--format", "json"], '"aliases"', id="an incident as JSON"),
        pytest.param(["checks", "list"], "ib_health.link_fault_reported", id="checks"),
        pytest.param(["checks", "show", "gpu_health.gpu_missing"], "kubectl", id="a check"),
        pytest.param(["rbac"], "kind: ClusterRole", id="a cluster role"),
        pytest.param(["rbac", "--namespace", "ml"], "kind: Role", id="a role"),
        pytest.param(["doctor", "--demo"], "wekaclusters.weka.weka.io", id="doctor on the demo"),
    ],
)
def test_each_command_answers(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *words, *([] if words[0] == "rbac" else ["--lang", "en"]))

    assert (code, err) == (0, "")
    assert said in out


def test_doctor_tells_what_the_user_may_read_and_what_would_help(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rights = Rights(everywhere=frozenset({"nodes"}), namespaces={"train": frozenset({"pods"})})
    with FakeApiServer([*nodes(2), pod("p-0")], rights=rights) as api:
        config = str(api.kubeconfig(tmp_path))
        code, out, _ = run(capsys, "doctor", "--kubeconfig", config, "--namespace", "train", "--lang", "en")

    lines = {line.split()[0]: line for line in out.splitlines() if line.startswith("  ") and line.split()}
    assert code == 0
    assert "readable (" in lines["nodes"]
    assert "readable in some namespaces" in lines["pods"]
    assert "not readable" in lines["persistentvolumes"]
    assert "kubegap rbac" in out


def test_a_snapshot_of_a_live_cluster_can_be_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "taken"
    with FakeApiServer([*nodes(3), pod("p-0")]) as api:
        config = str(api.kubeconfig(tmp_path))
        assert run(capsys, "snapshot", "-o", str(folder), "--kubeconfig", config)[0] == 0

    assert run(capsys, "nodes", "--snapshot", str(folder), "--format", "json")[0] == 0


def test_a_snapshot_is_not_written_into_a_folder_that_holds_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("")
    with FakeApiServer(nodes(1)) as api:
        config = str(api.kubeconfig(tmp_path))
        code, _, err = run(capsys, "snapshot", "-o", str(tmp_path / "full"), "--kubeconfig", config)

    assert code == 2
    assert "not empty" in err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]


def test_docs_check_tells_which_page_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "docs", "--output", str(tmp_path))[0] == 0
    assert run(capsys, "docs", "--output", str(tmp_path), "--check")[0] == 0
    (tmp_path / "checks" / "ib_health.md").write_text("old")
    (tmp_path / "checks" / "weather.md").write_text("<!-- made by kubegap docs from a rule that is gone -->\n")

    code, _, err = run(capsys, "docs", "--output", str(tmp_path), "--check")

    assert code == 1
    assert "ib_health.md is not current" in err
    assert "weather.md is not current" in err


def test_docs_removes_a_page_that_outlived_its_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "checks").mkdir()
    gone, mine = tmp_path / "checks" / "weather.md", tmp_path / "checks" / "mine.md"
    gone.write_text("<!-- made by kubegap docs from a rule that is gone -->\n")
    mine.write_text("how we check\n\nnot made by kubegap docs from anything\n")

    assert run(capsys, "docs", "--output", str(tmp_path))[0] == 0

    assert not gone.exists()
    assert mine.exists()


def test_docs_leaves_a_page_that_it_did_not_make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tools.md").write_text("my own tools")

    code, _, err = run(capsys, "docs", "--output", str(tmp_path))

    assert code == 2
    assert "tools.md was not made by kubegap docs" in err
    assert [path.name for path in tmp_path.iterdir()] == ["tools.md"]


@pytest.mark.parametrize(
    "words",
    [["--deadline", "soon"], ["--deadline", "nan"], ["--require-coverage", "most"], ["--require-coverage", "101"]],
)
def test_a_wrong_number_is_told_in_words(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["audit", "--demo", *words])

    assert ended.value.code == 2
    assert "give " in capsys.readouterr().err.splitlines()[-1]


def test_serve_is_what_kubegap_mcp_does_without_a_command() -> None:
    program = Path(sys.executable).with_name("kubegap-mcp")
    if not program.exists():
        pytest.fail("kubegap-mcp is not installed beside this Python: pip install -e .")
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    hello += '"clientInfo":{"name":"test","version":"0"}}}\n'
    command = [program, "--demo"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdin
        assert server.stdout
        bound = threading.Timer(20, server.kill)  # without an answer the line is empty
        bound.start()
        server.stdin.write(hello)
        server.stdin.flush()
        said = server.stdout.readline()
        server.kill()
        bound.cancel()
    assert '"name":"kubegap"' in said


def test_serve_tells_a_person_at_a_terminal_what_it_waits_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def served(_: object) -> None:
        raise SystemExit(0)

    monkeypatch.setattr("kubegap_mcp.cli.serve.serve", served)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    with pytest.raises(SystemExit):
        main(["serve", "--demo"])

    assert "kubegap audit" in capsys.readouterr().err
