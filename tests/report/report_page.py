"""Reads a page with the standard parser and says what is wrong with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "input", "link", "hr"}
_PAGE = "html head meta title style body a nav div span ul li button header h1 h2 h3 h4 p main section footer script"
_BLOCKS = "ol del ins figure details summary table caption thead tbody tr th td b bdi code pre dl dt dd article"
_CHARTS = "svg desc text rect circle line path polygon polyline g lineargradient stop"
KNOWN = {*_PAGE.split(), *_BLOCKS.split(), *_CHARTS.split()}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    parent: Node | None
    children: list[Node] = field(default_factory=list)
    text: str = ""

    def above(self, tag: str) -> Node | None:
        node = self.parent
        while node is not None and node.tag != tag:
            node = node.parent
        return node

    def all(self) -> list[Node]:
        return [self, *(n for child in self.children for n in child.all())]


class Page(HTMLParser):
    """`Page(html).faults` is empty for a page that is sound."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {}, None)
        self.at = self.root
        self.faults: list[str] = []
        self.feed(html)
        self.close()
        if self.at is not self.root:
            self.faults.append(f"<{self.at.tag}> is never closed")
        self.nodes = self.root.all()[1:]
        self._check()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {k: v or "" for k, v in attrs}, self.at)
        if len(node.attributes) != len(attrs):
            self.faults.append(f"<{tag}> has an attribute twice: {attrs}")
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.at = self.at.parent or self.root

    def handle_endtag(self, tag: str) -> None:
        if tag != self.at.tag:
            self.faults.append(f"</{tag}> closes <{self.at.tag}>")
            return
        self.at = self.at.parent or self.root

    def handle_data(self, data: str) -> None:
        self.at.text += data

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"a comment: {data[:40]}")

    def find(self, tag: str) -> list[Node]:
        return [node for node in self.nodes if node.tag == tag]

    def _check(self) -> None:
        ids = Counter(node.attributes["id"] for node in self.nodes if "id" in node.attributes)
        self.faults += [f"id {name!r} stands {n} times" for name, n in ids.items() if n > 1 or not name]
        for node in self.nodes:
            if node.tag not in KNOWN:
                self.faults.append(f"a tag of unknown origin: <{node.tag}>")
            for key, value in node.attributes.items():
                self._attribute(node, key, value, set(ids))
        for svg in self.find("svg"):
            self._chart(svg, set(ids))
        for table in self.find("table"):
            self._table(table)

    def _attribute(self, node: Node, key: str, value: str, ids: set[str]) -> None:
        if key.startswith("on") or key == "style":
            self.faults.append(f"{key} on <{node.tag}>")
        if key in ("src", "srcset", "action", "data", "xlink:href"):
            self.faults.append(f"{key}={value!r} on <{node.tag}>")
        if key == "href" and not (value.startswith("#") and value[1:] in ids):
            self.faults.append(f"a link that leads nowhere: {value!r}")
        if key == "data-go" and value not in ids:
            self.faults.append(f"a place that is not there: {value!r}")
        if key in ("aria-labelledby", "aria-describedby") and not set(value.split()) <= ids:
            self.faults.append(f"{key}={value!r} names nothing")

    def _chart(self, svg: Node, ids: set[str]) -> None:
        if svg.attributes.get("role") != "img":
            if svg.above("svg") is None:
                self.faults.append("a chart without a role")
            return
        kinds = [child.tag for child in svg.children[:2]]
        if kinds != ["title", "desc"] or not all(child.text.strip() for child in svg.children[:2]):
            self.faults.append(f"a chart that says nothing: {kinds}")
        figure = svg.above("figure")
        if figure is None or not any(node.tag == "table" for node in figure.all()):
            self.faults.append("a chart without a table")

    def _table(self, table: Node) -> None:
        rows = [node for node in table.all() if node.tag == "tr"]
        widths = {
            sum(int(cell.attributes.get("colspan", "1")) for cell in row.children if cell.tag in ("td", "th"))
            for row in rows
        }
        if len(widths) > 1:
            self.faults.append(f"a table whose rows differ in width: {sorted(widths)}")
        if not any(node.tag == "caption" and node.text is not None for node in table.children):
            self.faults.append("a table without a caption")
