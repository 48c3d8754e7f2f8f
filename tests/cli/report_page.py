"""A report page as a tree of elements, and the tables and charts in it."""

import html.parser
import json
import re

VOID = {"meta", "link", "br", "img", "input", "hr", "path", "line", "circle", "rect", "use"}


class Node:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.children = tag, attributes, parent, []

    def text(self):
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def all(self, tag=None, **attributes):
        """Descendants with this tag and these attributes (class_ matches one class), in document order."""
        for child in self.children:
            if isinstance(child, str):
                continue
            if child.matches(tag, attributes):
                yield child
            yield from child.all(tag, **attributes)

    def matches(self, tag, attributes):
        if tag and self.tag != tag:
            return False
        for name, wanted in attributes.items():
            found = self.attributes.get(name.rstrip("_"))
            if found is None or (wanted not in found.split() if name == "class_" else found != wanted):
                return False
        return True

    def one(self, tag=None, **attributes):
        found = list(self.all(tag, **attributes))
        assert len(found) == 1, f"{len(found)} elements {tag} {attributes}"
        return found[0]


class Dom(html.parser.HTMLParser):
    CDATA_CONTENT_ELEMENTS = ("script", "style", "noscript")  # as a browser that runs scripts sees them

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.root = self.here = Node("root", {}, None)
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        node = Node(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag, attrs):
        self.here.children.append(Node(tag, {name: value or "" for name, value in attrs}, self.here))

    def handle_endtag(self, tag):
        node = self.here
        while node.parent and node.tag != tag:
            node = node.parent
        if node.parent:
            self.here = node.parent

    def handle_data(self, data):
        self.here.children.append(data)


def rows(page, table):
    """A table's rows; a cell is the exact number behind it, where there is one, else its text."""
    found = []
    for row in page.one("table", id=f"table-{table}").one("tbody").all("tr"):
        cells = [cell for cell in row.children if not isinstance(cell, str)]
        values = [
            float(cell.attributes["data-value"]) if "data-value" in cell.attributes else cell.text() for cell in cells
        ]
        found.append(values)
    return found


def chart_specs(page):
    scripts = page.all("script", class_="chart-spec")
    return {script.attributes["data-for"]: json.loads(script.text()) for script in scripts}


def check_charts(page, at_least):
    """Every chart was drawn as SVG with marks in it, and none is missing; returns (chart, drawing) of each."""
    assert page.one("html").attributes.get("data-charts") == "done"
    charts = list(page.all("div", class_="chart"))
    assert len(charts) >= at_least
    drawings = []
    for chart in charts:
        assert chart.attributes.get("data-drawn") == "yes", chart.attributes["id"]
        drawing = next(chart.all("svg", class_="marks"))
        assert list(drawing.all("path")), chart.attributes["id"]
        drawings.append((chart, drawing))
    assert not list(page.all(class_="absent"))
    return drawings


def check_shown_numbers(page, tiny=None):
    """The shown text of a number is its exact value, rounded; `tiny`: what stands for values below 1e-12."""
    checked = 0
    for cell in page.one("main").all("td", class_="number"):
        if "data-value" not in cell.attributes:
            continue
        value, text = float(cell.attributes["data-value"]), cell.text().replace(",", "")
        if tiny and text == tiny:
            assert value < 1e-12
            continue
        percent = text.endswith(" %")
        digits = text.removesuffix(" %").strip()
        decimals = len(digits.partition(".")[2].partition("e")[0])
        unit = 10.0 ** (int(digits.partition("e")[2] or 0) - decimals)
        assert abs(float(digits) - value * (100 if percent else 1)) <= 0.51 * unit, (text, value)
        checked += 1
    assert checked > 100


def own_source(report):
    """The page without its scripts, which must ask nothing of any server."""
    source = report.read_text()
    assert "default-src 'none'" in source
    own = source.split("<script>")[0]
    assert not re.search(r"""(src|srcset|action|poster)\s*=|<(link|iframe|object|embed)\b|@import|url\(""", own)
    return own


def with_script(report, copy, script):
    """A copy of the page that runs `script` as its last act."""
    start, _, end = report.read_text().rpartition("</body>")
    copy.write_text(f"{start}<script>{script}</script></body>{end}")
    return copy


def check_width(browse, report, tmp_path, width):
    """The page is no wider than its window."""
    script = (
        "setTimeout(function () { var d = document.documentElement; d.setAttribute('data-room', innerWidth);"
        " d.setAttribute('data-width', d.scrollWidth); }, 6000)"
    )
    copy = with_script(report, tmp_path / "probe.html", script)
    root = browse(copy, size=f"{width},1000")[0].one("html")
    assert int(root.attributes["data-width"]) <= int(root.attributes["data-room"])
