"""Ctrl-C ends a long command with exit 130 and leaves nothing half-written."""

import os
import pathlib
import signal
import subprocess
import time

import pytest


@pytest.fixture(scope="module")
def files(scvet, tmp_path_factory):
    out = tmp_path_factory.mktemp("interrupt") / "demo"
    scvet("demo", "--outdir", out)
    return out


def interrupt(arguments, watch, cwd):
    """Starts scvet, sends SIGINT once `watch` says that work is under way; returns exit code and stderr."""
    program = os.environ.get("SCVET", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/scvet"))
    with subprocess.Popen(
        [program, *map(str, arguments)], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.time() + 60
        while not watch() and process.poll() is None and time.time() < deadline:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors


def test_an_interrupted_audit_leaves_no_result_and_can_be_run_again(scvet, files, tmp_path):
    out = tmp_path / "audit"
    arguments = ["audit", "--benchmark", files / "study_a.h5ad", "--corpus", files / "demo.corpus", "--outdir", out]
    code, errors = interrupt(arguments, lambda: (out / "run.json").exists(), tmp_path)
    assert code == 130, errors
    assert "interrupted" in errors
    assert {path.name for path in out.iterdir()} <= {"run.json", "log.txt"}
    scvet(*arguments)
    assert (out / "report.html").exists()


def test_an_interrupted_corpus_build_leaves_the_old_store(scvet, files, tmp_path):
    store = tmp_path / "old.corpus"
    scvet("corpus", "build", "--out", store, files / "study_a.h5ad")
    before = store.read_bytes()
    code, errors = interrupt(
        ["corpus", "build", "--out", store, "--force", files / "study_a.h5ad", files / "study_b.h5ad"],
        lambda: any(".part-" in path.name for path in tmp_path.iterdir()),
        tmp_path,
    )
    assert code == 130, errors
    assert store.read_bytes() == before
    assert not any(".part-" in path.name for path in tmp_path.iterdir())
