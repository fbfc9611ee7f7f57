"""For pipelines: ``fit`` and ``transform``, by duck typing."""

from __future__ import annotations

from typing import Any

from ._errors import UsageError
from ._frames import Table, like
from ._job import Job, init
from ._results import Release, Transformation


class Anonymizer:
    """``fit`` searches the best transformation on a table, ``transform`` applies it to others.

    >>> import paravent
    >>> table = paravent.demo()
    >>> anonymizer = paravent.Anonymizer(k=5).fit(table)
    >>> len(anonymizer.transform(table)) == len(anonymizer.release_)
    True
    """

    def __init__(self, job: Job | None = None, k: int = 5) -> None:
        self.job = job
        self.k = k

    def fit(self, X: Table, y: Any = None) -> Anonymizer:
        """Search. ``release_`` is the release of ``X``, ``transformation_`` what was found, ``job_`` the job that was run."""
        self.job_: Job = init(X, self.k) if self.job is None else self.job
        self.release_: Release = self.job_.anonymize(X)
        self.transformation_: Transformation = self.release_.transformation
        return self

    def transform(self, X: Table) -> Any:
        """Apply the transformation. Rows that break a promise are left out, so there may be fewer."""
        if not hasattr(self, "transformation_"):
            raise UsageError("fit first")
        return like(X, self.transformation_.apply(X))

    def fit_transform(self, X: Table, y: Any = None) -> Any:
        """Search, and give the release of the same table."""
        return like(X, self.fit(X, y).release_)

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
