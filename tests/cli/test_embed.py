"""Embeddings as the peer writes them, and a user's own program as a method."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest

METHODS = ["pca", "hvg", "random", "oracle"]


@pytest.fixture
def workspace(scvet, tmp_path):
    scvet("init", tmp_path / "atlas")
    return tmp_path / "atlas"


@pytest.fixture(scope="module")
def cells(real):
    """Counts of three batches with the columns that the peer's loops expect."""
    return anndata.read_h5ad(real / "mixology_3batch.h5ad")


@pytest.fixture(scope="module")
def prepared(real, tmp_path_factory):
    """Two real files with labels in cell_type and batches in batch_id."""
    folder = tmp_path_factory.mktemp("prepared")
    for name, label, batch in (("mixology_3batch", "cell_line", "batch"), ("pbmc_facs_800", "FACS_type", None)):
        data = anndata.read_h5ad(real / f"{name}.h5ad")
        data.obs["cell_type"] = data.obs[label].astype(str)
        data.obs["batch_id"] = data.obs[batch].astype(str) if batch else "one"
        data.var_names_make_unique()
        data.write_h5ad(folder / f"{name}.h5ad")
    return folder


def program(folder, body):
    """A user's script: input and output are its arguments."""
    path = folder / "mine.py"
    text = textwrap.dedent(body)
    path.write_text(
        "import sys, os, time\nimport anndata, numpy as np, pandas as pd\nsource, target = sys.argv[1:3]\n"
        "cells = anndata.read_h5ad(source)\nnames = list(cells.obs_names)\n"
        "X = np.asarray(cells.X[:, :8].todense() if hasattr(cells.X, 'todense') else cells.X[:, :8], dtype='float32')\n"
        "def save(names, X):\n    anndata.AnnData(X, obs=pd.DataFrame(index=list(names))).write_h5ad(target)\n" + text
    )
    return f"{sys.executable} {path} {{input}} {{output}}"


def external(scvet, workspace, prepared, command, *arguments, code=0, name="mine"):
    data = prepared / "pbmc_facs_800.h5ad"
    return scvet(
        *("embed", "--method", "external", "--name", name, "--data", data, "--command", command),
        *arguments,
        code=code,
        cwd=workspace,
    )


def output(workspace, method, name="pbmc_facs_800"):
    return workspace / "results" / "embeddings" / method / f"{name}.h5ad"


