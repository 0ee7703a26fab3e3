# SPDX-License-Identifier: Apache-2.0
"""Opens a report in a real browser with networking off and uses it as people do."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "analysis"))

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """The browser in SIGNALBOX_BROWSER, or an installed one."""
    named = os.environ.get("SIGNALBOX_BROWSER")
    return named or next((path for name in BROWSERS if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    path = find_browser()
    if path is None:
        pytest.skip("no browser is installed: apt install chromium, or name one in SIGNALBOX_BROWSER")
    with api.sync_playwright() as playwright:
        # Containers have no user namespaces for Chromium's sandbox; the page opened here is our own file.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two rows made of synthetic traces."""
    from synthetic import t0

    from signalbox.experiment import RowSpec, load
    from signalbox.experiment.measure import digest
    from signalbox.experiment.result import evaluate
    from signalbox.report import write

    rows: list[dict[str, Any]] = []
    for buffers in ("uncached", "cached"):
        for size in (16, 1024):
            parameters = {
                "manager": "cm/ptp",
                "driver": "shm_ack",
                "buffers": buffers,
                "size_bytes": size,
                "optimisation": "-O0",
            }
            spec = RowSpec(Path(), {}, parameters, "master", "slave", samples=4, discard=1)
            rows.append(digest(spec, t0(5, size, (0, 10, 20, 30, 700)).trace(level="hooks")))
    path = tmp_path_factory.mktemp("report") / "report.html"
    write(evaluate(load("osek-linx-t0"), rows).report(), path)
    return path


WIDTH, HEIGHT = 1280, 900
LABELS, RIGHT = 118, 14
"""The strips' place on the canvas, in `viewer/src/timeline.js`."""


class Opened:
    """A page, and everything that it must not do."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda m: self.complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.complaints.append(f"exception: {e}"))
        page.on("request", lambda r: self.requests.append(r.url))
        page.goto(path.as_uri())
        page.get_by_role("application").wait_for()
        self.settle()

    def settle(self) -> None:
        """Until the frame that the last event asked for is drawn."""
        self.page.evaluate("() => new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))")

    @property
    def canvas(self) -> Locator:
        return self.page.get_by_role("application")

    def view(self) -> tuple[float, float]:
        """The cycles in view."""
        self.settle()
        data = self.page.locator("output.range")
        return float(data.get_attribute("data-start") or "nan"), float(data.get_attribute("data-end") or "nan")

    def x(self, cycle: float) -> float:
        """Where a cycle is on the canvas."""
        start, end = self.view()
        width = float(self.canvas.evaluate("c => c.clientWidth"))
        return LABELS + (cycle - start) / (end - start) * (width - LABELS - RIGHT)

    def detail_sum(self) -> tuple[int, int]:
        """The sum of the table of cycles, added up cell by cell, and the latency that it must be."""
        cells = self.page.locator(".detail tbody td:not(.sum):not(:last-child)").all_inner_texts()
        total = sum(int("".join(ch for ch in cell if ch.isdigit()) or 0) for cell in cells)
        latency = self.page.locator(".detail td.total").get_attribute("data-latency")
        return total, int(latency or -1)


@pytest.fixture
def opened(browser: Browser, report_file: Path) -> Iterator[Opened]:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, offline=True)
    page = Opened(context.new_page(), report_file)
    yield page
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith("file:")] == []
    assert len(page.requests) == 1
    context.close()


def test_it_opens_without_a_complaint(opened: Opened) -> None:
    assert opened.page.title() == "T0: a request and its reply over shared memory"
    assert opened.page.locator("table.rows").first.locator("tbody tr").count() == 4
    assert opened.page.locator(".claim").count() == 36
    assert opened.page.locator("svg.chart").is_visible()


def test_its_policy_forbids_requests(browser: Browser, report_file: Path) -> None:
    """Online on purpose, with a server that listens: nothing may reach it, whatever a script in the page tries."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        context = browser.new_context()
        page = context.new_page()
        page.goto(report_file.as_uri())
        tried = page.evaluate(
            """async url => {
                const image = new Image();
                const ended = new Promise(done => {
                    image.onload = () => done("sent");
                    image.onerror = () => done("refused");
                });
                image.src = `${url}/x.png`;
                return [await fetch(url).then(() => "sent", () => "refused"), await ended];
            }""",
            url,
        )
        assert tried == ["refused", "refused"]
        with pytest.raises(TimeoutError):
            server.accept()
        context.close()


def test_a_click_on_an_arrow_shows_its_cycles(opened: Opened) -> None:
    second = opened.page.locator(".signals button").nth(1)
    assert second.get_attribute("aria-pressed") == "false"
    # The middle of the reply's arrow, from slave's strip on core 1 up to master's on core 0: found by its colour there.
    box = opened.canvas.bounding_box()
    assert box is not None
    latency = int("".join(c for c in (second.inner_text().split(":")[1].split("cycles")[0]) if c.isdigit()))
    request = 1833 + 20
    x = opened.x(request + 10 + latency / 2)
    found = None
    for y in range(40, int(box["height"]), 3):
        opened.page.mouse.move(box["x"] + x, box["y"] + y)
        if "slave → master" in opened.page.locator(".tip").inner_text() and opened.canvas.evaluate(
            "c => c.style.cursor === 'pointer'"
        ):
            found = y
            break
    assert found is not None
    opened.page.mouse.click(box["x"] + x, box["y"] + found)
    opened.settle()
    assert second.get_attribute("aria-pressed") == "true"
    assert opened.page.locator(".detail h3").inner_text() == "slave → master, 16 bytes"
    total, shown = opened.detail_sum()
    assert total == shown == latency


