"""Which metrics source is chosen where a command, the environment and the file each say something."""

from pathlib import Path

import pytest

from kubegap_mcp.cli.arguments import parser
from kubegap_mcp.cli.settings import settings_from
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.metrics.settings import MetricsSettings

FILE = "http://from-the-file"


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "_SERVICE", "_USERNAME", "_PASSWORD_FILE", "_TOKEN_FILE", "_CA", "_HEADERS"):
        monkeypatch.delenv(f"KUBEGAP_PROMETHEUS{name}", raising=False)
    monkeypatch.delenv("KUBEGAP_CONFIG", raising=False)


@pytest.fixture
def chosen(tmp_path: Path):
    def choose(*words: str, table: str = "") -> MetricsSettings | None:
        config = tmp_path / "kubegap.toml"
        config.write_text(f"[prometheus]\n{table}\n", encoding="utf-8")
        return settings_from(parser().parse_args(["audit", "--config", str(config), *words])).metrics

    return choose


def test_none_is_chosen_where_nobody_names_one(chosen) -> None:
    assert chosen() is None
    assert chosen(table='username = "ann"') is None


def test_the_file_says_everything(chosen, tmp_path: Path) -> None:
    assert chosen(
        table=f"""
        url = "{FILE}/prometheus"
        username = "ann"
        password_file = "secret/password"
        ca_file = "/etc/ca.pem"
        headers = {{ X-Scope-OrgID = "team-a" }}
        selector = 'cluster="prod"'
        """
    ) == MetricsSettings(
        url=f"{FILE}/prometheus",
        username="ann",
        password_file=tmp_path / "secret/password",
        ca_file=Path("/etc/ca.pem"),
        headers={"X-Scope-OrgID": "team-a"},
        selector='cluster="prod"',
    )


def test_the_environment_says_the_same(chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEGAP_PROMETHEUS", "http://ann:pw@p")
    monkeypatch.setenv("KUBEGAP_PROMETHEUS_CA", "/ca.pem")
    monkeypatch.setenv("KUBEGAP_PROMETHEUS_HEADERS", "X-Scope-OrgID=team-a, X-Two=a=b")
    assert chosen() == MetricsSettings(
        url="http://p",
        username="ann",
        password="pw",  # noqa: S106
        ca_file=Path("/ca.pem"),
        headers={"X-Scope-OrgID": "team-a", "X-Two": "a=b"},
    )
    monkeypatch.setenv("KUBEGAP_PROMETHEUS", "")
    assert chosen() is None


def test_a_word_goes_before_the_environment_and_that_before_the_file(chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEGAP_PROMETHEUS", "http://from-the-environment")
    assert chosen(table=f'url = "{FILE}"').url == "http://from-the-environment"
    assert chosen("--prometheus", "http://from-a-word", table=f'url = "{FILE}"').url == "http://from-a-word"
    assert chosen("--prometheus-service", "a/b:1", table=f'url = "{FILE}"').service.name == "b"


def test_the_credentials_of_one_address_do_not_go_to_another(chosen) -> None:
    table = f'url = "{FILE}"\ntoken_file = "/token"\nheaders = {{ X-Scope-OrgID = "a" }}'
    assert chosen("--prometheus", "http://elsewhere", table=table) == MetricsSettings(url="http://elsewhere")
    assert chosen("--prometheus", FILE, table=table).token_file == Path("/token")
    assert chosen("--prometheus", "http://elsewhere", table='token_file = "/token"').token_file == Path("/token")


@pytest.mark.parametrize(
    ("table", "word"),
    [
        ('url = "http://x"\nservice = "a/b:1"', "exclude each other"),
        ('url = "x"', "is not the base"),
        ('service = "x"', "NAMESPACE/NAME:PORT"),
        ('service = "a/b:1"\ntoken_file = "/t"', "cluster's own credentials"),
        ('url = "http://x"\nusername = "ann"', "do not fit together"),
        ('url = "http://x"\npassword_file = "/p"', "do not fit together"),
        ('url = "http://x"\nusername = "a"\npassword_file = "/p"\ntoken_file = "/t"', "do not fit together"),
        ('url = "http://a:b@x"\nusername = "c"', "do not fit together"),
        ('url = "http://x"\ntoken = "secret-token"', "token_file"),
        ("url = 5", "must be a text"),
        ('url = "http://x"\nheaders = "a"', "headers"),
        ('url = "http://x"\nheaders = { A = 1 }', "must be a text"),
        ('url = "http://x"\nselector = "prod"', "label matchers"),
    ],
)
def test_what_cannot_be_is_refused_with_the_next_step(chosen, table: str, word: str) -> None:
    with pytest.raises(ConfigError, match=word) as error:
        chosen(table=table)
    assert "secret-token" not in str(error.value)


def test_what_is_recorded_has_no_source_beside_itself(chosen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBEGAP_PROMETHEUS", "http://x")
    assert chosen("--demo", table=f'url = "{FILE}"') is None
    with pytest.raises(ConfigError, match="a cluster that runs"):
        chosen("--demo", "--prometheus", "http://x")
