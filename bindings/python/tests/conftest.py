"""Hosts and sessions for the tests."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Iterator

import mitt
import pytest

if os.environ.get("MITT_TEST_MODE") == "process":
    # All hosts of the tests, also those that they make themselves.
    mitt.Host.__init__ = functools.partialmethod(mitt.Host.__init__, mode="process")  # type: ignore[assignment]

YOY = pathlib.Path(__file__).parents[3] / "examples" / "yoy"


@pytest.fixture(scope="session")
def host() -> Iterator[mitt.Host]:
    """A host with the bundled skills."""
    with mitt.Host() as host:
        yield host


@pytest.fixture
def session(host: mitt.Host) -> Iterator[mitt.Session]:
    with host.session() as session:
        yield session


@pytest.fixture
def bare() -> Iterator[mitt.Host]:
    """A host without skills, for what needs none."""
    with mitt.Host(bundled=False, cache=False, threads=2) as host:
        yield host


@pytest.fixture(scope="session")
def yoy() -> pathlib.Path:
    return YOY
