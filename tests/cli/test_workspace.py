"""Workspaces and the records of runs, as a new user meets them."""

import json
import os
import subprocess

import anndata
import pytest


@pytest.fixture
def workspace(scvet, tmp_path):
    """An empty workspace; commands run inside it."""
    scvet("init", tmp_path / "atlas")
    return tmp_path / "atlas"


@pytest.fixture
def outside(tmp_path):
    """A folder that is no workspace, and no environment that names one."""
    return {"cwd": tmp_path, "env": {"SCVET_WORKSPACE": "", "SCFOUNDRY_WORKSPACE": ""}}


def runs(scvet, *arguments, **where):
    return json.loads(scvet("runs", "--json", *arguments, **where).stdout)


def record(run):
    return json.loads((run / "run.json").read_text())


def embed(scvet, real, workspace, *arguments, code=0, method="random", name="pbmc_facs_800.h5ad"):
    return scvet("embed", "--method", method, "--data", real / name, *arguments, code=code, cwd=workspace)


def test_init_makes_the_places_and_reports_the_machine(scvet, tmp_path):
    text = scvet("init", tmp_path / "atlas").stdout
    assert "processor" in text and "memory" in text
    for place in ("data/model_weights", "cache", "results", "runs"):
        assert (tmp_path / "atlas" / place).is_dir()
    marker = json.loads((tmp_path / "atlas" / ".scvet.json").read_text())
    assert {"version", "created", "pipeline", "container_runtime"} <= marker.keys()


def test_init_takes_the_peers_flags(scvet, tmp_path):
    scvet("init", tmp_path / "w", "--runtime", "docker", "--gpu-id", "1", "--nextflow")
    assert json.loads((tmp_path / "w" / ".scvet.json").read_text())["container_runtime"] == "docker"


def test_init_refuses_what_is_a_workspace_already(scvet, workspace):
    (workspace / "results" / "kept.txt").write_text("kept")
    assert "--force" in scvet("init", workspace, code=2).stderr
    scvet("init", workspace, "--force")
    assert (workspace / "results" / "kept.txt").read_text() == "kept"


def test_init_refuses_a_folder_of_another_pipeline(scvet, tmp_path):
    (tmp_path / "nextflow.config").write_text("")
    assert "nextflow.config" in scvet("init", tmp_path, code=2).stderr
    scvet("init", tmp_path, "--force")


def test_the_nearest_workspace_upwards_is_found(scvet, workspace):
    deep = workspace / "results" / "deep"
    deep.mkdir()
    assert json.loads(scvet("info", "--json", cwd=deep).stdout)["workspace"] == str(workspace)


@pytest.mark.parametrize("marker", [".scvet.json", ".scfoundry.json"])
def test_a_workspace_can_be_named_by_flag_or_environment(scvet, tmp_path, marker, outside):
    peer = tmp_path / "peer"
    peer.mkdir()
    (peer / marker).write_text("{}")

    def found(*arguments, **env):
        text = scvet("info", "--json", *arguments, cwd=tmp_path, env={**outside["env"], **env}).stdout
        return json.loads(text)["workspace"]

    assert found("--workspace", peer) == str(peer)
    assert found(SCFOUNDRY_WORKSPACE=str(peer)) == str(peer)
    assert found(SCVET_WORKSPACE=str(peer), SCFOUNDRY_WORKSPACE="/nowhere") == str(peer)


def test_a_named_folder_without_a_marker_is_refused(scvet, tmp_path):
    assert "scvet init" in scvet("info", "--workspace", tmp_path, code=2).stderr
    scvet("info", code=2, env={"SCVET_WORKSPACE": str(tmp_path)})


def test_list_methods_marks_what_is_not_here(scvet):
    lines = scvet("list", "methods").stdout.splitlines()
    assert lines[0].split() == ["method", "name", "category", "gpu", "tasks", "container"]
    rows = {line.split()[0]: line for line in lines[1:]}
    assert "embed" in rows["pca"]
    assert "not in this version" in rows["novae"] and "not in this version" in rows["geneformer"]
    found = json.loads(scvet("list", "methods", "--json", "--task", "embed").stdout)
    assert {row["method"] for row in found if row["available"]} >= {"pca", "hvg", "random", "oracle", "external"}
    assert not any(
        row["method"] == "pca" for row in json.loads(scvet("list", "methods", "--json", "--task", "transfer").stdout)
    )
    assert "expected one of" in scvet("list", "methods", "--task", "embd", code=2).stderr


