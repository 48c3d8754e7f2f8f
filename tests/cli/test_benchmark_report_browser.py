"""The report of a benchmark as a browser shows it: charts drawn, numbers those of the tables, tables to take away."""

import csv
import json
import math
import urllib.parse

import pytest
from report_page import chart_specs, check_charts, check_width, own_source, rows, with_script


@pytest.fixture(scope="module")
def folder(scvet, reference, tmp_path_factory):
    """Two methods on one file with batches and one with a single batch; K-means, which is quick."""
    out = tmp_path_factory.mktemp("benchmark-report")
    for method, samples in (("pca", ("synth3b", "synth1b")), ("harmonypy", ("synth3b",))):
        for sample in samples:
            embedding = reference / "benchmark" / "embeddings" / method / f"{sample}.h5ad"
            flags = ("--clustering", "kmeans", "--batch-key", "batch_id", "--outdir", out)
            scvet("benchmark", "--embedding", embedding, "--method", method, *flags)
    return out / "benchmark"


@pytest.fixture(scope="module")
def summary(page):
    return json.loads(page.one("script", id="scvet-data").text())


@pytest.fixture(scope="module")
def scores(folder):
    """Every row of the long tables: (sample, method, metric) -> value, NaN where the field is empty."""
    found = {}
    for path in folder.glob("*_metrics_long.csv"):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                found[row["sample_id"], row["method"], row["metric"]] = float(row["value"] or "nan")
    assert len(found) > 20
    return found


def test_every_chart_was_drawn_as_svg(page):
    check_charts(page, 8)


def test_the_browser_had_nothing_to_complain_about(opened):
    assert opened[1] == []


def test_the_data_of_the_page_are_those_of_the_tables(summary, scores):
    shown = {(row["sample_id"], row["method"], row["metric"]): row["value"] for row in summary["scores"]}
    assert shown.keys() == scores.keys()
    for key, value in scores.items():
        assert shown[key] == (None if math.isnan(value) else value), key


def test_the_heat_map_shows_the_mean_over_files(page, scores):
    cells = chart_specs(page)["chart-metrics"]["layer"][0]["data"]["values"]
    assert cells
    for cell in cells:
        method = cell["row"].lower()
        values = [value for key, value in scores.items() if key[1].lower() == method and key[2] == cell["column"]]
        defined = [value for value in values if not math.isnan(value)]
        assert cell["value"] == pytest.approx(sum(defined) / len(defined), rel=1e-12)


def test_what_is_undefined_is_named_with_its_reason(page, scores):
    missing = {key for key, value in scores.items() if math.isnan(value)}
    assert missing  # the file with a single batch
    shown = {(row[1], row[0].lower(), row[2]) for row in rows(page, "undefined")}
    assert shown == {(sample, method, metric) for sample, method, metric in missing}
    assert all(row[3] for row in rows(page, "undefined"))


def test_the_tables_can_be_downloaded_as_they_lie_in_the_folder(page, folder):
    links = {
        link.attributes["download"]: link.attributes["href"]
        for link in page.all("a")
        if link.attributes.get("href", "").startswith("data:text/csv")
    }
    assert len(links) >= 4
    for name, href in links.items():
        text = urllib.parse.unquote(href.partition(",")[2])
        assert text.encode() == (folder / name).read_bytes(), name


def test_a_click_on_a_head_sorts_the_table(browse, folder, tmp_path):
    def sorted_by(clicks):
        script = (
            "setTimeout(function () { var head = document.querySelectorAll('#table-metrics thead th')[0];"
            f" for (var at = 0; at < {clicks}; ++at) head.click(); }}, 5000)"
        )
        copy = with_script(folder / "report.html", tmp_path / f"{clicks}.html", script)
        return [row[0] for row in rows(browse(copy)[0], "metrics")]

    names = sorted_by(0)
    assert len(names) >= 5 and sorted_by(1) == sorted(names) and sorted_by(2) == sorted(names, reverse=True)


def test_every_metric_has_its_version_and_source(page):
    for row in rows(page, "metrics"):
        assert all(str(cell).strip() for cell in row), row


def test_nothing_is_asked_of_any_server(folder):
    own_source(folder / "report.html")


@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_fits_its_window(browse, folder, tmp_path, width):
    check_width(browse, folder / "report.html", tmp_path, width)


def test_the_same_in_markdown(folder, summary):
    text = (folder / "report.md").read_text()
    assert text.startswith("# Benchmark of embeddings")
    for method in summary["methods"]:
        assert method["name"] in text.lower()
