# SPDX-License-Identifier: Apache-2.0
"""The page carries everything and asks for nothing; the joiner of modules refuses what it cannot join."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree
from typing import TYPE_CHECKING

import pytest
from synthetic import t0

from signalbox.analysis import analyse, timeline
from signalbox.errors import Failed
from signalbox.report import picture, render
from signalbox.report.bundle import bundle
from signalbox.report.picture import LAYERS, nice_step, rows_of_calls
from signalbox.resources import resource

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder


def test_modules_are_joined_after_what_they_need(tmp_path: Path) -> None:
    write(
        tmp_path,
        main='import { two } from "./b.js";\nimport { one } from "./a.js";\nconsole.log(one + two());\n',
        a="export const one = 1;\n",
        b='import { one } from "./a.js";\nexport function two() {\n  return one + 1;\n}\n',
    )
    assert bundle(tmp_path).split("\n") == [
        "const one = 1;",
        "",
        "function two() {",
        "  return one + 1;",
        "}",
        "",
        "console.log(one + two());",
        "",
    ]


@pytest.mark.parametrize(
    ("main", "says"),
    [
        ('import { three } from "./a.js";\n', "imports three, which a.js does not export"),
        ('import x from "./a.js";\n', "line 1 has an import or export of a form"),
        ('import { one } from "./a.js";\nexport default one;\n', "of a form that cannot be joined"),
        ('import { one } from "./a.js";\nconst one = 2;\n', "both declare one"),
        ('import { one } from "./c.js";\n', "import each other"),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, main: str, says: str) -> None:
    write(tmp_path, main=main, a="export const one = 1;\n", c='import { m } from "./main.js";\nexport const one = 1;\n')
    with pytest.raises(Failed, match=says):
        bundle(tmp_path)


def report() -> dict[str, object]:
    analysis = analyse(t0(2).trace())
    data = timeline(analysis, analysis.pairs()[0], "</script><script>alert(1)</script>")
    return {
        "title": "A <b>report</b>",
        "summary": "",
        "identity": [],
        "clock_hz": None,
        "rows": [{"timelines": [{"name": "x", "timeline": data}]}],
        "published": [],
        "claims": [],
    }


def test_the_page_is_closed_and_its_data_comes_back() -> None:
    page = render(report())
    assert "default-src 'none'" in page
    assert page.count("<script") == 2
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)[\w./-]*", page) == []
    assert "<title>A &lt;b&gt;report&lt;/b&gt;</title>" in page
    data = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', page, re.S)
    assert data is not None
    assert json.loads(data[1]) == report()


def test_the_viewer_is_joined_whole() -> None:
    script = bundle(resource("viewer", "src"))
    for name in resource("viewer", "src").glob("*.js"):
        if name.name != "types.js":
            assert name.read_text().splitlines()[1] in script, name


def test_the_picture_is_svg_with_every_task_and_signal() -> None:
    analysis = analyse(t0(2).trace())
    root = xml.etree.ElementTree.fromstring(picture(timeline(analysis, analysis.pairs()[0], "One & two")))
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"core 0", "core 1", "master", "slave", "rlnh", "cm_rx", "drv", "One & two"} <= set(texts)
    assert "128 B, 2\u202f149 cycles" in texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polygon"))) == 2


def test_picture_and_page_have_the_same_colours() -> None:
    style = resource("viewer", "style.css").read_text().split("@media")[0]
    for layer, colour in LAYERS.items():
        assert f"--layer-{layer}: {colour};" in style


def test_calls_lie_below_what_was_open() -> None:
    calls = [[0, "a", 0, 100, 0], [0, "b", 10, 50, 1], [0, "c", 20, 30, 2], [0, "d", 60, 70, 1], [0, "e", 100, 110, 0]]
    assert rows_of_calls(calls) == [0, 1, 2, 1, 0]
    assert [nice_step(n) for n in (0.4, 1, 1.5, 3, 7, 1500)] == [1, 1, 2, 5, 10, 2000]