def test_list_tasks_says_which_are_available(scvet):
    found = {row["task"]: row for row in json.loads(scvet("list", "tasks", "--json").stdout)}
    assert found["embed"]["status"] == "available"
    assert found["finetune"]["status"] == "not in this version"
    assert all(row["description"] for row in found.values())


@pytest.mark.parametrize("command", ["finetune", "transfer", "download"])
def test_commands_of_later_versions_say_so(scvet, command):
    assert "not available in this version" in scvet(command, "--method", "pca", code=2).stderr


def test_a_run_leaves_its_record(scvet, real, workspace):
    embed(scvet, real, workspace, "--seed", 7)
    (run,) = (workspace / "runs" / "embed").iterdir()
    assert run.name.endswith("_random_pbmc_facs_800")
    found = record(run)
    peer = {"task", "method", "input", "workspace", "pipeline", "run_dir", "resumed", "started", "finished"}
    assert peer | {"exit_code", "status", "scfoundry_version", "nextflow"} <= found.keys()
    assert (found["task"], found["method"], found["input"]) == ("embed", "random", "pbmc_facs_800")
    assert (found["status"], found["exit_code"], found["seed"], found["resumed"]) == ("ok", 0, 7, False)
    assert found["inputs"][0]["path"].endswith("pbmc_facs_800.h5ad")
    assert list(found["outputs"]) == ["embeddings/random/pbmc_facs_800.h5ad"]
    assert json.loads((run / "params.json").read_text())["seed"] == 7
    assert "--seed" in (run / "command.sh").read_text() and os.access(run / "command.sh", os.X_OK)
    assert (run / "log.txt").exists()


def test_the_recorded_command_can_be_run(scvet, real, workspace):
    embed(scvet, real, workspace)
    (run,) = (workspace / "runs" / "embed").iterdir()
    output = workspace / "results/embeddings/random/pbmc_facs_800.h5ad"
    first = output.read_bytes()
    output.unlink()
    program = os.environ.get("SCVET")
    if program is None:
        pytest.skip("SCVET names no program to put on PATH")
    (workspace / "bin").mkdir()
    (workspace / "bin" / "scvet").symlink_to(program)
    path = f"{workspace / 'bin'}:{os.environ['PATH']}"
    subprocess.run([run / "command.sh"], check=True, env={**os.environ, "PATH": path}, cwd="/")
    assert output.read_bytes() == first


def test_outside_a_workspace_commands_simply_run(scvet, real, tmp_path, outside):
    scvet("embed", "--method", "random", "--data", real / "pbmc_facs_800.h5ad", **outside)
    assert (tmp_path / "results/embeddings/random/pbmc_facs_800.h5ad").exists()
    scvet("embed", "--method", "random", "--data", real / "pbmc_facs_800.h5ad", "--outdir", "out", **outside)
    assert len(list((tmp_path / "out/runs/embed").iterdir())) == 1
    assert runs(scvet, "--outdir", "out", **outside)[0]["status"] == "ok"


def test_what_is_complete_and_unchanged_is_not_made_again(scvet, real, workspace):
    output = workspace / "results/embeddings/random/pbmc_facs_800.h5ad"
    embed(scvet, real, workspace)
    made = output.stat().st_mtime_ns
    again = embed(scvet, real, workspace)
    assert "unchanged" in again.stderr and output.stat().st_mtime_ns == made
    assert len(runs(scvet, cwd=workspace)) == 1
    embed(scvet, real, workspace, "--seed", 1)
    assert output.stat().st_mtime_ns != made
    made = output.stat().st_mtime_ns
    embed(scvet, real, workspace, "--seed", 1, "--force")
    assert output.stat().st_mtime_ns != made


def test_a_spoilt_or_missing_output_is_made_again(scvet, real, workspace):
    output = workspace / "results/embeddings/random/pbmc_facs_800.h5ad"
    embed(scvet, real, workspace)
    whole = output.read_bytes()
    output.write_bytes(whole[:-1])
    embed(scvet, real, workspace)
    assert output.read_bytes() == whole
    output.unlink()
    embed(scvet, real, workspace)
    assert output.read_bytes() == whole


def test_a_changed_input_is_done_again(scvet, real, workspace):
    copy = workspace / "cells.h5ad"
    cells = anndata.read_h5ad(real / "pbmc_facs_800.h5ad")
    for n_cells in (100, 200):
        cells[:n_cells].copy().write_h5ad(copy)
        scvet("embed", "--method", "random", "--data", copy, cwd=workspace)
        assert anndata.read_h5ad(workspace / "results/embeddings/random/cells.h5ad").n_obs == n_cells


