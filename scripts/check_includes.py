#!/usr/bin/env python3
"""Proves that the folder tree is the architecture.

Reads the add_module(name IMPORTS ...) and add_plugin lines of CMakeLists.txt, then every source, and reports
- a header of a module that is not imported, and a cycle among the imports;
- a public header (include/scvet/<module>/) that includes anything but std and public headers of modules it may see;
- a private header of another module (src/<module>/*.h);
- a heavy library outside its one home (HDF5 in io, Boost in numeric, CLI11 in cli, torch in model and embed, ...).
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Include pattern of a heavy library -> the folders (modules, or cli) that may name it.
HEAVY = {
    r"hdf5\.h|H5\w*\.h|hdf5/.*": {"io"},
    r"lzf\.h|liblzf/.*|libdeflate\.h|lz4\w*\.h|blosc\.h": {"io"},
    r"zlib\.h": {"base", "io"},
    r"zstd\.h": {"io", "sketch"},
    r"arrow/.*|parquet/.*": {"io_arrow"},
    r"boost/.*": {"numeric"},
    r"Eigen/.*|Spectra/.*": {"numeric"},
    r"openssl/.*": {"base"},
    r"omp\.h": {"base"},
    r"xxhash\.h": {"sketch"},
    r"igraph/.*|igraph\.h": {"graph"},
    r"torch/.*|ATen/.*|c10/.*": {"model", "embed"},
    r"CLI/.*": {"cli"},
    r"nanobind/.*|Python\.h": {"python"},
}
STD = re.compile(r"[a-z_0-9]+")  # <vector>, <cstdint>: no slash, no dot
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
CLI_SEES = ("jobs", "data", "base")
SUFFIXES = {".cpp", ".h", ".hpp", ".cc"}


@dataclass
class Tree:
    """The modules that CMakeLists.txt names, with what each may include."""

    root: Path
    imports: dict[str, list[str]] = field(default_factory=dict)

    def allowed(self, module: str) -> set[str]:
        return {module, *self.imports[module]}


def read_modules(root: Path) -> Tree:
    text = (root / "CMakeLists.txt").read_text()
    tree = Tree(root)
    for name, rest in re.findall(r"^\s*add_(?:module|plugin)\(\s*(\w+)([^)]*)\)", text, re.MULTILINE):
        words = rest.split()
        tree.imports[name] = words[words.index("IMPORTS") + 1 :] if "IMPORTS" in words else []
    return tree


def find_cycle(imports: dict[str, list[str]]) -> list[str]:
    """A path a -> ... -> a among the imports, or []."""
    state: dict[str, str] = {}
    path: list[str] = []

    def visit(module: str) -> list[str]:
        state[module] = "open"
        path.append(module)
        for imported in imports.get(module, []):
            if state.get(imported) == "open":
                return [*path[path.index(imported) :], imported]
            if imported not in state and (cycle := visit(imported)):
                return cycle
        state[module] = "done"
        path.pop()
        return []

    for module in imports:
        if module not in state and (cycle := visit(module)):
            return cycle
    return []


def includes_of(path: Path) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
        if match := INCLUDE.match(line):
            found.append((number, match.group(1)))
    return found


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES) if folder.is_dir() else []


def module_of_public(include: str) -> str | None:
    match = re.fullmatch(r"scvet/(\w+)/.+", include)
    return match.group(1) if match else None


def private_owner(tree: Tree, module: str, path: Path, include: str) -> str | None:
    """The other module whose private header `include` resolves to, seen from `path`; None when it is our own."""
    here = (path.parent / include).resolve()
    own = (tree.root / "src" / module).resolve()
    if here.exists():
        for other in tree.imports:
            folder = (tree.root / "src" / other).resolve()
            if folder != own and here.is_relative_to(folder):
                return other
        return None
    if (own / include).exists():
        return None
    for other in tree.imports:
        if other != module and (tree.root / "src" / other / include).exists():
            return other
    return None


def heavy_fault(home: str, include: str) -> str | None:
    for pattern, homes in HEAVY.items():
        if re.fullmatch(pattern, include) and home not in homes:
            return f"<{include}> belongs in {' and '.join(sorted(homes))} only"
    return None


def public_header_fault(include: str) -> str | None:
    if STD.fullmatch(include) or module_of_public(include) is not None:
        return None
    return f"public header includes <{include}>; only std and public headers of modules may stand there"


def module_fault(tree: Tree, module: str, path: Path, include: str, public: bool) -> str | None:
    owner = module_of_public(include)
    if owner is not None:
        if owner not in tree.imports:
            return f'"{include}": there is no module {owner}'
        if owner not in tree.allowed(module):
            return f'"{include}": module {module} does not import {owner} (add_module line in CMakeLists.txt)'
    elif other := private_owner(tree, module, path, include):
        return f'"{include}" is a private header of {other}'
    return heavy_fault(module, include) or (public_header_fault(include) if public else None)


def check_module(tree: Tree, module: str) -> list[str]:
    faults = []
    for folder, public in ((tree.root / "include" / "scvet" / module, True), (tree.root / "src" / module, False)):
        for path in sources(folder):
            for line, include in includes_of(path):
                if fault := module_fault(tree, module, path, include, public):
                    faults.append(f"{path.relative_to(tree.root)}:{line}: {fault}")
    return faults


def check_cli(tree: Tree) -> list[str]:
    """The command line parses, calls jobs and prints: it sees the headers of jobs, data and base alone."""
    faults = []
    cli = tree.root / "cli"
    for path in sources(cli):
        for line, include in includes_of(path):
            owner = module_of_public(include)
            fault = heavy_fault("cli", include)
            if owner is not None and owner not in CLI_SEES:
                fault = f'"{include}": cli may include {", ".join(CLI_SEES)}; call a function of jobs instead'
            elif owner is None and not (path.parent / include).exists() and not (cli / include).exists():
                holders = [name for name in tree.imports if (tree.root / "src" / name / include).exists()]
                if holders:
                    fault = f'"{include}" is a private header of {holders[0]}'
            if fault:
                faults.append(f"{path.relative_to(tree.root)}:{line}: {fault}")
    return faults


def check(root: Path) -> list[str]:
    tree = read_modules(root)
    if not tree.imports:
        return ["CMakeLists.txt: no add_module line found"]
    faults = []
    for module, imports in tree.imports.items():
        faults += [
            f"CMakeLists.txt: {module} imports {name}, which is no module"
            for name in imports
            if name not in tree.imports
        ]
    if cycle := find_cycle(tree.imports):
        faults.append(f"CMakeLists.txt: the imports run in a circle: {' -> '.join(cycle)}")
    for folder in ("include/scvet", "src"):
        for path in sorted((root / folder).iterdir()) if (root / folder).is_dir() else []:
            if path.is_dir() and path.name not in tree.imports:
                faults.append(f"{folder}/{path.name}: no add_module line names this folder")
    for module in tree.imports:
        faults += check_module(tree, module)
    return faults + check_cli(tree)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).resolve().parent.parent)
    faults = check(parser.parse_args().root.resolve())
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
