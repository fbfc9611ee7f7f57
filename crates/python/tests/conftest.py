"""Tables that tests share."""

from __future__ import annotations

import pathlib
import signal
from typing import Any

import pytest

import paravent as pv

# What is started in the background inherits that Ctrl-C is ignored; the tests send it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def somewhere(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Nothing is written beside the tests."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def patients() -> Any:
    """The made-up patients."""
    return pv.demo()


@pytest.fixture
def job() -> pv.Job:
    """A job for :func:`rows`."""
    job = pv.Job()
    job["name"].role = "identifying"
    job["age"] = {"role": "quasi-identifier", "type": "integer", "hierarchy": pv.intervals([10, 40], 0, 80)}
    job["zip"] = {"role": "quasi-identifier", "hierarchy": pv.redact("right")}
    job["illness"].role = "sensitive"
    job["visits"].role = "insensitive"
    return job.promise(pv.k_anonymity(3), suppression_limit=0.1).search(metric="loss")


@pytest.fixture
def rows() -> dict[str, list[Any]]:
    """Forty people."""
    return {
        "name": [f"Person {n}" for n in range(40)],
        "age": [20 + n * 7 % 60 for n in range(40)],
        "zip": [f"8{n % 4}{n % 3}0{n % 2}" for n in range(40)],
        "illness": [["flu", "gout", "asthma"][n * n % 3] for n in range(40)],
        "visits": [float(n % 5) for n in range(40)],
    }
