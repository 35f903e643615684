"""The answer of list_gpu_nodes: not ready nodes first, totals that are no guess, no list where none was read."""

import pytest
from report.build import HOSTILE, LANGS, LONG, all_pages, fits, telling, told

from checks import build
from kubegap_checks.facts.nodes import Condition, Node
from kubegap_checks.facts.pods import Pod
from kubegap_checks.facts.read import Facts, Partial, Unread
from kubegap_checks.text import Text
from kubegap_mcp.errors import ConfigError, NotReadError
from kubegap_mcp.report.nodes import NodeFilter, nodes_answer

LABELS = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "node.kubernetes.io/instance-type": "p5.48xlarge"}
WHOLE = {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}


def gpu_node(name: str, gpus: int = 8, labels: dict[str, str] | None = None, **fields: object) -> Node:
    return build.node(name, LABELS | (labels or {}), WHOLE | {"nvidia.com/gpu": gpus}, **fields)


BUSY = build.pod(node="gpu-1", resources={"nvidia.com/gpu": 8})
READY, SHORT = gpu_node("gpu-1", labels={"zone": "a"}), gpu_node("gpu-2", 7)
CORDONED = gpu_node("gpu-3", unschedulable=True)
UNKNOWN = build.node("gpu-0", {"nvidia.com/gpu.product": "NVIDIA-Z1"}, {"nvidia.com/gpu": 8})
CLUSTER = build.facts(READY, SHORT, CORDONED, UNKNOWN, build.node("cpu-1"), BUSY)


def ask(facts: Facts = CLUSTER, lang="en", *, limit=20, cursor=None, **chosen):
    return nodes_answer(telling(lang, facts=facts), NodeFilter(**chosen), limit=limit, cursor=cursor)


def test_the_fields_come_in_the_order_of_the_contract():
    answer = told(ask())
    assert list(answer) == ["schema", "cluster", "summary", "nodes", "total", "next_cursor", "notes"]
    assert list(answer["summary"]) == [
        "nodes",
        "ready",
        "not_ready",
        "unknown",
        "gpus",
        "by_product",
        "by_instance_type",
    ]
    assert list(answer["summary"]["gpus"]) == ["expected", "capacity", "allocatable", "requested", "free"]
    assert list(answer["nodes"][0]) == [
        "name",
        "verdict",
        "reasons",
        "product",
        "instance_type",
        "gpus",
        "driver",
        "fabric",
        "zone",
        "topology",
    ]
    assert list(answer["nodes"][0]["gpus"]) == ["expected", "capacity", "allocatable", "requested"]
    assert list(answer["nodes"][0]["fabric"]) == ["kind", "devices", "expected"]


def test_not_ready_and_unknown_nodes_come_first_and_others_are_no_gpu_nodes():
    assert [(node["name"], node["verdict"]) for node in told(ask())["nodes"]] == [
        ("gpu-2", "not_ready"),
        ("gpu-3", "not_ready"),
        ("gpu-0", "unknown"),
        ("gpu-1", "ready"),
    ]


def test_the_summary_counts_all_gpu_nodes_and_what_is_free_on_those_that_are_ready():
    summary = told(ask(build.facts(READY, SHORT, gpu_node("gpu-4"), BUSY), limit=1))["summary"]
    assert (summary["nodes"], summary["ready"], summary["not_ready"], summary["unknown"]) == (3, 2, 1, 0)
    assert summary["gpus"] == {"expected": 24, "capacity": 23, "allocatable": 23, "requested": 8, "free": 8}
    assert summary["by_product"] == {"NVIDIA-H100-80GB-HBM3": 3}
    assert summary["by_instance_type"] == {"p5.48xlarge": 3}


def test_a_count_that_is_not_known_is_null_and_so_is_every_sum_with_it():
    summary = told(ask())["summary"]
    assert summary["gpus"]["expected"] is None
    assert summary["gpus"]["capacity"] == 31


def test_without_pods_nothing_is_called_free():
    answer = told(ask(build.facts(READY, unread=[Pod])))
    assert answer["summary"]["gpus"]["requested"] is None
    assert answer["summary"]["gpus"]["free"] is None
    assert answer["nodes"][0]["gpus"]["requested"] is None


