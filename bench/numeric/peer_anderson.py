"""The statistics behind the weak label by scipy's anderson_ksamp and by scvet, same (row, gene) pairs, one core each.

    bench/numeric/peer_anderson.sh [--rows 20] [--genes 400] [--pool 75328] [--peer-pairs 300]

Simulated UMI counts: negative binomial, gene means log-normal so that a cell has about a fifth of the genes, rows of
100-190 cells that differ from the pool in a tenth of the genes. scipy works on --peer-pairs of the pairs, drawn evenly.
scvet's time is that of the label's own code: the row's histograms and every statistic, the pool ready; what making the
pool ready takes is printed beside it, and what it adds to a pair where 10,439 rows share the pool, as in a genome-wide
screen. The statistics of the shared pairs are compared.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import anderson_ksamp

PROGRAM = "build/release/bench/read_anderson_pairs"
SCREEN_ROWS = 10439


def simulate(rows: int, genes: int, pool: int) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(1)
    means = np.exp(rng.normal(-2.2, 1.6, genes))

    def draw(cells: int, mu: np.ndarray) -> np.ndarray:
        depth = np.exp(rng.normal(0, 0.35, (cells, 1)))
        return rng.poisson(rng.gamma(4.0, mu * depth / 4.0)).astype("<u2")

    groups = []
    for _ in range(rows):
        shift = np.where(rng.random(genes) < 0.1, np.exp(rng.normal(0, 0.7, genes)), 1.0)
        groups.append(draw(int(rng.integers(100, 191)), means * shift))
    return groups, draw(pool, means)


def run_scvet(groups: list[np.ndarray], pool: np.ndarray) -> tuple[np.ndarray, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        samples, statistics = Path(folder, "samples"), Path(folder, "statistics")
        with samples.open("wb") as file:
            np.array([pool.shape[1], len(groups), len(pool)], "<i8").tofile(file)
            np.array([len(group) for group in groups], "<i8").tofile(file)
            for group in (*groups, pool):
                group.tofile(file)
        done = subprocess.run([PROGRAM, samples, statistics, "50"], check=True, capture_output=True, text=True)
        ready, seconds = (float(number) for number in done.stdout.split())
        return np.fromfile(statistics, "<f8").reshape(len(groups), -1), ready, seconds


def run_scipy(groups: list[np.ndarray], pool: np.ndarray, pairs: list[tuple[int, int]]) -> tuple[np.ndarray, float]:
    samples = [(groups[row][:, gene].copy(), pool[:, gene].copy()) for row, gene in pairs]
    found = np.full(len(pairs), np.nan)
    start = time.process_time()
    for at, both in enumerate(samples):
        try:
            found[at] = anderson_ksamp(both).statistic
        except ValueError:  # one distinct value
            continue
    return found, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--genes", type=int, default=400)
    parser.add_argument("--pool", type=int, default=75328)
    parser.add_argument("--peer-pairs", type=int, default=300)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # scipy warns where it clips a p-value

    groups, pool = simulate(options.rows, options.genes, options.pool)
    ours, ready, seconds = run_scvet(groups, pool)
    n_pairs = ours.size
    chosen = np.linspace(0, n_pairs - 1, min(options.peer_pairs, n_pairs)).astype(int)
    pairs = [(int(at) // options.genes, int(at) % options.genes) for at in chosen]
    theirs, peer_seconds = run_scipy(groups, pool, pairs)
    same = np.array([ours[pair] for pair in pairs])
    if not np.array_equal(np.isnan(theirs), np.isnan(same)):
        raise SystemExit("scipy and scvet disagree about which pairs have a statistic")
    with np.errstate(invalid="ignore"):
        apart = np.nanmax(np.abs(theirs - same) / np.maximum(1, np.abs(theirs)))
    if apart > 1e-12:
        raise SystemExit(f"statistics differ by up to {apart:.2g}")

    peer, own, share = peer_seconds / len(pairs), seconds / n_pairs, ready / options.genes / SCREEN_ROWS
    print(
        f"{len(groups)} rows of {min(map(len, groups))}-{max(map(len, groups))} cells, {options.genes} genes, ", end=""
    )
    print(f"{len(pool)} cells in the pool; {np.mean(pool > 0):.0%} of the counts are not zero")
    print(f"scipy anderson_ksamp  {peer * 1e3:9.3f} ms a pair  ({len(pairs)} pairs)")
    print(f"scvet                 {own * 1e6:9.3f} us a pair  ({n_pairs} pairs), pool ready in {ready:.2f} s")
    print(f"largest relative difference of {np.isfinite(theirs).sum()} statistics: {apart:.1e}")
    print(f"ratio per core: {peer / own:.0f}; with the pool's share in a screen of {SCREEN_ROWS} rows: ", end="")
    print(f"{peer / (own + share):.0f}")


if __name__ == "__main__":
    main()
