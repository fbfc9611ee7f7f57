"""Pipelines: rows stay with their labels, and scikit-learn finds what it looks for."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

import paravent as pv

TABLE = pl.DataFrame({"age": [20, 30, 40] * 20, "x": [0, 1] * 30})
LABELS = [0, 1] * 30


@pytest.fixture
def own() -> pv.Job:
    """`x` leaves as it is, so that it tells `LABELS` as long as the rows stay where they are."""
    job = pv.Job().promise(pv.k_anonymity(3), suppression_limit=0)
    job["age"].role = "quasi-identifier"
    job["x"] = {"role": "insensitive", "release": "as it is"}
    return job


def encoder() -> OrdinalEncoder:
    return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)


def test_rows_stay_with_their_labels(own: pv.Job) -> None:
    anonymizer = pv.Anonymizer(own)
    assert anonymizer.fit_transform(TABLE)["x"].to_list() == LABELS
    assert anonymizer.transform(TABLE)["x"].to_list() == LABELS
    pipeline = make_pipeline(pv.Anonymizer(own), encoder(), DecisionTreeClassifier()).fit(TABLE, LABELS)
    assert pipeline.score(TABLE, LABELS) == 1.0
    assert "order" not in own.document.get("output", {}), "the job that was given is not changed"


def test_labels_are_refused_where_rows_are_left_out(own: pv.Job) -> None:
    table = pl.concat([TABLE, pl.DataFrame({"age": [99], "x": [0]})])
    own["age"].max_level = 0
    own.promise(suppression_limit=0.5)
    assert len(pv.Anonymizer(own).fit_transform(table)) == 60
    for call in (pv.Anonymizer(own).fit, pv.Anonymizer(own).fit_transform):
        with pytest.raises(pv.UsageError, match="1 of 61 rows"):
            call(table, [*LABELS, 0])


def test_k_is_heard_beside_a_job(own: pv.Job) -> None:
    assert pv.Anonymizer(own, k=7).fit(TABLE).release_.document["privacy"][0]["required"] == {"k": 7}
    assert own.models == [pv.k_anonymity(3)]
    found = GridSearchCV(
        Pipeline([("anon", pv.Anonymizer(own)), ("e", encoder()), ("c", DecisionTreeClassifier())]), {"anon__k": [3, 5]}, cv=2, error_score="raise"
    ).fit(TABLE.to_pandas(), LABELS)
    assert found.best_score_ == 1.0


def test_what_was_fitted_is_kept(own: pv.Job) -> None:
    fitted = pv.Anonymizer(own).fit(TABLE)
    expected = fitted.transform(TABLE)
    own["age"].role = "insensitive"
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), fitted):
        assert again.transform(TABLE).equals(expected)
    assert not hasattr(pickle.loads(pickle.dumps(fitted)), "release_"), "no table is in a pickle"
    assert copy.deepcopy(fitted.release_) is fitted.release_
    with pytest.raises(TypeError, match="save it"):
        pickle.dumps(fitted.release_)


def test_scikit_learn_finds_what_it_looks_for(own: pv.Job) -> None:
    anonymizer = pv.Anonymizer(own, k=3)
    assert repr(anonymizer) == "Anonymizer(job=Job(2 columns, k-anonymity), k=3)" and repr(pv.Anonymizer()) == "Anonymizer()"
    with pytest.raises(NotFittedError):
        check_is_fitted(anonymizer)
    with pytest.raises(NotFittedError):
        anonymizer.transform(TABLE)
    fitted = clone(anonymizer).fit(TABLE)
    check_is_fitted(fitted)
    assert list(fitted.get_feature_names_out()) == ["age", "x"] and fitted.n_features_in_ == 2
    assert isinstance(fitted.set_output(transform="pandas").transform(TABLE), pd.DataFrame)
    assert isinstance(clone(fitted).fit_transform(TABLE), pd.DataFrame), "a clone has the same output"
    pipeline = Pipeline([("anon", clone(anonymizer)), ("e", encoder())]).set_output(transform="polars")
    assert isinstance(pipeline.fit_transform(TABLE.to_pandas()), pl.DataFrame)
    assert "Anonymizer" in repr(pipeline) and pipeline._repr_html_()
    with pytest.raises(pv.UsageError):
        anonymizer.set_output(transform="paper")


def test_scikit_learn_is_not_needed() -> None:
    code = "import sys; sys.modules['sklearn'] = None\nimport paravent as pv\nt = pv.demo(); a = pv.Anonymizer(k=5).fit(t); print(len(a.transform(t)) == len(a.release_))"
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "True\n", ran.stderr


def test_the_kind_of_table_is_kept(own: pv.Job) -> None:
    kinds: list[Any] = [TABLE, TABLE.to_pandas(), TABLE.to_arrow()]
    for table in kinds:
        assert type(pv.Anonymizer(own).fit_transform(table)) is type(table)
