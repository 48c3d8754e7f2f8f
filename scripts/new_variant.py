#!/usr/bin/env python3
"""Starts a variant: ./dev new KIND NAME writes its one source file and a test that fails until there is a body.

Kinds: format, engine, null, metric, method, command. A command of a group is named group_verb: corpus_split is 'scvet
corpus split'.
Nothing else needs an edit: the build lists the folder and makes the table.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "scripts" / "templates"
# kind -> (folder of the source, path of its test)
PLACES = {
    "format": ("src/io/formats", "tests/unit/io/{name}_test.cpp"),
    "engine": ("src/sketch/engines", "tests/unit/sketch/{name}_test.cpp"),
    "null": ("src/audit/nulls", "tests/unit/audit/{name}_test.cpp"),
    # An extra: the 13 metrics of the tables are fixed, since the tables are those of the peer.
    "metric": ("src/metrics/extra", "tests/unit/metrics/{name}_test.cpp"),
    "method": ("src/embed/methods", "tests/unit/embed/{name}_test.cpp"),
    "command": ("cli/commands", "tests/cli/test_{name}.py"),
}


class NameFault(Exception):
    """The name cannot be used; the message says why."""


def fill(template: Path, name: str) -> str:
    title = "".join(word.capitalize() for word in name.split("_"))
    text = template.read_text()
    for mark, value in {"@NAME@": name, "@TITLE@": title, "@WORDS@": name.replace("_", " ", 1)}.items():
        text = text.replace(mark, value)
    return text


def write_variant(kind: str, name: str, root: Path) -> list[Path]:
    """Writes both files and returns their paths; refuses names that are no C identifier or are taken."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise NameFault(f"'{name}': a name is small letters, digits and _, and starts with a letter")
    folder, test = PLACES[kind]
    source_path, test_path = root / folder / f"{name}.cpp", root / test.format(name=name)
    for path in (source_path, test_path):
        if path.exists():
            raise NameFault(f"{path.relative_to(root)} exists already")
    test_template = TEMPLATES / f"{kind}_test{test_path.suffix}.in"
    for path, template in ((source_path, TEMPLATES / f"{kind}.cpp.in"), (test_path, test_template)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(template, name))
    return [source_path, test_path]


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev new", description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=sorted(PLACES))
    parser.add_argument("name")
    arguments = parser.parse_args()
    try:
        paths = write_variant(arguments.kind, arguments.name, ROOT)
    except NameFault as fault:
        print(f"dev new: {fault}", file=sys.stderr)
        return 2
    for path in paths:
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
