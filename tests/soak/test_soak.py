"""The soak in short; `make soak` takes ten minutes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.stdio
@pytest.mark.skipif(sys.platform != "linux", reason="what is left behind is read from /proc")
def test_random_faults_and_parallel_calls_leave_nothing_behind():
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", "6", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "'answered'" in done.stdout
