"""MuData: one modality is chosen by name; inspect shows all."""

import json
import shutil
import warnings

import anndata
import h5py
import numpy as np
import pytest
import scipy.sparse as sp
import zarr

warnings.filterwarnings("ignore")


def modality(n_genes, seed):
    random = np.random.default_rng(seed)
    x = sp.csr_matrix(random.poisson(1.0, (60, n_genes)).astype("f4"))
    adata = anndata.AnnData(x)
    adata.obs_names = [f"cell{cell}" for cell in range(60)]
    adata.var_names = [f"ENSG{seed}{gene:010d}" for gene in range(n_genes)]
    return adata


@pytest.fixture(scope="module")
def h5mu(tmp_path_factory):
    """Two modalities as mudata lays them out."""
    folder = tmp_path_factory.mktemp("h5mu")
    with h5py.File(folder / "pair.h5mu", "w") as file:
        file.attrs.update({"encoding-type": "MuData", "encoding-version": "0.1.0", "axis": 0})
        mod = file.create_group("mod")
        for name, n_genes in (("rna", 80), ("adt", 12)):
            modality(n_genes, n_genes).write_h5ad(folder / "part.h5ad")
            with h5py.File(folder / "part.h5ad") as part:
                part.copy("/", mod, name)
        mod.attrs["mod-order"] = ["rna", "adt"]
        for table in ("obs", "var"):
            mod.copy(f"rna/{table}", file)
    return folder / "pair.h5mu"


def inspect(scvet, path, *flags):
    return json.loads(scvet("inspect", path, "--json", *flags).stdout)


def test_inspect_shows_every_modality_or_the_one_that_was_named(scvet, h5mu):
    found = inspect(scvet, h5mu)
    assert (found["format"], found["n_obs"]) == ("h5mu", 60)
    assert {name: part["n_vars"] for name, part in found["modalities"].items()} == {"rna": 80, "adt": 12}
    assert set(inspect(scvet, h5mu, "--modality", "adt")["modalities"]) == {"adt"}
    page = scvet("inspect", h5mu).stdout
    assert page.index("modality rna") < page.index("modality adt")
    assert "did you mean 'rna'" in scvet("inspect", h5mu, "--modality", "RNA", code=2).stderr


def test_a_broken_modality_does_not_hide_the_others(scvet, h5mu, tmp_path):
    broken = tmp_path / "broken.h5mu"
    shutil.copy(h5mu, broken)
    with h5py.File(broken, "a") as file:
        del file["mod/rna/obs"]
    result = scvet("inspect", broken, "--json", code=3)
    found = json.loads(result.stdout)
    assert set(found["modalities"]) == {"adt"}
    assert "mod/rna/obs" in found["faults"][0]
    assert "mod/rna/obs" in result.stderr


def test_other_commands_ask_for_the_modality_and_take_it(scvet, h5mu, tmp_path):
    for arguments in (
        ("corpus", "build", "--out", "x.corpus", h5mu),
        ("audit", "--corpus", "x.corpus", "--benchmark", h5mu, "--outdir", "out"),
    ):
        refusal = scvet(*arguments, code=2, cwd=tmp_path).stderr
        assert "several modalities (rna, adt)" in refusal
        assert "--modality" in refusal
        scvet(*arguments, "--modality", "rna", cwd=tmp_path)
    audit = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert audit["datasets"][0]["verdict"]["kind"] == "exposed"
    (copy,) = (tmp_path / "out").glob("*.h5ad")
    assert anndata.read_h5ad(copy).shape == (60, 80)


@pytest.mark.parametrize("version", [2, 3])
def test_mudata_in_a_zarr_store_reads_alike(scvet, h5mu, tmp_path, version):
    root = zarr.open_group(tmp_path / "pair.zarr", mode="w", zarr_format=version)
    root.attrs.update({"encoding-type": "MuData", "encoding-version": "0.1.0", "axis": 0})
    anndata.settings.zarr_write_format = version
    for name, n_genes in (("rna", 80), ("adt", 12)):
        modality(n_genes, n_genes).write_zarr(tmp_path / "pair.zarr" / "mod" / name)
    root.create_group("mod").attrs["mod-order"] = ["rna", "adt"]
    for table in ("obs", "var"):
        shutil.copytree(tmp_path / "pair.zarr" / "mod" / "rna" / table, tmp_path / "pair.zarr" / table)
    found, expected = inspect(scvet, tmp_path / "pair.zarr"), inspect(scvet, h5mu)
    assert found["n_obs"] == expected["n_obs"]
    assert found["modalities"] == expected["modalities"]