def last_record(workspace):
    runs = sorted((workspace / "runs/embed").glob("*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return json.loads(runs[-1].read_text())


def test_the_documented_loop_runs_as_written(scvet, workspace, prepared):
    (workspace / "prepared").symlink_to(prepared)
    for method in METHODS:
        for data in sorted((workspace / "prepared").glob("*.h5ad")):
            done = scvet("embed", "--method", method, "--data", data, "--gpu", "0", cwd=workspace)
            assert "GPU" not in done.stderr and "CUDA" not in done.stderr
    for method in METHODS:
        for source in sorted(prepared.glob("*.h5ad")):
            before, after = anndata.read_h5ad(source), anndata.read_h5ad(output(workspace, method, source.stem))
            assert list(after.obs_names) == list(before.obs_names)
            assert after.obs.equals(before.obs)
            assert after.X.dtype == np.float32 and isinstance(after.X, np.ndarray) and np.isfinite(after.X).all()
            assert list(after.var_names) == [f"V{dim + 1}" for dim in range(after.n_vars)]
            assert after.uns["scvet_method"] == method and len(after.uns["scvet_input_sha256"]) == 64
    assert anndata.read_h5ad(output(workspace, "pca")).n_vars == 50
    assert anndata.read_h5ad(output(workspace, "random")).n_vars == 50
    hvg = anndata.read_h5ad(output(workspace, "hvg"))
    assert set(hvg.var["gene"]) <= set(anndata.read_h5ad(prepared / "pbmc_facs_800.h5ad").var_names)


def test_the_second_loop_warns_that_pca_looks_at_no_batch(scvet, workspace, prepared):
    data = prepared / "mixology_3batch.h5ad"
    done = scvet("embed", "--method", "random", "--data", data, "--batch-key", "batch_id", "--gpu", "0", cwd=workspace)
    assert "--batch-key: no effect" in done.stderr


def test_the_same_command_gives_the_same_bytes_on_any_number_of_workers(scvet, workspace, prepared):
    data = prepared / "pbmc_facs_800.h5ad"
    made = []
    for threads in (1, 3):
        scvet("embed", "--method", "PCA", "--data", data, "--threads", threads, "--force", cwd=workspace)
        made.append(output(workspace, "pca").read_bytes())
    assert made[0] == made[1]


def test_parameters_have_both_spellings_and_are_recorded(scvet, workspace, prepared):
    data = prepared / "pbmc_facs_800.h5ad"
    for flag, comps in (("--pca_n_comps", 10), ("--pca-n-comps", 12)):
        scvet("embed", "--method", "pca", "--data", data, flag, comps, "--pca_n_top_genes=500", cwd=workspace)
        assert anndata.read_h5ad(output(workspace, "pca")).n_vars == comps
        assert last_record(workspace)["options"]["parameters"] == {
            "pca_n_comps": str(comps),
            "pca_n_top_genes": "500",
        }
    done = scvet("embed", "--method", "random", "--data", data, "--bin_num", 5, cwd=workspace)
    assert "--bin_num: no effect" in done.stderr
    assert "did you mean" in scvet("embed", "--method", "pca", "--data", data, "--pca_n_cmps", 5, code=2).stderr


def test_spatial_coordinates_are_kept_and_other_parts_left_out(scvet, workspace, cells):
    data = cells[:120].copy()
    data.obsm["spatial"] = np.arange(240, dtype=float).reshape(120, 2)
    data.obsm["X_old"] = np.ones((120, 3))
    data.layers["again"] = data.X.copy()
    data.write_h5ad(workspace / "tissue.h5ad")
    scvet("embed", "--method", "random", "--data", "tissue.h5ad", cwd=workspace)
    after = anndata.read_h5ad(output(workspace, "random", "tissue"))
    assert list(after.obsm) == ["spatial"] and not after.layers
    assert (after.obsm["spatial"] == data.obsm["spatial"]).all()


def test_obs_is_copied_as_it_is(scvet, workspace, cells):
    data = cells[:60].copy()
    data.obs["ordered"] = pd.Categorical(np.arange(60) % 3, ordered=True)
    data.obs["number"] = np.linspace(0, 1, 60)
    data.obs["flag"] = np.arange(60) % 2 == 0
    data.write_h5ad(workspace / "odd.h5ad")
    scvet("embed", "--method", "random", "--data", "odd.h5ad", cwd=workspace)
    with h5py.File(workspace / "odd.h5ad") as before, h5py.File(output(workspace, "random", "odd")) as after:
        assert set(before["obs"]) == set(after["obs"])
        for name in ("number", "flag", "ordered/codes", "ordered/categories"):
            assert before["obs"][name].dtype == after["obs"][name].dtype
            assert (before["obs"][name][...] == after["obs"][name][...]).all()
        assert after["X"].dtype == np.float32 and after["X"].attrs["encoding-type"] == "array"


def test_values_that_are_no_counts_are_refused_with_a_way_out(scvet, workspace, real, cells):
    done = scvet("embed", "--method", "pca", "--data", real / "pbmc_3tech_1200_lognorm.h5ad", code=3, cwd=workspace)
    assert "raw counts are needed" in done.stderr and "--values as-is" in done.stderr
    data = cells[:200].copy()
    data.layers["counts"] = data.X.copy()
    data.X = data.X.astype(float) / 3
    data.write_h5ad(workspace / "logged.h5ad")
    assert "layers/counts" in scvet("embed", "--method", "pca", "--data", "logged.h5ad", code=3, cwd=workspace).stderr
    assert not output(workspace, "pca", "logged").exists()
    scvet("embed", "--method", "pca", "--data", "logged.h5ad", "--layer", "counts", cwd=workspace)
    assert last_record(workspace)["facts"]["values"] == "layers/counts: counts"
    done = scvet("embed", "--method", "pca", "--data", "logged.h5ad", "--values", "as-is", cwd=workspace)
    assert "not counts" in done.stderr
    assert last_record(workspace)["options"]["values"] == "as-is"


def test_repeated_names_are_refused(scvet, workspace, real, cells):
    done = scvet("embed", "--method", "random", "--data", real / "scp_duplicate_cell_name.h5ad", code=3, cwd=workspace)
    assert "cell name" in done.stderr
    data = cells[:60, :100].copy()
    names = list(data.var_names)
    names[7] = names[3]
    data.var_names = names
    data.write_h5ad(workspace / "genes.h5ad")
    done = scvet("embed", "--method", "random", "--data", "genes.h5ad", code=3, cwd=workspace)
    assert f"gene name '{names[3]}'" in done.stderr and "rows 3 and 7" in done.stderr


def test_missing_columns_are_told_with_what_the_file_has(scvet, workspace, real):
    data = real / "mixology_3batch.h5ad"
    done = scvet("embed", "--method", "oracle", "--data", data, code=2, cwd=workspace)
    assert "'cell_type'" in done.stderr and "cell_line" in done.stderr and "--label-key" in done.stderr
    scvet("embed", "--method", "oracle", "--data", data, "--label-key", "cell_line", cwd=workspace)
    done = scvet("embed", "--method", "pca_shuffle_batch", "--data", data, code=2, cwd=workspace)
    assert "'batch_id'" in done.stderr and "--batch-key" in done.stderr
    scvet("embed", "--method", "pca_shuffle_batch", "--data", data, "--batch-key", "batch", cwd=workspace)


@pytest.mark.parametrize("method", ["scgpt", "novae", "genept_w"])
def test_methods_of_later_versions_say_so(scvet, workspace, prepared, method):
    done = scvet("embed", "--method", method, "--data", prepared, code=2, cwd=workspace)
    assert "not available in this version" in done.stderr


def test_a_typing_error_in_a_method_gets_the_nearest_name(scvet, workspace, prepared):
    done = scvet("embed", "--method", "oracel", "--data", prepared, code=2, cwd=workspace)
    assert "did you mean 'oracle'" in done.stderr


def test_a_program_of_the_user_is_a_method(scvet, workspace, prepared):
    command = program(
        workspace, "order = np.random.default_rng(0).permutation(len(names))\nsave([names[i] for i in order], X[order])"
    )
    external(scvet, workspace, prepared, command)
    before, after = anndata.read_h5ad(prepared / "pbmc_facs_800.h5ad"), anndata.read_h5ad(output(workspace, "mine"))
    assert list(after.obs_names) == list(before.obs_names) and after.obs.equals(before.obs)
    assert (before.X[:, :8].toarray() == after.X).all()
    found = last_record(workspace)
    assert found["method"] == "mine"
    assert found["facts"]["external"]["exit_code"] == 0 and found["facts"]["external"]["peak_memory_kib"] > 10000
    assert "{output}" not in found["facts"]["external"]["command"]
    assert "unchanged" in external(scvet, workspace, prepared, command).stderr
    (workspace / "mine.py").write_text((workspace / "mine.py").read_text() + "\n# another program\n")
    assert "unchanged" not in external(scvet, workspace, prepared, command).stderr


def test_the_program_is_told_by_environment_too(scvet, workspace, prepared):
    command = program(
        workspace,
        """
        assert os.environ["SCVET_INPUT"] == source and os.environ["SCVET_OUTPUT"] == target
        assert os.environ["SCVET_SEED"] == "9" and os.environ["SCVET_BATCH_KEY"] == "batch_id"
        assert os.environ["SCVET_LABEL_KEY"] == "cell_type" and os.environ["SCVET_MODEL"] == "big model"
        assert sys.argv[3:] == ["9", "2", "big model", "{other}"]
        save(names, X)
        """,
    )
    external(
        scvet, workspace, prepared, command + " {seed} {threads} {model} {other}",
        "--seed", 9, "--threads", 2, "--model", "big model",
    )  # fmt: skip


def test_a_cell_that_is_not_returned_is_nan_with_a_reason(scvet, workspace, prepared):
    command = program(workspace, "X[5] = np.nan\nsave(names[1:], X[1:])")
    done = external(scvet, workspace, prepared, command)
    assert "2 of 800 cells could not be embedded" in done.stderr
    after = anndata.read_h5ad(output(workspace, "mine"))
    assert np.isnan(after.X[[0, 5]]).all() and np.isfinite(np.delete(after.X, [0, 5], axis=0)).all()
    reasons = after.obs["scvet_missing_reason"]
    assert reasons.iloc[0] == "not returned" and reasons.iloc[5] == "returned as NaN" and reasons.notna().sum() == 2
    assert last_record(workspace)["facts"]["n_missing"] == 2


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("names[3] = 'stranger'\nsave(names, X)", "stranger"),
        ("names[3] = names[4]\nsave(names, X)", "stands in rows 3 and 4"),
        ("X[7, 2] = np.nan\nsave(names, X)", "1 of 8 numbers NaN"),
        ("X[7, 2] = np.inf\nsave(names, X)", "infinite"),
        ("save(names, X[:, :0])", "no dimension"),
        ("save(names, X * np.nan)", "none of 800 cells"),
        ("pass", "did not write"),
        ("open(target, 'w').write('<html>')", "output.h5ad"),
    ],
    ids=["renamed", "twice", "nan", "infinite", "no-dimension", "all-nan", "nothing", "not-h5ad"],
)
def test_an_output_that_breaks_the_contract_is_told_in_words(scvet, workspace, prepared, body, words):
    done = external(scvet, workspace, prepared, program(workspace, body), code=3)
    assert words in done.stderr
    assert not (workspace / "results/embeddings/mine").exists()
    assert last_record(workspace)["status"] == "failed"


