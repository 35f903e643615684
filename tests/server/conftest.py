"""Builders for the server's tests; a Client is opened inside each test, since its scope must close in the same task."""

import pytest
from server.fake import FakeApp


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """How the client connects: 2026-07-28 without a handshake, or the handshake of earlier protocol versions."""
    return str(request.param)


@pytest.fixture
def app() -> FakeApp:
    return FakeApp()
