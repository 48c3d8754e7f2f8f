"""A trial killed at every write of its final test: the state is before or after, never between, and it can go on."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SCVET") or str(ROOT / "build" / "release" / "scvet")
LIBRARY = pathlib.Path(PROGRAM).parent / "tests" / "kill" / "libkill_at.so"
BEFORE = ("SANITY_PASSED", "PREDICTED")


def run(folder, state, verb, *flags, **kill):
    environment = {**os.environ, **{key: str(value) for key, value in kill.items()}}
    if kill:
        environment["LD_PRELOAD"] = str(LIBRARY)
    return subprocess.run(
        [PROGRAM, "trial", verb, "--trial", folder, "--state-dir", state, *flags],
        capture_output=True,
        text=True,
        env=environment,
    )


@pytest.fixture(scope="module")
def sane(reference, tmp_path_factory):
    """The worked example after sanity, and the number of writes of its final test."""
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is missing: built with the unit tests")
    root = tmp_path_factory.mktemp("sane")
    tiny = reference / "trial" / "lock"
    arm = json.loads((tiny / "locked/arms/demo/arm.json").read_text())
    (root / "extraction.json").write_text(json.dumps(arm["extraction"]))
    what = ["--counts", tiny / "input/counts.h5ad", "--obsm", "X_demo", "--arm", "demo", "--underpowered"]
    place = (root / "trial", root / "state")
    assert run(*place, "lock", *what, "--extraction", root / "extraction.json").returncode == 0
    assert run(*place, "sanity").returncode == 0
    return root


def copy(root, to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(root, to)
    return to / "trial", to / "state"


def events(trial):
    lines = (trial / "ledger.jsonl").read_bytes().split(b"\n")
    return [json.loads(line)["event"] for line in lines if line.startswith(b"{") and line.endswith(b"}")]


def test_killed_at_every_write_of_the_final_test(sane, tmp_path):
    trial, state = copy(sane, tmp_path / "whole")
    below = f"{trial}:{state}"
    done = run(trial, state, "final-test", KILL_BELOW=below, KILL_AT=0, KILL_COUNT=tmp_path / "count")
    assert done.returncode == 0, done.stderr
    writes = int((tmp_path / "count").read_text())
    assert writes > 20
    expected = {
        name: (trial / "arms/demo" / name).read_bytes() for name in ("predictions.tsv", "metrics.json", "outcome.json")
    }
    seen = set()
    for at in range(1, writes + 1):
        trial, state = copy(sane, tmp_path / "killed")
        killed = run(trial, state, "final-test", KILL_BELOW=f"{trial}:{state}", KILL_AT=at)
        assert killed.returncode == -signal.SIGKILL, f"write {at}: {killed.returncode} {killed.stderr}"
        verified = run(trial, state, "verify")
        opened = (trial / "arms/demo/test.opened").exists()
        found = events(trial)
        finished = "TEST_DONE" in found
        seen.add((opened, found[-1]))
        # Opened: only --resume goes on, and scores the predictions that were stored. Else the step is done again.
        flags = ["--break-lock"] if (trial / "lock.pid").exists() else []
        resume = run(trial, state, "final-test", "--resume", *flags)
        if finished:
            assert resume.returncode in (0, 4), resume.stderr
        elif opened:
            assert resume.returncode == 0, f"write {at}: {resume.stderr}\n{verified.stdout}"
        else:
            assert "reason=resume_not_allowed" in resume.stderr, f"write {at}: {resume.stderr}"
            flags = ["--break-lock"] if (trial / "lock.pid").exists() else []
            again = run(trial, state, "final-test", *flags)
            assert again.returncode == 0, f"write {at}: {again.stderr}"
        for name, content in expected.items():
            assert (trial / "arms/demo" / name).read_bytes() == content, f"write {at}: {name}"
        assert run(trial, state, "verify").returncode == 0
    # Among the points was the gap between test.opened and its ledger line.
    assert (True, "PREDICTED") in seen
