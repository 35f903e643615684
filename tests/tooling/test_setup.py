"""scripts/setup.sh on machines made of tiny shell scripts: what it chooses, what it does again, what it says."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SECONDS = 60  # a bound against hanging; a run takes less than a tenth of a second
TOOLS = "awk cat cmp cp dirname grep ln make mkdir mktemp mv printf readlink rm rmdir sed sh sleep tail touch tr uname"

# Answers setup.sh's question about itself, and makes an environment as venv does.
PYTHON = """\
case "$1 $2" in
  "-I -c") printf '%s\\n' "{rank} {version} {fit} {brings}," "$0" "${{0%/bin/*}}" ;;
  "-m venv")
    echo "{version} $*" >>"$CALLS"
    for venv; do :; done
    mkdir -p "$venv/bin"
    cp "$VENV_PYTHON" "$venv/bin/python"
    touch "$venv/pyvenv.cfg" ;;
  *) echo "{version} $*" >>"$CALLS" ;;
esac
"""
# The python of an environment: its pip installs a kubegap that repeats its arguments, or fails if the machine says so.
VENV_PYTHON = """\
#!/bin/sh
venv="${0%/bin/*}"
case "$*" in
  "-I -c"*) printf '%s\\n' "3012000 3.12.0 fits pip,site," "$0" "$venv" ;;
  *"install --help") echo "$PIP_KNOWS" ;;
  *)
    echo "venv $*" >>"$CALLS"
    echo "${PYTHONPATH-} ${PYTHONHOME-} ${PIP_TARGET-} ${PIP_USER-}" >>"$CALLS.env"
    [ ! -e "$CALLS.offline" ] || { echo 'no route to the index' >&2; exit 1; }
    printf '#!/bin/sh\\necho kubegap "$@"\\n' >"$venv/bin/kubegap"
    chmod +x "$venv/bin/kubegap" ;;
esac
"""
UV = """\
case "$*" in
  *--help) echo "  --group <GROUP>" ;;
  "venv "*)
    for venv; do :; done
    echo "uv venv" >>"$CALLS"
    mkdir -p "$venv/bin"
    cp "$VENV_PYTHON" "$venv/bin/python"
    touch "$venv/pyvenv.cfg" ;;
  *) echo "uv $*" >>"$CALLS" ;;
