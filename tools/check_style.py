#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what no linter knows: licence lines, lengths, READMEs, unfinished work, paths of one machine, generated files.

The rules are data: tools/style.toml. C, Rust and Python have their own formatters and linters; this is not one.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from check_arrows import matches
from tree import Finding, built, files, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|\b(?:unimplemented|todo)!\(")
MACHINE_PATH = re.compile(r"(?<![\w.}>~-])/(?:root|work|home/[A-Za-z0-9_-]+)(?=[/\s\"'`),:;]|$)", re.MULTILINE)


def check(root: Path, rules: dict[str, Any]) -> list[Finding]:
    """All findings, sorted by place."""
    ours = [path for path in files(root) if not any(matches(path, pattern) for pattern in rules["unchanged"])]
    texts = {path: text for path in ours if (text := text_of(root, path)) is not None}
    parts = (licence(texts, rules), words(texts, rules), lengths(texts, rules), readmes(texts, rules), generated(root))
    return sorted(finding for part in parts for finding in part)


def licence(texts: dict[str, str], rules: dict[str, Any]) -> Iterator[Finding]:
    rule = rules["licence"]
    for path, text in texts.items():
        can = (
            path.endswith(tuple(rule["suffixes"])) or posixpath.basename(path) in rule["names"] or text.startswith("#!")
        )
        if not can or not text or any(matches(path, pattern) for pattern in rule["exempt"]):
            continue
        if not any(rule["line"] in line for line in text.splitlines()[: rule["within"]]):
            yield Finding(path, 1, f"no line with {rule['line']}")


def words(texts: dict[str, str], rules: dict[str, Any]) -> Iterator[Finding]:
    for path, text in texts.items():
        if path in rules["words"]["exempt"]:
            continue
        for pattern, why in ((UNFINISHED, "unfinished work"), (MACHINE_PATH, "a path of one machine")):
            for match in pattern.finditer(text):
                yield Finding(path, text.count("\n", 0, match.start()) + 1, f"{why}: {match.group()}")


def lengths(texts: dict[str, str], rules: dict[str, Any]) -> Iterator[Finding]:
    rule = rules["length"]
    for path, text in texts.items():
        count = text.count("\n")
        if path.endswith(tuple(rule["suffixes"])) and count > rule["lines"] and path not in rule["exceptions"]:
            yield Finding(path, 0, f"{count} lines, more than {rule['lines']}: split it by concept")
    for path in rule["exceptions"]:
        if path not in texts or texts[path].count("\n") <= rule["lines"]:
            yield Finding("tools/style.toml", 0, f"{path} needs no exception from the length rule any more")


def readmes(texts: dict[str, str], rules: dict[str, Any]) -> Iterator[Finding]:
    rule = rules["rooms"]
    folders = {"/".join(path.split("/")[:depth]) or "." for path in texts for depth in range(path.count("/") + 1)}
    for pattern in rule["readme"]:
        rooms = [folder for folder in sorted(folders) if matches(folder, pattern)]
        if not rooms and "*" not in pattern:
            yield Finding(pattern, 0, "this room does not exist; tools/style.toml names it")
        for room in rooms:
            path = posixpath.normpath(f"{room}/README.md")
            if path not in texts:
                yield Finding(room, 0, "a room without a README.md: what is here, what is not, where to change X")
            elif room != "." and texts[path].count("\n") > rule["page"]:
                yield Finding(path, 0, f"longer than a page ({rule['page']} lines)")
    lines = texts.get("ARCHITECTURE.md", "").count("\n")
    if not 0 < lines < rule["architecture"]:
        yield Finding("ARCHITECTURE.md", 0, f"{lines} lines; it must exist and stay below {rule['architecture']}")


def generated(root: Path) -> Iterator[Finding]:
    stray = sorted(built(root))
    if stray:
        yield Finding(
            stray[0], 0, f"tracked although .gitignore says that it is built, as {len(stray) - 1} other files"
        )
    tool = Path(__file__).resolve().parent / "gen_probe_ids.py"
    result = subprocess.run(
        [sys.executable, tool, "--check", "--root", root], capture_output=True, text=True, check=False
    )
    if result.returncode:
        last = (result.stdout + result.stderr).strip().splitlines()[-1:]
        yield Finding("rtos/include/signalbox/probe_ids.h", 0, "".join(last))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    home = Path(__file__).resolve().parent
    parser.add_argument("--root", type=Path, default=home.parent, help="the tree to check")
    parser.add_argument("--rules", type=Path, default=home / "style.toml")
    arguments = parser.parse_args()
    findings = check(arguments.root.resolve(), tomllib.loads(arguments.rules.read_text()))
    for finding in findings:
        print(finding)
    print(f"style: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
