"""`scvet inspect` over every real file, against what expected.json says a correct reader reports."""

import json
import math
import os
import pathlib
import struct

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = pathlib.Path(os.environ.get("SCVET_REAL_DIR", ROOT.parent / "shared" / "real"))
EXPECTED = json.loads((REAL / "expected.json").read_text())["files"] if REAL.is_dir() else {}

# Sums that are the rounding error of values that cancel: compared within 1e-12 of the sum of absolute values.
CANCELLING = {"harmonypy/pbmc_3500_pcs.tsv.gz": {"numeric_sum"}}


# What expected.json states in words of its own, and where inspect says it.
SAME = {
    "scanpy_pbmc68k_reduced.zarr.zip": {"bulk_labels": ("obs", "bulk_labels", "categories")},
    "census_duplicate_primary_2023-05-15.csv.zip": {
        "rows": ("shape", 0),
        "min": ("obs", "soma_joinid", "min"),
        "max": ("obs", "soma_joinid", "max"),
        "unique": ("obs", "soma_joinid", "n_distinct"),
    },
}


def inspect(scvet, path, *flags):
    return json.loads(scvet("inspect", path, "--json", *flags).stdout)


def differences(expected, found, where=""):
    """Every place where `found` lacks or contradicts `expected`. Lists of keys have no order of their own."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{where}: expected an object, found {found!r}"]
        wrong = []
        for key, value in expected.items():
            if key not in found:
                wrong.append(f"{where}/{key}: missing")
            else:
                wrong += differences(value, found[key], f"{where}/{key}")
        return wrong
    if where.endswith(("/obsp", "/uns_keys")):
        expected, found = sorted(expected), sorted(found)
    if where.endswith(("/sum", "/numeric_sum", "/row_sums_first")):
        wanted, got = (expected, found) if isinstance(expected, list) else ([expected], [found])
        same = len(wanted) == len(got)
        same = same and all(math.isclose(a, b, rel_tol=1e-6) for a, b in zip(wanted, got, strict=True))
    else:
        same = expected == found and isinstance(expected, bool) == isinstance(found, bool)
    return [] if same else [f"{where}: expected {expected!r}, found {found!r}"]


def readable():
    return sorted(EXPECTED) or [pytest.param("expected.json", marks=pytest.mark.skip(reason=f"{REAL} is not there"))]


@pytest.mark.parametrize("name", readable())
def test_every_real_file_is_inspected_to_exactly_what_is_in_it(scvet, name):
    expected = EXPECTED[name]["expect"]
    if "error" in expected:
        result = scvet("inspect", REAL / name, "--json", code=3)
        assert result.stdout == ""
        assert "truncated" in result.stderr
        return
    found = inspect(scvet, REAL / name)
    for key in CANCELLING.get(name, ()):
        assert abs(found[key] - expected[key]) <= 1e-12 * found["numeric_magnitude"]
        expected = {other: value for other, value in expected.items() if other != key}
    for key, path in SAME.get(name, {}).items():
        value = found
        for step in path:
            value = value[step]
        found[key] = value
    assert differences(expected, found) == []
    assert found["faults"] == []


def test_a_truncated_file_is_refused_with_both_sizes(scvet, real):
    path = real / "scp_truncated.h5"
    facts = json.loads(scvet("inspect", path, "--log-json", code=3).stderr.splitlines()[-1])
    assert facts["reason"] == "truncated"
    assert f"found {path.stat().st_size:,}" in facts["message"]
    assert "expected " in facts["message"]


@pytest.mark.parametrize(
    ("name", "matrix", "state"),
    [
        ("kang_pbmc_2000.h5ad", "X", "counts"),
        ("mixology_3batch.h5ad", "X", "counts"),
        ("oligodendroglioma_184_fractional.h5ad", "X", "fractional"),
        ("pbmc_3tech_1200_lognorm.h5ad", "X", "logged"),
        ("perturbench_devel_norman_mcfaline.h5ad", "X", "logged"),
        ("squidpy_visium_mouse_49.h5ad", "X", "logged"),
        ("zellkonverter_example.h5ad", "X", "logged"),
        ("anndata_v0.5.0_pbmc68k_reduced.h5ad", "X", "scaled"),
        ("anndata_v0.5.0_pbmc68k_reduced.h5ad", "raw", "logged"),
        ("cellxgene_pbmc3k_nan_100x100.h5ad", "X", "broken"),
    ],
)
def test_the_state_of_the_values_is_told_with_a_reason(scvet, real, name, matrix, state):
    found = inspect(scvet, real / name)[matrix]
    found = found["X"] if matrix == "raw" else found
    assert found["state"] == state, found["why"]
    assert found["why"]


@pytest.mark.parametrize(
    ("name", "index", "organism"),
    [
        ("kang_pbmc_2000.h5ad", "symbol", "human"),
        ("mixology_3batch.h5ad", "ensembl", "human"),
        ("czi_schema_example_valid.h5ad", "ensembl", "human"),
        ("squidpy_visium_mouse_49.h5ad", "symbol", "mouse"),
        ("anndataR_example.h5ad", "symbol", ""),
        ("anndata_v0.11.4.h5ad", "number", ""),
        ("zellkonverter_krumsiek11_augmented_v0.8.h5ad", "symbol", ""),
    ],
)
def test_gene_identifiers_and_organism_are_inferred_or_left_open(scvet, real, name, index, organism):
    genes = inspect(scvet, real / name)["genes"]
    assert (genes["index"], genes["organism"]) == (index, organism)


def test_repeated_cell_names_are_reported_and_not_refused(scvet, real):
    path = real / "scp_duplicate_cell_name.h5ad"
    duplicate = inspect(scvet, path)["obs_names_duplicate"]
    assert duplicate["name"] == "AA"
    assert duplicate["rows"] == [0, 40]
    assert "NAMES NOT UNIQUE" in scvet("inspect", path).stdout


def test_the_page_fits_a_screen_and_says_what_matters(scvet, real):
    page = scvet("inspect", real / "kang_pbmc_2000.h5ad").stdout
    assert "counts: all 1,129,806 non-zero values are whole" in page
    assert "2,000 x 9,015" in page
    assert "symbols in the index; organism human" in page
    for name in EXPECTED:
        if name.endswith(".h5ad"):
            assert len(scvet("inspect", real / name).stdout.splitlines()) <= 50, name


def test_the_same_matrix_as_h5_and_mtx_is_reported_alike(scvet, real):
    h5 = inspect(scvet, real / "tenx_v3_filtered_feature_bc_matrix.h5")["matrix"]
    mtx = inspect(scvet, real / "tenx_v3_mtx")
    for key in ("cells", "genes", "nnz", "sum", "max", "first_barcodes", "first_names", "first_ids", "row_sums_first"):
        assert h5[key] == mtx[key], key


def test_one_genome_can_be_chosen_and_a_wrong_one_names_those_there(scvet, real):
    path = real / "tenx_v2_multiple_genomes.h5"
    found = inspect(scvet, path, "--genome", "another_genome")
    assert "another_genome" in found and "hg19_chr21" not in found
    refusal = scvet("inspect", path, "--genome", "mm10", code=2).stderr
    assert "another_genome, hg19_chr21" in refusal


def test_flags_that_do_not_apply_are_refused(scvet, real):
    assert "--genome" in scvet("inspect", real / "kang_pbmc_2000.h5ad", "--genome", "x", code=2).stderr
    assert "--modality" in scvet("inspect", real / "kang_pbmc_2000.h5ad", "--modality", "x", code=2).stderr


def test_a_fault_in_one_matrix_is_named_and_the_rest_still_shown(scvet, tmp_path):
    """A row pointer of a small 10x file falls: cells and genes are told, the exit code is 3."""
    whole = (ROOT / "tests" / "data" / "tenx_tiny.h5").read_bytes()
    pointers = struct.pack("<4q", 0, 2, 3, 5)
    assert whole.count(pointers) == 1
    broken = tmp_path / "broken.h5"
    broken.write_bytes(whole.replace(pointers, struct.pack("<4q", 0, 3, 2, 5)))
    result = scvet("inspect", broken, code=3)
    assert "CANNOT BE READ" in result.stdout
    assert "fall from 3 to 2" in result.stderr
    found = json.loads(scvet("inspect", broken, "--json", code=3).stdout)
    assert found["matrix"]["cells"] == 3
    assert "fall from 3 to 2" in found["faults"][0]


def test_nothing_is_written_and_missing_files_are_named(scvet, tmp_path):
    assert "nowhere.h5ad" in scvet("inspect", "nowhere.h5ad", code=3, cwd=tmp_path).stderr
    assert list(tmp_path.iterdir()) == []


def test_a_csv_of_labels_is_a_table_and_pcs_are_an_embedding(scvet, real):
    labels = inspect(scvet, real / "cellxgene_pbmc3k_annotations.csv")
    assert labels["format"] == "table"
    assert labels["names_first"] == ["AAACATACAACCAC-1", "AAACATTGAGCTAC-1"]
    assert not labels["embedding"]
    assert len(labels["comments"]) == 2
    assert inspect(scvet, real / "harmonypy" / "pbmc_3500_pcs.tsv.gz")["embedding"]


def test_each_genome_of_a_10x_file_that_mixes_them_is_shown_alone(scvet):
    path = ROOT / "tests" / "data" / "tenx_two_genomes.h5"
    both = inspect(scvet, path)["matrix"]
    assert (both["genes"], both["genomes"], both["sum"]) == (4, ["GRCh38", "mm10"], 22.0)
    mouse = inspect(scvet, path, "--genome", "mm10")["matrix"]
    assert (mouse["genes"], mouse["genomes"], mouse["sum"]) == (2, ["mm10"], 8.0)
    assert mouse["first_ids"] == ["ENSMUSG01", "ENSMUSG02"]
    assert "not of 'rn6'" in scvet("inspect", path, "--genome", "rn6", code=2).stderr


def test_probes_are_summed_by_gene_and_inspect_says_so(scvet):
    probes = inspect(scvet, ROOT / "tests" / "data" / "tenx_probes.h5")["matrix"]
    assert (probes["genes"], probes["cells"], probes["sum"]) == (2, 3, 107.0)
    assert any("4 of 5 probes passed the filter" in note for note in probes["notes"])
