"""What every command promises: exit codes, near names, prefixes, help; and what the program may not load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("SCVET", ROOT / "build" / "release" / "scvet")).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
from generate_reference import commands, help_of  # noqa: E402  # the path comes first

COMMANDS = commands(PROGRAM) if PROGRAM.exists() else []
IDS = [" ".join(words) for words in COMMANDS]


def scvet(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


def test_there_are_commands():
    assert ["audit"] in COMMANDS
    assert ["corpus", "build"] in COMMANDS


def test_version_is_the_one_of_the_build():
    text = (ROOT / "CMakeLists.txt").read_text()
    version = text.split("project(scvet VERSION ")[1].split()[0]
    result = scvet("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"scvet {version}\n", "")


@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_help_has_examples_and_the_common_flags(words):
    text = help_of(PROGRAM, words)
    assert f"scvet {' '.join(words)}" in text.split("xample")[-1], "an example that shows the command"
    for flag in ("--outdir", "--seed", "--threads", "--quiet", "--verbose", "--log-json", "--force"):
        assert flag in text


@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_unknown_flag_is_exit_2_and_names_the_nearest(words):
    result = scvet(*words, "--thraeds", "2")
    assert result.returncode == 2
    assert "unknown flag --thraeds; did you mean --threads?" in result.stderr
    assert f"scvet {' '.join(words)} --help" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_ambiguous_prefix_is_exit_2_and_names_the_choices(words, tmp_path):
    result = scvet(*words, "--ver", cwd=tmp_path)  # a command that needs no flag runs, and may write where it is
    flags = [line.split()[0] for line in help_of(PROGRAM, words).splitlines() if line.strip().startswith("--ver")]
    if len(flags) > 1:
        assert result.returncode == 2
        assert all(flag.split(",")[0] in result.stderr for flag in flags)
    else:
        assert "unknown flag" not in result.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=IDS)
def test_a_wrong_value_is_exit_2_and_names_the_flag(words):
    result = scvet(*words, "--threads", "many")
    assert result.returncode == 2
    assert "--threads" in result.stderr


@pytest.mark.parametrize("given, near", [("audti", "audit"), ("inspekt", "inspect"), ("corpsu", "corpus")])
def test_unknown_command_is_exit_2_and_names_the_nearest(given, near):
    result = scvet(given)
    assert result.returncode == 2
    assert f"unknown command '{given}'; did you mean '{near}'?" in result.stderr
    assert "available: " in result.stderr


def test_unknown_command_of_a_group_names_the_nearest_with_its_group():
    result = scvet("corpus", "bild")
    assert result.returncode == 2
    assert "unknown command 'corpus bild'; did you mean 'corpus build'?" in result.stderr


@pytest.mark.parametrize("words", [[], ["corpus"]])
def test_no_command_is_exit_2_and_lists_them(words):
    result = scvet(*words)
    assert result.returncode == 2
    assert "no command given" in result.stderr
    assert ("build" if words else "audit") in result.stderr


def test_unambiguous_prefixes_of_flags_are_accepted(tmp_path):
    result = scvet("inspect", "--thre", "1", "--qui", str(tmp_path / "none.h5ad"))
    assert result.returncode == 3
    assert "none.h5ad" in result.stderr


def test_underscores_in_flag_names_are_accepted(tmp_path):
    result = scvet("inspect", "--log_json", str(tmp_path / "none.h5ad"))
    assert result.returncode == 3


def test_a_missing_file_is_exit_3_and_named(tmp_path):
    path = str(tmp_path / "none.h5ad")
    corpus = str(tmp_path / "none.corpus")
    calls = [
        ("inspect", path),
        ("corpus", "build", "--out", str(tmp_path / "c.corpus"), path),
        ("corpus", "info", corpus),
        ("corpus", "verify", corpus),
        ("audit", "--benchmark", path, "--corpus", corpus, "--outdir", str(tmp_path / "out")),
    ]
    for call in calls:
        result = scvet(*call)
        assert result.returncode == 3, call
        assert "none." in result.stderr, call
    assert not (tmp_path / "c.corpus").exists()


def test_a_text_file_is_no_cells_file(tmp_path):
    path = tmp_path / "page.h5ad"
    path.write_text("<!DOCTYPE html><html><body>404</body></html>")
    result = scvet("inspect", str(path))
    assert result.returncode == 3
    assert "page.h5ad" in result.stderr


def test_log_json_gives_the_error_as_one_object(tmp_path):
    result = scvet("inspect", "--log-json", str(tmp_path / "none.h5ad"))
    line = json.loads(result.stderr.splitlines()[-1])
    assert line["level"] == "error"
    assert line["exit_code"] == result.returncode == 3
    assert line["file"].endswith("none.h5ad")


def test_the_program_loads_neither_torch_nor_arrow():
    libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert "libstdc++" in libraries
    for heavy in ("torch", "arrow", "parquet", "python"):
        assert heavy not in libraries