def test_npy_with_names_is_read(scvet, workspace, prepared):
    command = program(
        workspace, "np.save(open(target, 'wb'), X)\nopen(target + '.names', 'w').write('\\n'.join(names) + '\\n')"
    )
    external(scvet, workspace, prepared, command, "--output-format", "npy")
    assert anndata.read_h5ad(output(workspace, "mine")).shape == (800, 8)
    command = program(workspace, "np.save(open(target, 'wb'), X)")
    done = external(scvet, workspace, prepared, command, "--output-format", "npy", "--force", code=3)
    assert "names no cells" in done.stderr


def test_a_csv_is_read(scvet, workspace, prepared):
    command = program(workspace, "pd.DataFrame(X + .5, index=names).to_csv(target)")
    external(scvet, workspace, prepared, command, "--output-format", "csv")
    assert anndata.read_h5ad(output(workspace, "mine")).shape == (800, 8)


def test_a_crash_shows_its_last_lines_and_exits_5(scvet, workspace, prepared):
    command = program(workspace, "print('loading weights')\nraise RuntimeError('no such checkpoint')")
    done = external(scvet, workspace, prepared, command, code=5)
    assert "exit code 1" in done.stderr and "no such checkpoint" in done.stderr
    assert not (workspace / "results/embeddings/mine").exists()
    found = last_record(workspace)
    assert (found["status"], found["exit_code"]) == ("failed", 5)
    assert "loading weights" in (pathlib.Path(found["run_dir"]) / "log.txt").read_text()


