#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that rooms use only the rooms they may use. The rules are data: tools/arrows.toml.

C: #include lines. Rust: Cargo.toml and paths in the source. Python: imports. The viewer: imports of its modules. Words
that a room must not contain. And no circles: neither in the rules nor in what the files really use.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import posixpath
import re
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tree import Finding, files, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Edges = dict[str, dict[str, tuple[str, int]]]  # from -> to -> where it is seen first

C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
HASH_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*')
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
JS_IMPORT = re.compile(r"""(?:\bimport\b|\bfrom\b)\s*\(?\s*["'`]([^"'`]+)["'`]""")


def code_only(path: str, text: str) -> str:
    """The text with comments blanked, so that line numbers stay."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    def keep_strings(match: re.Match[str]) -> str:
        return match.group() if match.group().startswith('"') else blank(match)

    suffix = posixpath.splitext(path)[1]
    if suffix in {".toml", ".py"}:
        return HASH_COMMENT.sub(keep_strings, text)
    if suffix == ".html":
        text = HTML_COMMENT.sub(blank, text)
    return C_COMMENT.sub(keep_strings, text)


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """A path pattern as an expression: ** crosses folders, * does not."""
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    tokens = re.findall(r"\*\*/|\*\*|\*|\[[^\]]+\]|[^*\[]+", pattern)
    return re.compile("".join(known.get(t) or (t if t.startswith("[") else re.escape(t)) for t in tokens) + r"\Z")


def matches(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern with *, **, [..] and {a,b}."""
    braces = re.search(r"\{([^{}]*)\}", pattern)
    if braces:
        before, after = pattern[: braces.start()], pattern[braces.end() :]
        return any(matches(path, before + choice + after) for choice in braces.group(1).split(","))
    return _expression(pattern).match(path) is not None