esac
"""
SHIM = 'echo "pyenv: $0: command not found" >&2; exit 127'


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@dataclass
class Machine:
    """A checkout in a path with a space and a quote, and a PATH of its own."""

    home: Path
    shell: str = "sh"

    def __post_init__(self) -> None:
        self.checkout = self.home / "kube gap's"
        (self.checkout / "scripts").mkdir(parents=True)
        (self.checkout / "kubegap_mcp").mkdir()
        (self.checkout / "kubegap_mcp" / "__init__.py").write_text('__version__ = "1"\n', encoding="utf-8")
        for name in ("pyproject.toml", "Makefile", "scripts/setup.sh"):
            shutil.copy(CHECKOUT / name, self.checkout / name)
        write_program(self.home / "venv-python", VENV_PYTHON)
        tools = self.home / "tools"
        tools.mkdir()
        for tool in [*TOOLS.split(), "chmod"]:
            found = shutil.which(tool)
            if found is not None:
                (tools / tool).symlink_to(found)
        (tools / "sleep").unlink()
        write_program(tools / "sleep", f"exec {shutil.which('sleep')} 0.02")  # a second is long for a test
        self.path = ["early", "late"]

    @property
    def venv(self) -> Path:
        return self.checkout / ".venv"

    def has_python(
        self, version: str, *, name: str = "python3", folder: str = "early", brings: str = "venv,ensurepip,pip"
    ) -> None:
        major, minor, micro = (int(part) for part in version.split("."))
        fit = "fits" if (major, minor) >= (3, 11) else "unfit"
        rank = major * 1_000_000 + minor * 1_000 + micro
        text = PYTHON.format(rank=rank, version=version, fit=fit, brings=brings)
        write_program(self.home / folder / name, text)

    def has(self, name: str, text: str, *, folder: str = "early") -> None:
        write_program(self.home / folder / name, text)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.pathsep.join(str(self.home / folder) for folder in (*self.path, "tools")),
            "CALLS": str(self.home / "calls"),
            "VENV_PYTHON": str(self.home / "venv-python"),
            "PIP_KNOWS": "--group",
            "KUBEGAP_SETUP_WAIT": "1000",
        }

    def command(self, *arguments: str) -> list[str]:
        return [shutil.which(self.shell) or self.shell, str(self.checkout / "scripts" / "setup.sh"), *arguments]

    def set_up(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return self._run(self.command(*arguments), env)

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self._run([str(self.home / "tools" / "make"), *arguments], None)

    def _run(self, command: list[str], env: Mapping[str, str] | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.checkout,
            env=self.environment | dict(env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )

    def calls(self) -> list[str]:
        """What was really called since the last time, without the questions."""
        log = self.home / "calls"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [line.replace(str(self.checkout) + "/", "") for line in lines]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path.resolve())


def sentence(run: subprocess.CompletedProcess[str]) -> str:
    """The only line that a refused set-up prints."""
    assert run.returncode == 2
    assert run.stdout == ""
    (line,) = run.stderr.splitlines()
    return line


def test_the_newest_python_wins_whatever_its_name_and_place(machine: Machine):
    machine.has_python("3.12.1", name="python3.12")
    machine.has_python("3.11.7", name="python3")
    machine.has_python("3.14.2", name="python", folder="late")
    machine.has_python("3.9.6", name="python3", folder="late")
    machine.has_python("3.13.0", name="python3.13", folder="last")
    machine.path.append("last")
    assert f"python       3.14.2 ({machine.home}/late/python)" in machine.set_up("--plan").stdout


@pytest.mark.parametrize(
    "shim",
    [
        pytest.param(SHIM, id="prints that the command is not found"),
        pytest.param("echo 3.13.0", id="answers something else"),
        pytest.param("exit 0", id="answers nothing"),
    ],
)
def test_a_shim_without_its_python_is_passed_over(machine: Machine, shim: str):
    machine.has("python3.13", shim)
    machine.has_python("3.12.1", name="python3.12", folder="late")
    plan = machine.set_up("--plan")
    assert plan.returncode == 0
    assert plan.stderr == ""
    assert f"python       3.12.1 ({machine.home}/late/python3.12)" in plan.stdout


def test_a_shim_does_not_hide_the_same_name_further_on(machine: Machine):
    machine.has("python3.13", SHIM)
    machine.has_python("3.13.0", name="python3.13", folder="late")
    assert f"({machine.home}/late/python3.13)" in machine.set_up("--plan").stdout


def test_an_old_python_is_refused_in_one_sentence(machine: Machine):
    machine.has_python("3.9.6")
    said = sentence(machine.set_up("test"))
    assert "CPython 3.11 or newer" in said
    assert f"3.9.6, {machine.home}/early/python3" in said
    assert not machine.venv.exists()


def test_no_python_is_refused_in_one_sentence(machine: Machine):
    assert "CPython 3.11 or newer is needed, and PATH has none: install python3" in sentence(machine.set_up("test"))


def test_uv_is_used_where_it_is(machine: Machine):
    machine.has_python("3.12.0", brings="")
    machine.has("uv", UV)
    assert f"made with {machine.home}/early/uv" in machine.set_up("--plan").stdout
    assert machine.set_up("test").returncode == 0
    assert machine.calls() == ["uv venv", "uv pip install --python .venv/bin/python -e . --group test"]


@pytest.mark.parametrize(
    "uv",
    [
        pytest.param(SHIM, id="a shim"),
        pytest.param("echo '  --requirements <FILE>'", id="one that does not know dependency groups"),
    ],
)
def test_a_uv_that_is_of_no_use_is_passed_over(machine: Machine, uv: str):
    machine.has_python("3.12.0")
    machine.has("uv", uv)
    assert "made with venv:" in machine.set_up("--plan").stdout


def test_without_ensurepip_the_pip_of_the_system_fills_the_environment(machine: Machine):
    machine.has_python("3.12.0", brings="venv,pip")
    assert "made with venv without pip, filled by the system's pip" in machine.set_up("--plan").stdout
    assert machine.set_up().returncode == 0
    assert machine.calls() == [
        "3.12.0 -m venv --without-pip .venv",
        "3.12.0 -m pip --python .venv/bin/python install pip>=25.1",
        "venv -m pip install -e .",
    ]


def test_with_neither_the_missing_package_is_named(machine: Machine):
    machine.has_python("3.12.0", brings="venv")
    said = sentence(machine.set_up("test"))
    assert f"Python 3.12.0 ({machine.home}/early/python3)" in said
    assert "install python3-venv" in said
    assert "python3.12-venv" in said
    assert not machine.venv.exists()


def test_an_older_python_that_can_make_an_environment_is_taken_before_a_newer_one_that_cannot(machine: Machine):
    machine.has_python("3.13.0", name="python3.13", brings="")
    machine.has_python("3.12.0", name="python3.12")
    assert "python       3.12.0 (" in machine.set_up("--plan").stdout


def test_a_real_python_answers_the_question(machine: Machine):
    machine.has("python3", f'exec "{sys.executable}" "$@"')
    plan = machine.set_up("--plan")
    assert "python       {}.{}.{} (".format(*sys.version_info) in plan.stdout
    assert "made with venv" in plan.stdout


def test_the_plan_changes_nothing(machine: Machine):
    machine.has_python("3.12.0")
    plan = machine.set_up("--plan", "test")
    assert plan.stdout.splitlines()[1:] == [
        "environment  .venv, made with venv: it is not there yet",
        "install      kubegap and the dependency group test, with pip",
    ]
    assert machine.calls() == []
    assert not machine.venv.exists()


@pytest.mark.parametrize("arguments", [("a", "b"), ("--plant",), ("",), ("te st",)], ids=repr)
def test_arguments_that_make_no_sense_are_refused(machine: Machine, arguments: tuple[str, ...]):
    machine.has_python("3.12.0")
    sentence(machine.set_up(*arguments))


def test_the_oldest_python_is_the_one_that_the_package_asks_for():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = project["project"]["requires-python"].removeprefix(">=3.")
    assert f"\noldest_minor={wanted} " in (CHECKOUT / "scripts" / "setup.sh").read_text(encoding="utf-8")


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_what_is_in_place_is_not_installed_again(machine: Machine, shell: str):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} on PATH")
    machine.shell = shell
    machine.has_python("3.12.0")
    assert machine.set_up("test").returncode == 0
    assert machine.calls() == ["3.12.0 -m venv .venv", "venv -m pip install -e . --group test"]
    for arguments in (["test"], []):  # kubegap itself came with the group
        again = machine.set_up(*arguments)
        assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
        assert machine.calls() == []
    assert machine.set_up("lint").returncode == 0
    assert machine.calls() == ["venv -m pip install -e . --group lint"]
    assert machine.set_up("--plan", "test").stdout.splitlines()[1:] == [
        "environment  .venv, kept",
        "install      nothing",
    ]


def test_a_pip_that_does_not_know_groups_is_upgraded_only_when_a_group_is_asked_for(machine: Machine):
    machine.has_python("3.12.0")
    old = {"PIP_KNOWS": "--requirement"}
    assert machine.set_up(env=old).returncode == 0
    assert machine.calls() == ["3.12.0 -m venv .venv", "venv -m pip install -e ."]
    assert machine.set_up("test", env=old).returncode == 0
    assert machine.calls() == ["venv -m pip install --upgrade pip>=25.1", "venv -m pip install -e . --group test"]


@pytest.mark.parametrize("name", ["pyproject.toml", "kubegap_mcp/__init__.py"])
def test_a_change_of_the_metadata_installs_again_in_the_same_environment(machine: Machine, name: str):
    machine.has_python("3.12.0")
    machine.set_up("test")
    with (machine.checkout / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    machine.calls()
    assert machine.set_up().returncode == 0
    assert machine.calls() == ["venv -m pip install -e ."]


def break_by_cutting_off(machine: Machine) -> None:
    (machine.venv / "kubegap-setup" / "unfinished").touch()


def break_by_moving(machine: Machine) -> None:
    elsewhere = machine.checkout.with_name("elsewhere")
    machine.checkout.rename(elsewhere)
    machine.checkout = elsewhere


def break_by_removing_python(machine: Machine) -> None:
    (machine.venv / "bin" / "python").unlink()


def break_by_another_python(machine: Machine) -> None:
    machine.has("python", VENV_PYTHON.replace("pip,site,", "pip,"), folder="other")
    shutil.copy(machine.home / "other" / "python", machine.venv / "bin" / "python")


def break_by_removing_pip(machine: Machine) -> None:
    machine.has("python", VENV_PYTHON.replace("pip,site,", "site,"), folder="other")
    shutil.copy(machine.home / "other" / "python", machine.venv / "bin" / "python")
    break_by_changing(machine)


def break_by_changing(machine: Machine) -> None:
    (machine.checkout / "pyproject.toml").write_text("[project]\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        pytest.param(break_by_cutting_off, "its set-up was cut off", id="killed in the middle"),
        pytest.param(break_by_moving, "it was made in another place", id="checkout moved"),
        pytest.param(break_by_removing_python, "its Python is gone", id="Python removed"),
        pytest.param(break_by_another_python, "its Python is gone or is another one now", id="Python replaced"),
        pytest.param(break_by_removing_pip, "it has no pip, and uv is not on PATH", id="made by uv, which is gone"),
    ],
)
def test_a_broken_environment_is_made_anew(machine: Machine, damage: Callable[[Machine], None], reason: str):
    machine.has_python("3.12.0")
    machine.set_up("test")
    damage(machine)
    (machine.venv / "leftover").touch()
    machine.calls()
    assert reason in machine.set_up("--plan").stdout
    assert machine.set_up().returncode == 0
    assert machine.calls() == ["3.12.0 -m venv .venv", "venv -m pip install -e ."]
    assert not (machine.venv / "leftover").exists()
    assert "install      nothing" in machine.set_up("--plan").stdout
    assert "install      kubegap and" in machine.set_up("--plan", "test").stdout  # that group went with the old one


@pytest.mark.parametrize("line", ["VIRTUAL_ENV={}", 'VIRTUAL_ENV="{}"', "    export VIRTUAL_ENV={}"])
def test_an_environment_that_somebody_else_made_here_is_kept(machine: Machine, line: str):
    machine.checkout = machine.checkout.rename(machine.home / "plain")  # a quote would be escaped in another way each
    machine.has_python("3.12.0")
    write_program(machine.venv / "bin" / "python", VENV_PYTHON)
    (machine.venv / "pyvenv.cfg").touch()
    (machine.venv / "bin" / "activate").write_text(line.format(machine.venv) + "\n", encoding="utf-8")
    assert machine.set_up().returncode == 0
    assert machine.calls() == ["venv -m pip install -e ."]


def test_a_failed_installation_shows_its_last_lines_and_is_tried_again(machine: Machine):
    machine.has_python("3.12.0")
    offline = machine.home / "calls.offline"
    offline.touch()
    failed = machine.set_up("test")
    assert failed.returncode == 1
    assert "no route to the index" in failed.stderr
    assert failed.stderr.splitlines()[-1].startswith("kubegap: pip install failed; the whole log is .venv/")
    offline.unlink()
    machine.calls()
    assert machine.set_up("test").returncode == 0
    assert machine.calls() == ["venv -m pip install -e . --group test"]


def test_what_the_user_has_set_for_other_projects_does_not_reach_the_installer(machine: Machine):
    machine.has_python("3.12.0")
    machine.set_up(env=dict.fromkeys(["PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_USER"], "elsewhere"))
    assert (machine.home / "calls.env").read_text(encoding="utf-8").split() == []
    assert "\ntarget =\n" in (machine.venv / "pip.conf").read_text(encoding="utf-8")


def test_two_at_once_make_one_environment(machine: Machine):
    machine.has_python("3.12.0")
    running = [
        subprocess.Popen(
            machine.command(group), env=machine.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for group in ("test", "lint", "test")
    ]
    said = [process.communicate(timeout=SECONDS)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said
    calls = machine.calls()
    assert calls[0] == "3.12.0 -m venv .venv"
    assert sorted(calls[1:]) == ["venv -m pip install -e . --group lint", "venv -m pip install -e . --group test"]


def test_the_lock_of_a_process_that_is_gone_is_taken_over(machine: Machine):
    machine.has_python("3.12.0")
    machine.set_up()
    gone = subprocess.Popen(["true"])  # noqa: S607
    gone.wait(timeout=SECONDS)
    lock = machine.venv / "kubegap-setup" / "lock"
    lock.symlink_to(str(gone.pid))
    assert machine.set_up("test").returncode == 0
    assert not lock.is_symlink()


def test_the_wait_for_a_living_process_ends(machine: Machine):
    machine.has_python("3.12.0")
    machine.set_up()
    lock = machine.venv / "kubegap-setup" / "lock"
    lock.symlink_to(str(os.getpid()))
    refused = machine.set_up("test", env={"KUBEGAP_SETUP_WAIT": "0"})
    assert refused.returncode == 2
    assert f"another set-up (process {os.getpid()}) holds .venv" in refused.stderr
    assert lock.is_symlink()


def test_make_demo_installs_no_tools_and_passes_arguments_on(machine: Machine):
    machine.has_python("3.12.0")
    demo = machine.make("demo", "ARGS=--format json")
    assert (demo.returncode, demo.stdout) == (0, "kubegap audit --demo --format json\n")
    assert machine.calls() == ["3.12.0 -m venv .venv", "venv -m pip install -e ."]


@pytest.mark.parametrize("target", ["demo", "test", "check", "docs"])
def test_make_ends_with_the_one_sentence(machine: Machine, target: str):
    refused = machine.make(target)
    assert refused.returncode == 2
    assert refused.stdout == ""
    first, of_make = refused.stderr.splitlines()
    assert "CPython 3.11 or newer is needed" in first
    assert of_make.startswith("make: ***")


def test_make_help_lists_every_target(machine: Machine):
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    (targets,) = (line.split()[1:] for line in makefile.splitlines() if line.startswith(".PHONY:"))
    assert [line.split()[1] for line in machine.make().stdout.splitlines()] == targets
