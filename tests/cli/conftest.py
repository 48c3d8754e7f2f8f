"""Fixtures of the command-line tests: the program, and the folders of real files and published vectors."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _folder(variable, default):
    path = pathlib.Path(os.environ.get(variable, ROOT.parent / "shared" / default))
    return path if path.is_dir() else None


@pytest.fixture(scope="session")
def scvet():
    """Runs scvet with the given arguments; checks the exit code; returns the completed process."""
    program = os.environ.get("SCVET", str(ROOT / "build" / "release" / "scvet"))
    if not pathlib.Path(program).exists():
        pytest.fail(f"{program} is missing: run ./dev build, or set SCVET")

    def run(*arguments, code=0, cwd=None, env=None):
        result = subprocess.run(
            [program, *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            timeout=600,
        )
        assert result.returncode == code, f"exit {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    return run


@pytest.fixture(scope="session")
def real():
    """The folder of real files made by others."""
    path = _folder("SCVET_REAL_DIR", "real")
    if path is None:
        pytest.skip("SCVET_REAL_DIR: the folder of real files is not there")
    return path


@pytest.fixture(scope="session")
def reference():
    """The folder of published vectors."""
    path = _folder("SCVET_REFERENCE_DIR", "reference")
    if path is None:
        pytest.skip("SCVET_REFERENCE_DIR: the folder of published vectors is not there")
    return path


@pytest.fixture(scope="session")
def truth(real):
    """Which real files share cells."""
    return json.loads((real / "truth.json").read_text())
