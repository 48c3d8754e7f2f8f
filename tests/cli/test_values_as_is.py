"""Data without counts: what can be recognised of them, and what cannot (docs/audit.md, Limits)."""

import csv
import json

import h5py
import numpy as np
import pytest

H5AD, ZARR = "anndata_v0.5.0_pbmc68k_reduced.h5ad", "scanpy_pbmc68k_reduced.zarr.zip"
SEURAT, NAN = "pbmc3k_seurat_small_80.h5ad", "cellxgene_pbmc3k_nan_100x100.h5ad"


def audited(scvet, benchmark, corpus, out):
    scvet("audit", "--benchmark", benchmark, "--corpus", corpus, "--outdir", out, "--values", "as-is", "--quiet")
    with open(out / "cells.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return rows, json.loads((out / "audit.json").read_text())["datasets"][0]


@pytest.mark.parametrize(("corpus", "benchmark"), [(ZARR, H5AD), (H5AD, ZARR)])
def test_the_same_scaled_cells_are_recognised_across_formats(scvet, real, tmp_path, corpus, benchmark):
    """X is scaled and raw is absent or empty: the order of the positive values is what both files share."""
    store = tmp_path / "c.corpus"
    assert "as-is" in scvet("corpus", "build", "--out", store, real / corpus, code=3).stderr
    scvet("corpus", "build", "--out", store, real / corpus, "--values", "as-is")
    rows, dataset = audited(scvet, real / benchmark, store, tmp_path / "a")
    assert len(rows) == 700
    assert all(row["identical_order"] == str(at) and row["identical_set"] == str(at) for at, row in enumerate(rows))
    assert all(row["flags"] == "exact" and row["match_cell"] == row["cell"] for row in rows)
    assert {row["status"] for row in rows} == {"no_counts"} and not any(row["p_same"] for row in rows)
    assert (dataset["values"], dataset["verdict"]["kind"]) == ("as-is", "exposed")


def test_missing_values_are_refused_whatever_the_flag(scvet, real, tmp_path):
    store = tmp_path / "c.corpus"
    for flags in ((), ("--values", "as-is")):
        result = scvet("corpus", "build", "--out", store, real / NAN, *flags, code=3)
        assert "nan" in result.stderr and "AAACATACAACCAC-1" in result.stderr
        assert "pass --values as-is" not in result.stderr
    assert not store.exists()


def test_pbmc3k_derivatives_cannot_be_told_by_their_values(scvet, real, truth, tmp_path):
    """One file has counts of 230 genes, the other scaled values of 100: they share one gene and one barcode. With the
    missing values written as 0 an audit runs, and says that it cannot decide."""
    facts = truth["pbmc3k"]
    assert facts["genes_shared_by_small_files"] == ["TNFRSF1B"] and len(facts["in_both_small_files"]) == 1
    with h5py.File(real / NAN) as file:
        x = np.nan_to_num(file["X"][...])
        cells, genes = ([name.decode() for name in file[table]["index"]] for table in ("obs", "var"))
    filled = tmp_path / "filled.h5ad"
    with h5py.File(filled, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        file["X"] = x
        file["X"].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        for table, names in (("obs", cells), ("var", genes)):
            group = file.create_group(table)
            group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
            group.attrs["column-order"] = np.array([], dtype="S1")
            group["_index"] = names
            group["_index"].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    store = tmp_path / "c.corpus"
    scvet("corpus", "build", "--out", store, real / SEURAT)
    rows, dataset = audited(scvet, filled, store, tmp_path / "a")
    assert dataset["universes"][0]["n_genes"] == 1
    assert {row["status"] for row in rows} <= {"too_few_genes", "empty", "no_counts"}
    assert {row["exposure"] for row in rows} == {"unknown"}
    assert dataset["verdict"]["kind"] == "undecided"
