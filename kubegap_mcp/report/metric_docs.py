"""What a metrics source is asked for, as a page in each language: quantities, the names they go by, what to collect."""

from collections.abc import Iterator, Mapping, Sequence

from kubegap_checks.facts.metrics import measured_records
from kubegap_checks.model import Check
from kubegap_checks.signals.accelerators import Vendor
from kubegap_checks.signals.quantities import (
    Group,
    Quantity,
    cluster_labels,
    group,
    metric_exporters,
    quantities,
)
from kubegap_checks.signals.quantities import quantity as by_id
from kubegap_checks.text import Lang, Text
from kubegap_mcp.report import throughput_docs
from kubegap_mcp.report.check_docs import address
from kubegap_mcp.report.markdown import cell, linked_table, made_from, prose

SOURCE = "checks/kubegap_checks/signals/quantities.yaml"

_TITLE = Text(en="Metrics", ko="메트릭")
_INTRO = Text(
    en="What kubegap asks of a metrics source (`--prometheus URL`), under every name by which an exporter is known to "
    "publish it. Only series that exist are asked for. A name that your exporter has and this page lacks is one row of "
    "the table that it is made from.",
    ko="kubegap이 메트릭 소스(`--prometheus URL`)에서 조회하는 값과, 익스포터별로 알려진 시계열 이름. 존재하는 "
    "시계열만 조회한다. 쓰는 익스포터의 이름이 여기 없으면 이 페이지의 원본 표에 행 하나를 추가하면 된다.",
)
_EXPORTERS = Text(en="Exporters", ko="익스포터")
_EXPORTERS_HEAD = (
    Text(en="exporter", ko="익스포터"),
    Text(en="heard by", ko="응답 확인에 쓰는 시계열"),
    Text(en="source", ko="출처"),
)
_HEAD = (
    Text(en="quantity", ko="값"),
    Text(en="unit", ko="단위"),
    Text(en="series", ko="시계열"),
    Text(en="exporter", ko="익스포터"),
    Text(en="source", ko="출처"),
)
_ESSENTIAL = Text(en="Without it the group is not complete.", ko="이 값이 없으면 그룹은 온전하지 않음.")
_CLUSTERS = Text(en="Several clusters in one source", ko="여러 클러스터가 든 소스")
_CLUSTERS_TOLD = Text(
    en="Series of nodes count for this cluster where a label names one of its nodes. For etcd, API servers, claims and "
    "pods, kubegap learns from those series which value of the labels below goes with this cluster, and takes no "
    "others. Where nothing tells whose a series is, or nodes of two clusters have one name, it is unread: name this "
    'cluster with `selector` under `[prometheus]`, as `cluster="prod"`. An exporter that writes such a label itself '
    "does not mean this cluster by it.",
    ko="노드의 시계열은 레이블에 이 클러스터의 노드 이름이 있을 때만 센다. etcd, API 서버, PVC, 파드의 시계열은 그 "
    "노드 시계열에 붙은 아래 레이블의 값으로 골라낸다. 어느 클러스터의 것인지 알 수 없거나 두 클러스터에 이름이 같은 "
    '노드가 있으면 읽지 못한 것으로 본다. 이때는 `[prometheus]`의 `selector`를 `cluster="prod"`처럼 적는다. '
    "익스포터가 직접 쓰는 레이블은 이 클러스터를 뜻하지 않는다.",
)
_CLUSTERS_HEAD = (
    Text(en="label", ko="레이블"),
    Text(en="written by exporters themselves", ko="직접 쓰는 익스포터"),
    Text(en="source", ko="출처"),
)
_VENDORS: Mapping[Vendor, str] = {"nvidia": "NVIDIA", "amd": "AMD"}


def pages(checks: Sequence[Check]) -> dict[str, str]:
    """By path under docs/."""
    return {"metrics.md": _page(checks, "en"), "metrics.ko.md": _page(checks, "ko")}


def _page(checks: Sequence[Check], lang: Lang) -> str:
    lines = [made_from(SOURCE), "", f"# {_TITLE.of(lang)}", "", prose(_INTRO.of(lang))]
    for record in measured_records():
        readers = [check for check in checks if record in check.reads]
        lines += _group(group(record.KIND.plural), readers, lang)
    lines += throughput_docs.lines(lang)
    rows = [
        (cell(one.name), ", ".join(f"`{name}`" for name in one.witness), cell(one.source)) for one in metric_exporters()
    ]
    head = [word.of(lang) for word in _EXPORTERS_HEAD]
    lines += ["", f"## {_EXPORTERS.of(lang)}", "", *linked_table(head, rows)]
    lines += _clusters(lang)
    return "\n".join(lines) + "\n"


def _clusters(lang: Lang) -> Iterator[str]:
    names = {one.id: one.name for one in metric_exporters()}
    rows = [
        (f"`{one.label}`", cell(", ".join(names[exporter] for exporter in one.own)), cell(one.source))
        for one in cluster_labels()
    ]
    yield from ("", '<a id="clusters"></a>', "", f"## {_CLUSTERS.of(lang)}", "", _CLUSTERS_TOLD.of(lang), "")
    yield from linked_table([word.of(lang) for word in _CLUSTERS_HEAD], rows)


def _group(asked: Group, readers: Sequence[Check], lang: Lang) -> Iterator[str]:
    hours = f"{asked.window_hours:g}"
    window = Text(en=f"Looks back {hours} hours.", ko=f"최근 {hours}시간을 살펴봄.")
    used = ", ".join(f"[`{check.id}`]({_beside(check, lang)})" for check in readers) or "-"
    yield from ("", f'<a id="{asked.id}"></a>', "", f"## {prose(asked.text.of(lang))}", "")
    yield f"- {Text(en='collect', ko='수집 방법').of(lang)}: {prose(asked.collect.of(lang))}"
    yield f"- {Text(en='checks', ko='점검').of(lang)}: {used}"
    if asked.window_hours:
        yield f"- {window.of(lang)}"
    rows = [row for one in quantities() if one.group == asked.id for row in _rows(one, lang)]
    if rows:
        yield from ("", *linked_table([word.of(lang) for word in _HEAD], rows))


def _rows(quantity: Quantity, lang: Lang) -> Iterator[tuple[str, ...]]:
    """One for each name; what holds for all of them stands in the first."""
    names = {one.id: one.name for one in metric_exporters()}
    told = quantity.text.of(lang) + "".join(f". {text.of(lang)}" for text in _needed(quantity))
    for place, series in enumerate(quantity.series):
        first = (cell(told), cell(quantity.unit)) if place == 0 else ("", "")
        other = series.other.partition("{")[0]
        beside = f", `{other}`" if other else ""
        yield (*first, f"`{series.name}`{beside}", cell(names[series.exporter]), cell(series.source))


def _needed(quantity: Quantity) -> Iterator[Text]:
    if quantity.essential:
        yield _ESSENTIAL
    if quantity.essential_for:
        vendors = ", ".join(_VENDORS.get(vendor, vendor) for vendor in quantity.essential_for)
        yield Text(
            en=f"Without it the group is not complete for {vendors}.",
            ko=f"{vendors} 노드에서는 이 값이 없으면 그룹이 온전하지 않음.",
        )
    if quantity.covers:
        covered = [by_id(one).text for one in quantity.covers]
        yield Text(
            en=f"Stands for {' and '.join(text.en for text in covered)}.",
            ko=f"{', '.join(text.ko for text in covered)} 값을 대신함.",
        )


def _beside(check: Check, lang: Lang) -> str:
    """The address of a check from docs/ itself."""
    return address(check, lang).removeprefix("../")
