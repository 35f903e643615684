"""Which series are a job's: by its pods and those it had, by a name that series bear, and never by another's."""

import re

import pytest
from checks.build import facts, pod
from metrics.curves import NODES, workers

from kubegap_checks.facts.pods import Pod, Run
from kubegap_mcp.metrics.curve import Job, Metric
from kubegap_mcp.metrics.curve_jobs import chosen, jobs_of, matchers_of
from kubegap_mcp.metrics.port import Series
from kubegap_mcp.metrics.promql import LONGEST, pattern, quoted, selected

TOKENS = Metric(name="tokens")


def series(**labels: str) -> Series:
    return Series(labels={"__name__": "tokens", **labels}, points=((0.0, 1.0),))


def job(name: str = "llm", *, more: tuple[Pod, ...] = ()) -> Job:
    jobs, _ = jobs_of(facts(*workers("llm", NODES[:2]), *more), None)
    found = chosen(jobs, name)
    assert found
    return found


def test_the_largest_run_that_trains_comes_first_and_what_only_serves_is_no_default():
    owner = Run(kind="Deployment", namespace="web", name="web")
    serving = pod("web-0", "web", run=owner, resources={"nvidia.com/gpu": 64})
    jobs, unread = jobs_of(facts(*workers("small", NODES[:1]), *workers("large", NODES[:3]), serving), None)
    assert [(one.name, one.trains) for one in jobs] == [("large", True), ("small", True), ("web", False)]
    assert not unread
    assert chosen(jobs, None) == jobs[0]
    assert chosen((), None) is None


@pytest.mark.parametrize(
    ("labels", "picked"),
    [
        ({"namespace": "ml", "pod": "llm-worker-0"}, 'namespace=~"ml", pod=~"llm-worker-0"'),
        (
            {"exported_namespace": "ml", "exported_pod": "llm-worker-0", "namespace": "monitoring", "pod": "gateway-0"},
            'exported_namespace=~"ml", exported_pod=~"llm-worker-0"',
        ),
        ({"namespace": "ml", "pod": "llm-worker-7x2k"}, 'namespace=~"ml", pod=~"llm-worker-7x2k"'),
        ({"job_name": "llm"}, 'job_name="llm"'),
        ({"exported_job": "llm", "exported_namespace": "ml"}, 'exported_job="llm", exported_namespace="ml"'),
        ({"job": "llm", "namespace": "ml"}, 'job="llm", namespace="ml"'),
        ({"job": "llm", "namespace": "web"}, None),
        ({"job": "llm"}, None),
        ({"namespace": "web", "pod": "llm-worker-0"}, None),
        ({"namespace": "ml", "pod": "llmx-worker-0"}, None),
        ({"pod": "llm-worker-0"}, None),
    ],
)
def test_a_series_is_the_job_s_by_its_labels(labels: dict[str, str], picked: str | None):
    assert matchers_of(TOKENS, [series(**labels)], job()) == picked


def test_a_job_of_another_namespace_is_not_the_one_that_was_asked_within():
    jobs, _ = jobs_of(facts(*workers("llm", NODES[:2])), "web")
    asked = chosen(jobs, "llm", "web")
    assert asked
    assert (asked.title, asked.owns("ml", "llm-worker-0")) == ("web/llm", False)
    named = chosen(jobs, "ml/llm", "web")
    assert named
    assert named.title == "ml/llm"


def test_pods_of_a_job_whose_name_goes_on_are_another_s():
    rows = [series(namespace="ml", pod=name) for name in ("llm-worker-0", "llm-eval-worker-0", "llm-eval-gone-1")]
    assert matchers_of(TOKENS, rows, job(more=tuple(workers("llm-eval", NODES[:1])))) == (
        'namespace=~"ml", pod=~"llm-worker-0"'
    )
    own = matchers_of(TOKENS, rows, job("llm-eval", more=tuple(workers("llm-eval", NODES[:1]))))
    assert own == 'namespace=~"ml", pod=~"llm-eval-(?:gone-1|worker-0)"'


def test_a_job_of_more_pods_than_can_be_named_is_picked_by_its_name():
    many = [series(namespace="ml", pod=f"llm-{'x' * 40}-{at}-{at * 7919}") for at in range(900)]
    assert matchers_of(TOKENS, many, job()) == 'namespace=~"ml", pod=~"llm-.*"'


@pytest.mark.parametrize(
    "values",
    [
        {"gpu-0"},
        {"gpu-0", "gpu-1", "gpu-10"},
        {"a", "ab"},
        {"ab", "b"},
        {"10.0.0.1:9100", "10.0.0.2:9100"},
        {"a.b", "a+b", 'a"b', "a\\b", "a|b", "(", "a\nb", "가"},
    ],
)
def test_a_pattern_matches_its_values_alone(values: set[str]):
    written = pattern(values).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    for value in values:
        assert re.fullmatch(written, value)
        assert not re.fullmatch(written, value + "x")
    assert not re.fullmatch(written, "axb")


def test_what_is_common_is_written_once_and_too_many_are_not_written_at_all():
    assert pattern({f"gpu-{at:03}.example.com" for at in range(300)}).startswith("gpu-(?:000|001|")
    assert pattern({f"{at * 7919:060}" for at in range(900)}) == ""
    assert len(pattern({f"gpu-{at:04}" for at in range(500)})) <= LONGEST


def test_a_value_cannot_leave_its_quotes():
    assert quoted('a"} or up{x="\\') == 'a\\"} or up{x=\\"\\\\'
    assert selected('a"b', 'x="y"') == '{__name__="a\\"b", x="y"}'
    assert selected("a:b") == "a:b"
