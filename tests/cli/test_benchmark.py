"""`scvet benchmark` as a user runs it, against the tables that the peer wrote for the same embeddings."""

import csv
import io
import json
import math
import shutil

import h5py
import numpy as np
import pytest

SAMPLES = {"pca": ["pbmc68k", "synth1b", "synth3b"], "harmonypy": ["synth3b"], "shipped": ["pbmc68k"]}
# What the two may differ by, and why: docs/benchmark.md, "Agreement".
TOLERANCE = {
    "ASW": 1e-9, "cLISI": 1e-4, "Acc@kNN": 1e-9, "GC": 0.002,
    "kBET": 0.01, "BRAS": 1e-5, "iLISI": 1e-3, "CiLISI": 1e-4,
}  # fmt: skip
AGREEMENT = ("NMI", "HOM", "COM", "FMI", "ARI")


def rows_of(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def table(path, delimiter=","):
    return rows_of(path.read_text(), delimiter)


@pytest.fixture(scope="session")
def vectors(reference):
    return reference / "benchmark"


def score(scvet, vectors, out, method, *flags, code=0):
    folder = vectors / "embeddings" / method
    return scvet("benchmark", "--embedding", folder, "--outdir", out, "--batch-key", "batch_id", *flags, code=code)


@pytest.fixture(scope="session")
def scored(scvet, vectors, tmp_path_factory):
    """The results folder of the three published methods, kBET with the peer's component limit."""
    out = tmp_path_factory.mktemp("scored")
    for method in SAMPLES:
        score(scvet, vectors, out, method, "--kbet", "peer", "--details")
    return out


def test_tables_have_the_peers_names_columns_and_rows(scored, vectors):
    expected = vectors / "expected" / "tables" / "benchmark"
    for path in sorted(expected.rglob("*leiden*")):
        if path.is_dir():
            continue
        ours = scored / "benchmark" / path.relative_to(expected)
        assert ours.is_file(), ours
        delimiter = "\t" if path.suffix == ".tsv" else ","
        theirs, mine = table(path, delimiter), table(ours, delimiter)
        assert list(mine[0]) == list(theirs[0]), path
        if "wide" not in path.name:
            assert len(mine) == len(theirs), path
            keys = (
                "sample_id",
                "method",
                "metric",
                "metric_group",
                "n_cells",
                "n_dims",
                "n_labels",
                "n_batches",
                "barcode",
            )
            for key in keys:
                assert [row.get(key) for row in mine] == [row.get(key) for row in theirs], (path, key)


@pytest.mark.parametrize("method", SAMPLES)
def test_values_agree_with_the_peer(scored, vectors, method):
    expected = vectors / "expected" / "tables" / "benchmark"
    for group in ("bio_conservation", "batch_mixing"):
        name = f"{method}_{group}_leiden_metrics_long.csv"
        theirs = {(row["sample_id"], row["metric"]): row for row in table(expected / name)}
        for row in table(scored / "benchmark" / name):
            other = theirs[row["sample_id"], row["metric"]]
            if row["metric"] in AGREEMENT:
                assert row["note"].startswith("clustering=leiden;selection=match_n_labels;resolution=")
                continue
            assert row["note"] == other["note"], row
            assert (row["value"] == "") == (other["value"] == ""), row
            if row["value"]:
                difference = abs(float(row["value"]) - float(other["value"]))
                # The peer's lists for `shipped` are approximate: 4.2e-3 of its kBET comes from them.
                assert difference <= TOLERANCE[row["metric"]], (row, other["value"])


def test_single_batch_samples_stay_in_the_wide_table_unless_asked_otherwise(scvet, vectors, scored, tmp_path):
    wide = table(scored / "benchmark" / "pca_batch_mixing_leiden_metrics_wide.csv")
    single = [row for row in wide if row["sample_id"] == "synth1b"]
    assert single == [{"sample_id": "synth1b", "method": "pca", "BRAS": "", "CiLISI": "", "iLISI": "", "kBET": ""}]
    score(scvet, vectors, tmp_path, "pca", "--peer-wide", "--metrics", "batch")
    ours = (tmp_path / "benchmark" / "pca_batch_mixing_leiden_metrics_wide.csv").read_text()
    theirs = (vectors / "expected/tables/benchmark/pca_batch_mixing_leiden_metrics_wide.csv").read_text()
    assert [line.split(",")[:2] for line in ours.splitlines()] == [line.split(",")[:2] for line in theirs.splitlines()]


def test_details_hold_what_the_values_are_means_of(scored):
    cells = table(scored / "benchmark/details/pca/synth3b_pca_cells.csv")
    labels = table(scored / "benchmark/details/pca/synth3b_pca_labels.csv")
    values = {
        row["metric"]: row["value"]
        for row in table(scored / "benchmark/pca_bio_conservation_leiden_metrics_long.csv")
        if row["sample_id"] == "synth3b"
    }
    assert len(cells) == 2000
    assert math.isclose(np.mean([float(row["ASW"]) for row in cells]), float(values["ASW"]), rel_tol=1e-12)
    graph = [float(row["value"]) for row in labels if row["metric"] == "GC"]
    assert len(graph) == 6 and math.isclose(np.mean(graph), float(values["GC"]), rel_tol=1e-12)


def test_every_value_has_a_definition_with_a_version(scored):
    versions = table(scored / "benchmark/pca_metric_versions.csv")
    assert [row["metric"] for row in versions] == [
        "NMI", "HOM", "COM", "FMI", "ARI", "ASW", "cLISI", "Acc@kNN", "GC", "kBET", "BRAS", "iLISI", "CiLISI",
    ]  # fmt: skip
    for row in versions:
        assert row["implementation"].startswith("scvet ") and row["definition_version"] and row["source"], row
        assert float(row["least"]) < float(row["most"]) and row["undefined"], row


def test_kmeans_tables_lose_the_infix(scvet, vectors, tmp_path):
    score(scvet, vectors, tmp_path, "harmonypy", "--clustering", "kmeans")
    root = tmp_path / "benchmark"
    labels = table(root / "bio_conservation_predictions/harmonypy/synth3b_harmonypy_kmeans_labels.tsv", "\t")
    assert list(labels[0]) == ["sample_id", "method", "barcode", "true_label", "kmeans_label"]
    theirs = table(vectors / "expected/tables/benchmark/harmonypy_bio_conservation_metrics_long.csv")
    ours = table(root / "harmonypy_bio_conservation_metrics_long.csv")
    assert [(row["metric"], row["note"]) for row in ours] == [(row["metric"], row["note"]) for row in theirs]


def test_a_second_run_does_nothing_and_force_does_all(scvet, vectors, tmp_path):
    first = score(scvet, vectors, tmp_path, "harmonypy")
    path = tmp_path / "benchmark/harmonypy_bio_conservation_leiden_metrics_long.csv"
    before = path.read_text()
    again = score(scvet, vectors, tmp_path, "harmonypy")
    assert "unchanged" in again.stderr and "unchanged" not in first.stderr
    assert path.read_text() == before
    assert "unchanged" not in score(scvet, vectors, tmp_path, "harmonypy", "--force").stderr
    assert path.read_text() == before


def test_any_number_of_threads_gives_the_same_bytes(scvet, vectors, tmp_path):
    for threads in ("1", "3"):
        score(scvet, vectors, tmp_path / threads, "shipped", "--threads", threads, "--details", "--no-cache")
    one = {path.relative_to(tmp_path / "1"): path.read_bytes() for path in (tmp_path / "1/benchmark").rglob("*.*sv")}
    assert len(one) >= 9
    for path, data in one.items():
        assert (tmp_path / "3" / path).read_bytes() == data, path


def test_neighbours_come_from_the_cache_and_a_damaged_one_is_made_again(scvet, vectors, tmp_path):
    flags = ("--cache-dir", tmp_path / "cache")
    score(scvet, vectors, tmp_path / "a", "harmonypy", *flags)
    [kept] = (tmp_path / "cache/neighbours").iterdir()
    data = bytearray(kept.read_bytes())
    score(scvet, vectors, tmp_path / "b", "harmonypy", *flags)
    data[100] ^= 1
    kept.write_bytes(bytes(data))
    damaged = score(scvet, vectors, tmp_path / "c", "harmonypy", *flags)
    assert "damaged" in damaged.stderr
    name = "benchmark/harmonypy_batch_mixing_leiden_metrics_long.csv"
    assert len({(tmp_path / folder / name).read_text() for folder in "abc"}) == 1


def test_the_batch_subsample_is_the_peers(scvet, vectors, tmp_path):
    folder = tmp_path / "pca"
    folder.mkdir()
    shutil.copy(vectors / "embeddings/pca/synth3b.h5ad", folder)
    scvet("benchmark", "--embedding", folder, "--outdir", tmp_path, "--batch-key", "batch_id", "--metrics", "batch",
          "--batch-max-cells", "1000", "--kbet", "peer")  # fmt: skip
    expected = json.loads((vectors / "expected/batch_subsample.json").read_text())["pca/synth3b"]
    for row in table(tmp_path / "benchmark/pca_batch_mixing_leiden_metrics_long.csv"):
        other = expected[row["metric"]]
        assert row["note"] == other["note"] and int(row["n_cells"]) == other["n_cells"]
        assert abs(float(row["value"]) - other["value"]) <= TOLERANCE[row["metric"]], row


def test_one_bad_file_costs_only_itself(scvet, vectors, tmp_path):
    folder = tmp_path / "edge"
    folder.mkdir()
    for name in ("nan_entry", "single_batch"):
        shutil.copy(vectors / f"embeddings/edge/{name}.h5ad", folder)
    result = scvet("benchmark", "--embedding", folder, "--outdir", tmp_path, "--batch-key", "batch_id", code=3)
    assert "nan_entry" in result.stderr and "NaN" in result.stderr
    rows = table(tmp_path / "benchmark/edge_bio_conservation_leiden_metrics_long.csv")
    assert {row["sample_id"] for row in rows} == {"single_batch"}


def test_a_zero_row_fails_bras_alone_and_every_table_is_written(scvet, vectors, tmp_path):
    folder = tmp_path / "edge"
    folder.mkdir()
    shutil.copy(vectors / "embeddings/edge/zero_row.h5ad", folder)
    result = scvet("benchmark", "--embedding", folder, "--outdir", tmp_path, "--batch-key", "batch_id", code=3)
    assert "BRAS" in result.stderr and "metric_failed" in result.stderr
    rows = {row["metric"]: row for row in table(tmp_path / "benchmark/edge_batch_mixing_leiden_metrics_long.csv")}
    assert rows["BRAS"]["value"] == "" and "metric_failed=ValueError:" in rows["BRAS"]["note"]
    assert rows["iLISI"]["value"] != ""


def test_cells_that_could_not_be_embedded_are_dropped_and_counted(scvet, vectors, tmp_path):
    folder = tmp_path / "holes"
    folder.mkdir()
    shutil.copy(vectors / "embeddings/pca/synth3b.h5ad", folder / "synth3b.h5ad")
    with h5py.File(folder / "synth3b.h5ad", "r+") as file:
        for cell in (3, 700):
            file["X"][cell, :] = np.nan
    scvet("benchmark", "--embedding", folder, "--outdir", tmp_path, "--metrics", "bio")
    for row in table(tmp_path / "benchmark/holes_bio_conservation_leiden_metrics_long.csv"):
        assert row["n_cells"] == "1998" and row["note"].endswith("dropped_nan_rows=2")


def test_a_missing_column_names_what_the_file_has(scvet, vectors, tmp_path):
    result = scvet("benchmark", "--embedding", vectors / "embeddings/shipped", "--outdir", tmp_path, "--label-key",
                   "celltype", code=2)  # fmt: skip
    assert "celltype" in result.stderr and "cell_type" in result.stderr and "--label-key" in result.stderr


def test_extra_metrics_lie_in_a_table_of_their_own(scvet, vectors, tmp_path):
    folder = tmp_path / "pca"
    folder.mkdir()
    shutil.copy(vectors / "embeddings/pca/synth3b.h5ad", folder)
    scvet("benchmark", "--embedding", folder, "--outdir", tmp_path, "--batch-key", "batch_id", "--extra", "--data",
          vectors / "data/synth3b.h5ad")  # fmt: skip
    rows = {row["metric"]: row for row in table(tmp_path / "benchmark/pca_extra_metrics_long.csv")}
    assert all(row["metric_group"] == "extra" for row in rows.values())
    assert all(row["value"] != "" for row in rows.values()), rows
    published = table(tmp_path / "benchmark/pca_bio_conservation_leiden_metrics_long.csv")
    assert len(published) == 9
