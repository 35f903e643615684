"""What a configuration names must be there: a slip of the pen would change nothing, or silence nothing, unseen."""

from collections.abc import Iterable, Mapping

from kubegap_checks import catalog
from kubegap_checks.signals.thresholds import thresholds
from kubegap_checks.text import Text
from kubegap_mcp.cluster import is_namespace
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.names import near, quoted
from kubegap_mcp.silences import Silence


def refuse_unknown(own: Mapping[str, float], silences: Iterable[Silence]) -> None:
    """Raises ConfigError for the first threshold or check that there is not, or number that nobody means.

    Apart from reading the file, since tables and catalogue load with the first question and not at the start.
    """
    for id_, value in own.items():
        _refuse_threshold(id_, value)
    for silence in silences:
        _refuse_check(silence.check)


def _refuse_threshold(id_: str, value: float) -> None:
    rows = {row.id: row for row in thresholds()}
    if id_ not in rows:
        some = near(id_, rows)
        raise ConfigError(
            Text(
                en=f"the configuration sets the threshold {quoted(id_)}, which there is not: {some.en}",
                ko=f"설정 파일의 기준값 {quoted(id_)}: 그런 기준값은 없음. {some.ko}",
            )
        )
    row = rows[id_]
    if not row.takes(value):
        least, most = row.bounds
        raise ConfigError(
            Text(
                en=f"the configuration sets the threshold {id_} to {value:g}: give {row.unit} from {least:g} to "
                f"{most:g} (default {row.value:g})",
                ko=f"설정 파일의 기준값 {id_} = {value:g}: {least:g} 이상 {most:g} 이하로 적는다"
                f"(단위 {row.unit}, 기본값 {row.value:g})",
            )
        )


def _refuse_check(id_: str) -> None:
    known = [check.id for check in catalog.load()]
    if id_ not in known:
        some = near(id_, known)
        raise ConfigError(
            Text(
                en=f"the configuration silences {quoted(id_)}, which is no check: {some.en}",
                ko=f"설정 파일이 무시하려는 점검 {quoted(id_)}: 그런 점검은 없음. {some.ko}",
            )
        )


def refuse_no_namespace(name: str | None) -> None:
    """Raises ConfigError for what Kubernetes would not take."""
    if name is not None and not is_namespace(name):
        raise ConfigError(
            Text(
                en=f"{quoted(name)} is no name of a namespace: use small letters, digits and dashes, as "
                "Kubernetes does",
                ko=f"네임스페이스 이름이 아님: {quoted(name)}. Kubernetes처럼 영문 소문자, 숫자, 하이픈만 쓴다",
            )
        )
