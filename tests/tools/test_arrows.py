# SPDX-License-Identifier: Apache-2.0
"""tools/check_arrows.py finds a planted violation of each kind, and nothing in a tree that keeps the rules."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import check_arrows
import pytest
from conftest import ROOT, plant

if TYPE_CHECKING:
    from pathlib import Path

RULES = tomllib.loads((ROOT / "tools/arrows.toml").read_text())


def findings(root: Path) -> list[tuple[str, int, str]]:
    return [(f.path, f.line, f.text) for f in check_arrows.Arrows(root, RULES).check()]


def test_this_repository_keeps_the_rules() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "tools/check_arrows.py"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_a_tree_that_keeps_the_rules(tree: Path) -> None:
    assert findings(tree) == []


# file, text added at its end, line of the finding, words of it
VIOLATIONS = {
    "kernel uses link": ("rtos/kernel/queue.c", '#include "link/route.h"\n', 4, "kernel must not use link"),
    "kernel uses link by a relative path": (
        "rtos/kernel/queue.c",
        '#include "../link/route.h"\n',
        4,
        "kernel must not use link",
    ),
    "kernel uses a driver": (
        "rtos/kernel/queue.c",
        '#include "drivers/shm_ack/area.h"\n',
        4,
        "kernel must not use drivers",
    ),
    "include uses kernel": (
        "rtos/include/signalbox/link.h",
        "#include <kernel/queue.h>\n",
        3,
        "include must not use kernel",
    ),
    "link uses a driver": ("rtos/link/route.c", '#include "drivers/shm_ack/area.h"\n', 4, "link must not use drivers"),
    "driver uses link": ("rtos/drivers/shm_ack/shm.c", '#include "link/route.h"\n', 4, "drivers must not use link"),
    "driver uses a driver": (
        "rtos/drivers/dma_ack/dma.c",
        '#include "../shm_ack/area.h"\n',
        3,
        "drivers/dma_ack must not use",
    ),
    "port uses kernel": ("rtos/ports/riscv32/port.c", '#include "kernel/queue.h"\n', 4, "ports must not use kernel"),
    "application uses kernel": ("apps/t0/main.c", '#include "kernel/queue.h"\n', 3, "apps must not use kernel"),
    "header of nobody": ("rtos/kernel/queue.c", "#include <stdio.h>\n", 4, "includes stdio.h: no header of a room"),
    "C outside the house": ("sim/hart/helper.c", "int x;\n", 0, "a C file outside all rooms"),
    "crate upwards": ("sim/hart/Cargo.toml", "soc.workspace = true\n", 6, "crate hart must not depend on soc"),
    "crate sideways": ("sim/hart/Cargo.toml", 'mem = { path = "../mem" }\n', 6, "crate hart must not depend on mem"),
    "crate renamed": (
        "sim/hart/Cargo.toml",
        'm = { package = "mem", path = "../mem" }\n',
        6,
        "crate hart must not depend on mem",
    ),
    "crate for building": (
        "sim/units/Cargo.toml",
        '[build-dependencies]\nsoc = "1"\n',
        5,
        "crate units must not depend on soc",
    ),
    "crate outside": ("sim/hart/Cargo.toml", 'x = { path = "../../other" }\n', 6, "outside sim/"),
    "crate unknown": ("sim/gpu/Cargo.toml", '[package]\nname = "gpu"\n', 0, "crate gpu is not in tools/arrows.toml"),
    "use of a crate": ("sim/hart/src/lib.rs", "use soc::Machine;\n", 4, "crate hart must not use soc"),
    "path into a crate": ("sim/hart/src/lib.rs", "fn f(m: &soc::Machine) {}\n", 4, "crate hart must not use soc"),
    "file of another room": (
        "sim/hart/src/lib.rs",
        'const X: &str = include_str!("../../../platforms/a.toml");\n',
        4,
        "outside sim/",
    ),
    "extension module": (
        "python/signalbox/cli.py",
        "from signalbox._sim import Machine\n",
        3,
        "imports signalbox._sim.Machine: only",
    ),
    "extension, relative": (
        "python/signalbox/cli.py",
        "from ._sim import Machine\n",
        3,
        "imports signalbox._sim.Machine: only",
    ),
    "extension, late": (
        "python/signalbox/cli.py",
        "def f():\n    import signalbox._sim\n",
        4,
        "imports signalbox._sim: only",
    ),
    "extension by name": (
        "python/signalbox/cli.py",
        'importlib.import_module("signalbox._sim")\n',
        3,
        "imports signalbox._sim: only",
    ),
    "experiments used": (
        "python/signalbox/cli.py",
        "import experiments.t0\n",
        3,
        "imports experiments.t0: only experiments/",
    ),
    "simulator by ctypes": ("python/signalbox/trace.py", "import ctypes\n", 3, "imports ctypes: only"),
    "module upwards": ("python/signalbox/trace.py", "import signalbox.cli\n", 3, "imports signalbox.cli: only"),
    "viewer looks out": ("viewer/main.js", 'import x from "../python/x.js";\n', 3, "knows only its own modules"),
    "viewer from a package": ("viewer/main.js", 'import("d3")\n', 3, "knows only its own modules"),
    "viewer from nowhere": ("viewer/main.js", 'import "./gone.js";\n', 3, "which does not exist"),
    "viewer on the network": ("viewer/draw.js", 'fetch("x.json");\n', 3, "works from a file, offline"),
    "page from the network": (
        "viewer/page.html",
        '<script src="https://a.example/x.js"></script>\n',
        1,
        "works from a file, offline",
    ),
    "ifdef for the simulator": ("rtos/link/route.c", "#ifdef SB_SIMULATOR\n", 4, "nothing is compiled differently"),
    "application's ifdef": ("apps/t0/main.c", "#if defined(ON_QEMU)\n", 3, "nothing is compiled differently"),
    "simulator named": (
        "rtos/drivers/shm_ack/shm.c",
        "void simulator_call(void);\nint simulator;\n",
        5,
        "never names the simulator",
    ),
    "#if in the kernel": ("rtos/kernel/queue.c", "#if SB_CFG_LEVEL\n", 4, "no #if in the kernel"),
    "assembler in the kernel": ("rtos/kernel/queue.c", '__asm__ volatile("wfi");\n', 4, "assembler belongs in a port"),
    "caches in link": ("rtos/link/route.c", 'f("cbo.flush");\n', 4, "only a port knows the processor"),
    "simulator names the RTOS": (
        "sim/soc/src/lib.rs",
        'const H: &str = "rtos/include";\n',
        3,
        "knows nothing of the RTOS",
    ),
    "header in the simulator": (
        "sim/soc/src/lib.rs",
        'const H: &str = "signalbox/task.h";\n',
        3,
        "knows nothing of the RTOS",
    ),
    "clock in a model": ("sim/hart/src/lib.rs", "use std::time::Instant;\n", 4, "no wall clock"),
    "hash order in a model": (
        "sim/hart/src/lib.rs",
        "type T = std::collections::HashMap<u8, u8>;\n",
        4,
        "the order of a hash map",
    ),
}


@pytest.mark.parametrize("kind", VIOLATIONS)
def test_a_planted_violation_is_found(tree: Path, kind: str) -> None:
    path, text, line, words = VIOLATIONS[kind]
    if "link/route.h" in text:
        plant(tree, "rtos/link/route.h", "/* a header to include */\n")
    plant(tree, path, text)
    # An arrow against the rules often closes a circle too; that is another finding.
    found = [f for f in findings(tree) if not f[2].startswith("circle of")]
    assert [(p, n) for p, n, _ in found] == [(path, line)], found
    assert words in found[0][2]


CIRCLES = {
    "headers": (
        {"rtos/kernel/queue.h": '#include "task.h"\n', "rtos/kernel/task.h": '#include "queue.h"\n'},
        "circle of headers",
    ),
    "Python modules": ({"python/signalbox/sim.py": "import signalbox.trace\n"}, "circle of Python modules"),
    "viewer modules": ({"viewer/draw.js": "import './main.js';\n"}, "circle of viewer modules"),
    "crates": ({"sim/units/Cargo.toml": "[dependencies]\nhart = { path = '../hart' }\n"}, "circle of crates"),
    "C rooms": ({"rtos/include/signalbox/task.h": "#include <kernel/queue.h>\n"}, "circle of C rooms"),
}


@pytest.mark.parametrize("kind", CIRCLES)
def test_a_circle_is_found(tree: Path, kind: str) -> None:
    planted, words = CIRCLES[kind]
    for path, text in planted.items():
        plant(tree, path, text)
    assert any(text.startswith(words) for _, _, text in findings(tree)), findings(tree)


def test_a_circle_in_the_rules_is_found(tree: Path) -> None:
    rules = tomllib.loads((ROOT / "tools/arrows.toml").read_text())
    rules["rust"]["crates"]["units"] = ["soc"]
    found = [str(f) for f in check_arrows.Arrows(tree, rules).check()]
    assert "tools/arrows.toml: circle of crates in the rules: config -> units -> soc -> config" in found
    assert all("units -> soc" in finding for finding in found)


# What looks like a violation and is none.
ALLOWED = {
    "comment names an include": ("rtos/kernel/queue.c", '/* not\n#include "link/route.h"\n*/\n'),
    "comment names the simulator": ("rtos/link/route.c", "// a simulator shows it too\n"),
    "include guard": ("rtos/kernel/other.h", "#ifndef OTHER_H\n#define OTHER_H\n#endif\n"),
    "generated header": ("rtos/link/route.c", '#include "config.h"\n'),
    "own module with a crate's name": ("sim/hart/src/mem.rs", "fn f() { mem::swap(a, b); }\n"),
    "std module with a crate's name": ("sim/hart/src/lib.rs", "use std::mem::swap;\n"),
    "crate for tests": ("sim/hart/Cargo.toml", "[dev-dependencies]\nmem = { path = '../mem' }\n"),
    "import for types only": ("python/signalbox/sim.py", "if TYPE_CHECKING:\n    from signalbox.trace import T\n"),
    "import inside a function": ("python/signalbox/sim.py", "def f():\n    from signalbox.trace import T\n"),
    "tests may": ("tests/sim/test_x.py", "from signalbox import _sim\nimport experiments.t0\n"),
}


@pytest.mark.parametrize("kind", ALLOWED)
def test_what_is_allowed_is_not_reported(tree: Path, kind: str) -> None:
    plant(tree, *ALLOWED[kind])
    assert findings(tree) == []


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("rtos/kernel/a.c", "rtos/**/*.c", True),
        ("rtos/a.c", "rtos/**/*.c", True),
        ("rtos/kernel/a.h", "rtos/**/*.[ch]", True),
        ("rtos/kernel/a.h", "rtos/*.h", False),
        ("sim/mem/src/a.rs", "sim/{hart,mem}/src/**/*.rs", True),
        ("sim/soc/src/a.rs", "sim/{hart,mem}/src/**/*.rs", False),
        ("xrtos/a.c", "rtos/**", False),
    ],
)
def test_patterns(path: str, pattern: str, fits: bool) -> None:
    assert check_arrows.matches(path, pattern) is fits
