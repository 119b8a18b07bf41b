# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks side by side as one moving picture (GIF), for pages that run no program."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.reports.figures import SLIP
from biped_slip.reports.floor import floor_colour
from biped_slip.view.colours import FEET_COLOURS, KNOWN_COLOURS, KNOWN_WORDS, rgb
from biped_slip.view.scene import Scene, Source
from biped_slip.view.still import BACKGROUND, INK, StillPainter, font

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

LARGEST = 1_000_000  # [bytes]: what pages may load at once
PANEL = (380, 285)  # [pixels] of a walk
HEAD, FOOT, LETTERS = 22, 20, 13.0  # [pixels]
RATE, THINNEST = 10.0, 4  # [1/s] pictures; every second one to every fourth where all would be too large a file
COLOURS = 48
MEANING = (*KNOWN_COLOURS, *FEET_COLOURS, rgb(SLIP), INK, BACKGROUND)
HOLD = 1.5  # [s] that the last picture stays
REMEMBERED = 0.05  # [s] between instants that are looked at for footprints


class Span(NamedTuple):
    """What is shown of walks, and how fast."""

    begin: float = 0.0  # [s]
    end: float = float("inf")  # [s]
    speed: float = 1.0  # seconds of the walk in one second


WHOLE = Span()


def moving_picture(sources: Sequence[Source], span: Span = WHOLE, notes: Sequence[str] = (),
                   largest: int = LARGEST) -> bytes:  # fmt: skip
    """A GIF that repeats; a walk that is over keeps its last instant.

    Args:
        sources: of walks that have ended, beside each other.
        span: what is shown.
        notes: what happened in the end, one a walk, written where a walk ends before the others.
        largest: bytes.

    Raises:
        BipedSlipError: it can't be made so small, or nothing happens in that span.
    """
    end = min(span.end, max(float(source.times[-1]) for source in sources))
    if not span.begin < end:
        raise BipedSlipError(f"the picture would begin at {span.begin:g} s, but the walks end at {end:g} s")
    moments = np.arange(span.begin, end, span.speed / RATE).tolist()
    pictures, data = _pictures(sources, moments, [*notes, *[""] * len(sources)]), b""
    for every in range(1, THINNEST + 1):
        data = _gif(pictures[::every], RATE / every)
        if len(data) <= largest:
            return data
    raise BipedSlipError(f"the picture takes {len(data)} bytes at {RATE / THINNEST:g} a second, but may have {largest}")


def _pictures(sources: Sequence[Source], moments: Sequence[float], notes: Sequence[str]) -> list[Image]:
    from PIL import Image, ImageDraw

    size = (PANEL[0] * len(sources), HEAD + PANEL[1] + FOOT)
    painters = [StillPainter(source.scene, PANEL) for source in sources]
    show = [_shower(source, painter) for source, painter in zip(sources, painters, strict=True)]
    pictures = []
    for moment in moments:
        picture = Image.new("RGB", size, BACKGROUND)
        draw = ImageDraw.Draw(picture)
        for k, source in enumerate(sources):
            picture.paste(show[k](float(moment)), (k * PANEL[0], HEAD))
            over = notes[k] if moment > source.times[-1] else ""
            draw.text((k * PANEL[0] + 8, 4), source.scene.name, INK, font(LETTERS))
            draw.text(((k + 1) * PANEL[0] - 8, 4), over or f"{moment:.1f} s", rgb(SLIP) if over else INK,
                      font(LETTERS), "ra")  # fmt: skip
        _legend(draw, [source.scene for source in sources], size[1] - FOOT + 3)
        pictures.append(picture)
    return pictures


def _shower(source: Source, painter: StillPainter) -> Callable[[float], Image]:
    """What paints a source at a moment; moments in order."""
    times, reached = source.times, float(source.times[0])
    last: tuple[int, Image] | None = None

    def index(moment: float) -> int:
        return min(int(np.searchsorted(times, moment)), len(times) - 1)

    def show(moment: float) -> Image:
        nonlocal reached, last
        for before in np.arange(reached + REMEMBERED, min(moment, float(times[-1])), REMEMBERED):
            painter.remember(source.instant(index(float(before))))
            reached = float(before)
        now = index(moment)
        if last is None or last[0] != now:
            last = now, painter.paint(source.instant(now))
        return last[1]

    return show


def _legend(draw: ImageDraw, scenes: Sequence[Scene], y: float) -> None:
    """Colours of what is certified, and of the floors."""
    floors = sorted({piece.mu for scene in scenes for piece in scene.floor if math.isfinite(piece.mu)}, reverse=True)
    known = [("certified under the sole:", None), *zip(KNOWN_WORDS, KNOWN_COLOURS, strict=True)]
    x, letters = 8.0, font(LETTERS - 2.0)
    for words, colour in (*known, *((f"mu {mu:g}", rgb(floor_colour(mu))) for mu in floors)):
        if colour is not None:
            draw.rectangle((x, y + 2, x + 9, y + 11), fill=colour)
            x += 13.0
        draw.text((x, y), words, INK, letters)
        x += draw.textlength(words, letters) + 12.0


def _gif(pictures: Sequence[Image], rate: float) -> bytes:
    """Frames in one palette: the colours that mean something, and the most of some pictures."""
    from PIL import Image

    wide, high = pictures[0].size
    some = Image.new("RGB", (wide, 3 * high))
    for k, picture in enumerate((pictures[0], pictures[len(pictures) // 2], pictures[-1])):
        some.paste(picture, (0, k * high))
    found = some.quantize(COLOURS - len(MEANING)).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(part for colour in MEANING for part in colour), *found[: 3 * (COLOURS - len(MEANING))]])
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    lengths = [round(1000.0 / rate)] * (len(frames) - 1) + [round(1000.0 * HOLD)]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=lengths, loop=0, optimize=True)
    return buffer.getvalue()
