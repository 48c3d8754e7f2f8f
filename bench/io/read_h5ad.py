"""Time of reading h5ad files: scvet's stream of cells against anndata.read_h5ad, on the same files, warm cache.

    bench/io/read_h5ad.sh [--cells 100000] [--variants gzip,lzf,...] [--folder build/bench]

Files are made once and kept in the folder. Prints a table: wall and CPU seconds, peak memory, ratio of the wall times.
Both sides must give the same number of stored values and the same sum. Needs anndata (the project's venv has it).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

N_GENES = 20_000
# How X is stored, and the share of the cells that the variant has.
VARIANTS = {
    "gzip": ({"compression": "gzip", "compression_opts": 4}, 1.0),
    "gzip_small_chunks": ({"compression": "gzip", "compression_opts": 4, "chunks": (1000,)}, 0.2),
    "gzip_shuffle": ({"compression": "gzip", "compression_opts": 4, "shuffle": True}, 0.2),
    "lzf": ({"compression": "lzf"}, 0.2),
    "none": ({}, 0.2),
    "dense_gzip": ({"compression": "gzip", "compression_opts": 4}, 0.02),
}


def make_counts(n_cells: int, seed: int = 1):
    """Counts of about 1,500 genes a cell: detection frequencies skewed over genes, depth over cells."""
    import numpy as np
    import scipy.sparse

    random = np.random.default_rng(seed)
    frequency = np.minimum(np.exp(random.normal(-4, 2, N_GENES)), 0.98)
    frequency *= 1500 / frequency.sum()
    blocks = []
    for first in range(0, n_cells, 1000):
        size = min(1000, n_cells - first)
        depth = np.exp(random.normal(0, 0.4, size)).astype("float32")
        drawn = random.random((size, N_GENES), dtype="float32") < depth[:, None] * frequency.astype("float32")[None, :]
        pointers = np.concatenate([[0], np.cumsum(drawn.sum(axis=1))])
        genes = np.nonzero(drawn)[1].astype("int32")
        values = random.geometric(0.6, genes.size).astype("float32")
        blocks.append(scipy.sparse.csr_matrix((values, genes, pointers), shape=drawn.shape))
    return scipy.sparse.vstack(blocks, format="csr")


def make_file(path: Path, name: str, n_cells: int) -> None:
    import anndata
    import h5py

    storage, _ = VARIANTS[name]
    counts = make_counts(n_cells)
    if name.startswith("dense"):
        counts = counts[:, :4000].toarray()
    data = anndata.AnnData(counts)
    whole = {key: value for key, value in storage.items() if key.startswith("compression")}
    part = path.with_suffix(".part")
    data.write_h5ad(part, **whole)
    if storage.keys() - whole.keys():
        with h5py.File(part, "r+") as file:
            for array in ("data", "indices"):
                values = file["X"][array][:]
                del file["X"][array]
                file["X"].create_dataset(array, data=values, **storage)
    part.rename(path)


def peak_mb() -> float:
    """Of this process alone: what getrusage gives includes the memory of the process that started it."""
    status = Path("/proc/self/status").read_text()
    return float(status.split("VmHWM:")[1].split()[0]) / 1024


def time_anndata(path: str) -> dict:
    import anndata
    import numpy as np

    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    matrix = anndata.read_h5ad(path).X
    values = matrix.data if hasattr(matrix, "indptr") else matrix
    total = float(np.sum(values, dtype="float64"))
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": wall,
        "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_mb": peak_mb(),
        "stored": int(np.count_nonzero(values)),
        "sum": total,
    }


def best_of(command: list[str], runs: int) -> dict:
    results = []
    for _ in range(runs):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        results.append(json.loads(done.stdout))
    return min(results, key=lambda result: result["seconds"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    parser.add_argument("--program", default="build/release/bench/read_cells")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--anndata", help="internal: time anndata on this file")
    options = parser.parse_args()
    if options.anndata:
        print(json.dumps(time_anndata(options.anndata)))
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    print(f"{'file':20} {'reader':8} {'wall s':>8} {'CPU s':>8} {'peak MB':>8}  anndata / scvet")
    for name in options.variants.split(","):
        n_cells = int(options.cells * VARIANTS[name][1])
        path = options.folder / f"cells_{name}_{n_cells}.h5ad"
        if not path.exists():
            make_file(path, name, n_cells)
        path.read_bytes()  # into the page cache, for both
        theirs = best_of([sys.executable, __file__, "--anndata", str(path)], options.runs)
        ours = best_of([options.program, str(path)], options.runs)
        if (ours["stored"], ours["sum"]) != (theirs["stored"], theirs["sum"]):
            raise SystemExit(f"{path}: the two readers differ: {ours} and {theirs}")
        ratio = theirs["seconds"] / ours["seconds"]
        for reader, result in (("anndata", theirs), ("scvet", ours)):
            times = f"{result['seconds']:8.2f} {result['cpu']:8.2f} {result['peak_mb']:8.0f}"
            print(f"{name:20} {reader:8} {times}  {f'{ratio:.1f}' if reader == 'scvet' else ''}", flush=True)
        rows.append({"file": path.name, "anndata": theirs, "scvet": ours, "ratio": ratio})
    (options.folder / "read_h5ad.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
