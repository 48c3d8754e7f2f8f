"""The report of a trial as a browser shows it: answers, charts, numbers equal to those of the folder."""

import csv
import json

import pytest
from report_page import chart_specs, check_charts, check_shown_numbers, check_width, own_source, rows


@pytest.fixture(scope="module")
def demo(scvet, tmp_path_factory):
    out = tmp_path_factory.mktemp("trial-demo") / "demo"
    return out, scvet("demo", "--job", "trial", "--outdir", out)


@pytest.fixture(scope="module")
def folder(demo):
    return demo[0] / "trial"


@pytest.fixture(scope="module")
def summary(page):
    return json.loads(page.one("script", id="scvet-data").text())


def arm_json(folder, arm, name):
    return json.loads((folder / "arms" / arm / name).read_text())


def test_an_informed_embedding_is_told_from_one_that_knows_nothing(demo, folder):
    informed, noise = (arm_json(folder, arm, "outcome.json")["category"] for arm in ("informed", "noise"))
    assert informed in {"STRONG_EXTERNAL_REPLICATION", "PARTIAL_EXTERNAL_REPLICATION"}
    assert noise != "STRONG_EXTERNAL_REPLICATION"
    shown = demo[1].stdout
    assert shown.splitlines()[-1] == f"report: {folder}/report.html"
    for word in (informed, noise, "Does the representation carry non-random signal?", "is no test of significance"):
        assert word in shown


def test_nothing_is_credited_to_the_embedding_that_knows_nothing(summary):
    informed, noise = ([answer["answer"] for answer in arm["answers"]] for arm in summary["arms"])
    assert informed[0] == "yes"
    assert "yes" not in noise


def test_every_chart_was_drawn_as_svg(page):
    for chart, drawing in check_charts(page, 8):
        assert float(drawing.attributes["width"]) > 300, chart.attributes["id"]
        assert len(chart.attributes.get("aria-label", "")) > 20


def test_the_browser_had_nothing_to_complain_about(opened):
    assert opened[1] == []


def test_the_answers_and_the_verdict_open_the_page(page, summary):
    headings = [node.text() for node in page.one("main").all("h3")]
    for arm in summary["arms"]:
        assert len(arm["answers"]) == 3
        for answer in arm["answers"]:
            assert f"{answer['answer'].capitalize()}: {answer['question']}" in headings
        banner = page.one("div", id=f"verdict-{1 + summary['arms'].index(arm)}")
        assert arm["sentence"] in banner.text() and arm["headline"] in banner.text()


def test_criteria_of_page_and_table_are_those_of_outcome_json(page, folder, summary):
    with open(folder / "criteria.tsv", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    for number, arm in enumerate(summary["arms"], start=1):
        mine = [row for row in table if row["arm"] == arm["arm"]]
        assert [row["criterion"] for row in mine] == [criterion["key"] for criterion in arm["criteria"]]
        means = arm_json(folder, arm["arm"], "outcome.json")["means"]
        value = {row["criterion"]: float(row["value"]) for row in mine}
        assert value["mb_mean"] == float(means["mb"]) and value["mg_mean"] == float(means["mg"])
        assert value["invalid"] == abs(float(means["sm"])) and value["gb_mean"] == float(means["gb"])
        shown = rows(page, f"criteria-{number}")
        assert [row[2] for row in shown] == [float(row["value"]) for row in mine]
        assert [row[6] for row in shown] == [("no", "yes")[int(row["passed"])] for row in mine]


def test_the_dots_of_the_chart_are_the_seeds(page, folder):
    spec = chart_specs(page)["chart-thresholds-1"]
    seeds = arm_json(folder, "informed", "outcome.json")["seeds"]
    dots = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "point")["data"]["values"]
    shown = [dot["value"] for dot in dots if dot["row"] == "Model - Baseline" and dot["label"] != "mean"]
    assert shown == [float(value) for value in seeds["mb"]]


def test_what_is_read_is_what_is_behind_it(page):
    check_shown_numbers(page)


def test_calibration_shows_every_test_row(page, folder):
    points = chart_specs(page)["chart-calibration-1"]["layer"][-1]["data"]["values"]
    rows_of_test = sum(line.split("\t")[2] == "test" for line in (folder / "split.tsv").read_text().splitlines()[1:])
    model = [point for point in points if point["series"].startswith("Model")]
    assert len(model) == rows_of_test >= 100
    labels = [float(line.split("\t")[1]) for line in (folder / "labels.test.tsv").read_text().splitlines()[1:]]
    assert sorted(point["y"] for point in model) == sorted(labels)


def test_markdown_and_methods_say_the_same(folder, summary):
    markdown = (folder / "report.md").read_text()
    methods = (folder / "methods.md").read_text()
    assert methods.strip() in markdown
    for arm in summary["arms"]:
        assert arm["category"] in methods
    assert summary["lock"] in markdown


def test_nothing_is_asked_of_any_server_and_the_page_is_small(folder):
    source = (folder / "report.html").read_text()
    assert len(source) < 2 << 20
    assert "unsafe-eval" not in source
    own_source(folder / "report.html")


@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_fits_its_window(browse, folder, tmp_path, width):
    check_width(browse, folder / "report.html", tmp_path, width)


def test_the_demo_of_a_trial_verifies(scvet, demo, folder):
    assert "verified" in scvet("trial", "verify", "--trial", folder, "--state-dir", demo[0] / "state").stdout