def running(marker):
    found = subprocess.run(["pgrep", "-f", marker], capture_output=True, text=True, check=False)
    return [pid for pid in found.stdout.split() if pid != str(os.getpid())]


def test_a_program_that_hangs_is_ended_with_its_children(scvet, workspace, prepared):
    command = f"sleep 98761 & sleep 98761; echo {workspace}"
    done = external(scvet, workspace, prepared, command, "--timeout", 1, code=6)
    assert "--timeout 1 s" in done.stderr
    assert last_record(workspace)["facts"]["external"]["timed_out"] is True
    assert running("^sleep 98761") == []


def test_a_memory_limit_is_kept(scvet, workspace, prepared):
    command = f"{sys.executable} -c 'bytearray(3 << 30)'"
    done = external(scvet, workspace, prepared, command, "--memory-limit", 1024, code=5)
    assert "MemoryError" in done.stderr and "--memory-limit 1024 MiB" in done.stderr


def test_ctrl_c_ends_the_program_and_says_interrupted(workspace, prepared):
    executable = os.environ.get("SCVET", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/scvet"))
    arguments = ["embed", "--method", "external", "--name", "mine", "--data", str(prepared / "pbmc_facs_800.h5ad")]
    with subprocess.Popen(
        [executable, *arguments, "--command", "sleep 98762 & sleep 98762"],
        cwd=workspace,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.time() + 60
        while len(running("^sleep 98762")) < 2 and time.time() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert running("^sleep 98762") == []
    assert (last_record(workspace)["status"], last_record(workspace)["exit_code"]) == ("interrupted", 130)


@pytest.mark.parametrize(
    ("name", "words"), [("pca", "has this name"), ("External", "has this name"), ("!!", "needs --name")]
)
def test_names_of_methods_cannot_be_taken(scvet, workspace, prepared, name, words):
    assert words in external(scvet, workspace, prepared, "true", code=2, name=name).stderr


def test_flags_of_external_belong_to_it(scvet, workspace, prepared):
    done = scvet("embed", "--method", "pca", "--data", prepared, "--command", "true", code=2, cwd=workspace)
    assert "belong to --method external" in done.stderr


def test_the_same_numbers_under_two_names_raise_an_alarm(scvet, workspace, prepared):
    scvet("embed", "--method", "random", "--data", prepared / "pbmc_facs_800.h5ad", cwd=workspace)
    done = external(scvet, workspace, prepared, f"cp {output(workspace, 'random')} {{output}}", name="newnet")
    assert "same numbers as that of random" in done.stderr
    assert last_record(workspace)["facts"]["same_numbers_as"] == ["random"]
    other = external(scvet, workspace, prepared, program(workspace, "save(names, X)"), name="other")
    assert "same numbers" not in other.stderr


def test_ten_x_files_are_read_as_well(scvet, workspace, real):
    scvet("embed", "--method", "random", "--data", real / "tenx_v3_mtx", cwd=workspace)
    after = anndata.read_h5ad(output(workspace, "random", "tenx_v3_mtx"))
    assert after.n_vars == 50 and after.n_obs > 0