@pytest.mark.parametrize("lang", LANGS)
def test_nodes_that_could_not_be_read_are_an_error_with_the_remedy_and_not_an_empty_list(lang):
    with pytest.raises(NotReadError) as caught:
        ask(build.facts(unread=[Node]), lang)
    said = caught.value.of(lang)
    assert "nodes" in said
    assert {"en": "forbidden", "ko": "권한 없음"}[lang] in said
    assert "grant list on nodes" in said


DAMAGED = Unread(
    what=Text(en="2 nodes", ko="노드 2개"),
    reason="invalid",
    remedy=Text(en="check status of Node/odd", ko="Node/odd의 status를 확인"),
)


@pytest.mark.parametrize("lang", LANGS)
def test_a_damaged_node_hides_no_other_and_is_told(lang):
    answer = told(ask(CLUSTER.but(Node, Partial((READY, SHORT), (DAMAGED,))), lang))
    assert [node["name"] for node in answer["nodes"]] == ["gpu-2", "gpu-1"]
    assert [note["text"] for note in answer["notes"] if note["kind"] == "partial"] == [
        {
            "en": "not listed, 2 nodes: check status of Node/odd",
            "ko": "노드 2개 가운데 일부가 목록에 없음: Node/odd의 status를 확인",
        }[lang]
    ]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(DAMAGED, id="every node damaged"),
        pytest.param(
            Partial((READY,), (Unread(what=DAMAGED.what, reason="forbidden", remedy=DAMAGED.remedy),)),
            id="a part refused",
        ),
    ],
)
def test_nodes_that_were_not_all_read_are_an_error(rows):
    with pytest.raises(NotReadError, match="cannot be listed"):
        ask(CLUSTER.but(Node, rows))


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        pytest.param({"verdict": "ready"}, ["gpu-1"], id="a verdict"),
        pytest.param({"product": "h100"}, ["gpu-2", "gpu-3", "gpu-1"], id="part of a product in small letters"),
        pytest.param({"product": "b200"}, [], id="a product that is not there"),
        pytest.param({"selector": "zone=a"}, ["gpu-1"], id="a selector"),
        pytest.param({"verdict": "not_ready", "selector": "zone!=a"}, ["gpu-2", "gpu-3"], id="two at once"),
    ],
)
def test_filters_choose_nodes_and_leave_the_summary(chosen, names):
    answer = told(ask(**chosen))
    assert [node["name"] for node in answer["nodes"]] == names
    assert answer["total"] == len(names)
    assert answer["summary"] == told(ask())["summary"]


def test_a_broken_selector_is_refused():
    with pytest.raises(ConfigError, match="is no label selector"):
        ask(selector="a=b=c")


def test_pages_hold_every_node_once():
    answers = all_pages(lambda cursor: ask(limit=1, cursor=cursor))
    assert [node.name for answer in answers for node in answer.nodes] == ["gpu-2", "gpu-3", "gpu-0", "gpu-1"]
    assert {answer.total for answer in answers} == {4}


def test_a_cluster_without_gpu_nodes_has_an_empty_list():
    answer = told(ask(build.facts(build.node("cpu-1"))))
    assert answer["nodes"] == []
    assert answer["summary"]["nodes"] == 0
    assert answer["next_cursor"] is None


@pytest.mark.parametrize("lang", LANGS)
def test_every_page_of_a_large_hostile_cluster_fits_in_both_channels(lang):
    nodes = [
        gpu_node(
            f"{number} {HOSTILE} {LONG}"[:253],
            labels={
                "nvidia.com/gpu.product": f"{number} {LONG}",
                "node.kubernetes.io/instance-type": f"{number} {LONG}",
                "topology.kubernetes.io/zone": LONG,
            },
            conditions=(
                build.ready(),
                *(Condition(type=f"GpuFault{n}", status="True", message=LONG) for n in range(9)),
            ),
        )
        for number in range(30)
    ]
    answers = all_pages(lambda cursor: ask(build.facts(*nodes), lang, limit=100, cursor=cursor))
    assert all(fits(answer, lang) for answer in answers)
    assert sum(len(answer.nodes) for answer in answers) == 30
    assert any(note.kind == "left_out" for note in answers[0].notes)


def test_a_hundred_ordinary_nodes_of_five_thousand_take_few_pages():
    nodes = [gpu_node(f"gpu-{number:04}", 8 if number % 7 else 7) for number in range(5000)]
    answer = ask(build.facts(*nodes), limit=100)
    assert fits(answer, "en")
    assert len(answer.nodes) >= 50
    assert answer.summary.nodes == 5000
