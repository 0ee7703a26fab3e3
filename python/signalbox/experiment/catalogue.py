# SPDX-License-Identifier: Apache-2.0
"""Finds experiments and the reference that they are compared with."""

from __future__ import annotations

import csv
import importlib.util
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from signalbox.errors import UsageError
from signalbox.resources import resource

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from signalbox.experiment.spec import Definition


@dataclass(frozen=True)
class Info:
    """An experiment by name."""

    id: str
    title: str
    platform: str
    claims: int


def _folder() -> Path:
    return resource("experiments")


@cache
def load(experiment_id: str) -> Definition:
    """The experiment with this id. Raises `UsageError` with the ids that exist."""
    path = _folder() / experiment_id / "experiment.py"
    if not experiment_id.replace("-", "").isalnum() or not path.is_file():
        known = ", ".join(sorted(p.parent.name for p in _folder().glob("*/experiment.py")))
        raise UsageError(f"there is no experiment {experiment_id}; there are: {known}")
    spec = importlib.util.spec_from_file_location(f"signalbox_experiment_{experiment_id.replace('-', '_')}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    definition: Definition = module.EXPERIMENT
    return definition


def experiments() -> list[Info]:
    """All experiments."""
    found = [load(p.parent.name) for p in sorted(_folder().glob("*/experiment.py"))]
    return [Info(d.id, d.title, d.platform, len(d.claims) + len(d.not_run)) for d in found]


def _read(name: str) -> dict[str, dict[str, str]]:
    with (_folder() / "reference" / name).open(newline="", encoding="utf-8") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


@cache
def claims() -> Mapping[str, Mapping[str, str]]:
    """The published findings by id: document, section, claim, test."""
    return _read("claims.csv")


@cache
def published(document: str) -> Mapping[str, Mapping[str, str]]:
    """The published numbers of a document by id."""
    return _read(f"{document}.csv")


def claims_naming(experiment_id: str) -> list[str]:
    """Ids of the findings whose test names the experiment."""
    return [claim for claim, row in claims().items() if experiment_id in row["test"]]
