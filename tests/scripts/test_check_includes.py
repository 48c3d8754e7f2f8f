"""check_includes.py over small trees that each break one rule, and over the project itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts_path import ROOT, load

check_includes = load("check_includes")

CLEAN = {
    "CMakeLists.txt": "add_module(base)\nadd_module(data IMPORTS base)\nadd_module(io IMPORTS data base)\n"
    "add_module(sketch IMPORTS data base)\nadd_module(jobs IMPORTS io sketch data base)\n",
    "include/scvet/base/error.h": "#include <string>\n",
    "include/scvet/data/table.h": '#include <vector>\n#include "scvet/base/error.h"\n',
    "include/scvet/io/format.h": '#include "scvet/data/table.h"\n',
    "include/scvet/jobs/inspect.h": '#include "scvet/io/format.h"\n',
    "src/io/hdf5_file.h": "#include <hdf5.h>\n",
    "src/io/formats/h5ad.cpp": '#include "hdf5_file.h"\n#include <fmt/format.h>\n',
    "src/sketch/store.cpp": '#include "scvet/data/table.h"\n#include <zstd.h>\n',
    "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "flags.h"\n#include "scvet/jobs/inspect.h"\n',
    "cli/flags.h": "#include <CLI/CLI.hpp>\n",
}


def write_tree(root: Path, changes: dict[str, str]) -> Path:
    for name, text in {**CLEAN, **changes}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_clean_tree_has_no_faults(tmp_path):
    assert check_includes.check(write_tree(tmp_path, {})) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("src/sketch/store.cpp", '#include "scvet/io/format.h"\n', "module sketch does not import io"),
        ("src/sketch/store.cpp", '#include "scvet/nosuch/a.h"\n', "there is no module nosuch"),
        ("src/sketch/store.cpp", '#include "../io/hdf5_file.h"\n', "private header of io"),
        ("src/sketch/store.cpp", '#include "hdf5_file.h"\n', "private header of io"),
        ("src/sketch/store.cpp", "#include <hdf5.h>\n", "<hdf5.h> belongs in io only"),
        ("src/io/formats/h5ad.cpp", "#  include <boost/math/x.hpp>\n", "belongs in numeric only"),
        ("src/io/formats/h5ad.cpp", "#include <torch/torch.h>\n", "belongs in embed and model only"),
        ("src/io/formats/h5ad.cpp", "#include <CLI/CLI.hpp>\n", "belongs in cli only"),
        ("src/data/table.cpp", "#include <omp.h>\n", "belongs in base only"),
        ("include/scvet/io/format.h", "#include <nlohmann/json.hpp>\n", "public header includes <nlohmann/json.hpp>"),
        ("include/scvet/io/format.h", "#include <hdf5.h>\n", "public header includes <hdf5.h>"),
        ("include/scvet/data/table.h", '#include "scvet/io/format.h"\n', "module data does not import io"),
        ("src/loose/a.cpp", "#include <vector>\n", "src/loose: no add_module line"),
        ("cli/main.cpp", '#include "scvet/io/format.h"\n', "cli may include jobs, data, base"),
        ("cli/main.cpp", '#include "hdf5_file.h"\n', "private header of io"),
        ("CMakeLists.txt", CLEAN["CMakeLists.txt"] + "add_module(report IMPORTS nosuch)\n", "report imports nosuch"),
    ],
)
def test_each_forbidden_include_is_named(tmp_path, name, text, expected):
    faults = check_includes.check(write_tree(tmp_path, {name: text}))
    assert len(faults) == 1, faults
    assert expected in faults[0]
    if not name.startswith(("src/loose", "CMakeLists")):
        assert faults[0].startswith(f"{name}:1: ")


def test_a_circle_of_imports_is_named(tmp_path):
    text = "add_module(base)\nadd_module(data IMPORTS base io)\nadd_module(io IMPORTS data base)\n"
    tree = {"CMakeLists.txt": text + "add_module(sketch IMPORTS data)\nadd_module(jobs IMPORTS io data base)\n"}
    faults = check_includes.check(write_tree(tmp_path, tree))
    assert "CMakeLists.txt: the imports run in a circle: data -> io -> data" in faults


def test_an_own_header_of_the_same_name_as_anothers_is_fine(tmp_path):
    tree = {"src/sketch/hdf5_file.h": "#include <vector>\n", "src/sketch/store.cpp": '#include "hdf5_file.h"\n'}
    assert check_includes.check(write_tree(tmp_path, tree)) == []


def test_the_project_itself_is_clean():
    assert check_includes.check(ROOT) == []
