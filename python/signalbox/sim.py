# SPDX-License-Identifier: Apache-2.0
"""The only door to the simulator: typed wrappers over the extension module, which is imported on first use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from signalbox.errors import BadInput, SignalboxError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType


class SimulatorMissing(SignalboxError):
    """The extension module is not built."""

    kind = "simulator-missing"


def extension() -> ModuleType:
    """The extension module."""
    try:
        from signalbox import _sim
    except ImportError as e:
        raise SimulatorMissing(
            f"the simulator is not built ({e}).\n"
            "  In a checkout run ./signalbox, which builds it; otherwise reinstall signalbox."
        ) from e
    return _sim


def platform_resolve(text: str, filename: str, search_dirs: Sequence[Path]) -> dict[str, Any]:
    """A platform file, checked and with every default filled in."""
    sim = extension()
    try:
        resolved: dict[str, Any] = json.loads(sim.platform_resolve(text, filename, [str(d) for d in search_dirs]))
    except sim.InputError as e:
        raise BadInput(str(e)) from e
    return resolved


def system_resolve(text: str, filename: str, platform: Mapping[str, Any]) -> dict[str, Any]:
    """A system file, checked against its platform and with every default filled in."""
    sim = extension()
    try:
        resolved: dict[str, Any] = json.loads(sim.system_resolve(text, filename, json.dumps(platform)))
    except sim.InputError as e:
        raise BadInput(str(e)) from e
    return resolved


def apply_overrides(text: str, filename: str, overrides: Mapping[str, str]) -> str:
    """The text of a platform or system file with values put at dotted keys. A wrong key is a usage error."""
    sim = extension()
    try:
        changed: str = sim.apply_overrides(text, filename, list(overrides.items()))
    except sim.InputError as e:
        raise UsageError(str(e)) from e
    return changed


def noc_replay(data: bytes, filename: str, network: Mapping[str, Any], rows: bool) -> tuple[str, dict[str, Any]]:
    """A traffic file through a network: its rows as CSV text if `rows`, and what it comes to."""
    sim = extension()
    try:
        text, summary = sim.noc_replay(data, filename, json.dumps(network), rows)
    except sim.InputError as e:
        raise BadInput(str(e)) from e
    except ValueError as e:
        raise UsageError(str(e)) from e
    result: dict[str, Any] = json.loads(summary)
    return text, result


def noc_measure(network: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """One run of a network under load."""
    sim = extension()
    try:
        result: dict[str, Any] = json.loads(sim.noc_measure(json.dumps(network), json.dumps(point)))
    except ValueError as e:
        raise UsageError(str(e)) from e
    return result


def schema(what: str) -> dict[str, Any]:
    """JSON Schema of `platform` or `system` files, or the record kinds of a `trace`."""
    result: dict[str, Any] = json.loads(getattr(extension(), f"{what}_schema")())
    return result


def host_loop(steps: int) -> None:
    """Execute so many steps of a fixed loop of the host: what figures of different hosts are compared by."""
    extension().host_loop(steps)


def image_info(path: Path) -> dict[str, Any]:
    """What the loader sees in an ELF file."""
    sim = extension()
    try:
        info: dict[str, Any] = json.loads(sim.image_info(str(path)))
    except sim.InputError as e:
        raise BadInput(str(e)) from e
    return info


class Machine:
    """A simulated machine, loaded and held before its first cycle."""

    def __init__(
        self,
        platform: Mapping[str, Any],
        images: Sequence[tuple[Path, Sequence[int]]],
        seed: int = 1,
        observe: bool = False,
        raw_at: int | None = None,
        checks: Sequence[str] = (),
    ) -> None:
        """`raw_at`: the images are no ELF files but bytes to be loaded and started at this address."""
        sim = extension()
        self.checks = tuple(checks)
        given = [(str(path), list(cores)) for path, cores in images]
        try:
            self._machine = sim.Machine(
                json.dumps(platform),
                given,
                seed=seed,
                observe=observe,
                raw_at=raw_at,
                check_coherence="coherence" in self.checks,
            )
        except sim.InputError as e:
            raise BadInput(str(e)) from e

    def set_threads(self, threads: int) -> None:
        """Host threads that run cores ahead. They change no result, only the time that a run takes."""
        self._machine.set_threads(threads)

    def retired_in_blocks(self) -> int:
        """Instructions that translated blocks executed: about the simulator, not about the program."""
        count: int = self._machine.retired_in_blocks()
        return count

    def retired_in_batches(self) -> int:
        """Instructions that host threads executed side by side: about the simulator, not about the program."""
        count: int = self._machine.retired_in_batches()
        return count

    def run(self, until_cycle: int) -> dict[str, Any]:
        """Run until this cycle or until something ends the run; see `signalbox.run.outcome` for the reasons."""
        result: dict[str, Any] = json.loads(self._machine.run(until_cycle))
        return result

    def console(self) -> list[tuple[str, bytes]]:
        """What the UARTs sent since the last call."""
        drained: list[tuple[str, bytes]] = self._machine.console()
        return drained

    def input(self, uart: str, data: bytes) -> None:
        """Give a UART bytes to receive."""
        self._machine.input(uart, data)

    def state_hash(self) -> str:
        """Hash of the whole state."""
        result: str = self._machine.state_hash()
        return result

    def stats(self) -> dict[str, Any]:
        """Accounts of cores, caches and slaves."""
        result: dict[str, Any] = json.loads(self._machine.stats())
        return result

    def fault(self) -> dict[str, Any] | None:
        """The fault that ended the run."""
        text = self._machine.fault()
        return None if text is None else json.loads(text)

    def findings(self) -> dict[str, list[dict[str, Any]]]:
        """What each check that was asked for has found so far."""
        return {"coherence": json.loads(self._machine.coherence())} if "coherence" in self.checks else {}

    def trace(self) -> tuple[bytes, list[str]]:
        """Records and strings of an observed run."""
        result: tuple[bytes, list[str]] = self._machine.trace()
        return result

    def read(self, address: int, size: int, core: int = 0) -> bytes:
        """Memory as a core sees it through its caches."""
        result: bytes = self._machine.read(address, size, core)
        return result

    def serve_host_calls(self) -> bool:
        """Come back with `call` before calls to the host. False if a core has caches, where this cannot be."""
        done: bool = self._machine.serve_host_calls()
        return done

    def host_call(self, core: int) -> tuple[int, int]:
        """Number and parameter of the call that a core waits before."""
        call: tuple[int, int] = self._machine.host_call(core)
        return call

    def write_for_host_call(self, core: int, address: int, data: bytes) -> bool:
        """Write for a core that waits before a call. False, and nothing is written, if that is not memory."""
        done: bool = self._machine.write_for_host_call(core, address, data)
        return done

    def answer_host_call(self, core: int, result: int) -> None:
        """Let a core go on behind its call."""
        self._machine.answer_host_call(core, result)

    def symbol(self, name: str, core: int = 0) -> int | None:
        """Address of a symbol in the image of a core."""
        result: int | None = self._machine.symbol(name, core)
        return result
