"""Fixtures of the command-line tests: the program, and the folders of real files and published vectors."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from report_page import Dom
from trial_case import extraction, stages, tiny, trial  # noqa: F401

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


@pytest.fixture(scope="session")
def browse(tmp_path_factory):
    """Opens a page in a headless browser without a network; returns its DOM after the scripts ran, and its messages."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium on PATH: the page tests need Debian's package chromium")

    def open_page(path, size="1200,1000"):
        profile = tmp_path_factory.mktemp("profile")
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            "--virtual-time-budget=8000",
            "--dump-dom",
        ]
        done = subprocess.run(
            [
                browser,
                *flags,
                "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--user-data-dir={profile}",
                f"--window-size={size}",
                path.as_uri(),
            ],
            capture_output=True,
            timeout=300,
            check=False,
        )
        messages = done.stderr.decode(errors="replace")
        assert done.returncode == 0, messages
        return Dom(done.stdout.decode()).root, [line for line in messages.splitlines() if "CONSOLE" in line]

    return open_page


@pytest.fixture(scope="module")
def opened(browse, folder):
    """The report in the module's `folder` after its scripts ran, and what the browser said."""
    return browse(folder / "report.html")


@pytest.fixture(scope="module")
def page(opened):
    return opened[0]
