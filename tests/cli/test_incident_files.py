"""Records as files: lint, export, schema, and a company's own folders beside the packaged ones."""

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

from kubegap_incidents import library
from kubegap_mcp.cli import main

ROOT = Path(__file__).parent.parent.parent
RECORDS = ROOT / "incident_library" / "kubegap_incidents" / "records"
GOOD = (RECORDS / "2024-imbue-70b-cluster-bring-up.yaml").read_text(encoding="utf-8").replace("[IL-0025]", "[IL-9001]")
OWN = "2025-acme-own-incident"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / f"{OWN}.yaml").write_text(GOOD, encoding="utf-8")
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main([*words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_good_file_passes_in_silence(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "incidents", "lint", str(own / f"{OWN}.yaml")) == (0, "", "")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("symptoms: [", "symptoms: [made_up, ", "`made_up` is not in the symptoms", id="an unknown term"),
        pytest.param("    source: ", "    source: nowhere-", "no source is called", id="a claim without its source"),
        pytest.param('published: "2024-06"', 'published: "2199-06"', "lies in the future", id="a date to come"),
        pytest.param("[IL-9001]", "[IL-0129]", "IL-0129 is an alias of the packaged", id="a taken alias"),
        pytest.param("schema: 1", "schema: &a 1", "anchor", id="what a YAML bomb is made of"),
    ],
)
def test_a_bad_file_is_told_with_line_and_mend(
    old: str, new: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert old in GOOD
    path = tmp_path / f"{OWN}.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")

    code, out, err = run(capsys, "incidents", "lint", "--lang", "en", str(path))

    assert (code, err) == (1, "")
    assert out.startswith(f"{path}:")
    assert said in out
    assert ";" in out


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        pytest.param("title: 가".encode("cp949"), "not UTF-8", id="another encoding"),
        pytest.param(None, "cannot be read", id="a file that is not there"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(
    raw: bytes | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{OWN}.yaml"
    if raw is not None:
        path.write_bytes(raw)

    code, out, _ = run(capsys, "incidents", "lint", str(path))

    assert code == 1
    assert said in out


def test_every_packaged_record_passes_the_linter_and_the_published_schema(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(RECORDS.glob("*.yaml"))
    assert run(capsys, "incidents", "lint", *map(str, files)) == (0, "", "")

    schema = json.loads(run(capsys, "incidents", "schema")[1])
    validator = jsonschema.Draft202012Validator(schema)
    for file in files:
        validator.validate(yaml.safe_load(file.read_text(encoding="utf-8")))


def test_every_exported_line_fits_the_published_schema(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(run(capsys, "incidents", "schema")[1])
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    lines = run(capsys, "incidents", "export", "--incidents", str(own))[1].splitlines()

    assert len(lines) == len(list(RECORDS.glob("*.yaml"))) + 1
    for line in lines:
        validator.validate(json.loads(line))


@pytest.mark.parametrize("part", ['"published": null', '"lessons": []', '"aliases": ["IL-9001", "IL-9001"]'])
def test_the_schema_takes_no_part_that_is_there_and_says_nothing(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(run(capsys, "incidents", "schema")[1])
    record = json.loads(run(capsys, "incidents", "export")[1].splitlines()[0]) | json.loads(f"{{{part}}}")

    assert list(jsonschema.Draft202012Validator(schema).iter_errors(record))


def test_the_schema_is_named_under_the_url_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = json.loads(run(capsys, "incidents", "schema")[1])["$id"]

    assert name.startswith(project["urls"]["Source"] + "/")
    assert name.endswith("/docs/incident.schema.json")


def test_the_template_passes_the_linter_and_the_published_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = run(capsys, "incidents", "template")[1]
    path = tmp_path / f"{OWN}.yaml"
    path.write_text(template, encoding="utf-8")

    assert run(capsys, "incidents", "lint", str(path)) == (0, "", "")
    schema = json.loads(run(capsys, "incidents", "schema")[1])
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(template))


def line_of(text: str, word: str) -> int:
    return 1 + next(n for n, line in enumerate(text.splitlines()) if word in line)


def test_two_files_with_one_alias_are_both_told_where(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = own / f"{OWN}.yaml", own / "2025-acme-second-one.yaml"
    second.write_text("\n" + GOOD, encoding="utf-8")
    line = line_of(GOOD, "IL-9001")

    code, out, _ = run(capsys, "incidents", "lint", "--lang", "en", str(first), str(second))

    assert code == 1
    assert out.splitlines() == [
        f"{first}:{line}: IL-9001 is an alias of {second}; choose another, or remove it",
        f"{second}:{line + 1}: IL-9001 is an alias of {first}; choose another, or remove it",
    ]


def test_names_are_compared_with_the_folders_that_are_given(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "2025-acme-second-one.yaml"
    other.write_text(GOOD, encoding="utf-8")
    same_id = tmp_path / f"{OWN}.yaml"
    same_id.write_text(GOOD.replace("[IL-9001]", "[IL-9002]"), encoding="utf-8")

    assert run(capsys, "incidents", "lint", str(other))[0] == 0
    for file, said in ((other, "IL-9001 is an alias of"), (same_id, "its id is that of")):
        code, out, _ = run(capsys, "incidents", "lint", "--lang", "en", "--incidents", str(own), str(file))
        assert code == 1
        assert f"{said} {own / OWN}.yaml; " in out


@pytest.mark.parametrize("folders", [[], ["own"]])
def test_a_file_is_not_compared_with_itself(
    folders: list[str], own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own.parent)
    words = [word for folder in folders for word in ("--incidents", folder)]

    twice = [f"own/{OWN}.yaml", str(own / f"{OWN}.yaml")]
    assert run(capsys, "incidents", "lint", *words, *twice) == (0, "", "")


def test_a_file_elsewhere_with_a_packaged_id_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packaged = "2019-zalando-coredns-memory"
    path = tmp_path / f"{packaged}.yaml"
    path.write_text((RECORDS / path.name).read_text(encoding="utf-8"), encoding="utf-8")

    code, out, _ = run(capsys, "incidents", "lint", "--lang", "en", str(path))

    assert code == 1
    assert f"{path}: its id is that of the packaged record {packaged}; rename the file\n" in out


def test_a_folder_that_is_named_twice_is_read_once(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--incidents", str(own), "--incidents", str(own / ".." / "own"))
    _, out, _ = run(capsys, "incidents", "search", *words, "--format", "json", OWN)

    assert [hit["id"] for hit in json.loads(out)["hits"]] == [OWN]
    assert json.loads(out)["notes"] == []


def test_a_link_that_leads_to_itself_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{OWN}.yaml"
    path.symlink_to(path)

    code, out, _ = run(capsys, "incidents", "lint", "--lang", "en", str(path))

    assert code == 1
    assert out.startswith(f"{path}: cannot be read")


def test_a_folder_that_cannot_be_compared_with_is_told(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--incidents", str(tmp_path / "gone"), str(own / f"{OWN}.yaml"))
    code, out, _ = run(capsys, "incidents", "lint", "--lang", "en", *words)

    assert code == 1
    assert "gone cannot be read" in out


def test_a_broken_packaged_record_is_told_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "2025-acme-broken-record.yaml"
    broken.write_text(GOOD.replace("kind: event", "kind: rumour"), encoding="utf-8")
    monkeypatch.setattr(library, "_RECORDS", tmp_path)

    code, out, err = run(capsys, "incidents", "lint", "--lang", "en", str(broken))

    assert (code, err) == (1, "")
    assert out.startswith(f"{broken}:{line_of(GOOD, 'kind: event')}: `kind` has an unknown value; use ")


def test_the_linter_and_the_note_speak_the_language_asked_for(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = own / "2025-acme-second-one.yaml"
    path.write_text(GOOD, encoding="utf-8")
    line = line_of(GOOD, "IL-9001")

    code, out, _ = run(capsys, "incidents", "lint", "--lang", "ko", "--incidents", str(own), str(path))
    assert (code, out) == (1, f"{path}:{line}: IL-9001: {own / OWN}.yaml의 별칭과 같음. 다른 것으로 바꾸거나 지운다\n")

    words = ("--lang", "ko", "--incidents", str(own), "--format", "json", OWN)
    notes = json.loads(run(capsys, "incidents", "search", *words)[1])["notes"]
    assert f"{path.name}:{line}: IL-9001: {own / OWN}.yaml의 별칭과 같음" in notes[0]["text"]


def test_export_is_one_record_a_line_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "incidents", "export")

    records = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert [record["id"] for record in records] == sorted(file.stem for file in RECORDS.glob("*.yaml"))
    assert all({"en", "ko"} == record["title"].keys() for record in records)


def test_a_folder_of_ones_own_is_searched_beside_the_packaged_records(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "incidents", "search", "--incidents", str(own), "--format", "json", OWN)

    assert code == 0
    assert [hit["id"] for hit in json.loads(out)["hits"]] == [OWN]


def test_a_bad_record_of_ones_own_is_left_out_and_said_so(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "2025-acme-broken-record.yaml").write_text("schema: 1\n", encoding="utf-8")
    words = ("incidents", "search", "--incidents", str(own), "--incidents", str(own / "gone"), "--format", "json", OWN)

    code, out, _ = run(capsys, *words)

    answer = json.loads(out)
    assert code == 0
    assert [hit["id"] for hit in answer["hits"]] == [OWN]
    left_out = [note["text"] for note in answer["notes"] if note["kind"] == "left_out"]
    assert len(left_out) == 2
    assert any("2025-acme-broken-record.yaml" in text for text in left_out)
    assert any("cannot be read" in text for text in left_out)


def test_the_configuration_names_folders_beside_itself(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "kubegap.toml"
    config.write_text('incidents = ["own"]\n', encoding="utf-8")

    assert OWN in run(capsys, "incidents", "search", "--config", str(config), OWN)[1]
    monkeypatch.setenv("KUBEGAP_CONFIG", str(config))
    assert OWN in run(capsys, "incidents", "search", OWN)[1]
    assert own.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("incidents = 3", "a list of folders", id="no list"),
        pytest.param("incidents = [3]", "a list of folders", id="no names"),
        pytest.param("incident = []", "write incidents", id="a name nearly"),
        pytest.param("incidents = [", "is not TOML", id="no TOML"),
        pytest.param(None, "cannot be read", id="no file"),
    ],
)
def test_a_bad_configuration_is_one_sentence(
    text: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "kubegap.toml"
    if text is not None:
        config.write_text(text, encoding="utf-8")

    code, out, err = run(capsys, "incidents", "search", "--config", str(config), "weka")

    assert (code, out) == (2, "")
    assert said in err


def test_a_packaged_record_keeps_its_name_against_one_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "2024-imbue-70b-cluster-bring-up.yaml").write_text(GOOD, encoding="utf-8")

    _, out, _ = run(capsys, "incidents", "search", "--incidents", str(tmp_path), "--format", "json", "IL-9001")

    assert all("IL-9001" not in hit["aliases"] for hit in json.loads(out)["hits"])
    assert "its id is that of the packaged record" in json.loads(out)["notes"][0]["text"]
