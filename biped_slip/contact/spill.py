# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""A spill: a rectangle of the floor that has another friction from some time on.

A floor is data of a plant, and a spill makes another floor of it between two control
periods; steps of the plant take the floor that there is::

    mu(x, y) --spill at t--> mu'(x, y),    mu' = mu_s inside the rectangle, else mu

Later spills cover earlier ones and all that lay there. On a grid a cell counts by its
centre, as for a patch that was there from the start: both are the same floor to the
last bit. What is spilled comes between a standing foot and its floor, so that the
friction of a contact point on it begins anew, without load.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter

if TYPE_CHECKING:
    from biped_slip.contact.ground import Ground, Terrain

LARGEST_MU = 5.0  # as of any floor
MOST_CELLS = 10_000_000  # of a grid that grows under a spill beyond it (choice)
# of a sagittal floor: a contact looks through them in each step of the plant (choice)
MOST_PIECES = 1000


class Spill(NamedTuple):
    """Rectangle of a floor, and the friction that it gets."""

    x_from: float  # [m]
    x_to: float  # [m]
    y_from: float  # [m]
    y_to: float  # [m]
    mu: float

    @property
    def numbers(self) -> list[float]:
        """Return it as a configuration and a parameter have it, see ``spill_of``."""
        if math.isinf(self.y_from) and math.isinf(self.y_to):
            return [self.x_from, self.x_to, self.mu]
        return list(self)

    def __str__(self) -> str:
        """Describe it in a few words."""
        across = ""
        if len(self.numbers) > 3:
            across = f" and y {self.y_from:.2f} to {self.y_to:.2f} m"
        return f"mu {self.mu:g} on x {self.x_from:.2f} to {self.x_to:.2f} m{across}"


class TimedSpill(NamedTuple):
    """Spill that comes at a time."""

    stamp_ns: int  # since the start [ns]
    spill: Spill


def spill_of(numbers: Sequence[float], name: str = "spill") -> Spill:
    """Make a spill of x from, x to, (y from, y to,) mu.

    Without y it goes across the whole floor.

    Args:
        numbers: 3 or 5, in [m] but the last.
        name: of the value in a refusal.

    Raises:
        InvalidParameter: other numbers.
    """
    accepted = "[x from, x to, mu] or [x from, x to, y from, y to, mu], from < to [m]"
    if len(numbers) not in (3, 5) or any(math.isnan(number) for number in numbers):
        raise InvalidParameter(name, tuple(numbers), accepted)
    x_from, x_to, *across, mu = (float(number) for number in numbers)
    y_from, y_to = across or (-math.inf, math.inf)
    if not (math.isfinite(x_from) and math.isfinite(x_to)):
        raise InvalidParameter(name, tuple(numbers), "finite along x [m]")
    if not (x_from < x_to and y_from < y_to):
        raise InvalidParameter(name, tuple(numbers), accepted)
    if not 0.0 <= mu <= LARGEST_MU:
        raise InvalidParameter(
            name,
            tuple(numbers),
            f"a friction coefficient from 0 to {LARGEST_MU:g} as the last number",
        )
    return Spill(x_from=x_from, x_to=x_to, y_from=y_from, y_to=y_to, mu=mu)


def timed_spills(rows: Sequence[Sequence[float]], name: str) -> list[TimedSpill]:
    """List spills of a configuration, each [time s, then as ``spill_of``], by time.

    Raises:
        InvalidParameter: a row is no such spill, or comes before the start.
    """
    found = []
    for row in rows:
        if len(row) not in (4, 6) or not 0.0 <= row[0] < math.inf:
            raise InvalidParameter(
                name,
                tuple(row),
                "[time >= 0 s, x from, x to, (y from, y to,) mu]",
            )
        found.append(TimedSpill(round(1e9 * row[0]), spill_of(row[1:], name)))
    return sorted(found, key=lambda timed: timed.stamp_ns)


def check_sagittal(spill: Spill, name: str = "spill") -> None:
    """Refuse a spill that ends along y in a world that has no y.

    Raises:
        InvalidParameter: it does.
    """
    if math.isfinite(spill.y_from) or math.isfinite(spill.y_to):
        raise InvalidParameter(name, tuple(spill), "[x from, x to, mu] in a plane")


def covers(spill: Spill, x: Any, y: Any) -> Any:
    """Return whether places (x, y) [m] are on a spill, numbers or arrays."""
    along = (x >= spill.x_from) & (x <= spill.x_to)
    return along & (y >= spill.y_from) & (y <= spill.y_to)