def test_run_names_are_cleaned_and_taken_once(scvet, real, workspace):
    embed(scvet, real, workspace, "--run-name", "my run!")
    assert (workspace / "runs/embed/my-run/run.json").exists()
    assert "exists already" in embed(scvet, real, workspace, "--run-name", "my run!", code=2).stderr


def test_resume_uses_the_folder_again(scvet, real, workspace):
    assert "no earlier run" in embed(scvet, real, workspace, "--resume", code=2).stderr
    embed(scvet, real, workspace, "--run-name", "first")
    embed(scvet, real, workspace, "--resume", "first", "--force")
    embed(scvet, real, workspace, "--resume", "--force")
    assert [run.name for run in (workspace / "runs/embed").iterdir()] == ["first"]
    assert record(workspace / "runs/embed/first")["resumed"] is True
    assert "no such run" in embed(scvet, real, workspace, "--resume", "second", code=2).stderr


def test_dry_run_makes_nothing(scvet, real, workspace):
    text = embed(scvet, real, workspace, "--dry-run").stdout
    assert '"seed": 42' in text and "command: scvet embed" in text
    assert not any((workspace / "results").iterdir()) and not any((workspace / "runs").iterdir())


def test_flags_of_the_peer_are_taken(scvet, real, workspace):
    done = embed(
        scvet,
        real,
        workspace,
        "--gpu",
        "0",
        "--require-gpu",
        "--profile",
        "local",
        "--config",
        "x.config",
        "--",
        "-resume",
    )
    assert done.stderr.count("without effect") == 1 and "GPU" not in done.stderr
    (run,) = (workspace / "runs" / "embed").iterdir()
    assert json.loads((run / "params.json").read_text())["engine_arguments"] == ["-resume"]
    assert "later version" in embed(scvet, real, workspace, "--profile", "slurm", code=2).stderr
    assert "unexpected argument" in scvet("embed", "stray", "--method", "random", "--data", real, code=2).stderr


def test_a_failed_pair_costs_only_itself(scvet, real, workspace):
    for name in ("pbmc_facs_800.h5ad", "scp_duplicate_cell_name.h5ad", "mixology_3batch.h5ad"):
        (workspace / name).symlink_to(real / name)
    done = scvet("embed", "--method", "random", "--data", workspace, code=3, cwd=workspace)
    assert "1 of 3 runs failed" in done.stderr and "scp_duplicate_cell_name" in done.stderr
    made = {path.name for path in (workspace / "results/embeddings/random").iterdir()}
    assert made == {"pbmc_facs_800.h5ad", "mixology_3batch.h5ad"}
    found = {run["input"]: run for run in runs(scvet, cwd=workspace)}
    assert (found["scp_duplicate_cell_name"]["status"], found["scp_duplicate_cell_name"]["exit_code"]) == ("failed", 3)
    assert "row" in found["scp_duplicate_cell_name"]["message"]


def test_runs_are_listed_newest_first_and_lost_ones_told(scvet, real, workspace):
    for seed in range(3):
        embed(scvet, real, workspace, "--seed", seed, "--run-name", f"run{seed}")
    lines = scvet("runs", cwd=workspace).stdout.splitlines()
    assert lines[0].split()[:5] == ["started", "task", "method", "status", "exit"]
    assert [line.rsplit("/", 1)[1] for line in lines[1:]] == ["run2", "run1", "run0"]
    assert len(runs(scvet, "--limit", 2, cwd=workspace)) == 2
    assert runs(scvet, "--task", "benchmark", cwd=workspace) == []
    gone = workspace / "runs/embed/run1"
    gone.joinpath("run.json").write_text(json.dumps({**record(gone), "status": "running"}))
    assert {run["run_dir"].rsplit("/", 1)[1]: run["status"] for run in runs(scvet, cwd=workspace)}["run1"] == "lost"


@pytest.mark.parametrize("data", ["nowhere.h5ad", "*.nothing", "empty"])
def test_data_that_is_not_there_is_exit_2_in_words(scvet, workspace, data):
    (workspace / "empty").mkdir()
    assert "--data" in scvet("embed", "--method", "random", "--data", data, code=2, cwd=workspace).stderr


def test_two_files_of_one_name_are_refused(scvet, real, workspace):
    (workspace / "deep").mkdir()
    for place in (workspace, workspace / "deep"):
        (place / "cells.h5ad").symlink_to(real / "pbmc_facs_800.h5ad")
    done = scvet("embed", "--method", "random", "--data", "cells.h5ad", "deep", code=2, cwd=workspace)
    assert "overwrite each other" in done.stderr
