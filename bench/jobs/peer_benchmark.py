"""Times scvet benchmark and geometry beside the peer's scripts; run by peer_benchmark.sh in the peer's environment.

cold: a new process, as a user runs it. warm: the second call of the peer within one process (imported, compiled); scvet
has nothing to warm up: its cold time, without its cache of neighbours, stands there too.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import time

import anndata
import numpy as np
import pandas as pd
import scipy.sparse

PEER = pathlib.Path(importlib.util.find_spec("scfoundry").origin).parent / "pipeline" / "bin"
SCRIPTS = {"benchmark": PEER / "benchmark/embedding_metrics.py", "geometry": PEER / "geometry/embedding_geometry.py"}
CALL_TWICE = """
import importlib.util, json, sys, time
spec = importlib.util.spec_from_file_location("peer", sys.argv[1])
peer = importlib.util.module_from_spec(spec)
arguments = json.loads(sys.argv[2])
sys.argv = [sys.argv[1], *arguments]
spec.loader.exec_module(peer)
for _ in range(2):
    start = time.perf_counter()
    peer.main()
    print("SECONDS", time.perf_counter() - start, flush=True)
"""


def simulate(cells, dims, folder):
    """Types and batches as shifted Gaussian clouds, and Poisson counts of 3,000 genes that follow them."""
    rng = np.random.default_rng(cells * 1000 + dims)
    label, batch = rng.integers(0, 12, cells), rng.integers(0, 4, cells)
    x = rng.normal(size=(cells, dims)) + rng.normal(0, 1.2, (12, dims))[label] + rng.normal(0, 0.5, (4, dims))[batch]
    obs = pd.DataFrame(
        {"cell_type": [f"type{value:02d}" for value in label], "batch_id": [f"batch{value}" for value in batch]},
        index=[f"cell{at}" for at in range(cells)],
    )
    rate = rng.gamma(0.5, 0.6, (12, 3000))[label] * rng.gamma(20, 1 / 20, (4, 3000))[batch]
    counts = scipy.sparse.csr_matrix(rng.poisson(rate).astype(np.float32))
    (folder / "embedding").mkdir(parents=True, exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    var = pd.DataFrame(index=[f"V{at + 1}" for at in range(dims)])
    anndata.AnnData(x.astype(np.float32), obs, var).write_h5ad(folder / "embedding/sample.h5ad")
    genes = pd.DataFrame(index=[f"GENE{at}" for at in range(3000)])
    anndata.AnnData(counts, obs, genes).write_h5ad(folder / "data/sample.h5ad")


def run(command):
    """Wall seconds, peak MB and what the command printed."""
    start = time.perf_counter()
    timed = subprocess.run(["/usr/bin/time", "-f", "PEAK %M", *map(str, command)], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if timed.returncode:
        return {"failed": timed.stderr.strip().splitlines()[-2][-160:]}, ""
    peak = int([line for line in timed.stderr.splitlines() if line.startswith("PEAK")][-1].split()[1]) / 1024
    return {"seconds": round(seconds, 2), "peak_mb": round(peak)}, timed.stdout


def peer(task, folder, flags):
    arguments = [
        "--embedding-dir",
        folder / "embedding",
        "--method",
        "peer",
        "--output-dir",
        folder / f"peer_{task}",
        *flags,
    ]
    arguments = [str(value) for value in arguments]
    cold, _ = run([sys.executable, SCRIPTS[task], *arguments])
    again, printed = run([sys.executable, "-c", CALL_TWICE, SCRIPTS[task], json.dumps(arguments)])
    times = [float(line.split()[1]) for line in printed.splitlines() if line.startswith("SECONDS")]
    return {**cold, "warm": round(times[1], 2) if len(times) == 2 else again.get("failed")}


def compare(program, task, folder, name, peer_flags, our_flags):
    theirs = peer(task, folder, peer_flags)
    embedding = ["--embedding", folder / "embedding", "--outdir", folder / f"scvet_{task}", "--force", "--quiet"]
    ours, _ = run([program, task, *embedding, *our_flags])
    line = {"what": name, "peer": theirs, "scvet": ours}
    if "seconds" in ours and "seconds" in theirs:
        line["times_cold"] = round(theirs["seconds"] / ours["seconds"], 1)
        line["memory_share"] = round(ours["peak_mb"] / theirs["peak_mb"], 3)
        if isinstance(theirs["warm"], float):
            line["times_warm"] = round(theirs["warm"] / ours["seconds"], 1)
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--dims", required=True)
    options = parser.parse_args()
    for cells in map(int, options.sizes.split()):
        for dims in map(int, options.dims.split()):
            folder = options.folder / f"{cells}x{dims}"
            if not (folder / "data/sample.h5ad").exists():
                simulate(cells, dims, folder)
            size = f"{cells} x {dims}"
            for clustering in ("leiden", "kmeans"):
                flags = ["--clustering", clustering]
                compare(
                    options.program, "benchmark", folder, f"benchmark {clustering} {size}",
                    [*flags, "--metric-set", "all", "--force"],
                    [*flags, "--batch-key", "batch_id", "--no-cache"],
                )  # fmt: skip
            data = folder / "data"
            compare(options.program, "geometry", folder, f"geometry {size}", ["--data-dir", data], ["--data", data])


if __name__ == "__main__":
    main()
