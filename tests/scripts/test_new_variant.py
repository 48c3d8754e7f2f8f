"""new_variant.py: what it writes compiles against the project's headers, and bad names are refused."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from scripts_path import ROOT, load

new_variant = load("new_variant")
COMPILER = shutil.which("g++")


@pytest.mark.parametrize("kind", sorted(new_variant.PLACES))
def test_both_files_compile(kind, tmp_path):
    if COMPILER is None:
        pytest.skip("no g++ on the PATH")
    paths = new_variant.write_variant(kind, "sample_one", tmp_path)
    assert [path.relative_to(tmp_path).parts[0] for path in paths][1] == "tests"
    for path in paths:
        if path.suffix == ".py":
            compile(path.read_text(), str(path), "exec")
            continue
        flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
        command = [COMPILER, *flags, f"-I{ROOT / 'include'}", f"-I{ROOT / 'cli'}", str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("kind", ["format", "engine", "null", "metric", "method", "command"])
def test_the_constant_is_named_after_the_file(kind, tmp_path):
    source = new_variant.write_variant(kind, "sample_one", tmp_path)[0]
    assert f" sample_one_{kind} = {{" in source.read_text()


@pytest.mark.parametrize("name", ["Sample", "9lives", "a-b", "", "a b", "../a"])
def test_a_name_that_is_no_identifier_is_refused(name, tmp_path):
    with pytest.raises(new_variant.NameFault, match="small letters"):
        new_variant.write_variant("engine", name, tmp_path)


def test_nothing_is_overwritten(tmp_path):
    new_variant.write_variant("engine", "sample", tmp_path)
    with pytest.raises(new_variant.NameFault, match="exists already"):
        new_variant.write_variant("engine", "sample", tmp_path)
