import gzip
import io
import json
import os
import tarfile

import pytest

from kubegap_checks.facts.nodes import Node
from kubegap_mcp.cluster import Ask
from kubegap_mcp.errors import ConfigError
from kubegap_mcp.kube.gather.registry import records
from kubegap_mcp.kube.snapshots import from_yaml
from kubegap_mcp.kube.snapshots.files import files
from kubegap_mcp.kube.snapshots.reader import open_snapshot


async def refused(path):
    with pytest.raises(ConfigError) as caught:
        await open_snapshot(path).read(Ask(kinds=frozenset(records())))
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        pytest.param("a.json", b"", "holds no Kubernetes object", id="empty"),
        pytest.param("a.yaml", b" \n\n", "holds no Kubernetes object", id="blank"),
        pytest.param("a.yaml", b"# nothing\n---\n", "a.yaml holds no object, only comments", id="only comments"),
        pytest.param("a.json", b'{"kind":"List","items":[{"kind"', "a.json is not whole JSON", id="half of a JSON"),
        pytest.param("a.json", b"\x00\x01\x02", "a.json is not text", id="binary"),
        pytest.param("a.json", b"{" + b"\x00" * 9, "a.json is not text", id="zeros"),
        pytest.param("a.json", b'{"a":' * 100_000, "a.json is not whole JSON", id="nested without end"),
        pytest.param("a.json", b"[1, 2]", "a.json is not what `kubectl get", id="a bare list"),
        pytest.param("a.json", b"No resources found\n", "a.json is not whole JSON", id="a message of kubectl"),
        pytest.param("a.yaml", b"No resources found\n", "a.yaml is not what `kubectl get", id="a message as YAML"),
        pytest.param(
            "a.yaml",
            b"Error from server (Forbidden): nodes is forbidden: User\n",
            "a.yaml, line 1 is not YAML",
            id="an error of kubectl",
        ),
        pytest.param("a.yaml", b"kind: Node\nmetadata: {name: a\n", "a.yaml, line 3 is not YAML", id="half a mapping"),
        pytest.param("a.yaml", b"kind: Node\nmetadata:\n\tname: a\n", "a.yaml, line 3 is not YAML", id="a tab"),
        pytest.param("a.yaml", b"kind: \xff\n", "a.yaml is not readable YAML", id="not UTF-8"),
        pytest.param("a.yaml", b"a: !!python/name:os.system\n", "a.yaml, line 1 uses a YAML tag", id="a Python tag"),
        pytest.param("a.yaml", b"a: !!binary aGk=\n", "a.yaml, line 1 uses a YAML tag", id="a binary tag"),
        pytest.param("a.yaml", b"a: &x [1]\nb: *x\n", "a.yaml, line 2 uses a YAML alias", id="an alias"),
        pytest.param("a.yaml", b"[" * 5000, "a.yaml, line 1 is not YAML", id="YAML nested without end"),
        pytest.param(
            "a.yaml", b"? [a]\n: b\n", "a.yaml, line 1 has a mapping or a list as a key", id="a list as a key"
        ),
        pytest.param(
            "a.yaml", b"apiVersion: v1\nitems:\n- kind: Node\n", "a.yaml breaks off", id="a YAML list without its end"
        ),
        pytest.param("a.json", b'{"some": "thing"}', "holds no Kubernetes object", id="another JSON"),
    ],
)
async def test_a_file_that_cannot_be_read_is_named_with_the_next_step(tmp_path, name, text, says):
    (tmp_path / name).write_bytes(text)
    message = await refused(tmp_path)
    assert says in message
    assert says.split(" ", maxsplit=1)[0].rstrip(",") in await refused(tmp_path / name)


async def test_nothing_there_is_said(tmp_path):
    assert "there is no snapshot at" in await refused(tmp_path / "absent")
    assert "holds no Kubernetes object: add some" in await refused(tmp_path)


async def test_a_file_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_bytes(b"{}")

    def denied(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", denied)
    assert "a.json cannot be read (Permission denied)" in await refused(tmp_path)
    assert "a.json cannot be read (Permission denied)" in await refused(path)


async def test_a_huge_yaml_is_refused_with_the_faster_form(tmp_path, monkeypatch):
    monkeypatch.setattr(from_yaml, "LARGEST", 1000)
    (tmp_path / "a.yaml").write_bytes(b"kind: Node\n" * 100)
    assert "kubectl get ... -o json" in await refused(tmp_path)


def test_fifty_megabytes_is_the_most():
    assert from_yaml.LARGEST == 50_000_000


def test_a_folder_larger_than_the_bound_is_refused(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.json").write_bytes(b"x" * 60)
    with pytest.raises(ConfigError, match=r"b\.json holds more than"):
        list(files(tmp_path, largest=100))


def test_a_small_archive_that_unpacks_into_a_huge_one_is_refused(tmp_path):
    path = tmp_path / "s.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in ("zeros.bin", "a.json"):
            member = tarfile.TarInfo(name)
            member.size = 50_000_000
            tar.addfile(member, io.BytesIO(b"\0" * member.size))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(ConfigError, match="holds more than"):
        list(files(path, largest=1_000_000))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"not a tar at all" * 100, id="no archive"),
        pytest.param(b"\xff" * 2048, id="a broken header"),
    ],
)
def test_a_gzip_without_an_archive_is_refused(tmp_path, text):
    path = tmp_path / "s.tar.gz"
    path.write_bytes(gzip.compress(text))
    with pytest.raises(ConfigError, match=r"s\.tar\.gz"):
        list(files(path))


