"""Whatever a file, a number or a version says, its reader says what it is, or in one sentence that it is nothing."""

import asyncio
import datetime as dt
import gzip
import io
import json
import tarfile
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import cache

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubegap_checks import versions
from kubegap_incidents.document import RecordError
from kubegap_incidents.library import template
from kubegap_incidents.record import parse
from kubegap_mcp import demo
from kubegap_mcp.cluster import Ask
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube import quantity
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.live.kubeconfig import Kubeconfig
from kubegap_mcp.kube.snapshots.reader import open_snapshot
from tests.hostile.corpus import ALL, EXAMPLES, NUMBERS, TEXTS

fuzzed = settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES < 100)
STRANGE = [*NUMBERS.values(), *(text[:1000] for text in TEXTS.values())]
SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e99"]
NUMBER = st.from_regex(r"[+-]?[0-9]{0,6}(\.[0-9]{0,6})?", fullmatch=True)
POWERS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
POWERS |= {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
TODAY = dt.date(2026, 11, 30)


@fuzzed
@given(st.one_of(st.text(max_size=80), st.sampled_from(STRANGE), st.integers(), st.floats(), st.booleans()))
def test_a_quantity_is_a_whole_number_that_a_machine_can_hold_or_none(given: quantity.Quantity) -> None:
    for found in (quantity.count(given), quantity.size(given)):
        assert found is None or 0 <= found < 2**63
        assert not isinstance(found, bool)


@fuzzed
@given(NUMBER, st.sampled_from(SUFFIXES))
def test_a_quantity_is_what_arithmetic_says(number: str, suffix: str) -> None:
    """Against another way to work it out, by decimals of any length."""
    exact = _exact(number, suffix)
    whole = exact is not None and exact == int(exact)
    assert quantity.count(number + suffix) == (int(exact) if exact is not None and whole else None)
    up = None if exact is None else int(exact) + (0 if whole else 1)
    assert quantity.size(number + suffix) == (up if up is not None and up < 2**63 else None)


def _exact(number: str, suffix: str) -> Decimal | None:
    small = {"n": "1e-9", "u": "1e-6", "m": "1e-3"}
    try:
        value = Decimal(number) * (Decimal(small[suffix]) if suffix in small else _power(suffix))
    except InvalidOperation:
        return None
    return value if 0 <= value < 2**63 else None


def _power(suffix: str) -> Decimal:
    return (
        Decimal(f"1{suffix}")
        if suffix[:1] in {"e", "E"} and suffix[1:2].isdigit() | (suffix[1:2] == "-")
        else Decimal(POWERS.get(suffix, 1))
    )


@fuzzed
@given(st.one_of(st.text(max_size=253), st.sampled_from(STRANGE), st.from_regex(r"(cos-)?v?[0-9.+~a-z-]{1,40}")))
def test_a_version_is_numbers_or_nothing(version: str) -> None:
    release = versions.release(version)
    assert release is None or all(number >= 0 for number in release)
    minor = versions.kubernetes_minor(version)
    assert minor is None or 0 <= minor < 1000
    assert versions.series(version, 2)[1] == versions.numbers(version)[:2]
    assert versions.plain(versions.plain(version)) == versions.plain(version)


@fuzzed
@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=5), st.sampled_from(["", "v", "containerd://"]))
def test_a_release_is_read_whatever_stands_around_it(numbers: list[int], before: str) -> None:
    found = versions.release(f"{before}{'.'.join(map(str, numbers))}-ubuntu22.04")
    assert found is not None
    padded = (*found, *[0] * (len(numbers) - len(found)))
    assert padded == tuple(numbers)


def mutated(text: bytes) -> st.SearchStrategy[bytes]:
    """The text cut, with bytes changed, put in or taken out, or with a part of it said twice."""

    def change(how: str, at: int, size: int, more: bytes) -> bytes:
        place = at % (len(text) + 1)
        end = min(len(text), place + size)
        return {
            "cut": text[:place],
            "put in": text[:place] + more + text[place:],
            "change": text[:place] + more + text[place + len(more) :],
            "take out": text[:place] + text[end:],
            "say twice": text[:end] + text[place:end] * 3 + text[end:],
        }[how]

    hows = st.sampled_from(["cut", "put in", "change", "take out", "say twice"])
    strange = st.sampled_from(
        [json.dumps(value).encode()[:5000] for value in ALL.values()] + [b"\x00", b"\xff", b"\n- "]
    )
    return st.builds(change, hows, st.integers(0), st.integers(0, 200), strange | st.binary(max_size=8))


@cache
def small() -> dict[str, bytes]:
    """A snapshot of a few objects, in each form that there is."""
    items = [json.loads(demo.FOLDER.joinpath(f"{kind}.json").read_text())["items"][0] for kind in ("node", "pod")]
    listed = {"apiVersion": "v1", "kind": "List", "items": items}
    plain = json.dumps(listed, indent=1).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("snapshot/all.json")
        member.size = len(plain)
        archive.addfile(member, io.BytesIO(plain))
    manifest = (demo.FOLDER / "kubegap-snapshot.json").read_bytes()
    return {
        "all.json": plain,
        "all.yaml": yaml.safe_dump(listed).encode(),
        "all.tar.gz": packed.getvalue(),
        "all.tar": gzip.decompress(packed.getvalue()),
        "kubegap-snapshot.json": manifest,
    }


@pytest.mark.parametrize("form", ["all.json", "all.yaml", "all.tar.gz", "all.tar", "kubegap-snapshot.json"])
@fuzzed
@given(data=st.data())
def test_a_snapshot_is_read_or_refused_in_one_line(
    form: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("snapshot")
    text = data.draw(mutated(small()[form]))
    if form == "all.tar":
        form, text = "all.tar.gz", gzip.compress(text)
    path = folder / form
    path.write_bytes(text)
    if form == "kubegap-snapshot.json":
        (folder / "all.json").write_bytes(small()["all.json"])
    _asked(
        lambda: asyncio.run(
            open_snapshot(path if form.endswith("gz") else folder).read(Ask(kinds=frozenset(records())))
        )
    )


@fuzzed
@given(
    mutated(
        json.dumps(
            {
                "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
                "current-context": "a",
                "clusters": [{"name": "a", "cluster": {"server": "https://a:6443"}}],
                "users": [{"name": "a", "user": {"token": "t"}}],
            }
        ).encode()
    )
    | st.binary(max_size=60)
)
def test_a_kubeconfig_is_read_or_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    path = tmp_path_factory.mktemp("kubeconfig") / "config"
    path.write_bytes(text)
    _asked(lambda: Kubeconfig([path]).target(None))


def _asked(question: Callable[[], object]) -> None:
    try:
        question()
    except ConfigError as error:
        refusals = (error.text.en, error.text.ko)
    else:
        return
    for told in refusals:
        assert told.isprintable(), repr(told)
        assert len(told) < 1500


@fuzzed
@given(mutated(template().encode()))
def test_a_record_is_read_or_refused_with_its_line(text: bytes) -> None:
    try:
        parse("2024-lab-lost-gpu.yaml", text.decode("utf-8", "replace"), TODAY)
    except RecordError as error:
        refusals = (error.of("en"), error.of("ko"))
    else:
        return
    for told in refusals:
        assert told.isprintable(), repr(told)
        assert len(told) < 3000
