"""A report page as a tree of elements, and the tables and charts in it."""

import html.parser
import json

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
