"""Random tables give a right answer or a Python exception, whoever made them."""

from __future__ import annotations

import datetime
import os
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paravent as pv

UTC = datetime.timezone.utc
DAYS = st.dates(datetime.date(1800, 1, 1), datetime.date(2200, 1, 1))
TIMES = st.datetimes(datetime.datetime(1800, 1, 1), datetime.datetime(2200, 1, 1))
LABELS = st.sampled_from(["a", "b", "ä", "日本", "\u202eb", "a\u0301", "🧑🏽\u200d⚕️", "", " ", "*", "NULL", "a;b", 'a"b', "a\nb"])
CELLS: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.int32(), st.integers(-50, 50)),
    (pa.uint64(), st.integers(0, 2**64 - 1)),
    (pa.float64(), st.floats(width=32)),
    (pa.string(), st.text(max_size=4)),
    (pa.large_string(), LABELS),
    (pa.string_view(), LABELS),
    (pa.binary(), st.binary(max_size=3)),
    (pa.dictionary(pa.int8(), pa.string()), LABELS),
    (pa.dictionary(pa.int32(), pa.int64()), st.integers(0, 3)),
    (pa.date32(), DAYS),
    (pa.timestamp("us"), TIMES),
    (pa.timestamp("us", "Europe/Berlin"), TIMES.map(lambda time: time.replace(tzinfo=UTC))),
    (pa.duration("s"), st.timedeltas(datetime.timedelta(0), datetime.timedelta(9))),
    (pa.time32("s"), st.times().map(lambda time: time.replace(microsecond=0))),
    (pa.decimal128(9, 2), st.decimals(-99, 99, places=2).map(Decimal)),
    (pa.decimal256(40, 0), st.integers(-(10**39), 10**39).map(Decimal)),
    (pa.bool_(), st.booleans()),
    (pa.null(), st.none()),
    (pa.list_(pa.int8()), st.lists(st.integers(0, 3), max_size=2)),
    (pa.struct([("x", pa.int8())]), st.fixed_dictionaries({"x": st.integers(0, 3)})),
]
#: ``PARAVENT_EXAMPLES=1000`` looks longer.
MANY = settings(max_examples=int(os.environ.get("PARAVENT_EXAMPLES", "40")), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(0, 12))
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "", "a b", "ü", "日本"]), min_size=1, max_size=4))
    arrays = []
    for _ in names:
        kind, cells = draw(st.sampled_from(CELLS))
        column = pa.array(draw(st.lists(st.none() | cells, min_size=rows, max_size=rows)), type=kind)
        # In several pieces, and cut out of a longer one.
        cut = draw(st.integers(0, rows))
        arrays.append(pa.chunked_array([column.slice(0, cut), column.slice(cut)]))
    return pa.Table.from_arrays(arrays, names=names)


def job_for(names: list[str], k: int, limit: float) -> pv.Job:
    job = pv.Job().promise(pv.k_anonymity(k), suppression_limit=limit)
    for number, name in enumerate(dict.fromkeys(names)):
        job[name].role = "quasi-identifier" if number == 0 else "insensitive"
        job[name].release = "as it is" if number else None
    return job


