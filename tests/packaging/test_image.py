"""The Dockerfile, as far as it can be judged without building it."""

import shlex
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def steps() -> list[tuple[str, str]]:
    """Instruction and the rest, with continued lines joined and comments left out."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    words = (line.partition(" ") for line in text.splitlines() if line)
    return [(word, rest.strip()) for word, _, rest in words]


STEPS = steps()
FINAL = STEPS[max(index for index, (word, _) in enumerate(STEPS) if word == "FROM") :]


def test_both_stages_stand_on_the_same_small_image():
    bases = [rest.split()[0] for word, rest in STEPS if word == "FROM"]
    assert bases == ["python:3.13-slim", "python:3.13-slim"]


def test_the_user_is_a_number_and_not_root():
    (user,) = (rest for word, rest in FINAL if word == "USER")
    uid, gid = (int(part) for part in user.split(":"))
    assert uid > 0
    assert gid > 0


def test_the_image_runs_the_program_that_the_package_installs():
    (entry,) = (rest for word, rest in FINAL if word == "ENTRYPOINT")
    assert entry == '["kubegap-mcp"]'
    assert "kubegap-mcp" in PROJECT["project"]["scripts"]


def test_the_label_is_the_name_in_the_registry():
    (labels,) = (rest for word, rest in FINAL if word == "LABEL")
    named = dict(word.split("=", 1) for word in shlex.split(labels))
    assert named["io.modelcontextprotocol.server.name"] == "io.github.kubegap/kubegap-mcp"
    assert named["org.opencontainers.image.licenses"] == PROJECT["project"]["license"]


def test_all_that_the_build_reads_is_copied_and_let_through():
    copied = {word for step, rest in STEPS if step == "COPY" and "--from" not in rest for word in rest.split()[:-1]}
    packages = set(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    assert copied == packages | {"pyproject.toml", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    let_through = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert let_through[0] == "*"
    assert {f"!{path.partition('/')[0]}" for path in copied} <= set(let_through)
    for path in copied:
        assert (ROOT / path).exists()


def test_nothing_of_the_build_but_the_environment_reaches_the_image():
    assert [rest for word, rest in FINAL if word in {"COPY", "ADD", "RUN"}] == [
        "--from=build /opt/kubegap /opt/kubegap",
    ]
