"""Random tables give a right answer or a Python exception."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal
from typing import Any

import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paravent as pv

CELLS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.int32(), st.integers(-50, 50)),
    (pa.float64(), st.floats(width=32)),
    (pa.string(), st.text(max_size=4)),
    (pa.dictionary(pa.int8(), pa.string()), st.sampled_from(["a", "b", "ä", "日本"])),
    (pa.date32(), st.dates(datetime.date(1800, 1, 1), datetime.date(2200, 1, 1))),
    (pa.timestamp("us"), st.datetimes(datetime.datetime(1800, 1, 1), datetime.datetime(2200, 1, 1))),
    (pa.decimal128(9, 2), st.decimals(-99, 99, places=2).map(Decimal)),
    (pa.bool_(), st.booleans()),
    (pa.null(), st.none()),
    (pa.list_(pa.int8()), st.lists(st.integers(0, 3), max_size=2)),
]


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(0, 12))
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "", "a b", "ü"]), min_size=1, max_size=4))
    arrays = []
    for _ in names:
        kind, cells = draw(st.sampled_from(CELLS))
        arrays.append(pa.array(draw(st.lists(st.none() | cells, min_size=rows, max_size=rows)), type=kind))
    return pa.Table.from_arrays(arrays, names=names)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), st.integers(1, 3), st.sampled_from([0.0, 0.5]))
def test_random_tables(table: pa.Table, k: int, limit: float) -> None:
    job = pv.Job().promise(pv.k_anonymity(k), suppression_limit=limit)
    for number, name in enumerate(dict.fromkeys(table.column_names)):
        job[name].role = "quasi-identifier" if number == 0 else "insensitive"
        job[name].release = "as it is" if number else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            release = job.anonymize(table)
        except pv.ParaventError as error:
            assert str(error) and error.kind != "internal"
            return
    out = pa.table(release)
    assert out.column_names == table.column_names and len(release) <= table.num_rows
    assert release.verification
    # The first column is the only one that tells rows apart.
    sizes = out.group_by(out.column_names[0]).aggregate([([], "count_all")])["count_all"].to_pylist()
    assert all(size >= k for size in sizes)
    assert pl.DataFrame(release).height == len(release)
