"""For pipelines: ``fit`` and ``transform``, by duck typing."""

from __future__ import annotations

import sys
from typing import Any

from ._errors import UsageError
from ._frames import Table, as_kind, dtypes_of, frame, like
from ._job import Job, init
from ._results import Release, Transformation


class Anonymizer:
    """``fit`` searches the best transformation on a table, ``transform`` applies it to others.

    Rows come out in the order of the input, so that they still go with a ``y``; for a table to hand out, use
    :meth:`Job.anonymize`, whose order tells nothing. Rows that break a promise are left out, within the job's limit. Together with
    a ``y`` that is refused, because the others would get wrong labels: set ``suppression_limit=0``.

    ``k`` is what is promised: for the proposed job, or instead of the k of the ``job`` that is given.

    >>> import paravent
    >>> table = paravent.demo()
    >>> anonymizer = paravent.Anonymizer(k=5).fit(table)
    >>> len(anonymizer.transform(table)) == len(anonymizer.release_)
    True
    """

    def __init__(self, job: Job | None = None, k: int | None = None) -> None:
        self.job = job
        self.k = k

    def fit(self, X: Table, y: Any = None) -> Anonymizer:
        """Search. ``release_`` is the release of ``X``, ``transformation_`` what was found, ``job_`` the job that was run."""
        came = frame(X, self.job)
        job = self._job_for(came)
        release = job.anonymize(came)
        if y is not None:
            _aligned(release, came)
        release._dtypes = dtypes_of(X)
        self.job_: Job = job
        self.release_: Release = release
        self.transformation_: Transformation = release.transformation
        self.feature_names_in_ = _array(came.columns)
        self.n_features_in_: int = len(came.columns)
        self._names_out = [one["name"] for one in release.manifest["attributes"]]
        return self

    def _job_for(self, came: Any) -> Job:
        """The job in the order of the input, a copy: what is changed later does not change what was fitted."""
        job = init(came, self.k) if self.job is None else self.job.copy()
        if self.job is not None and self.k is not None:
            others = [model for model in job.models if model.get("model") != "k-anonymity"]
            job.promise({"model": "k-anonymity", "k": self.k}, *others)
        return job.output(order="input")

    def transform(self, X: Table) -> Any:
        """Apply the transformation, in the order of the rows. Rows that break a promise are left out, so there may be fewer."""
        if not hasattr(self, "transformation_"):
            raise _not_fitted()
        return self._shown(X, self.transformation_.apply(X))

    def fit_transform(self, X: Table, y: Any = None) -> Any:
        """Search, and give the release of the same table."""
        return self._shown(X, self.fit(X, y).release_)

    def _shown(self, X: Table, release: Release) -> Any:
        kind = getattr(self, "_sklearn_output_config", {}).get("transform", "default")
        return like(X, release) if kind == "default" else as_kind(kind, release, dtypes_of(X))

    def set_output(self, *, transform: str | None = None) -> Anonymizer:
        """What tables come out as: ``"default"`` (as they came in), ``"pandas"`` or ``"polars"``."""
        if transform is not None:
            if transform not in ("default", "pandas", "polars"):
                raise UsageError('transform takes "default", "pandas" or "polars"')
            # The name by which scikit-learn copies it to clones.
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the released columns."""
        if not hasattr(self, "_names_out"):
            raise _not_fitted()
        return _array(self._names_out)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, as scikit-learn asks for them."""
        return {"job": self.job, "k": self.k}

    def set_params(self, **params: Any) -> Anonymizer:
        """Change parameters."""
        for name, value in params.items():
            if name not in ("job", "k"):
                raise UsageError(f"there is no parameter {name!r}")
            setattr(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        # The release holds the table that it was made from; what was found is enough for `transform`.
        return {name: value for name, value in self.__dict__.items() if name != "release_"}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transformation_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(string=True, categorical=True, allow_nan=True),
        )

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value is not None}
        return f"Anonymizer({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def _aligned(release: Release, came: Any) -> None:
    missing = len(came) - len(release)
    if missing:
        raise UsageError(
            f"{missing} of {len(came)} rows break a promise and are left out, so y would not go with the others: "
            "promise with suppression_limit=0, or anonymize before rows and y are taken apart"
        )


def _not_fitted() -> Exception:
    """scikit-learn's own error where it is at work."""
    if sys.modules.get("sklearn") is not None:
        from sklearn.exceptions import NotFittedError

        class NotFitted(UsageError, NotFittedError):  # type: ignore[misc]
            """Fit first."""

        return NotFitted("fit first")
    return UsageError("fit first")


def _array(names: list[str]) -> Any:
    """As scikit-learn wants names; a list where there is no numpy."""
    try:
        import numpy
    except ImportError:
        return names
    return numpy.asarray(names, dtype=object)
