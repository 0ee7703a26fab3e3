# SPDX-License-Identifier: Apache-2.0
"""tools/check_style.py and tools/gen_probe_ids.py find what they are for, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import check_style
import gen_probe_ids
import pytest
from conftest import ROOT, plant

if TYPE_CHECKING:
    from pathlib import Path

RULES = tomllib.loads((ROOT / "tools/style.toml").read_text())
SPDX = "SPDX-License-Identifier: Apache-2.0"


@pytest.fixture
def styled(tree: Path) -> Path:
    """The small tree with everything that the style asks for."""
    for pattern in RULES["rooms"]["readme"]:
        if "*" not in pattern:
            plant(tree, f"{pattern}/README.md", f"<!-- {SPDX} -->\n# A room\n")
    plant(tree, "apps/t0/README.md", f"<!-- {SPDX} -->\n# A room\n")
    plant(tree, "ARCHITECTURE.md", f"<!-- {SPDX} -->\n# Architecture\n")
    plant(tree, str(gen_probe_ids.HEADER), gen_probe_ids.header((tree / gen_probe_ids.SCHEMA).read_text()))
    return tree


def findings(root: Path) -> list[str]:
    return [str(finding) for finding in check_style.check(root, RULES)]


def test_this_repository_keeps_the_rules() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "tools/check_style.py"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def test_a_tree_that_keeps_the_rules(styled: Path) -> None:
    assert findings(styled) == []


MANY = "int x;\n" * 701
VIOLATIONS = {
    "no licence line": ("rtos/kernel/a.c", "int x;\n", "rtos/kernel/a.c:1: no line with SPDX"),
    "licence too late": ("rtos/kernel/a.c", "\n" * 5 + f"/* {SPDX} */\n", "rtos/kernel/a.c:1: no line with SPDX"),
    "script without licence": ("tools/thing", "#!/bin/sh\necho\n", "tools/thing:1: no line with SPDX"),
    "unfinished": ("sim/hart/src/lib.rs", "// TODO: more\n", "sim/hart/src/lib.rs:4: unfinished work: TODO"),
    "unfinished macro": (
        "sim/hart/src/lib.rs",
        "fn f() { unimplemented!() }\n",
        "lib.rs:4: unfinished work: unimplemented!(",
    ),
    "machine path": ("tools/README.md", "see /root/x\n", "tools/README.md:3: a path of one machine: /root"),
    "someone's home": ("tools/README.md", 'cd "/home/jo/x"\n', "a path of one machine: /home/jo"),
    "long file": ("rtos/kernel/a.c", f"/* {SPDX} */\n{MANY}", "rtos/kernel/a.c: 702 lines, more than 700"),
    "long README": ("rtos/link/README.md", "x\n" * 90, "rtos/link/README.md: longer than a page"),
    "long architecture": ("ARCHITECTURE.md", "x\n" * 300, "ARCHITECTURE.md: 302 lines"),
    "room without README": ("apps/t1/main.c", f"/* {SPDX} */\n", "apps/t1: a room without a README.md"),
    "old header": (
        "rtos/include/signalbox/probe_ids.h",
        "\n",
        "probe_ids.h: rtos/include/signalbox/probe_ids.h: out of date",
    ),
}


@pytest.mark.parametrize("kind", VIOLATIONS)
def test_a_planted_violation_is_found(styled: Path, kind: str) -> None:
    path, text, words = VIOLATIONS[kind]
    plant(styled, path, text)
    found = findings(styled)
    assert len(found) == 1, found
    assert words in found[0]


def test_an_exception_that_is_not_needed_is_found(styled: Path) -> None:
    rules = RULES | {"length": RULES["length"] | {"exceptions": {"rtos/kernel/queue.c": "short by now"}}}
    assert [str(f) for f in check_style.check(styled, rules)] == [
        "tools/style.toml: rtos/kernel/queue.c needs no exception from the length rule any more"
    ]


ALLOWED = {
    "published data": ("experiments/reference/notes.md", "no licence, TODO, /root/x\n"),
    "file without comments": ("tools/data.json", "{}\n"),
    "path inside a path": ("tools/README.md", "platforms/work/x and ${top}/work/x\n"),
    "empty marker": ("python/signalbox/py.typed", ""),
}


@pytest.mark.parametrize("kind", ALLOWED)
def test_what_is_allowed_is_not_reported(styled: Path, kind: str) -> None:
    plant(styled, *ALLOWED[kind])
    assert findings(styled) == []


def test_probe_ids_are_of_probes_only() -> None:
    records = [(40, "b"), (31, "hardware"), (32, "a")]
    text = "version = 7\n" + "".join(f'[[record]]\nkind = {kind}\nname = "{name}"\n' for kind, name in records)
    text = gen_probe_ids.header(text)
    assert [line for line in text.splitlines() if line.startswith("#define SB_")] == [
        "#define SB_PROBE_SCHEMA_VERSION 7",
        "#define SB_PROBE_ID_a 32",
        "#define SB_PROBE_ID_b 40",
    ]


def test_a_number_used_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="kind used twice: 32"):
        gen_probe_ids.header('version = 1\n[[record]]\nkind = 32\nname = "a"\n[[record]]\nkind = 32\nname = "b"\n')
