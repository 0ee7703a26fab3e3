# SPDX-License-Identifier: Apache-2.0
"""The checkers are scripts, not a package: their folder goes onto the path. `plant` puts a fault into a small tree."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree in which nothing is wrong: a file or two in every room."""
    spdx = "SPDX-License-Identifier: Apache-2.0"
    plain = {
        "rtos/include/signalbox/task.h": f'/* {spdx} */\n#include <stdint.h>\n#include "platform.h"\n',
        "rtos/include/signalbox/link.h": f'/* {spdx} */\n#include "signalbox/task.h"\n',
        "rtos/kernel/queue.h": f'/* {spdx} */\n#include "signalbox/task.h"\n',
        "rtos/kernel/queue.c": f'/* {spdx} */\n#include "queue.h"\n#include "config.h"\n',
        "rtos/link/route.c": f'/* {spdx} */\n#include "kernel/queue.h"\n#include <signalbox/link.h>\n',
        "rtos/drivers/shm_ack/area.h": f"/* {spdx} */\n",
        "rtos/drivers/shm_ack/shm.c": f'/* {spdx} */\n#include "area.h"\n#include "signalbox/link.h"\n',
        "rtos/drivers/dma_ack/dma.c": f'/* {spdx} */\n#include "signalbox/link.h"\n',
        "rtos/ports/riscv32/port.c": f'/* {spdx} */\n#include "signalbox/task.h"\nvoid f(void) {{ asm("nop"); }}\n',
        "apps/t0/main.c": f'/* {spdx} */\n#include "signalbox/link.h"\n',
        "sim/units/Cargo.toml": f'# {spdx}\n[package]\nname = "units"\n',
        "sim/units/src/lib.rs": f"// {spdx}\n",
        "sim/hart/Cargo.toml": f'# {spdx}\n[package]\nname = "hart"\n[dependencies]\nunits.workspace = true\n',
        "sim/hart/src/lib.rs": f"// {spdx}\nuse units::Cycle;\nmod mem;\n",
        "sim/soc/Cargo.toml": f'# {spdx}\n[package]\nname = "soc"\n[dependencies]\nhart.workspace = true\n',
        "sim/soc/src/lib.rs": f"// {spdx}\nuse hart::Hart;\n",
        "python/signalbox/__init__.py": f"# {spdx}\n",
        "python/signalbox/sim.py": f"# {spdx}\nfrom signalbox import _sim\n",
        "python/signalbox/trace.py": f"# {spdx}\nfrom signalbox.sim import Machine\n",
        "python/signalbox/cli.py": f"# {spdx}\nfrom signalbox import trace\n",
        "experiments/t0/experiment.py": f"# {spdx}\nfrom signalbox import trace\n",
        "viewer/main.js": f"// {spdx}\nimport {{ draw }} from './draw.js';\n",
        "viewer/draw.js": f"// {spdx}\nexport const draw = 1;\n",
    }
    for name, text in plain.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    schema = tmp_path / "sim/trace/schema.toml"
    schema.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "sim/trace/schema.toml", schema)
    return tmp_path


def plant(root: Path, name: str, text: str) -> None:
    """Add lines to a file, which may be new."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + text)
