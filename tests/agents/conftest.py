from collections.abc import Iterator
from pathlib import Path

import pytest
from agents.clients import Machine, are_installed
from agents.stand_in import World

if not are_installed():
    pytest.exit("the clients under test are not installed: run `make agents`", returncode=2)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Nothing may go anywhere but to loopback."""
    with World() as world:
        made = Machine(tmp_path / "사용자 home", world)
        yield made
        assert made.world.asked == []
