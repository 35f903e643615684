"""Kubeconfig files are merged as kubectl merges them, and what is wrong with one is said without its content."""

# ruff: noqa: S105, S106, S107 (tokens of nobody)

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig, in_cluster_target, shown
from kubegap_mcp.kube.live.kubeconfig_files import fingerprint, no_kubeconfig, paths

Json = dict[str, Any]


def config(*names: str, current: str | None = None, token: str = "t", server: str = "https://a.test") -> Json:
    return {
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}} for name in names],
        "clusters": [{"name": name, "cluster": {"server": server}} for name in names],
        "users": [{"name": name, "user": {"token": token}} for name in names],
        **({"current-context": current} if current else {}),
    }


def write(path: Path, content: Json | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_first_file_that_has_a_name_counts(tmp_path: Path) -> None:
    one = write(tmp_path / "one", config("a", token="first"))
    two = write(tmp_path / "two", config("a", "b", token="second", current="b"))
    merged = Kubeconfig([one, two])
    assert merged.names == ("a", "b")
    assert merged.current == "b"
    assert merged.target("a").user.token == "first"
    assert merged.target(None).user.token == "second"


def test_the_first_current_context_counts(tmp_path: Path) -> None:
    files = [write(tmp_path / name, config(name, current=name)) for name in ("a", "b")]
    assert Kubeconfig(files).current == "a"


def test_relative_paths_start_at_the_file_that_names_them(tmp_path: Path) -> None:
    users = write(tmp_path / "users" / "config", {"users": [{"name": "a", "user": {"tokenFile": "token"}}]})
    clusters = write(tmp_path / "clusters" / "config", {**config("a"), "users": None})
    target = Kubeconfig([clusters, users]).target("a")
    assert target.user_dir == tmp_path / "users"
    assert target.cluster_dir == tmp_path / "clusters"


def test_where_the_files_are_is_decided_as_kubectl_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths(None) == ()
    home = write(tmp_path / ".kube" / "config", config("home"))
    assert paths(None) == (home,)
    listed = write(tmp_path / "listed", config("listed"))
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join([str(tmp_path / "missing"), str(listed), ""]))
    assert paths(None) == (listed,)
    explicit = write(tmp_path / "explicit", config("explicit"))
    assert paths(explicit) == (explicit,)
    with pytest.raises(ConfigError, match=r"there is no kubeconfig .*nothing: pass --kubeconfig"):
        paths(tmp_path / "nothing")


def test_a_change_of_the_file_is_seen(tmp_path: Path) -> None:
    path = write(tmp_path / "config", config("a"))
    before = fingerprint([path])
    write(path, config("a", "b"))
    assert fingerprint([path]) != before
    path.unlink()
    assert fingerprint([path]) != before


def test_an_unknown_context_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    names = [f"cluster-{number}" for number in range(20)]
    kubeconfig = Kubeconfig([write(tmp_path / "config", config(*names, token="secret", server="https://hidden.test"))])
    with pytest.raises(ConfigError) as error:
        kubeconfig.target("prod\x1b[31m")
    said = str(error.value)
    assert said.startswith("there is no context prod[31m in the kubeconfig: choose one of cluster-0, cluster-1")
    assert said.endswith("(+8)")
    assert "secret" not in said
    assert "hidden" not in said


def test_no_current_context_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no current context: pass --context one of a, b$"):
        Kubeconfig([write(tmp_path / "config", config("a", "b"))]).target(None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param("users: [\n  token: SECRET", "is not valid YAML (line ", id="broken YAML"),
        pytest.param("users: !!python/object/apply:os.system ['SECRET']", "is not valid YAML", id="code in YAML"),
        pytest.param("SECRET", "is not a kubeconfig", id="a word"),
        pytest.param("contexts: {a: SECRET}", "is not a kubeconfig", id="another shape"),
        pytest.param("contexts:\n- context: {}", "is not a kubeconfig", id="an entry without a name"),
        pytest.param("a: \udc00".encode("utf-16", "surrogatepass").decode("latin-1"), "is not", id="another encoding"),
    ],
)
def test_a_broken_file_is_told_by_its_path_alone(tmp_path: Path, content: str, said: str) -> None:
    path = write(tmp_path / "config", content)
    with pytest.raises(ConfigError) as error:
        Kubeconfig([path])
    assert f"kubeconfig {path} {said}" in str(error.value)
    assert "SECRET" not in str(error.value)
    assert "\n" not in str(error.value)


