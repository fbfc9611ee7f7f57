"""Promises and hierarchies, as the job file writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Promise = dict[str, Any]
Hierarchy = dict[str, Any]


def _given(**keys: Any) -> dict[str, Any]:
    return {name: value for name, value in keys.items() if value is not None}


def model(name: str, **keys: Any) -> Promise:
    """Any privacy model by its name in the job file; ``catalogue()["models"]`` lists them with their keys.

    >>> model("k-anonymity", k=5)
    {'model': 'k-anonymity', 'k': 5}
    """
    return {"model": name, **_given(**keys)}


def k_anonymity(k: int) -> Promise:
    """Every class has at least ``k`` rows (people, where the job names the person).

    >>> k_anonymity(5)
    {'model': 'k-anonymity', 'k': 5}
    """
    return model("k-anonymity", k=k)


def distinct_l_diversity(attribute: str, l: int) -> Promise:  # noqa: E741
    """Every class shows at least ``l`` different values.

    >>> distinct_l_diversity("illness", 3)["l"]
    3
    """
    return model("distinct-l-diversity", attribute=attribute, l=l)


def entropy_l_diversity(attribute: str, l: float) -> Promise:  # noqa: E741
    """The entropy of the values of every class is at least that of ``l`` equally frequent ones.

    >>> entropy_l_diversity("illness", 2.5)["l"]
    2.5
    """
    return model("entropy-l-diversity", attribute=attribute, l=l)


def recursive_l_diversity(attribute: str, c: float, l: int) -> Promise:  # noqa: E741
    """In every class the most frequent value is rarer than ``c`` times the ``l``-th and all rarer ones together.

    >>> recursive_l_diversity("illness", c=3, l=2)["c"]
    3
    """
    return model("recursive-l-diversity", attribute=attribute, c=c, l=l)


def pd_recursive_l_diversity(attribute: str, c: float, l: int, allowed: Sequence[str]) -> Promise:  # noqa: E741
    """Recursive ℓ-diversity where some values may be told.

    >>> pd_recursive_l_diversity("illness", 3, 2, ["flu"])["allowed"]
    ['flu']
    """
    return model("pd-recursive-l-diversity", attribute=attribute, c=c, l=l, allowed=list(allowed))


def npd_recursive_l_diversity(
    attribute: str, c: float, c2: float, l: int, allowed: Sequence[str], protected: Sequence[str]  # noqa: E741
) -> Promise:
    """The same, and some values must not be ruled out.

    >>> npd_recursive_l_diversity("illness", 3, 2, 2, ["flu"], ["gout"])["protected"]
    ['gout']
    """
    return model(
        "npd-recursive-l-diversity", attribute=attribute, c=c, c2=c2, l=l, allowed=list(allowed), protected=list(protected)
    )


def multi_attribute_l_diversity(attributes: Sequence[str], base: str, **keys: Any) -> Promise:
    """ℓ-diversity of several columns at once.

    >>> multi_attribute_l_diversity(["illness", "income"], "distinct", l=2)["base"]
    'distinct'
    """
    return model("multi-attribute-l-diversity", attributes=list(attributes), base=base, **keys)


def t_closeness(attribute: str, t: float, distance: str = "equal") -> Promise:
    """The values of every class are distributed like those of the table, up to ``t``.

    >>> t_closeness("illness", 0.2)["distance"]
    'equal'
    """
    return model("t-closeness", attribute=attribute, t=t, distance=distance)


def beta_likeness(attribute: str, beta: float, form: str = "basic") -> Promise:
    """No value is much more frequent in a class than in the table.

    >>> beta_likeness("illness", 1)["form"]
    'basic'
    """
    return model("beta-likeness", attribute=attribute, beta=beta, form=form)


def delta_presence(min: float, max: float, population: str | None = None, subset: str | None = None) -> Promise:
    """Nobody can tell who of a population is in the table, beyond these probabilities.

    >>> delta_presence(0, 0.5, subset="study")["max"]
    0.5
    """
    return model("delta-presence", min=min, max=max, population=population, subset=subset)


def k_map(k: int, population: str | None = None, subset: str | None = None) -> Promise:
    """Every class fits at least ``k`` people of the population.

    >>> k_map(5, population="register.csv")["population"]
    'register.csv'
    """
    return model("k-map", k=k, population=population, subset=subset)


def intervals(widths: Sequence[float], min: float, max: float, **keys: Any) -> Hierarchy:
    """Nested intervals, each width dividing the next.

    >>> intervals([5, 10, 20], 0, 100)
    {'intervals': {'widths': [5, 10, 20], 'min': 0, 'max': 100}}
    """
    return {"intervals": {"widths": list(widths), "min": min, "max": max, **keys}}


def redact(from_: str = "right", **keys: Any) -> Hierarchy:
    """One more character masked per level, from the ``right`` or the ``left``.

    >>> redact("right", char="*")
    {'redact': {'from': 'right', 'char': '*'}}
    """
    return {"redact": {"from": from_, **keys}}


def breaks(*levels: Any) -> Hierarchy:
    """Intervals between free points, open at both ends; a list of points per level, each with some of the points of the level below.

    ``{"at": [18, 65], "labels": ["minor", "adult", "senior"]}`` names the intervals of a level.

    >>> breaks([18, 30, 65], [18])
    {'breaks': [[18, 30, 65], [18]]}
    """
    return {"breaks": [dict(level) if isinstance(level, dict) else list(level) for level in levels]}


def codes(scheme: str | None = None, **keys: Any) -> Hierarchy:
    """Beginnings and ranges of codes: ``codes("icd-10")``, ``"atc"``, ``"nuts"``, ``"plz"``, ``"zip"``, or ``keep``, ``ranges``, ``length``, ``align``.

    >>> codes(keep=[5, 3])
    {'codes': {'keep': [5, 3]}}
    """
    return {"codes": keys if scheme is None else scheme}


def age(on: str) -> Hierarchy:
    """Completed years on a day, from dates of birth; ``chain(age("2024-12-31"), breaks([18, 65]))`` goes on from there.

    >>> age("2024-12-31")
    {'age': {'on': '2024-12-31'}}
    """
    return {"age": {"on": on}}


def lump(least: Sequence[int], label: str | None = None) -> Hierarchy:
    """Values of fewer than so many rows become one, level by level.

    >>> lump([20, 100])
    {'lump': {'least': [20, 100]}}
    """
    return {"lump": _given(least=list(least), label=label)}


def cluster(sizes: Sequence[int]) -> Hierarchy:
    """The nearest values become one until so many groups are left, level by level.

    >>> cluster([8, 3])
    {'cluster': {'sizes': [8, 3]}}
    """
    return {"cluster": {"sizes": list(sizes)}}


def parts(separator: str | None = None) -> Hierarchy:
    """The last part of a path goes on each level, as of Europe/Italy/Rome or 10.0.3.7.

    >>> parts(".")
    {'parts': {'separator': '.'}}
    """
    return {"parts": _given(separator=separator)}


def dates(*units: str) -> Hierarchy:
    """Calendar parts: ``dates("month", "quarter", "year")``.

    >>> dates("month", "year")
    {'dates': ['month', 'year']}
    """
    return {"dates": list(units)}


def order(*groups: Any) -> Hierarchy:
    """Groups by hand, nested for more levels; ``{"label": "alone", "of": ["single", "divorced"]}`` names one.

    >>> order(["single", "divorced"], ["married"])
    {'order': [['single', 'divorced'], ['married']]}
    """
    return {"order": list(groups)}


def ordering(sizes: Sequence[int], order: Sequence[str] | None = None) -> Hierarchy:
    """Neighbours in the order of the values, so many at a time.

    >>> ordering([3, 2])
    {'ordering': {'sizes': [3, 2]}}
    """
    return {"ordering": _given(sizes=list(sizes), order=None if order is None else list(order))}


def chain(*parts: Hierarchy) -> Hierarchy:
    """The labels of one are the values of the next.

    >>> chain(dates("year"), redact())
    {'chain': [{'dates': ['year']}, {'redact': {'from': 'right'}}]}
    """
    return {"chain": list(parts)}


def file(path: str, **keys: Any) -> Hierarchy:
    """A hierarchy file: ``value;level 1;…;*`` per line, as ARX writes them.

    >>> file("age.csv")
    {'file': 'age.csv'}
    """
    return {"file": path, **keys}
