"""Shared storage that fails now and then, and file systems without locks: reads are tried again, within a bound."""

import json
import pathlib
import shutil
import subprocess

import pytest

anndata = pytest.importorskip("anndata")
np = pytest.importorskip("numpy")

LEAST = 10000  # bytes of a read that may fail: chunks of values, not records of HDF5 nor a look at the first bytes


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    library = tmp_path_factory.mktemp("shim") / "failing_storage.so"
    source = pathlib.Path(__file__).with_name("failing_storage.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same counts dense and in gzipped chunks, and dense in one piece."""
    folder = tmp_path_factory.mktemp("files")
    counts = np.random.default_rng(1).integers(0, 60000, (600, 800)).astype("float32")
    for name, how in (("chunks", {"compression": "gzip"}), ("piece", {})):
        anndata.AnnData(counts.copy()).write_h5ad(folder / f"{name}.h5ad", **how)
    return folder, float(counts.sum(dtype="float64"))


def failing(shim, how, count):
    return {
        "LD_PRELOAD": str(shim),
        "FAIL_SUFFIX": ".h5ad",
        "FAIL_HOW": how,
        "FAIL_COUNT": str(count),
        "FAIL_LEAST": str(LEAST),
    }


@pytest.mark.parametrize("name", ["chunks", "piece"])
@pytest.mark.parametrize(("how", "count"), [("eio", 2), ("short", 10**6), ("zero", 1)])
def test_reads_that_fail_for_a_while_do_not_change_the_result(scvet, shim, files, name, how, count):
    folder, total = files
    found = json.loads(scvet("inspect", folder / f"{name}.h5ad", "--json", env=failing(shim, how, count)).stdout)
    assert found["X"]["sum"] == total
    assert found["faults"] == []


@pytest.mark.parametrize("name", ["chunks", "piece"])
def test_storage_that_keeps_failing_is_named_as_the_cause_after_three_tries(scvet, shim, files, name):
    folder, _ = files
    result = scvet("inspect", folder / f"{name}.h5ad", code=3, env=failing(shim, "eio", 10**6))
    assert "in 3 tries" in result.stderr
    assert "the storage is the likely cause" in result.stderr


def test_a_file_system_without_locks_is_read(scvet, shim, files):
    folder, total = files
    found = json.loads(scvet("inspect", folder / "chunks.h5ad", "--json", env=failing(shim, "eio", 0)).stdout)
    assert found["X"]["sum"] == total
