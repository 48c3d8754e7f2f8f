"""The loops of the peer's documentation, as written but for the program's name, on two prepared real files and on the
published ones; layout and exact columns compared with the peer's tables."""

import csv
import os
import pathlib
import subprocess

import anndata
import pytest

LOOPS = """
set -e
for m in pca hvg random oracle; do
  for f in prepared/*.h5ad; do scvet embed --method "$m" --data "$f" --gpu 0; done
done
for m in $(ls results/embeddings); do scvet benchmark --embedding results/embeddings/$m --batch-key batch_id; done
for m in $(ls results/embeddings); do scvet geometry --embedding results/embeddings/$m --data prepared/; done
"""
METHODS = ("hvg", "oracle", "pca", "random")
# Columns of the geometry table that are exact on both sides, and those that agree within rounding (relative).
EXACT = ("dataset_id", "n_cells_total", "n_cells_used", "embedding_dim", "zero_var_dims", "aniso_pair_n",
         "aniso_pair_n_within_ct", "aniso_pair_n_between_ct", "rnx_eligible_cells", "rnx_n_batches",
         "partial_eta2_n_dims", "partial_eta2_status", "probe_status", "failure_reason")  # fmt: skip
CLOSE = {"pr": 1e-5, "npr": 1e-5, "aniso_spec": 1e-5, "rnx_mean": 1e-5, "partial_eta2_celltype": 1e-5}


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def run_loops(folder):
    program = pathlib.Path(os.environ.get("SCVET", pathlib.Path(__file__).resolve().parents[2] / "build/release/scvet"))
    env = {**os.environ, "PATH": f"{program.resolve().parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", LOOPS], cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


@pytest.fixture(scope="session")
def real_loops(scvet, real, tmp_path_factory):
    """A workspace with two prepared real files after the loops."""
    folder = tmp_path_factory.mktemp("loops")
    (folder / "raw").mkdir()
    lines = anndata.read_h5ad(real / "mixology_3batch.h5ad")
    lines.obs = lines.obs.rename(columns={"cell_line": "cell_type", "protocol": "assay", "batch": "donor_id"})
    lines.write_h5ad(folder / "raw/mixology.h5ad")
    blood = anndata.read_h5ad(real / "pbmc_facs_800.h5ad")
    blood.obs = blood.obs.rename(columns={"FACS_type": "cell_type"})
    blood.obs["assay"], blood.obs["donor_id"] = "10x", "donor1"
    blood.write_h5ad(folder / "raw/pbmc_facs.h5ad")
    scvet("init", folder)
    scvet("prepare", "--data", "raw", "--outdir", "prepared", cwd=folder)
    return folder, run_loops(folder)


@pytest.fixture(scope="session")
def published_loops(scvet, reference, tmp_path_factory):
    """The same over the published files."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "prepared").mkdir()
    for name in ("synth3b", "synth1b"):
        (folder / f"prepared/{name}.h5ad").symlink_to(reference / f"benchmark/data/{name}.h5ad")
    scvet("init", folder)
    run_loops(folder)
    return folder


def test_every_method_and_file_has_an_embedding_and_tables(real_loops):
    folder, done = real_loops
    assert "gpu" not in done.stderr.lower()
    for method in METHODS:
        for sample in ("mixology", "pbmc_facs"):
            embedding = anndata.read_h5ad(folder / f"results/embeddings/{method}/{sample}.h5ad")
            source = anndata.read_h5ad(folder / f"prepared/{sample}.h5ad")
            assert list(embedding.obs_names) == list(source.obs_names)
            assert list(embedding.var_names[:2]) == ["V1", "V2"]
            assert list(embedding.obs.columns)[: len(source.obs.columns)] == list(source.obs.columns)
        for group, rows in (("bio_conservation", 18), ("batch_mixing", 8)):
            assert len(table(folder / f"results/benchmark/{method}_{group}_leiden_metrics_long.csv")) == rows
        assert len(table(folder / f"results/{method}_geometry.csv")) == 2
    page = (folder / "results/benchmark/report.html").read_text()
    assert all(method in page for method in METHODS)


def test_oracle_is_the_ceiling_and_random_the_floor(real_loops):
    folder, _ = real_loops
    values = {}
    for method in METHODS:
        for row in table(folder / f"results/benchmark/{method}_bio_conservation_leiden_metrics_long.csv"):
            values[method, row["sample_id"], row["metric"]] = float(row["value"])
    for sample in ("mixology", "pbmc_facs"):
        for metric in ("NMI", "ARI", "ASW", "cLISI", "Acc@kNN"):
            oracle, pca, noise = (values[method, sample, metric] for method in ("oracle", "pca", "random"))
            assert oracle >= pca > noise, (sample, metric)
            assert oracle > 0.5 and (metric in ("cLISI", "Acc@kNN") or abs(noise) < 0.1), (sample, metric)


def test_runs_are_recorded_one_a_method_and_file(scvet, real_loops):
    folder, _ = real_loops
    listed = scvet("runs", "--workspace", folder, "--task", "embed", "--limit", "20").stdout
    assert listed.count(" ok ") + listed.count("\tok\t") == 8, listed


def test_the_loops_again_change_nothing(real_loops):
    folder, _ = real_loops
    tables = {path: path.read_bytes() for path in (folder / "results").rglob("*.csv")}
    run_loops(folder)
    assert tables == {path: path.read_bytes() for path in (folder / "results").rglob("*.csv")}


def test_layout_and_exact_columns_are_the_peers(published_loops, reference):
    expected = reference / "benchmark/expected/tables"
    results = published_loops / "results"
    for group in ("bio_conservation", "batch_mixing"):
        name = f"benchmark/pca_{group}_leiden_metrics_long.csv"
        theirs = {(row["sample_id"], row["metric"]): row for row in table(expected / name)}
        for row in table(results / name):
            other = theirs[row["sample_id"], row["metric"]]
            assert list(row) == list(other)
            for column in ("n_cells", "n_dims", "n_labels", "n_batches", "metric_group"):
                assert row[column] == other[column], (row, column)
    [theirs_path] = [path for path in expected.rglob("pca_geometry.csv")]
    ours_path = results / theirs_path.relative_to(expected / "geometry")
    theirs = {row["dataset_id"]: row for row in table(theirs_path)}
    for row in table(ours_path):
        other = theirs[row["dataset_id"]]
        assert list(row) == list(other)
        for column in EXACT:  # pandas writes 2000.0 where another row of the column is empty: docs/geometry.md
            assert row[column] == other[column].removesuffix(".0"), (row["dataset_id"], column)
        for column, tolerance in CLOSE.items():
            if other[column]:
                assert float(row[column]) == pytest.approx(float(other[column]), rel=tolerance), column
