#!/usr/bin/env python3
"""Writes docs/reference/commands.md from what the program itself says under --help.

With --check nothing is written: exit status 1 when the page differs from what the program says now.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "commands.md"
HEAD = """# Commands

Written by `./dev docs` from `scvet COMMAND --help`; edit the texts in `cli/commands/`, not this page.
"""


def help_of(program: Path, words: list[str]) -> str:
    result = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    return result.stdout


def subcommands(text: str) -> list[str]:
    """Names under 'Subcommands:' of a help text, in its order."""
    section = re.search(r"^Subcommands:\n((?:[ \t]+.*\n?)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", section.group(1), re.MULTILINE) if section else []


def commands(program: Path) -> list[list[str]]:
    """Every command as its words, groups opened: [["audit"], ["corpus", "build"], ...], sorted."""
    found, waiting = [], [[]]
    while waiting:
        words = waiting.pop()
        names = subcommands(help_of(program, words))
        waiting += [[*words, name] for name in names]
        if words and not names:
            found.append(words)
    return sorted(found)


def page(program: Path) -> str:
    parts = [HEAD, "```text\n" + help_of(program, []).rstrip() + "\n```\n"]
    for words in commands(program):
        parts.append(f"## scvet {' '.join(words)}\n\n```text\n{help_of(program, words).rstrip()}\n```\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "scvet")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = page(arguments.program.resolve())
    if not arguments.check:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print(f"{PAGE.relative_to(ROOT)}: not what the program's --help says now; run './dev docs'")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
