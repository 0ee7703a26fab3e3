# SPDX-License-Identifier: Apache-2.0
"""Measured rows as a table that claims can ask; and the few statistics that claims use."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class MissingRow(LookupError):
    """A claim needs a row that was not measured."""


class Table:
    """Rows by their columns."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)

    def where(self, **columns: Any) -> Table:
        """The rows with these values."""
        return Table([r for r in self.rows if all(r.get(k) == v for k, v in columns.items())])

    def one(self, **columns: Any) -> Row:
        """The only row with these values. Raises `MissingRow` when there is none or more than one."""
        found = self.where(**columns).rows
        if len(found) != 1:
            what = ", ".join(f"{k} {v}" for k, v in columns.items())
            raise MissingRow(f"{len(found)} rows with {what} were measured; the claim needs one")
        return found[0]

    def by_size(self, sizes: Sequence[int], **columns: Any) -> list[Row]:
        """One row for each size. Raises `MissingRow`."""
        return [self.one(size_bytes=size, **columns) for size in sizes]


class Fit(NamedTuple):
    """A straight line by least squares."""

    slope: float
    intercept: float
    r_squared: float

    def at(self, x: float) -> float:
        """The line's value."""
        return self.slope * x + self.intercept


def linear_fit(xs: Sequence[float], ys: Sequence[float]) -> Fit:
    """The line through the points with the least squared error. Raises ValueError below two distinct x."""
    n = len(xs)
    if n != len(ys) or len(set(xs)) < 2:
        raise ValueError("a line needs at least two points with different x")
    mean_x, mean_y = sum(xs) / n, sum(ys) / n
    sxx = sum((x - mean_x) ** 2 for x in xs)
    sxy = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    syy = sum((y - mean_y) ** 2 for y in ys)
    slope = sxy / sxx
    return Fit(slope, mean_y - slope * mean_x, 1.0 if syy == 0 else sxy * sxy / (sxx * syy))


def sign_changes(values: Sequence[float]) -> int:
    """How often consecutive values differ in sign; zeros are passed over."""
    signs = [v > 0 for v in values if v]
    return sum(a != b for a, b in itertools.pairwise(signs))
