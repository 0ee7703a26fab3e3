# SPDX-License-Identifier: Apache-2.0
"""The project's own files: tracked, or new and not ignored. What was built is no file of the project."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SKIPPED = {".git", ".venv", "target", "build", "__pycache__", "node_modules"}


@dataclass(frozen=True, order=True)
class Finding:
    """Something wrong at a place, said so that the reader knows what to do."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


def files(root: Path) -> list[str]:
    """Paths relative to `root`, sorted. Outside a git checkout (an unpacked archive) every file counts."""
    if (root / ".git").exists():
        ours = git(root, "--cached", "--others") - built(root)
        return sorted(path for path in ours if (root / path).is_file())
    found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(str(path) for path in found if not SKIPPED.intersection(path.parts))


def built(root: Path) -> set[str]:
    """Files that are tracked although .gitignore says that they are built."""
    return git(root, "--cached", "--ignored") if (root / ".git").exists() else set()


def git(root: Path, *which: str) -> set[str]:
    """What `git ls-files` lists."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--exclude-standard", *which]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {path for path in listed.split("\0") if path}


def text_of(root: Path, path: str) -> str | None:
    """A file's text, or nothing when it is not text."""
    data = (root / path).read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
