"""The browser that the tests of all pages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import chromium
from tests.browser.chromium import Browser

FOUND = chromium.paths()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests of this folder where there is no browser."""
    reason = "there is no Chromium with its driver here (Debian: apt install chromium chromium-driver)"
    for item in items:
        if FOUND is None and "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A window that all tests use one after the other."""
    assert FOUND is not None
    with Browser(*FOUND, tmp_path_factory.mktemp("profile")) as window:
        yield window