def test_text_that_looks_like_an_alias_and_is_none_is_read():
    text = b"a: |\n  run &x && ls *x\nb: 'c &d *d'\n"
    (document,) = from_yaml.documents(text, "a.yaml")
    assert b"&x && ls *x" in document


def test_keys_are_text_and_of_two_equal_ones_the_last_counts():
    assert list(from_yaml.documents(b"true: 1\n1: 2\na: b\na: !!str 1\n<<: {x: y}\n", "a.yaml")) == [
        b'{"true":1,"1":2,"a":"1","<<":{"x":"y"}}'
    ]


def test_yaml_values_mean_what_kubectl_means():
    text = b"a: yes\nb: 0302\nc: 1.10\nd: true\ne:\nf: 2026-01-01T00:00:00Z\ng: 12\nh: 99999999999999999999\ni: '1'\n"
    (document,) = from_yaml.documents(text, "a.yaml")
    assert document == (
        b'{"a":"yes","b":"0302","c":"1.10","d":true,"e":null,"f":"2026-01-01T00:00:00Z","g":12,'
        b'"h":"99999999999999999999","i":"1"}'
    )


def packed(path, *members):
    with tarfile.open(path, "w:gz") as archive:
        for name, text, more in members:
            member = tarfile.TarInfo(name)
            member.size = len(text)
            for field, given in more.items():
                setattr(member, field, given)
            archive.addfile(member, io.BytesIO(text))
    return path


NODE = b'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}'


def test_a_sparse_member_is_as_long_as_it_says(tmp_path):
    member = tarfile.TarInfo("a.json")
    member.type, member.size = tarfile.GNUTYPE_SPARSE, 512
    head = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    head[386:410] = b"00000000000\0" + b"00000001000\0"  # 512 bytes at 0
    head[483:495] = b"\x80" + (200 << 30).to_bytes(11, "big")  # of 200 GB
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    path = tmp_path / "s.tar.gz"
    path.write_bytes(gzip.compress(bytes(head) + b" " * 512 + b"\0" * 1024))
    with pytest.raises(ConfigError, match="holds more than"):
        list(files(path))


async def test_a_member_has_a_name_that_does_no_harm(tmp_path):
    message = await refused(packed(tmp_path / "s.tar.gz", ("a\u202e\x1b[31m\n`.json", b"{bad", {})))
    assert message.isprintable()


def test_a_member_of_no_calendar_is_read(tmp_path):
    members = [("a.json", NODE, {"mtime": 10**17}), ("b.json", NODE, {"mtime": -(10**10)})]
    assert [file.changed.year for file in files(packed(tmp_path / "s.tar.gz", *members))] == [1970, 1970]


@pytest.mark.parametrize("kind", ["pipe", "link to a device", "link to nothing", "loop"])
async def test_what_is_no_file_is_refused_and_not_passed_over(tmp_path, kind):
    (tmp_path / "a.json").write_bytes(NODE)
    if kind == "pipe":
        os.mkfifo(tmp_path / "b.json")
    else:
        to = {"link to a device": "/dev/zero", "link to nothing": "missing", "loop": "b.json"}[kind]
        (tmp_path / "b.json").symlink_to(to)
    assert "b.json" in await refused(tmp_path)


async def test_a_folder_that_cannot_be_looked_into_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a.json").write_bytes(NODE)
    closed = tmp_path / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refusing(path):
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert f"{closed} cannot be read (Permission denied)" in await refused(tmp_path)


async def test_a_name_without_end_is_not_there(tmp_path):
    assert "there is no snapshot at" in await refused(tmp_path / ("x" * 300))


async def test_an_object_with_a_text_that_is_not_unicode_is_not_passed_over(tmp_path):
    bad = NODE.replace(b'"n"', b'"\xffn"')
    (tmp_path / "a.json").write_bytes(b'{"apiVersion": "v1", "kind": "List", "items": [' + NODE + b", " + bad + b"]}")
    reading = await open_snapshot(tmp_path).read(Ask(kinds=frozenset({Node})))
    assert [node.name for node in reading.facts.known(Node)] == ["n", "\ufffdn"]


@pytest.mark.parametrize("taken", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00Z"])
async def test_a_manifest_of_no_calendar_is_refused(tmp_path, taken):
    (tmp_path / "a.json").write_bytes(NODE)
    manifest = {"schema": 1, "taken_at": taken, "context": "c", "server_version": None, "kinds": {}}
    (tmp_path / "kubegap-snapshot.json").write_text(json.dumps(manifest))
    assert "correct its taken_at" in await refused(tmp_path)


async def test_objects_of_no_calendar_are_read(tmp_path):
    for number, created in enumerate(["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]):
        node = {"metadata": {"name": f"n{number}", "creationTimestamp": created}, "kind": "Node", "apiVersion": "v1"}
        (tmp_path / f"{number}.json").write_text(json.dumps(node))
    reading = await open_snapshot(tmp_path).read(Ask(kinds=frozenset({Node})))
    assert [node.created for node in reading.facts.known(Node)] == [None, None]
