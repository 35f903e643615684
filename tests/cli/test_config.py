"""The configuration file: own thresholds and silences, from the file to the answer and the exit code."""

import json
from pathlib import Path

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from kubegap_mcp.cli.main import main
from kubegap_mcp.server.lazy import LazyApp
from kubegap_mcp.server.result import reply
from kubegap_mcp.settings import Settings

FULL = "storage_tiering.fast_tier_near_full"
LOST = "gpu_health.gpu_missing"


@pytest.fixture
def config(tmp_path: Path):
    def write(text: str) -> str:
        path = tmp_path / "kubegap.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def silence(**fields: str) -> str:
    given = {"check": f'"{FULL}"', "reason": '"SSDs are ordered"', "until": "2999-01-31"} | fields
    return "[[silence]]\n" + "".join(f"{key} = {value}\n" for key, value in given.items() if value)


def audit(capsys: pytest.CaptureFixture[str], path: str, *words: str):
    code = main(["audit", "--demo", "--lang", "en", "--format", "json", "--config", path, *words])
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else None, told.err


def test_an_own_threshold_is_compared_with_and_told(config, capsys):
    code, answer, _ = audit(capsys, config("[thresholds]\nnode_boot_grace = 20\n"))

    assert code == 0
    assert [note["id"] for note in answer["notes"] if note["kind"] == "threshold"] == ["node_boot_grace"]


def test_an_own_threshold_decides(config, capsys):
    """The demo's tier is above 95 %: where that is not yet critical, it is high."""
    severities = [
        audit(capsys, config(text))[1]["by_severity"]["critical"]
        for text in ("", "[thresholds]\nweka_ssd_percent_critical = 99.5\n")
    ]

    assert severities == [1, 0]


def test_list_gpu_nodes_tells_of_own_thresholds_too(config, capsys):
    path = config("[thresholds]\nnode_heartbeat_stale = 20\n")
    assert main(["nodes", "--demo", "--format", "json", "--config", path]) == 0

    notes = json.loads(capsys.readouterr().out)["notes"]
    assert [note["id"] for note in notes if note["kind"] == "threshold"] == ["node_heartbeat_stale"]


def test_a_check_is_shown_with_its_own_threshold(config, capsys):
    assert (
        main(["checks", "show", FULL, "--lang", "en", "--config", config("[thresholds]\nweka_stats_stale = 5\n")]) == 0
    )

    assert "5 minutes, set by the configuration; the default is 10" in capsys.readouterr().out


def test_a_silenced_gap_fails_no_pipeline_and_is_told(config, capsys):
    words = ("--fail-on", "critical", "--require-coverage", "50")

    assert audit(capsys, config(""), *words)[0] == 1
    code, answer, _ = audit(capsys, config(silence()), *words)

    assert code == 0
    assert answer["counts"]["silenced"] == 1
    assert [note["id"] for note in answer["notes"] if note["kind"] == "silenced"] == [FULL]


def test_the_text_names_what_is_silenced(config, capsys):
    assert main(["audit", "--demo", "--lang", "en", "--config", config(silence())]) == 0

    shown = " ".join(capsys.readouterr().out.split())
    assert f"(silenced {FULL}) 1 finding silenced until 2999-01-31: SSDs are ordered" in shown


def test_silence_does_not_make_up_for_what_was_not_read(config, capsys, tmp_path: Path):
    weka = {"metadata": {"name": "w", "namespace": "w"}, "kind": "WekaCluster", "apiVersion": "weka.weka.io/v1alpha1"}
    snapshot = tmp_path / "weka.json"
    snapshot.write_text(json.dumps(weka), encoding="utf-8")
    words = ["--snapshot", str(snapshot), "--config", config(silence()), "--format", "json", "--fail-on", "low"]

    assert main(["audit", *words]) == 3
    assert "silenced" not in json.loads(capsys.readouterr().out)["counts"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("thresholds = 3", "a table of id = number", id="no table"),
        pytest.param('[thresholds]\nnode_boot_grace = "long"', "must be a number", id="a word"),
        pytest.param("[thresholds]\nnode_boot_grace = true", "must be a number", id="a truth"),
        pytest.param("[thresholds]\nnode_boot_grac = 5", "did you mean node_boot_grace", id="a threshold nearly"),
        pytest.param("[thresholds]\nnode_boot_grace = 0", "give minutes from 0.1 to 1000 (default 10)", id="nothing"),
        pytest.param("[thresholds]\nweka_ssd_percent_high = 101", "from 0.9 to 100", id="more than a whole"),
        pytest.param("silence = 3", "write it as a [[silence]] table", id="no tables"),
        pytest.param(silence(reason=""), "say the reason", id="no reason"),
        pytest.param(silence(reason='" "'), "reason must be a text", id="an empty reason"),
        pytest.param(silence(until=""), "until = 2027-01-31", id="no end"),
        pytest.param(silence(until='"soon"'), "until = 2027-01-31", id="an end that is no day"),
        pytest.param(silence(until="2027-01-31T10:00:00Z"), "until = 2027-01-31", id="an end in the day"),
        pytest.param(silence(check=""), "either a check or a finding", id="nothing to silence"),
        pytest.param(silence(finding=f'"{FULL}@0a1b2c3d"'), "either a check or a finding", id="both"),
        pytest.param(silence(check="", finding=f'"{FULL}"'), "finding must be an id", id="no finding"),
        pytest.param(
            silence(check="", finding=f'"{FULL}@0a1b2c3d"', subject='"Node/x"'),
            "leave subject out",
            id="twice a subject",
        ),
        pytest.param(silence(check='"gpu_health.gpu_mising"'), f"did you mean {LOST}", id="a check nearly"),
        pytest.param(
            silence(check="", finding='"gpu_health.gpu_mising@0a1b2c3d"'), f"did you mean {LOST}", id="of no check"
        ),
        pytest.param(silence(why='"x"'), "there is no key 'why'", id="a key that there is not"),
        pytest.param("threshold = 3", "write thresholds", id="a name nearly"),
    ],
)
def test_a_bad_configuration_is_refused_in_one_sentence(text, said, config, capsys):
    code, answer, err = audit(capsys, config(text))

    assert (code, answer) == (2, None)
    assert said in err
    assert len(err.splitlines()) == 1


async def test_an_agent_is_told_of_a_bad_configuration_with_its_first_question():
    """The server starts without tables and catalogue, so what a file names is looked up only then."""
    lazy = LazyApp(Settings(demo=True, thresholds={"made_up": 1}))

    with pytest.raises(ToolError, match="the configuration sets the threshold 'made_up'"):
        await reply(lazy, "en", lambda app: app.list_contexts())


def test_it_is_refused_in_korean_too(config, capsys):
    assert main(["audit", "--demo", "--lang", "ko", "--config", config(silence(until=""))]) == 2
    assert "1번째 silence: until에는 끝나는 날을" in capsys.readouterr().err


def test_a_silence_of_one_finding_names_it_by_the_id_of_an_answer(config, capsys):
    assert main(["audit", "--demo", "--format", "json"]) == 0
    capsys.readouterr()
    text = silence(check=f'"{LOST}"', subject='"Node/aks-h100-29411376-vmss000010"')

    answer = audit(capsys, config(text))[1]

    assert LOST not in [gap["id"] for gap in answer["gaps"]]
