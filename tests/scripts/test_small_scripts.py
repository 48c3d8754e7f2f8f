"""The helpers of ./dev: test totals, docs links, what clang-tidy looks at, benchmark comparison, help parsing."""

from __future__ import annotations

import json
import subprocess
import sys

from scripts_path import ROOT, load

test_summary = load("test_summary")
check_docs = load("check_docs")
tidy = load("tidy")
compare_bench = load("compare_bench")
generate_reference = load("generate_reference")

CTEST = """<testsuite tests="3">
<testcase name="Io.Reads" classname="Io.Reads" status="run"/>
<testcase name="Io.Real" classname="Io.Real" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>tests/unit/io/a_test.cpp:12: Skipped
SCVET_REAL_DIR is not there

[  SKIPPED ] Io.Real</system-out></testcase>
<testcase name="Io.Breaks" classname="Io.Breaks" status="fail"><failure message=""/></testcase>
</testsuite>"""
PYTEST = """<testsuites><testsuite><testcase classname="tests.cli.test_a" name="test_b"/>
<testcase classname="tests.cli.test_a" name="test_c"><skipped message="no folder"/></testcase>
</testsuite></testsuites>"""


def summary(*arguments):
    command = [sys.executable, ROOT / "scripts" / "test_summary.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_totals_name_what_was_skipped_and_what_failed(tmp_path):
    (tmp_path / "c.xml").write_text(CTEST)
    (tmp_path / "p.xml").write_text(PYTEST)
    result = summary(tmp_path / "c.xml", tmp_path / "p.xml")
    assert result.stdout.splitlines() == [
        "skipped: Io.Real: SCVET_REAL_DIR is not there",
        "skipped: tests.cli.test_a.test_c: no folder",
        "failed: Io.Breaks",
        "2 passed, 1 failed, 2 skipped",
    ]
    assert result.returncode == 1


def test_a_run_without_results_counts_as_failed(tmp_path):
    (tmp_path / "p.xml").write_text(PYTEST)
    result = summary("--quiet", tmp_path / "p.xml", tmp_path / "none.xml")
    assert result.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"
    assert result.returncode == 1


def test_no_test_at_all_is_a_failure(tmp_path):
    (tmp_path / "p.xml").write_text("<testsuites/>")
    assert summary(tmp_path / "p.xml").returncode == 1


def test_broken_links_and_headings_are_named(tmp_path):
    (tmp_path / "a.md").write_text("# A\n[b](b.md#the-second-part) [c](c.md) [d](b.md#none) `[x](y.md)`\n")
    (tmp_path / "b.md").write_text("# B\n## The `second` part\n```\n[x](y.md)\n```\n")
    assert check_docs.faults_of(tmp_path / "a.md", tmp_path) == ["a.md: no file c.md", "a.md: no heading #none in b.md"]
    assert check_docs.faults_of(tmp_path / "b.md", tmp_path) == []


def test_a_page_that_nothing_leads_to_is_named(tmp_path):
    (tmp_path / "docs").mkdir()
    pages = [tmp_path / "docs" / name for name in ("index.md", "found.md", "lost.md")]
    for page, text in zip(pages, ("[f](found.md)", "", ""), strict=True):
        page.write_text(text)
    assert check_docs.unlinked(pages, tmp_path) == ["docs/lost.md: no page links here"]


def test_tidy_looks_again_when_a_header_two_steps_away_changes(tmp_path):
    (tmp_path / ".clang-tidy").write_text("Checks: bugprone-*\n")
    (tmp_path / "src" / "io").mkdir(parents=True)
    (tmp_path / "include" / "scvet").mkdir(parents=True)
    source = tmp_path / "src" / "io" / "a.cpp"
    source.write_text('#include "own.h"\n#include <vector>\n')
    (tmp_path / "src" / "io" / "own.h").write_text('#include "scvet/far.h"\n')
    far = tmp_path / "include" / "scvet" / "far.h"
    far.write_text("int a;\n")
    (tmp_path / "include" / "scvet" / "other.h").write_text("")
    first = tidy.form(source, "g++ a.cpp", tmp_path)
    (tmp_path / "include" / "scvet" / "other.h").write_text("int unrelated;\n")
    assert tidy.form(source, "g++ a.cpp", tmp_path) == first
    assert tidy.form(source, "g++ -O2 a.cpp", tmp_path) != first
    far.write_text("int b;\n")
    assert tidy.form(source, "g++ a.cpp", tmp_path) != first


def test_bench_comparison_gives_the_ratio_and_says_when_the_machine_differs(tmp_path):
    def write(name, time, cpus):
        entry = {"name": "search/1000", "run_type": "iteration", "real_time": time, "time_unit": "ms"}
        path = tmp_path / name
        path.write_text(json.dumps({"context": {"num_cpus": cpus, "mhz_per_cpu": 2000}, "benchmarks": [entry]}))
        return path

    old = write("old.json", 10, 2)
    assert compare_bench.compare(old, write("new.json", 25, 2)) == ["search/1000: 10 ms -> 25 ms  2.50x"]
    assert compare_bench.compare(old, write("far.json", 5, 8))[0].endswith("0.50x  (stored on another machine)")


def test_subcommands_are_read_from_help():
    text = "Usage: x\n\nSubcommands:\n  audit   compares\n          more\n  corpus  group\n"
    assert generate_reference.subcommands(text) == ["audit", "corpus"]
    assert generate_reference.subcommands("Usage: x\n") == []
