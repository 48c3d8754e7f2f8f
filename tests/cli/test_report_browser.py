"""The report as a browser shows it: charts drawn, numbers equal to audit.json, nothing asked of any server."""

import json
import re

import pytest
from report_page import chart_specs, check_charts, check_shown_numbers, check_width, own_source, rows


@pytest.fixture(scope="module")
def folder(scvet, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "demo"
    scvet("demo", "--outdir", out)
    return out / "audit"


@pytest.fixture(scope="module")
def audit(folder):
    return json.loads((folder / "audit.json").read_text())


@pytest.fixture(scope="module")
def dataset(audit):
    assert len(audit["datasets"]) == 1
    return audit["datasets"][0]


def test_every_chart_was_drawn_as_svg(page):
    for chart, drawing in check_charts(page, 7):
        assert float(drawing.attributes["width"]) > 300, chart.attributes["id"]


def test_the_browser_had_nothing_to_complain_about(opened):
    assert opened[1] == []


def test_every_chart_has_words_for_those_who_cannot_see_it(page):
    for chart in page.all("div", class_="chart"):
        assert len(chart.attributes.get("aria-label", "")) > 20
    assert page.one("html").attributes["lang"] == "en"
    levels = [int(node.tag[1]) for node in page.one("main").all() if re.fullmatch(r"h[1-6]", node.tag)]
    assert all(after <= before + 1 for before, after in zip([1, *levels], levels, strict=False))


def test_the_page_holds_the_object_of_audit_json(page, audit):
    assert json.loads(page.one("script", id="scvet-data").text()) == audit


def test_the_banner_says_the_verdict(page, dataset):
    banner = page.one("div", id="verdict-1")
    assert dataset["verdict"]["kind"] == "exposed"
    assert "tone-bad" in banner.attributes["class"]
    assert banner.one("h3").text() == f"Exposed: {dataset['name']}"
    assert dataset["verdict"]["sentence"].removeprefix("Exposed: ") in banner.text()


def test_the_numbers_of_the_verdict_table_are_those_of_audit_json(page, dataset):
    (row,) = rows(page, "verdict")
    counts, share = dataset["counts"], dataset["shares"]["exposed"]
    assert row[0] == dataset["name"]
    assert row[2:5] == [dataset["n_cells"], share["hits"], share["share"]]
    assert row[5] == f"{100 * share['low']:.2f} to {100 * share['high']:.2f} %"
    assert row[6:11] == [
        dataset["shares"]["exact"]["hits"],
        dataset["shares"]["same_cell"]["hits"],
        dataset["shares"]["suspect"]["hits"],
        counts["undecidable_rare"],
        counts["clean"],
    ]


def test_what_is_read_is_what_is_behind_it(page):
    check_shown_numbers(page, tiny="< 1e-12")


def test_power_and_false_positives_are_those_of_audit_json(page, dataset):
    shown = [row[1:5] for row in rows(page, "plants")]
    assert shown == [
        [plant["kept"], plant["found"]["n"], plant["found"]["hits"], plant["found"]["share"]]
        for plant in dataset["plants"]
    ]
    control = dataset["false_positives"]
    (row,) = rows(page, "false-positives")
    assert row[2:6] == [control["n_tested"]] + [control[level]["share"] for level in ("at_05", "at_01", "at_001")]
    assert row[7] == control["n_same_cell"]


@pytest.mark.parametrize(("table", "key"), [("label-1", "by_label"), ("donor-1", "by_donor"), ("batch-1", "by_batch")])
def test_levels_are_those_of_audit_json(page, dataset, table, key):
    if not dataset[key]:
        assert not list(page.all("table", id=f"table-{table}"))
        return
    shown = {row[0]: [row[1], row[3], row[6]] for row in rows(page, table)}
    assert shown == {
        level["level"]: [level["n_cells"], level["exposed"]["hits"], level["n_exact"]] for level in dataset[key]
    }


def test_corpus_hits_sum_to_the_flagged_cells(page, dataset):
    shown = rows(page, "hits-1")
    assert [row[2] for row in shown] == [hits["total"] for hits in dataset["hits_by_corpus_dataset"]]
    flagged = {row[0] for row in rows(page, "flagged-1")}
    assert sum(row[2] for row in shown) == len(flagged) > 0


def test_flagged_cells_are_those_of_cells_csv(page, folder):
    lines = (folder / "cells.csv").read_text().splitlines()
    header = lines[0].split(",")
    cell, flags = header.index("cell"), header.index("flags")
    table = [line.split(",") for line in lines[1:]]
    wanted = {line[cell] for line in table if set(line[flags].split(";")) & {"exact", "same_cell", "suspect"}}
    assert {row[0] for row in rows(page, "flagged-1")} == wanted


def test_drawn_marks_are_as_many_as_the_data(page):
    """Counted in the drawing: the bars of the J* histogram and the points of J* against size."""
    specs = chart_specs(page)

    def drawn(chart, kind):
        group = next(
            node
            for node in page.one("div", id=chart).all("g", class_=kind)
            if node.matches(None, {"class_": "role-mark"})
        )
        return len(list(group.all("path")))

    assert drawn("chart-jstar-1", "mark-rect") == len(specs["chart-jstar-1"]["data"]["values"])
    assert drawn("chart-size-1", "mark-symbol") == len(specs["chart-size-1"]["data"]["values"])


def test_histogram_heights_are_the_counts_of_audit_json(page, dataset):
    rows_of_spec = chart_specs(page)["chart-jstar-1"]["data"]["values"]
    heights = {}
    for row in rows_of_spec:
        heights.setdefault(row["series"], []).append(row["height"])
    counts = dataset["distribution"]["jstar"]["counts"]
    names = {"not flagged": "not_flagged", "not tested": "not_tested", "undecidable (rare)": "undecidable_rare"}
    assert heights == {name: counts[names.get(name, name.replace(" ", "_"))] for name in heights}
    assert sum(map(sum, heights.values())) == dataset["n_cells"]


def test_the_sensitivity_table_has_a_row_per_engine_and_is_that_of_audit_json(page, dataset):
    shown = rows(page, "sensitivity-1")
    wanted = dataset["sensitivity"]["rows"]
    assert len(shown) == len(wanted)
    engines = {row["setting"]: row for row in wanted if row["kind"] == "engine"}
    assert {"exact", "lsh", "minhash", "sketch8"} <= set(engines)
    assert engines["exact"]["recall"] == 1 and engines["exact"]["bias"] == 0
    for row, there in zip(shown, wanted, strict=True):
        assert row[1:3] == [there["n_cells"], there["n_references"]]
        assert row[3] == there["mean_jstar"]
        assert row[8] == there["n_exact"]
        assert ("flips" in row[11]) == there["flips"]
        if there["kind"] == "engine" and there["setting"] != "exact":
            assert row[9] == "not defined"


def test_flagged_cells_stand_above_what_depth_and_type_explain(page, dataset):
    line = dataset["residual_line"]
    shown = {row[0]: row[1:] for row in rows(page, "residual-1")}
    assert shown["unflagged (fitted)"][0] == line["n_fitted"]
    assert shown["flagged"] == [
        line["n_flagged"],
        line["mean_flagged"],
        line["above_95_flagged"],
        line["above_99_flagged"],
    ]
    assert line["mean_flagged"] > line["q99"] > line["q95"] > 0


def test_evidence_of_a_flagged_cell_shows_both_sides_and_the_test(page):
    block = page.one("details", id="cell-1-1")
    words = block.text()
    for part in ("Corpus cell", "shared", "in the union", "equal in", "d* =", "lift =", "p1 =", "Ordered J", "held"):
        assert part in words, part
    assert list(block.all("table", id="table-cell-1-1-ranks")) and list(block.all("table", id="table-cell-1-1-shared"))
    assert list(block.all("svg"))


def test_nothing_is_asked_of_any_server(folder):
    source = (folder / "report.html").read_text()
    assert "unsafe-eval" not in source
    own = own_source(folder / "report.html")
    assert {target[0] for target in re.findall(r'href="([^"]*)"', own)} == {"#"}


@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_fits_its_window(browse, folder, tmp_path, width):
    check_width(browse, folder / "report.html", tmp_path, width)


def test_the_command_of_the_page_repeats_the_run(page, audit):
    assert page.one("pre", id="command").text() == audit["command"]
    digests = [row[-1] for row in rows(page, "inputs")]
    assert digests == [entry["sha256"] for entry in audit["inputs"]]