def answer(call: Callable[[], Any]) -> Any:
    """What a call gives; none where it raises what it may raise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except pv.ParaventError as error:
            assert str(error) and error.kind != "internal"
            return None


@MANY
@given(tables(), st.integers(1, 3), st.sampled_from([0.0, 0.5]))
def test_random_tables(table: pa.Table, k: int, limit: float) -> None:
    release = answer(lambda: job_for(table.column_names, k, limit).anonymize(table))
    if release is None:
        return
    out = pa.table(release)
    assert out.column_names == table.column_names and len(release) <= table.num_rows
    assert release.verification
    # The first column is the only one that tells rows apart.
    sizes = Counter(map(repr, out.column(0).to_pylist()))
    assert all(size >= k for size in sizes.values())
    assert table.num_rows - len(release) <= limit * table.num_rows
    # What is not generalized is the same bag of cells, for the rows that are there.
    for number in range(1, table.num_columns):
        assert not Counter(map(repr, out.column(number).to_pylist())) - Counter(map(repr, table.column(number).to_pylist()))
    # Polars ends with a panic of its own where it meets the widest decimals.
    if not any(pa.types.is_decimal256(kind) for kind in out.schema.types):
        assert pl.DataFrame(release).height == len(release)


@MANY
@given(tables(), st.integers(1, 3))
def test_what_is_told_of_random_tables(table: pa.Table, k: int) -> None:
    names = list(dict.fromkeys(table.column_names))
    answer(lambda: pv.init(table, k))
    job = job_for(names, k, 0.5)
    checked = answer(lambda: job.check(table))
    risk = answer(lambda: pv.risk(table, quasi_identifiers=names[:1]))
    if checked is not None and risk is not None:
        assert checked["smallest_class"] == risk["classes"]["smallest"]
    answer(lambda: pv.slice(table, [names[:1]], bucket=4, seed=1, most_unique="1", allow_identifying=True))
    answer(lambda: pv.noise(table, {names[0]: "0.5:uniform('a', 'b')"}, ledger="ledger.jsonl", epsilon="0.1", seed=1))
    release = answer(lambda: job.anonymize(table))
    if release is not None:
        answer(lambda: release.attack(attempts=5, seed=1))
        answer(lambda: release.utility())


@MANY
@given(st.lists(st.none() | LABELS, max_size=12), st.lists(st.none() | st.integers(-9, 9), min_size=12, max_size=12), st.integers(1, 3))
def test_random_frames_of_pandas_and_polars(labels: list[Any], numbers: list[Any], k: int) -> None:
    rows = len(labels)
    plain = {"label": labels, "number": numbers[:rows]}
    frames = {
        "polars": pl.DataFrame(plain, schema={"label": pl.String, "number": pl.Int64}),
        "categories": pl.DataFrame(plain, schema={"label": pl.Categorical, "number": pl.Decimal(9, 2)}),
        "lazy": pl.LazyFrame(plain, schema={"label": pl.String, "number": pl.Float32}),
        "pandas": pd.DataFrame({"label": pd.Series(labels, dtype="string"), "number": pd.Series(numbers[:rows], dtype="Int64")}),
        "category": pd.DataFrame({"label": pd.Series(labels, dtype="category"), "number": pd.Series(numbers[:rows], dtype="Float64")}),
        "indexed": pd.DataFrame({"label": pd.Series(labels, dtype="object"), "number": numbers[:rows]}).set_axis(range(100, 100 + rows)),
    }
    job = job_for(["label", "number"], k, 0.5)
    made = {name: answer(lambda table=table: job.anonymize(table)) for name, table in frames.items()}
    assert len({release is None for release in made.values()}) == 1, made
    # However the labels are stored, the same ones are released.
    seen = {name: sorted(map(str, pa.table(one).column("label").to_pylist())) for name, one in made.items() if one is not None}
    assert len({tuple(one) for one in seen.values()}) <= 1, seen


def test_columns_that_share_a_name() -> None:
    table = pd.DataFrame([[1, 2, 3]] * 4, columns=["a", "b", "a"])
    with pytest.raises((pv.ParaventError, ValueError)) as caught:
        job_for(["a", "b"], 2, 0.0).anonymize(table)
    assert "a" in str(caught.value)


@pytest.mark.parametrize("table", [pd.DataFrame(), pl.DataFrame(), pl.DataFrame({"a": []}), pd.DataFrame({"a": []}), pa.table({"a": pa.array([], pa.int8())})])
def test_tables_without_rows(table: Any) -> None:
    job = job_for(["a"], 2, 0.0)
    for call in (lambda: job.anonymize(table), lambda: job.check(table), lambda: pv.init(table, 2), lambda: pv.risk(table, quasi_identifiers=["a"])):
        with pytest.raises(pv.ParaventError) as caught:
            call()
        assert caught.value.kind != "internal"


@pytest.mark.parametrize("thing", [None, 5, [1, 2], {"a": 1}, object()])
def test_things_that_are_no_table(thing: Any) -> None:
    with pytest.raises(pv.UsageError, match="is no table"):
        pv.init(thing)
