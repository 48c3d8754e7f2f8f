#!/usr/bin/env python3
"""Draws docs/images/demo.svg from a run of './dev demo': J* of the benchmark's cells, one row of bars a planted kind.

Reads results/demo/audit/cells.csv (what the audit found) and results/demo/benchmark.h5ad (what was planted).
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from html import escape
from pathlib import Path

import h5py

ROOT = Path(__file__).resolve().parent.parent
KINDS = {
    "exact": "copies of corpus cells",
    "thinned": "copies with 60 % of their molecules",
    "stranger": "other cells, same types and donors",
    "rare": "other cells of a rare type",
    "unrelated": "cells of types the corpus lacks",
}
FLAGGED, CLEAR, INK, FAINT = "#c4500a", "#2f6f9f", "#222222", "#888888"
LEFT, WIDTH, ROW, BAR_ROOM, TOP, BINS = 270, 560, 56, 40, 46, 70


@dataclass
class Cell:
    planted: str
    jstar: float
    flagged: bool


def read_planted(path: Path) -> list[str]:
    with h5py.File(path) as file:
        column = file["obs/planted"]
        if isinstance(column, h5py.Group):
            names = column["categories"].asstr()[:]
            return [str(names[code]) for code in column["codes"][:]]
        return [str(text) for text in column.asstr()[:]]


def read_cells(folder: Path) -> list[Cell]:
    planted = read_planted(folder / "benchmark.h5ad")
    with (folder / "audit" / "cells.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    if len(rows) != len(planted):
        raise SystemExit(f"{folder}: {len(rows)} audited cells, {len(planted)} planted ones")
    return [
        Cell(kind, float(row["jstar"]), bool({"exact", "same_cell"} & set(row["flags"].replace(";", " ").split())))
        for kind, row in zip(planted, rows, strict=True)
    ]


def bars(cells: list[Cell], base: float) -> list[str]:
    """Histogram of J* from 0 to 1; the flagged part of each bar stands below, in the warm colour."""
    counts = [[0, 0] for _ in range(BINS)]
    for cell in cells:
        counts[min(int(cell.jstar * BINS), BINS - 1)][0 if cell.flagged else 1] += 1
    tallest = max(sum(pair) for pair in counts) or 1
    step, drawn = WIDTH / BINS, []
    for number, pair in enumerate(counts):
        bottom = base
        for count, colour in zip(pair, (FLAGGED, CLEAR), strict=True):
            height = count / tallest * BAR_ROOM
            if count:
                box = f'x="{LEFT + number * step:.1f}" y="{bottom - height:.1f}"'
                drawn.append(f'<rect {box} width="{step - 1:.1f}" height="{height:.1f}" fill="{colour}"/>')
            bottom -= height
    return drawn


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 13, colour: str = INK) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"'
    return f"<text {place}>{escape(words)}</text>"


def draw(cells: list[Cell]) -> str:
    kinds = [kind for kind in KINDS if any(cell.planted == kind for cell in cells)]
    bottom = TOP + ROW * len(kinds)
    width, height = LEFT + WIDTH + 90, bottom + 46
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" role="img">',
        "<title>Similarity of each benchmark cell to its nearest corpus cell, by what was planted</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        text(LEFT, 22, "flagged as the same cell", colour=FLAGGED),
        text(LEFT + 190, 22, "not flagged", colour=CLEAR),
        text(width - 12, 22, "flagged", anchor="end", size=12, colour=FAINT),
    ]
    for number, kind in enumerate(kinds):
        chosen = [cell for cell in cells if cell.planted == kind]
        base = TOP + ROW * (number + 1) - 8
        parts.append(text(LEFT - 12, base - 6, KINDS[kind], anchor="end"))
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{base}" y2="{base}" stroke="{FAINT}"/>')
        parts += bars(chosen, base)
        found = f"{sum(cell.flagged for cell in chosen)} of {len(chosen)}"
        parts.append(text(width - 12, base - 6, found, anchor="end"))
    for tick in range(0, 11, 2):
        parts.append(text(LEFT + tick / 10 * WIDTH, bottom + 10, f"{tick / 10:g}", anchor="middle", size=12))
    label = "J*: Jaccard similarity to the nearest of all corpus cells"
    parts.append(text(LEFT + WIDTH / 2, bottom + 32, label, anchor="middle"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, default=ROOT / "results" / "demo")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images" / "demo.svg")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(draw(read_cells(arguments.run)))


if __name__ == "__main__":
    main()