def test_each_signal_s_table_sums_to_its_latency(opened: Opened) -> None:
    for row in range(4):
        opened.page.select_option("#row", str(row))
        for which in range(2):
            opened.page.select_option("#which", str(which))
            for button in opened.page.locator(".signals button").all():
                button.click()
                total, latency = opened.detail_sum()
                assert total == latency > 1000


def test_the_keyboard_zooms_pans_and_fits(opened: Opened) -> None:
    opened.canvas.focus()
    first, last = opened.view()
    opened.page.keyboard.press("+")
    start, end = opened.view()
    assert end - start == pytest.approx((last - first) / 1.5)
    assert (start + end) / 2 == pytest.approx((first + last) / 2)
    opened.page.keyboard.press("ArrowRight")
    moved = opened.view()
    assert moved[0] == pytest.approx(start + 0.15 * (end - start))
    assert moved[1] - moved[0] == pytest.approx(end - start)
    opened.page.keyboard.press("ArrowLeft")
    assert opened.view() == pytest.approx((start, end))
    opened.page.keyboard.press("-")
    assert opened.view() == pytest.approx((first, last))
    opened.page.keyboard.press("ArrowLeft")
    assert opened.view() == pytest.approx((first, last))
    for _ in range(40):
        opened.page.keyboard.press("+")
    assert opened.view()[1] - opened.view()[0] == pytest.approx(20)
    for key in ("0", "f"):
        opened.page.keyboard.press("+")
        opened.page.keyboard.press(key)
        assert opened.view() == pytest.approx((first, last))


def test_tab_reaches_the_signals_and_enter_opens_one(opened: Opened) -> None:
    opened.canvas.focus()
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.press("Tab")
    focused = opened.page.evaluate("() => document.activeElement.textContent")
    assert focused.startswith("slave → master, 16 bytes: ")
    opened.page.keyboard.press("Enter")
    assert opened.page.locator(".detail h3").inner_text() == "slave → master, 16 bytes"
    total, latency = opened.detail_sum()
    assert total == latency


def test_a_signal_out_of_view_comes_into_view_when_it_is_reached(opened: Opened) -> None:
    opened.canvas.focus()
    for _ in range(4):
        opened.page.keyboard.press("+")
    opened.page.keyboard.press("Home")
    opened.page.keyboard.press("Tab")
    opened.page.keyboard.press("Tab")
    start, end = opened.view()
    assert start < 1853
    assert end > 3600


def test_the_mouse_zooms_about_the_pointer_and_pans(opened: Opened) -> None:
    box = opened.canvas.bounding_box()
    assert box is not None
    opened.canvas.focus()
    at = box["x"] + 600, box["y"] + 100
    first, last = opened.view()
    under = first + (600 - LABELS) / (box["width"] - LABELS - RIGHT) * (last - first)
    opened.page.mouse.move(*at)
    opened.page.mouse.wheel(0, -400)
    start, end = opened.view()
    assert end - start < (last - first) / 2
    assert start + (600 - LABELS) / (box["width"] - LABELS - RIGHT) * (end - start) == pytest.approx(under, abs=2)
    opened.page.mouse.down()
    opened.page.mouse.move(at[0] + 100, at[1], steps=4)
    opened.page.mouse.up()
    moved = opened.view()
    assert moved[0] == pytest.approx(start - 100 / (box["width"] - LABELS - RIGHT) * (end - start), abs=2)
    opened.page.mouse.dblclick(*at)
    assert opened.view() == pytest.approx((first, last))


def test_hovering_explains_a_bar(opened: Opened) -> None:
    box = opened.canvas.bounding_box()
    assert box is not None
    texts = set()
    for y in range(30, int(box["height"]), 6):
        opened.page.mouse.move(box["x"] + opened.x(350), box["y"] + y)
        tip = opened.page.locator(".tip")
        if tip.is_visible():
            texts.add(tip.locator("strong").inner_text())
    assert "task rlnh, priority 9, core 0" in texts
    assert "DRV-write, in rlnh, core 0" in texts
    assert "signal master → slave, 16 bytes" in texts or "master → slave, 16 bytes" in texts


def test_a_row_of_the_table_opens_its_timeline(opened: Opened) -> None:
    opened.page.get_by_role("button", name="Show cached, -O0, 1024 bytes in the timeline").click()
    assert opened.page.locator("#row").input_value() == "3"
    assert "1024 bytes" in opened.page.locator(".signals button").first.inner_text()
    opened.page.select_option("#which", label="slowest")
    slowest = opened.detail_sum()
    opened.page.select_option("#which", label="median latency")
    assert slowest[1] > opened.detail_sum()[1]


def test_shares_by_cause(opened: Opened) -> None:
    opened.page.get_by_label("by cause").check()
    label = opened.page.locator("svg.share-bar").first.get_attribute("aria-label") or ""
    assert label.startswith("execute ")
    assert "switch" in label


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_draws_in_both_schemes(browser: Browser, report_file: Path, scheme: str) -> None:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, offline=True, color_scheme=scheme)  # type: ignore[arg-type]
    opened = Opened(context.new_page(), report_file)
    ground = opened.canvas.evaluate("c => [...c.getContext('2d').getImageData(300, 2, 1, 1).data].slice(0, 3)")
    assert (sum(ground) > 600) == (scheme == "light")
    assert opened.complaints == []
    context.close()
