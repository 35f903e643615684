"""GPUs must not report errors of their hardware: Xids, memory, NVLink, PCIe."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubegap_checks.facts.metrics import Exported, GpuErrors
from kubegap_checks.facts.nodes import Node, ResourceSlice
from kubegap_checks.facts.read import Facts, Unread, came
from kubegap_checks.inventory.accelerators import has_accelerators
from kubegap_checks.inventory.measured import by_part, counted, in_order, shown, unmeasured
from kubegap_checks.inventory.reports import said_of_xid
from kubegap_checks.inventory.sources import number
from kubegap_checks.inventory.steady import serving
from kubegap_checks.model import Check, Cite, Confidence, Finding, Seen, Severity, Subject
from kubegap_checks.signals.thresholds import threshold
from kubegap_checks.signals.xids import XidAction, xid_class
from kubegap_checks.text import Text

# After these the GPU or its machine needs a repair; the others slow a run down, or a reset some time will do.
_STOPS_A_RUN: Final = {"ecc_uncorrectable", "row_remap_failure", "rows_remapped_uncorrectable", "fabric_manager_failed"}
_TOLD_OF: Final[frozenset[XidAction]] = frozenset({"leave_service", "undecided"})


def find(facts: Facts) -> Iterator[Finding | Unread]:
    nodes = serving(facts)
    told, lacking = came(facts.seen(GpuErrors))
    for (name, part), rows in by_part(told).items():
        if name in nodes and (raised := [row for row in rows if _is_raised(row)]):
            yield _finding(name, part, raised)
    yield from lacking
    yield from unmeasured(facts, GpuErrors, nodes)


def _is_raised(row: GpuErrors) -> bool:
    if row.quantity == "xid":
        return _code(row) > 0 and xid_class(_code(row)).action in _TOLD_OF
    return row.value >= threshold(f"gpu_error_{row.quantity}").value


def _code(row: GpuErrors) -> int:
    """The Xid, 0 for none; where each code has a series of its own, the value only counts them."""
    return number(row.labels["xid"]) or 0 if "xid" in row.labels else int(row.value)


def _finding(node: str, part: str, raised: Sequence[GpuErrors]) -> Finding:
    codes = sorted({_code(row) for row in raised if row.quantity == "xid"})
    fatal = any(xid_class(code).action == "leave_service" for code in codes)
    worst = {row.quantity: row for row in sorted(raised, key=lambda row: row.value) if row.quantity != "xid"}
    en, ko = counted(worst.values())
    said = [*(said_of_xid(code, xid_class(code)) for code in codes), *([Text(en=en, ko=ko)] if worst else [])]
    evidence: dict[str, Seen] = {f"metrics.xid[{part}]": ", ".join(map(str, codes))} if codes else {}
    return Finding(
        subject=Subject("Node", node),
        key=part,
        says=Text(
            en=f"{part}: {'; '.join(text.en for text in said)}",
            ko=f"{part}: {'; '.join(text.ko for text in said)}",
        ),
        evidence=evidence | {f"metrics.{row.quantity}[{part}]": shown(row) for row in in_order(worst.values())},
        severity=Severity.HIGH if fatal or _STOPS_A_RUN & worst.keys() else Severity.MEDIUM,
        confidence=Confidence.LIKELY if fatal or worst else Confidence.HINT,
    )


CHECK = Check(
    module=__name__,
    title=Text(en="A GPU reports errors of its hardware", ko="하드웨어 오류를 보고하는 GPU"),
    why=Text(
        en="A GPU whose memory, links or bus fail ends the job that runs on it, and the next one after that: the node "
        "stays ready, and the scheduler looks at no counter.",
        ko="메모리나 링크, 버스에 오류가 나는 GPU는 지금 작업뿐 아니라 다음 작업까지 중단시킨다. 노드는 Ready 상태로 "
        "남고 스케줄러는 카운터를 보지 않는다.",
    ),
    fix=Text(
        en="Cordon and drain the node, reset the GPU or restart the machine as the error asks, test it under load, and "
        "hand it back or have the GPU replaced when the error returns.",
        ko="노드를 cordon 후 drain하고, 오류가 요구하는 대로 GPU를 리셋하거나 장비를 재시작해 부하 점검을 한다. 오류가 "
        "다시 나면 장비를 반납하거나 GPU를 교체한다.",
    ),
    severity=Severity.HIGH,
    confidence=Confidence.LIKELY,
    reads=(GpuErrors, Exported, Node, ResourceSlice),
    cites=(
        Cite(
            incident="2023-huggingface-idefics80b-row-remap-loss-spikes",
            because=Text(
                en="remap errors of GPU memory came close to loss spikes, and the node came back into the job",
                ko="GPU 메모리 리매핑 오류가 loss spike와 비슷한 때에 났고, 그 노드가 다시 학습에 투입됐음",
            ),
        ),
        Cite(
            incident="2023-nvidia-dcgm-exporter-blind-spots",
            because=Text(
                en="the Xid metric holds the last code only and may miss some: why only a change counts here",
                ko="Xid 메트릭은 마지막 코드만 담고 일부를 놓침. 여기서 값의 변화만 보는 까닭",
            ),
        ),
    ),
    verify=(
        "nvidia-smi -q -d ECC,ROW_REMAPPER,PAGE_RETIREMENT  # on the node",
        "dmesg -T | grep -i xid  # on the node",
    ),
    looks_like=(
        Text(
            en="Xids of programs (13, 31, 94) and informational ones (43, 45, 63)",
            ko="프로그램 오류인 Xid(13, 31, 94)와 참고용 Xid(43, 45, 63)",
        ),
        Text(
            en="a Xid of long ago: the metric keeps the last code until the exporter is restarted, and then shows 0",
            ko="오래전 Xid. 메트릭은 익스포터를 재시작할 때까지 마지막 코드를 유지하고 그 뒤에는 0을 보임",
        ),
        Text(en="a few PCIe replays", ko="적은 수의 PCIe 재전송"),
        Text(
            en="a node that is cordoned, under repair, new, or being changed by an operator",
            ko="cordon되었거나 수리 중이거나 새로 들어왔거나 오퍼레이터가 변경 중인 노드",
        ),
    ),
    find=find,
    applies=has_accelerators,
)
