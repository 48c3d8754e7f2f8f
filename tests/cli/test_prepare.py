"""scvet prepare as a user runs it: names and columns change, values do not."""

import json

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

FACS, KANG, MIXOLOGY, CZI = (
    "pbmc_facs_800.h5ad",
    "kang_pbmc_2000.h5ad",
    "mixology_3batch.h5ad",
    "czi_schema_example_valid.h5ad",
)


def raw_chunks(file, name):
    """Type, shape, chunk shape, filters and the stored bytes of a data set."""
    data = h5py.File(file)[name]
    plist = data.id.get_create_plist()
    filters = [plist.get_filter(at) for at in range(plist.get_nfilters())]
    if data.chunks is None:
        return data.dtype, data.shape, None, filters, data[...].tobytes()
    chunks = [
        data.id.read_direct_chunk(data.id.get_chunk_info(at).chunk_offset) for at in range(data.id.get_num_chunks())
    ]
    return data.dtype, data.shape, data.chunks, filters, chunks


def assert_x_is_the_same_bytes(before, after):
    with h5py.File(before) as file:
        x = file["X"]
        names = [f"X/{name}" for name in x] if isinstance(x, h5py.Group) else ["X"]
    assert names
    for name in names:
        assert raw_chunks(before, name) == raw_chunks(after, name), name


def prepared(scvet, file, out, *flags):
    result = scvet("prepare", "--data", file, "--outdir", out, *flags)
    ledger = json.loads((out / f"{file.stem}_prepare.json").read_text())
    return anndata.read_h5ad(out / f"{file.stem}.h5ad"), ledger, result.stderr


@pytest.fixture
def cellxgene(tmp_path):
    """Ids in the index, symbols beside it, two assays, raw; small enough to count by eye."""
    rng = np.random.default_rng(1)
    x = sp.csr_matrix(rng.poisson(0.7, (60, 8)).astype(np.float32))
    symbols = ["TP53", "", "ENSG00000000003", "ENSG00000000004.5", "RP11-34P13.7", "MT-ND1", "A.1", "CD4"]
    var = pd.DataFrame({"feature_name": pd.Categorical(symbols)}, index=[f"ENSG0000010000{at}" for at in range(8)])
    var["feature_name"] = var["feature_name"].cat.add_categories(["unused"])
    obs = pd.DataFrame(
        {
            "assay": pd.Categorical(["10x 3' v3"] * 30 + ["10x 5' v1"] * 30),
            "donor_id": pd.Categorical(["D1", "D2", "D3"] * 20),
            "cell_type": pd.Categorical(["A"] * 40 + ["B"] * 15 + ["C"] * 5),
        },
        index=[f"cell{at}" for at in range(60)],
    )
    data = anndata.AnnData(x, obs=obs, var=var, layers={"other": x * 2}, obsm={"X_pca": rng.normal(size=(60, 3))})
    data.obsp["pairs"] = sp.identity(60, format="csr")
    data.uns["title"] = "t"
    data.raw = data.copy()
    path = tmp_path / "lung.h5ad"
    data.write_h5ad(path, compression="gzip")
    return path


def test_symbols_become_the_index_and_ids_stand_in_where_a_symbol_will_not_do(scvet, cellxgene, tmp_path):
    data, ledger, talk = prepared(scvet, cellxgene, tmp_path / "prepared")
    ids = [f"ENSG0000010000{at}" for at in range(8)]
    assert list(data.var_names) == ["TP53", *ids[1:5], "MT-ND1", ids[6], "CD4"]
    assert list(data.var["gene_symbol"]) == list(data.var_names)
    assert list(data.var["ensembl_id"]) == ids
    genes = ledger["genes"]
    assert (genes["symbols_empty_or_ensembl"], genes["symbols_only_ending_in_version"]) == (3, 2)
    assert (genes["named_by_symbol"], genes["named_by_ensembl_id"], genes["no_fallback"]) == (3, 5, 0)
    assert "3 symbols are empty or Ensembl ids" in talk and "2 only end in .N" in talk


def test_versioned_names_stay_on_request(scvet, cellxgene, tmp_path):
    data, ledger, _ = prepared(scvet, cellxgene, tmp_path / "prepared", "--keep-versioned")
    assert data.var_names[4] == "RP11-34P13.7" and data.var_names[6] == "A.1"
    assert data.var_names[3] == "ENSG00000100003"  # an id with a version is an id
    assert ledger["genes"]["symbols_only_ending_in_version"] == 2
    scvet("prepare", "--data", cellxgene, "--keep-versioned", "--drop-versioned", code=2)


