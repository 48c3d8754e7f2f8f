"""The published search by datasketch and by scvet, end to end, on the same cells: time, ratio and recall.

    bench/sketch/peer_lsh.sh [--references 100000] [--queries 200] [--peer-references 5000] [--full]

datasketch: MinHash of 128 (`update` gene by gene, and `bulk`), MinHashLSH(params=(16, 8)) insert and query, candidates
re-ranked by MinHash.jaccard; gene names are encoded once, outside the time. One process, as the library is.
scvet: `corpus build` from an h5ad of the same cells, then the whole `audit` of the queries (reading, identity tests,
tables, report): more work than the search alone. All processors.

Half of the queries are thinned copies (95 to 50 % of the genes kept) of references, half are fresh cells.
Recall: share of the queries whose named reference has the true largest Jaccard, by `--engine exact`; behind the stroke
that of the thinned copies alone. Fresh cells have hundreds of references that are nearly as near.
Without --full datasketch works on the first --peer-references cells (its `update` on a tenth of them). Its sketching
and insertion times are then scaled up linearly, which the output says; the time of its queries is left as it is.
Recall is measured on those cells for both sides, and on all of them for scvet.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import time
from pathlib import Path

import datasketch
import h5py
import numpy as np

UNIVERSE = 25424
N_HASHES, BANDS, ROWS = 128, 16, 8
SCVET = "build/release/scvet"
Cells = list[np.ndarray]


def read_sets(path: Path, most: int | None = None) -> Cells:
    n_cells = int(np.fromfile(path, "<i8", 1)[0])
    offsets = np.fromfile(path, "<i8", n_cells + 1, offset=8)
    tokens = np.fromfile(path, "<u2", offset=8 * (n_cells + 2))
    n_cells = n_cells if most is None else min(n_cells, most)
    return [tokens[offsets[cell] : offsets[cell + 1]] for cell in range(n_cells)]


def write_h5ad(path: Path, cells: Cells) -> None:
    def frame(group: h5py.Group, names: list[str]) -> None:
        group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
        group.attrs["column-order"] = np.array([], dtype=h5py.string_dtype())
        index = group.create_dataset("_index", data=names, dtype=h5py.string_dtype())
        index.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})

    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        frame(file.create_group("obs"), [f"cell{cell}" for cell in range(len(cells))])
        frame(file.create_group("var"), [f"ENSG{gene:011d}" for gene in range(UNIVERSE)])
        matrix = file.create_group("X")
        matrix.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0"})
        matrix.attrs["shape"] = np.array([len(cells), UNIVERSE], dtype="i8")
        lengths = np.array([len(cell) for cell in cells], dtype="i8")
        matrix.create_dataset("indptr", data=np.concatenate([[0], np.cumsum(lengths)]))
        matrix.create_dataset("indices", data=np.concatenate(cells).astype("i4"))
        # Counts that are mostly 1, as they are in droplet data; only the sets are compared.
        matrix.create_dataset("data", data=(1 + np.arange(lengths.sum()) % 7 // 5).astype("f4"))


def jaccard(a: np.ndarray, b: np.ndarray) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)


def run(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def build_corpus(h5ad: Path) -> tuple[Path, float]:
    corpus = h5ad.with_suffix(".corpus")
    seconds = run([SCVET, "corpus", "build", str(h5ad), "--out", str(corpus), "--force", "--quiet"])
    return corpus, seconds


def audit(queries: Path, corpus: Path, engine: str, folder: Path) -> tuple[list[int], float]:
    """Named reference row per query (-1: none), and the seconds of the whole command."""
    out = folder / f"audit_{corpus.stem}_{engine}"
    seconds = run(
        [SCVET, "audit", "--benchmark", str(queries), "--corpus", str(corpus), "--engine", engine, "--outdir", str(out)]
        + ["--force", "--quiet"]
    )
    with open(next(out.rglob("cells.csv")), newline="") as file:
        rows = [row["row"] for row in csv.DictReader(file)]
    return [int(row) if row not in ("", "nan") else -1 for row in rows], seconds


def recall(rows: list[int], truth: list[int], queries: Cells, references: Cells) -> tuple[float, float]:
    """Of all queries, and of the thinned copies alone."""

    def value(query: int, row: int) -> float:
        return jaccard(queries[query], references[row]) if row >= 0 else -1.0

    found = enumerate(zip(rows, truth, strict=True))
    same = [value(query, row) == value(query, best) for query, (row, best) in found]
    return float(np.mean(same)), float(np.mean(same[: len(same) // 2]))


def pair(shares: tuple[float, float]) -> str:
    return f"{shares[0]:8.3f}/{shares[1]:.3f}"


class Peer:
    """datasketch on some of the references; `scale` is how many times more there are."""

    def __init__(self, references: Cells, queries: Cells, scale: float, update_share: float) -> None:
        self.words = [f"ENSG{gene:011d}".encode() for gene in range(UNIVERSE)]
        self.references, self.queries, self.scale = references, queries, scale
        self.n_update = max(1, int(len(references) * update_share))

    def spell(self, cells: Cells) -> list[list[bytes]]:
        return [[self.words[gene] for gene in cell] for cell in cells]

    def sketch_by_update(self) -> float:
        cells = self.spell(self.references[: self.n_update])
        start = time.perf_counter()
        for cell in cells:
            sketch = datasketch.MinHash(num_perm=N_HASHES)
            for gene in cell:
                sketch.update(gene)
        return (time.perf_counter() - start) * len(self.references) / self.n_update * self.scale

    def search(self) -> dict:
        words, own = self.spell(self.references), self.spell(self.queries)
        start = time.perf_counter()
        sketches = datasketch.MinHash.bulk(words, num_perm=N_HASHES)
        sketched = time.perf_counter()
        index = datasketch.MinHashLSH(num_perm=N_HASHES, params=(BANDS, ROWS))
        for row, sketch in enumerate(sketches):
            index.insert(row, sketch)
        inserted = time.perf_counter()
        rows, n_candidates = [], 0
        for sketch in datasketch.MinHash.bulk(own, num_perm=N_HASHES):
            candidates = sorted(index.query(sketch))
            n_candidates += len(candidates)
            rows.append(max(candidates, key=lambda row: sketch.jaccard(sketches[row]), default=-1))
        return {
            "rows": rows,
            "bulk": (sketched - start) * self.scale,
            "insert": (inserted - sketched) * self.scale,
            "query": time.perf_counter() - inserted,
            "candidates": n_candidates,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--references", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--genes", type=int, default=1100)
    parser.add_argument("--peer-references", type=int, default=5000)
    parser.add_argument("--full", action="store_true", help="datasketch on all references (half an hour and more)")
    parser.add_argument("--folder", type=Path, default=Path("build/bench"))
    parser.add_argument("--json", type=Path, help="write the figures here too")
    given = parser.parse_args()
    n_peer = given.references if given.full else min(given.peer_references, given.references)
    given.folder.mkdir(parents=True, exist_ok=True)

    stem = given.folder / "peer"
    numbers = [given.references, given.genes, given.queries, n_peer]
    subprocess.run(["build/release/bench/make_peer_sets", *map(str, numbers), str(stem)], check=True)
    references = read_sets(Path(f"{stem}.reference.sets"))
    queries = read_sets(Path(f"{stem}.queries.sets"))
    files = {"all": given.folder / "peer_all.h5ad", "part": given.folder / "peer_part.h5ad"}
    write_h5ad(given.folder / "peer_queries.h5ad", queries)
    write_h5ad(files["all"], references)
    if n_peer < len(references):
        write_h5ad(files["part"], references[:n_peer])
    else:
        del files["part"]

    build_seconds, audit_seconds, rows = {}, {}, {}
    for name, h5ad in files.items():
        corpus, build_seconds[name] = build_corpus(h5ad)
        for engine in ("exact", "lsh", "minhash", "sketch8"):
            rows[name, engine], audit_seconds[name, engine] = audit(
                given.folder / "peer_queries.h5ad", corpus, engine, given.folder
            )
    peer = Peer(references[:n_peer], queries, len(references) / n_peer, 1.0 if given.full else 0.1)
    update = peer.sketch_by_update()
    found = peer.search()

    part = "part" if "part" in files else "all"
    rest = found["insert"] + found["query"]
    peers = {"update": update + rest, "bulk": found["bulk"] + rest}
    print(f"{len(references)} references of about {given.genes} genes, {len(queries)} queries, half thinned copies")
    if not given.full:
        scaled = peer.scale * n_peer / peer.n_update
        print(f"datasketch {datasketch.__version__} ran on {n_peer} references (update: {peer.n_update});")
        print(
            f"sketching and insertion are scaled by {peer.scale:g} (update: {scaled:g}), queries are not; --full: all"
        )
    print(f"\ndatasketch: sketch by update {update:.1f} s, by bulk {found['bulk']:.1f} s;", end=" ")
    print(f"insert {found['insert']:.1f} s; query and re-rank {found['query']:.2f} s")
    print(f"scvet corpus build: {build_seconds['all']:.1f} s, once for all engines\n")
    heads = ("audit s", "end to end s", "x update", "x bulk", "recall/copies", "on the part")
    print(f"{'scvet engine':14}" + "".join(f"{head:>14}" for head in heads))
    figures = {"datasketch": peers, "build": build_seconds["all"]}
    for engine in ("exact", "lsh", "minhash", "sketch8"):
        whole = build_seconds["all"] + audit_seconds["all", engine]
        here = recall(rows["all", engine], rows["all", "exact"], queries, references)
        there = recall(rows[part, engine], rows[part, "exact"], queries, references)
        ratios = f"{peers['update'] / whole:14.0f}{peers['bulk'] / whole:14.1f}"
        print(f"{engine:14}{audit_seconds['all', engine]:14.2f}{whole:14.2f}{ratios}{pair(here)}{pair(there)}")
        figures[engine] = {"seconds": whole, "recall": here, "recall_part": there}
    of_peer = recall(found["rows"], rows[part, "exact"], queries, references)
    everywhere = pair(of_peer) if given.full else f"{'-':>14}"
    print(f"{'datasketch':14}{'':14}{peers['bulk']:14.2f}{'':28}{everywhere}{pair(of_peer)}")
    figures["recall_datasketch"] = of_peer
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