def circles(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """One shortest circle through each group of nodes that reach each other."""
    found: list[list[str]] = []
    covered: set[str] = set()
    for start in sorted(edges):
        if start in covered:
            continue
        came_from: dict[str, str] = {}
        queue = [start]
        for node in queue:
            for following in sorted(edges.get(node, ())):
                if following == start:
                    path = [start, node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    found.append(path[::-1] if len(path) > 1 else [start, start])
                    covered.update(path)
                    queue.clear()
                    break
                if following not in came_from:
                    came_from[following] = node
                    queue.append(following)
            else:
                continue
            break
    return found


def circle_findings(what: str, edges: Edges) -> Iterator[Finding]:
    for circle in circles(edges):
        path, line = edges[circle[0]][circle[1]]
        yield Finding(path, line, f"circle of {what}: {' -> '.join(circle)}")


class Arrows:
    """The rules and the tree that they are checked against."""

    def __init__(self, root: Path, rules: dict[str, Any]) -> None:
        self.root = root
        self.rules = rules
        self.files = files(root)
        self.present = set(self.files)

    def text(self, path: str) -> str:
        return text_of(self.root, path) or ""

    def check(self) -> list[Finding]:
        """All findings, sorted by place."""
        parts = (self.rule_circles(), self.c(), self.rust(), self.python(), self.viewer(), self.forbidden())
        return sorted(set(itertools.chain.from_iterable(parts)))

    def rule_circles(self) -> Iterator[Finding]:
        c = {name: room["uses"] for name, room in self.rules["c"]["rooms"].items()}
        for what, edges in (("C rooms", c), ("crates", self.rules["rust"]["crates"])):
            for circle in circles(edges):
                yield Finding("tools/arrows.toml", 0, f"circle of {what} in the rules: {' -> '.join(circle)}")

    # -- C --

    def room_of(self, path: str) -> tuple[str, str] | None:
        """The room that a C file lies in, and its part where a room keeps its parts apart."""
        best = None
        for name, room in self.rules["c"]["rooms"].items():
            if path.startswith(room["path"] + "/") and (best is None or len(room["path"]) > len(best[1]["path"])):
                best = (name, room)
        if best is None:
            return None
        name, room = best
        rest = path[len(room["path"]) + 1 :].split("/")
        return name, rest[0] if room.get("apart") and len(rest) > 1 else ""

    def c(self) -> Iterator[Finding]:
        rules = self.rules["c"]
        used: Edges = defaultdict(dict)
        headers: Edges = defaultdict(dict)
        for path in self.files:
            if not re.search(r"\.[chS](?:\.j2)?$", path) or path.startswith("experiments/reference/"):
                continue
            here = self.room_of(path)
            if here is None:
                yield Finding(path, 0, "a C file outside all rooms of tools/arrows.toml")
                continue
            room = rules["rooms"][here[0]]
            further = [name for where, names in rules["system_for"].items() if matches(path, where) for name in names]
            text = code_only(path, self.text(path))
            for match in INCLUDE.finditer(text):
                name, line = match.group(2), line_of(text, match.start())
                if name in rules["generated"]:
                    continue
                target = self.header(path, name, local=match.group(1) == '"')
                if target is None:
                    if name not in rules["system"] + further and not room.get("any_system"):
                        yield Finding(path, line, f"includes {name}: no header of a room, and not among [c].system")
                    continue
                headers[path].setdefault(target, (path, line))
                there = self.room_of(target)
                if there is None:
                    yield Finding(path, line, f"includes {target}, which lies in no room")
                elif there[0] == here[0]:
                    if there[1] and there[1] != here[1]:
                        yield Finding(
                            path, line, f"includes {target}: {here[0]}/{here[1]} must not use {there[0]}/{there[1]}"
                        )
                else:
                    used[here[0]].setdefault(there[0], (path, line))
                    if there[0] not in room["uses"]:
                        yield Finding(path, line, f"includes {target}: {here[0]} must not use {there[0]}")
        yield from circle_findings("C rooms", used)
        yield from circle_findings("headers", headers)

    def header(self, path: str, name: str, *, local: bool) -> str | None:
        """The file that an #include finds, if it is one of ours."""
        for root in [posixpath.dirname(path)] * local + self.rules["c"]["roots"]:
            candidate = posixpath.normpath(posixpath.join(root, name))
            if candidate in self.present:
                return candidate
        return None

    # -- Rust --

    def rust(self) -> Iterator[Finding]:
        workspace, crates = self.rules["rust"]["workspace"], self.rules["rust"]["crates"]
        used: Edges = defaultdict(dict)
        for path in self.files:
            if not re.fullmatch(rf"{workspace}/\w+/Cargo\.toml", path):
                continue
            folder = posixpath.dirname(path)
            manifest = tomllib.loads(self.text(path))
            name = manifest["package"]["name"]
            if name not in crates:
                yield Finding(path, 0, f"crate {name} is not in tools/arrows.toml")
                continue
            allowed = set(crates[name])
            tests = set(manifest.get("dev-dependencies", {}))
            lines = self.text(path).splitlines()
            tables = [manifest, *manifest.get("target", {}).values()]
            for table, key in itertools.product(tables, ("dependencies", "build-dependencies")):
                for dependency, how in table.get(key, {}).items():
                    real = how.get("package", dependency) if isinstance(how, dict) else dependency
                    outside = isinstance(how, dict) and "path" in how and not self.inside_workspace(folder, how["path"])
                    line = next(
                        (n for n, text in enumerate(lines, 1) if re.match(rf"\s*{re.escape(dependency)}\b", text)), 0
                    )
                    if outside:
                        yield Finding(path, line, f"depends on {how['path']}, which is outside {workspace}/")
                    if real in crates:
                        used[name].setdefault(real, (path, line))
                        if real not in allowed:
                            yield Finding(path, line, f"crate {name} must not depend on {real}")
            yield from self.rust_sources(folder, name, allowed | tests | {name})
        yield from circle_findings("crates", used)

    def inside_workspace(self, folder: str, path: str) -> bool:
        return posixpath.normpath(posixpath.join(folder, path)).startswith(self.rules["rust"]["workspace"] + "/")

    def rust_sources(self, folder: str, name: str, allowed: set[str]) -> Iterator[Finding]:
        workspace = self.rules["rust"]["workspace"]
        others = "|".join(sorted(set(self.rules["rust"]["crates"]) - allowed)) or "(?!)"
        # A path that begins with a crate's name, not with one of the crate's own modules of that name.
        uses = re.compile(rf"(?:\buse\s+(?:::)?|\bextern\s+crate\s+|[^\w:.]::)({others})\b|(?<![\w:.])({others})::\w")
        own = {posixpath.splitext(posixpath.basename(p))[0] for p in self.files if p.startswith(f"{folder}/src/")}
        for path in self.files:
            if not (path.startswith(folder + "/") and path.endswith(".rs")):
                continue
            text = code_only(path, self.text(path))
            for match in uses.finditer(text):
                other = match.group(1) or match.group(2)
                if match.group(1) or other not in own:
                    yield Finding(path, line_of(text, match.start()), f"crate {name} must not use {other}")
            for match in re.finditer(r"\binclude(?:_str|_bytes)?!\(\s*\"([^\"]+)\"", text):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match.group(1)))
                if not target.startswith(workspace + "/"):
                    yield Finding(
                        path, line_of(text, match.start()), f"includes {target}, which is outside {workspace}/"
                    )

    # -- Python --

    def python(self) -> Iterator[Finding]:
        rules = self.rules["python"]
        modules = {self.module_name(path): path for path in self.files if self.module_name(path)}
        loads: Edges = defaultdict(dict)
        for path in self.files:
            if not path.endswith((".py", ".pyi")):
                continue
            try:
                parsed = ast.parse(self.text(path), path)
            except SyntaxError as error:
                yield Finding(path, error.lineno or 0, f"cannot be parsed: {error.msg}")
                continue
            here = self.module_name(path)
            for imported, line, at_load in imports(parsed, here, path.endswith("__init__.py")):
                for name, importers in rules["only"].items():
                    if (imported == name or imported.startswith(name + ".")) and not any(
                        path.startswith(who) if who.endswith("/") else path == who for who in importers
                    ):
                        yield Finding(path, line, f"imports {imported}: only {', '.join(importers)} may")
                # `from package import name` may name a module or something inside the package.
                target = next((m for m in (imported, imported.rpartition(".")[0]) if m in modules), None)
                if here and target and target != here and at_load:
                    loads[here].setdefault(target, (path, line))
        yield from circle_findings("Python modules", loads)

    def module_name(self, path: str) -> str:
        """signalbox.build.builder for its file; empty when the file belongs to no package."""
        for package, folder in self.rules["python"]["packages"].items():
            if path.startswith(folder + "/") and path.endswith(".py"):
                rest = path[len(folder) + 1 : -3].replace("/", ".")
                return f"{package}.{rest}".removesuffix(".__init__")
        return ""

    # -- viewer --

    def viewer(self) -> Iterator[Finding]:
        folder = self.rules["viewer"]["path"]
        used: Edges = defaultdict(dict)
        for path in self.files:
            if not path.startswith(folder + "/") or not path.endswith((".js", ".mjs", ".html")):
                continue
            text = code_only(path, self.text(path))
            for match in JS_IMPORT.finditer(text):
                name, line = match.group(1), line_of(text, match.start())
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
                if not name.startswith(".") or not target.startswith(folder + "/"):
                    yield Finding(path, line, f"imports {name}: the viewer knows only its own modules")
                elif target not in self.present:
                    yield Finding(path, line, f"imports {name}, which does not exist")
                else:
                    used[path].setdefault(target, (path, line))
        yield from circle_findings("viewer modules", used)

    # -- words --

    def forbidden(self) -> Iterator[Finding]:
        for rule in self.rules["forbid"]:
            pattern = re.compile(rule["pattern"], re.MULTILINE)
            for path in self.files:
                if not any(matches(path, where) for where in rule["paths"]) or path.endswith(".md"):
                    continue
                text = code_only(path, self.text(path)) if rule.get("code") else self.text(path)
                for match in pattern.finditer(text):
                    line = line_of(text, match.start() + len(match.group()) - len(match.group().lstrip()))
                    yield Finding(path, line, f"`{' '.join(match.group().split())}`: {rule['why']}")