def test_every_other_object_is_kept_and_x_is_the_same_bytes(scvet, cellxgene, tmp_path):
    data, ledger, _ = prepared(scvet, cellxgene, tmp_path / "prepared")
    before = anndata.read_h5ad(cellxgene)
    assert_x_is_the_same_bytes(cellxgene, tmp_path / "prepared" / "lung.h5ad")
    assert ledger["X"]["stored_sha256_before"] == ledger["X"]["stored_sha256_after"] is not None
    assert data.raw is None and ledger["raw"] == "dropped"
    assert (data.layers["other"] != before.layers["other"]).nnz == 0
    assert np.array_equal(data.obsm["X_pca"], before.obsm["X_pca"])
    assert data.uns["title"] == "t" and "pairs" in data.obsp
    assert list(data.obs.columns) == ["assay", "donor_id", "cell_type", "barcode", "batch_id"]
    assert list(data.obs["barcode"]) == list(before.obs_names) == list(data.obs_names)
    assert data.obs["batch_id"].iloc[1] == "10x 3' v3|D2" and data.obs["batch_id"].nunique() == 6


@pytest.mark.parametrize("name", [KANG, FACS, MIXOLOGY, "scvi_pbmc10k_protein_v3_200.h5ad"])
def test_x_of_real_files_is_the_same_bytes(scvet, real, tmp_path, name):
    data, ledger, _ = prepared(scvet, real / name, tmp_path / "prepared")
    assert_x_is_the_same_bytes(real / name, tmp_path / "prepared" / name)
    assert ledger["X"]["copied_as_stored"] and ledger["X"]["first_cells"] == "counts"
    assert list(data.obs["barcode"]) == list(data.obs_names)


def test_a_real_10x_file_has_names_that_only_end_in_a_number_and_no_ids(scvet, real, tmp_path):
    _, ledger, talk = prepared(scvet, real / FACS, tmp_path / "prepared")
    genes = ledger["genes"]
    assert (genes["symbols_empty_or_ensembl"], genes["symbols_only_ending_in_version"]) == (0, 11714)
    assert genes["no_fallback"] == 11714 and genes["index_changed"] == 0
    assert "11,714 only end in .N" in talk and "no_fallback" in talk


def test_preparing_twice_changes_nothing(scvet, cellxgene, tmp_path):
    prepared(scvet, cellxgene, tmp_path / "one")
    first = tmp_path / "one" / "lung.h5ad"
    again, ledger, talk = prepared(scvet, first, tmp_path / "two")
    assert ledger["nothing_changed"] and "prepared already" in talk
    assert list(again.var_names) == list(anndata.read_h5ad(first).var_names)


def test_repeated_gene_names_are_refused_with_their_list(scvet, cellxgene, tmp_path):
    data = anndata.read_h5ad(cellxgene)
    data.var["feature_name"] = ["TP53", "CD4", "X", "Y", "Z", "TP53", "W", "CD4"]
    bad = tmp_path / "bad.h5ad"
    data.write_h5ad(bad)
    result = scvet("prepare", "--data", bad, "--outdir", tmp_path / "prepared", code=3)
    assert "CD4 (ENSG00000100001, ENSG00000100007)" in result.stderr
    assert "TP53 (ENSG00000100000, ENSG00000100005)" in result.stderr
    assert not (tmp_path / "prepared" / "bad.h5ad").exists()


def test_a_repeated_cell_name_is_refused_and_costs_only_its_file(scvet, real, cellxgene, tmp_path):
    bad = real / "scp_duplicate_cell_name.h5ad"
    result = scvet("prepare", "--data", bad, cellxgene, "--outdir", tmp_path / "prepared", code=3)
    assert "cell name" in result.stderr and "scp_duplicate_cell_name" in result.stderr
    assert (tmp_path / "prepared" / "lung.h5ad").exists()
    assert not (tmp_path / "prepared" / bad.name).exists()


def test_a_differing_batch_or_barcode_is_an_error_unless_overwritten(scvet, cellxgene, tmp_path):
    data = anndata.read_h5ad(cellxgene)
    data.obs["batch_id"] = "mine"
    own = tmp_path / "own.h5ad"
    data.write_h5ad(own)
    result = scvet("prepare", "--data", own, "--outdir", tmp_path / "prepared", code=3)
    assert "batch_id" in result.stderr and "--overwrite-obs" in result.stderr and "'mine'" in result.stderr
    after, ledger, _ = prepared(scvet, own, tmp_path / "prepared", "--overwrite-obs")
    assert after.obs["batch_id"].nunique() == 6 and ledger["obs"]["batch_id"] == "replaced"


def test_an_index_called_barcode_becomes_a_column_too(scvet, cellxgene, tmp_path):
    data = anndata.read_h5ad(cellxgene)
    data.obs.index.name = "barcode"
    data.var.index.name = "gene_symbol"
    named = tmp_path / "named.h5ad"
    data.write_h5ad(named)
    after, _, _ = prepared(scvet, named, tmp_path / "prepared")
    assert list(after.obs["barcode"]) == list(after.obs_names)
    assert list(after.var["gene_symbol"]) == list(after.var_names)


def test_the_batch_is_made_of_the_columns_named(scvet, real, tmp_path):
    data, ledger, talk = prepared(scvet, real / KANG, tmp_path / "one")
    assert "batch_id" not in data.obs and "--batch-from" in talk
    data, ledger, _ = prepared(scvet, real / KANG, tmp_path / "two", "--batch-from", "batch")
    assert sorted(data.obs["batch_id"].unique()) == ["ctrl", "stim"] == ledger["obs"]["batches"]
    result = scvet("prepare", "--data", real / KANG, "--batch-from", "donor", "--outdir", tmp_path / "no", code=2)
    assert "donor" in result.stderr and "condition" in result.stderr