def test_an_invalid_entry_matters_only_to_its_own_context(tmp_path: Path) -> None:
    content = config("a", "b")
    content["users"][1]["user"] = {"token": ["SECRET"]}
    kubeconfig = Kubeconfig([write(tmp_path / "config", content)])
    assert kubeconfig.target("a").user.token == "t"
    with pytest.raises(ConfigError, match=r"the user of context b .* is invalid") as error:
        kubeconfig.target("b")
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("part", ["cluster", "user"])
def test_a_context_without_its_cluster_or_user_is_told(tmp_path: Path, part: str) -> None:
    content = config("a")
    content[f"{part}s"] = []
    with pytest.raises(ConfigError, match=f"names a {part} that the kubeconfig does not have"):
        Kubeconfig([write(tmp_path / "config", content)]).target("a")


def test_a_process_outside_a_pod_is_in_no_cluster(tmp_path: Path) -> None:
    assert in_cluster_target({}, tmp_path) is None
    assert in_cluster_target({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path) is None


def test_a_huge_kubeconfig_of_a_thousand_clusters_is_quick(tmp_path: Path) -> None:
    path = write(tmp_path / "config", config(*(f"c{number}" for number in range(1000)), current="c1"))
    assert Kubeconfig([path]).target(None).name == "c1"


@pytest.mark.parametrize(
    "named", ["~/.kube/config", "~nobody-of-this-name/config", "/" + "x" * 300, "/" + "x/" * 3000, "/"]
)
def test_whatever_a_variable_or_an_argument_names_is_a_path_or_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = write(tmp_path / ".kube" / "config", config("home"))
    monkeypatch.setenv("KUBECONFIG", named)
    if named == "~/.kube/config":
        assert paths(None) == paths(Path(named)) == (home,)
        return
    assert paths(None) == ()
    assert "none of the files that KUBECONFIG names exists" in str(no_kubeconfig())
    with pytest.raises(ConfigError, match="there is no kubeconfig"):
        paths(Path(named))


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("x: " + "9" * 5000, id="a number without end"),
        pytest.param("x: " + "[" * 5000, id="YAML nested without end"),
    ],
)
def test_what_python_cannot_hold_is_no_kubeconfig(tmp_path: Path, more: str) -> None:
    with pytest.raises(ConfigError, match=r"is not (a kubeconfig|valid YAML)"):
        Kubeconfig([write(tmp_path / "config", f"current-context: a\n{more}\n")])


def test_a_name_that_looks_like_a_date_is_a_name(tmp_path: Path) -> None:
    days = json.dumps(config("2026-10-10", "2026-13-45")).replace('"2026', "2026").replace('5"', "5").replace('0"', "0")
    assert Kubeconfig([write(tmp_path / "config", f"# YAML\n{days}")]).names == ("2026-10-10", "2026-13-45")


def test_a_context_is_found_by_the_name_that_is_shown(tmp_path: Path) -> None:
    long, hidden = "arn:aws:eks:us-east-1:123456789012:cluster/" + "x" * 200, "prod\u200b\x07"
    merged = Kubeconfig([write(tmp_path / "config", config(long, hidden, "twin", "twin\u200b"))])
    assert merged.target(shown(long)).name == long
    assert merged.target(shown(hidden)).name == hidden
    assert merged.target("twin").name == "twin"
    with pytest.raises(ConfigError, match="there is no context other"):
        merged.target("other")


def test_a_kubeconfig_in_json_takes_the_fast_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("yaml.load")
    assert Kubeconfig([write(tmp_path / "config", config(*"abc"))]).names == ("a", "b", "c")