def imports(tree: ast.Module, here: str, is_package: bool) -> Iterator[tuple[str, int, bool]]:
    """(name, line, whether it is imported when the module is loaded) of each import."""

    def visit(node: ast.AST, at_load: bool) -> Iterator[tuple[str, int, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((alias.name, child.lineno, at_load) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    parts = here.split(".")
                    up = parts[: len(parts) - (child.level - is_package)]
                    base = ".".join([*up, base] if base else up)
                yield from ((f"{base}.{alias.name}", child.lineno, at_load) for alias in child.names)
            elif isinstance(child, ast.Call) and _called(child) in {"import_module", "__import__"} and child.args:
                if isinstance(child.args[0], ast.Constant) and isinstance(child.args[0].value, str):
                    yield child.args[0].value, child.lineno, False
                yield from visit(child, at_load)
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                for part in child.body:
                    yield from visit(ast.Module([part], []), False)
                for part in child.orelse:
                    yield from visit(ast.Module([part], []), at_load)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from visit(child, at_load and not inside)

    yield from visit(tree, True)


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    home = Path(__file__).resolve().parent
    parser.add_argument("--root", type=Path, default=home.parent, help="the tree to check")
    parser.add_argument("--rules", type=Path, default=home / "arrows.toml")
    arguments = parser.parse_args()
    arrows = Arrows(arguments.root.resolve(), tomllib.loads(arguments.rules.read_text()))
    findings = arrows.check()
    for finding in findings:
        print(finding)
    print(f"arrows: {len(arrows.files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