def test_other_formats_are_written_anew(scvet, real, tmp_path):
    data, ledger, _ = prepared(scvet, real / "tenx_v3_filtered_feature_bc_matrix.h5", tmp_path / "prepared")
    assert ledger["source"]["format"] == "tenx_h5" and not ledger["X"]["copied_as_stored"]
    assert data.X.sum() > 0 and "barcode" in data.obs and "ensembl_id" in data.var


def test_values_that_are_no_counts_are_copied_with_a_warning(scvet, real, tmp_path):
    name = "pbmc_3tech_1200_lognorm.h5ad"
    _, ledger, talk = prepared(scvet, real / name, tmp_path / "prepared")
    assert ledger["X"]["first_cells"] == "logged" and "no matrix of counts" in talk
    assert_x_is_the_same_bytes(real / name, tmp_path / "prepared" / name)


def test_the_draw_is_stratified_recorded_and_the_same_for_any_order(scvet, cellxgene, tmp_path):
    flags = ("--subsample", "20", "--max-per", "cell_type=20", "--seed", "7")
    small, ledger, _ = prepared(scvet, cellxgene, tmp_path / "one", *flags)
    drawn = ledger["subsample"]
    assert (drawn["cells_before"], drawn["cells_after"], drawn["seed"]) == (60, 20, 7)
    after = {row["label"]: row["after"] for row in drawn["strata"]}
    assert after == dict(small.obs["cell_type"].value_counts()) == {"A": 10, "B": 8, "C": 2}
    record = json.loads(small.uns["scvet_subsample"])
    assert record["seed"] == 7 and record["cells_after"] == 20
    # the same cells, from an already prepared file and from one in another order
    prepared(scvet, cellxgene, tmp_path / "whole")
    again, _, _ = prepared(scvet, tmp_path / "whole" / "lung.h5ad", tmp_path / "two", *flags)
    assert list(again.obs_names) == list(small.obs_names)
    turned = anndata.read_h5ad(cellxgene)[::-1].copy()
    turned.raw = None
    (tmp_path / "turned").mkdir()
    turned.write_h5ad(tmp_path / "turned" / "lung.h5ad")
    other, _, _ = prepared(scvet, tmp_path / "turned" / "lung.h5ad", tmp_path / "three", *flags)
    assert set(other.obs_names) == set(small.obs_names)


def test_drawn_cells_keep_their_values(scvet, cellxgene, tmp_path):
    small, _, talk = prepared(scvet, cellxgene, tmp_path / "small", "--max-per", "cell_type=4")
    whole = anndata.read_h5ad(cellxgene)[small.obs_names]
    assert small.n_obs == 12 and small.X.dtype == whole.X.dtype
    assert (small.X != whole.X).nnz == 0 and (small.layers["other"] != whole.layers["other"]).nnz == 0
    assert np.array_equal(small.obsm["X_pca"], whole.obsm["X_pca"])
    assert small.uns["title"] == "t" and "obsp/pairs" in talk
    scvet("prepare", "--data", cellxgene, "--max-per", "nothing=4", "--outdir", tmp_path / "no", code=2)
    scvet("prepare", "--data", cellxgene, "--max-per", "cell_type=x", "--outdir", tmp_path / "no", code=2)


def test_a_source_is_never_replaced(scvet, cellxgene):
    before = cellxgene.read_bytes()
    scvet("prepare", "--data", cellxgene, "--outdir", cellxgene.parent, code=2)
    assert cellxgene.read_bytes() == before


def test_the_same_input_gives_the_same_bytes_and_is_not_done_again(scvet, cellxgene, tmp_path):
    scvet("prepare", "--data", cellxgene, "--outdir", tmp_path / "a", "--threads", 1)
    scvet("prepare", "--data", cellxgene, "--outdir", tmp_path / "b", "--threads", 3)
    out = tmp_path / "a" / "lung.h5ad"
    assert out.read_bytes() == (tmp_path / "b" / "lung.h5ad").read_bytes()
    stamp = out.stat().st_mtime_ns
    again = scvet("prepare", "--data", cellxgene, "--outdir", tmp_path / "a")
    assert "unchanged" in again.stderr and out.stat().st_mtime_ns == stamp


def test_folders_and_patterns_name_files(scvet, real, tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    for name in ("a.h5ad", "b.h5ad"):
        (folder / name).write_bytes((real / "pbmc3k_seurat_small_80.h5ad").read_bytes())
    scvet("prepare", "--data", folder, "--outdir", tmp_path / "one")
    scvet("prepare", "--data", f"{folder}/a*.h5ad", "--outdir", tmp_path / "two")
    assert {path.name for path in (tmp_path / "one").glob("*.h5ad")} == {"a.h5ad", "b.h5ad"}
    assert {path.name for path in (tmp_path / "two").glob("*.h5ad")} == {"a.h5ad"}
    scvet("prepare", "--data", tmp_path / "none", "--outdir", tmp_path / "no", code=2)