def spilled_ground(ground: Ground, spill: Spill) -> Ground:
    """Return the floor of a sagittal world after a spill, which covers all of y.

    Neighbours of one friction are one piece: who spills at every step of a long way
    makes no longer list.

    Raises:
        InvalidParameter: it would have more than ``MOST_PIECES``.
    """
    starts = np.concatenate(([-np.inf], ground.edges))
    ends = np.concatenate((ground.edges, [np.inf]))
    before = starts < spill.x_from
    behind = ends > spill.x_to
    edges = np.concatenate(
        (
            starts[before][1:],
            [spill.x_from, spill.x_to],
            ends[behind][:-1],
        )
    )
    mu = np.concatenate((ground.mu[before], [spill.mu], ground.mu[behind]))
    apart = mu[1:] != mu[:-1]
    if np.count_nonzero(apart) >= MOST_PIECES:
        raise InvalidParameter(
            "spill",
            tuple(spill),
            f"on a floor of at most {MOST_PIECES} pieces of different friction",
            "cover some of them by one long spill",
        )
    return ground._replace(edges=edges[apart], mu=mu[np.append(True, apart)])


def spilled_terrain(terrain: Terrain, spill: Spill) -> Terrain:
    """Return a height field after a spill; it grows where the spill is beyond its rim.

    Heights stay, and go on beyond the old rim as its border cells do.

    Raises:
        InvalidParameter: it would grow beyond ``MOST_CELLS``.
    """
    grown = _grown(terrain, spill)
    rows, columns = grown.mu.shape
    cell = 1.0 / grown.per_cell
    x = grown.origin_x + (np.arange(rows) + 0.5) * cell
    y = grown.origin_y + (np.arange(columns) + 0.5) * cell
    mu = grown.mu.copy()
    mu[_between(x, spill.x_from, spill.x_to), _between(y, spill.y_from, spill.y_to)] = (
        spill.mu
    )
    return grown._replace(mu=mu)


def _between(places: NDArray[np.floating[Any]], first: float, last: float) -> slice:
    """Return which of rising places (n,) lie between two, these included."""
    start = np.searchsorted(places, first, "left")
    return slice(start, np.searchsorted(places, last, "right"))


def _grown(terrain: Terrain, spill: Spill) -> Terrain:
    """Grow a grid so that a spill covers no border cell, which goes on for ever."""
    rows, columns = terrain.mu.shape
    below, above = _missing(
        terrain.origin_x, rows, terrain.per_cell, (spill.x_from, spill.x_to)
    )
    right, left = _missing(
        terrain.origin_y, columns, terrain.per_cell, (spill.y_from, spill.y_to)
    )
    cells = (rows + below + above) * (columns + right + left)
    if cells > MOST_CELLS:
        raise InvalidParameter(
            "spill",
            tuple(spill),
            f"near the floor's grid: it would have {cells:.2g} cells, at most "
            f"{MOST_CELLS:.2g}",
            "spill nearer, or take a larger terrain.cell",
        )
    if not (below or above or right or left):
        return terrain
    heights = _continued(terrain.heights, below, above)
    heights = _continued(heights.T, right, left).T
    mu = np.pad(terrain.mu, ((below, above), (right, left)), mode="edge")
    return terrain._replace(
        origin_x=terrain.origin_x - below / terrain.per_cell,
        origin_y=terrain.origin_y - right / terrain.per_cell,
        heights=np.ascontiguousarray(heights),
        mu=mu,
    )


def _missing(
    origin: float, cells: int, per_cell: float, ends: tuple[float, float]
) -> tuple[int, int]:
    """Count cells that a grid lacks before and after two ends, with one beside each.

    An infinite end needs none.
    """
    first, last = ((end - origin) * per_cell for end in ends)
    before = 1 - math.floor(first) if math.isfinite(first) else 0
    after = math.ceil(last) + 1 - cells if math.isfinite(last) else 0
    return max(before, 0), max(after, 0)


def _continued(heights: Array, before: int, after: int) -> Array:
    """Go on with heights (n, m) along their first axis as the border cells do."""
    first = heights[0] - np.arange(before, 0, -1)[:, None] * (heights[1] - heights[0])
    last = heights[-1] + np.arange(1, after + 1)[:, None] * (heights[-1] - heights[-2])
    return np.concatenate((first, heights, last))
