# SPDX-License-Identifier: Apache-2.0
"""The cores whose RTL the model is compared with: where their Verilog is, how it is verilated, what runs on them."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signalbox.errors import ToolMissing

if TYPE_CHECKING:
    from collections.abc import Callable

#: Flags that no core can do without: the RTL of others is not ours to clean.
_QUIET = ("-Wno-fatal", "-Wno-lint", "-Wno-style")


@dataclass(frozen=True)
class Core:
    """One configuration of one core, named as its class in `platforms/cores`."""

    name: str
    package: str
    """Python package that ships the Verilog."""
    wrapper: str
    """Our top module, in `experiments/certificate/rtl`."""
    march: str
    """What its programs are compiled for."""
    sources: Callable[[Path], tuple[list[str], list[Path]]]
    """Flags and files for Verilator, from the package's folder."""
    trap_registers: bool = True
    """Has control registers besides counters."""
    machine_mode: bool = True
    """Has all of the standard trap registers (Min cannot write mepc and has no mscratch)."""
    misaligned: bool = False
    """Makes misaligned accesses itself."""
    counters: bool = True
    """Has `rdcycle`."""
    harts: int = 1
    """A system of so many of these cores."""

    @property
    def platform(self) -> str:
        """The platform file with the same memory."""
        return f"rtl-{self.name}"

    def folder(self) -> Path:
        """The package's folder."""
        return package_folder(self.package)

    def verilator(self) -> tuple[list[str], list[Path]]:
        """Flags and files of the core's own RTL."""
        flags, files = self.sources(self.folder())
        return [*_QUIET, *flags], files


def package_folder(package: str) -> Path:
    """The folder of an installed Verilog package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ToolMissing(package, f"the extra `rtl` has it: pip install {package.replace('_', '-')}")
    return Path(spec.origin).parent


def _picorv32(folder: Path) -> tuple[list[str], list[Path]]:
    return [], [folder / "verilog" / "picorv32.v"]


def _ibex(folder: Path) -> tuple[list[str], list[Path]]:
    root = folder / "system_verilog"
    rtl, prim = root / "rtl", root / "vendor" / "lowrisc_ip" / "ip" / "prim" / "rtl"
    coverage = root / "vendor" / "lowrisc_ip" / "dv" / "sv" / "dv_utils"
    # YOSYS selects the assertion macros that are empty.
    flags = ["-DSYNTHESIS", "-DYOSYS", f"-I{prim}", f"-I{coverage}", f"-I{rtl}", "-y", str(rtl), "-y", str(prim)]
    packages = ["prim_ram_1p_pkg", "prim_secded_pkg", "prim_mubi_pkg", "prim_cipher_pkg"]
    return flags, [rtl / "ibex_pkg.sv", *(prim / f"{p}.sv" for p in packages)]


def _vexriscv(variant: str) -> Callable[[Path], tuple[list[str], list[Path]]]:
    return lambda folder: ([], [folder / "verilog" / f"VexRiscv_{variant}.v"])


CORES = (
    Core(
        "picorv32",
        "pythondata_cpu_picorv32",
        "picorv32.v",
        "rv32imc_zicsr",
        _picorv32,
        trap_registers=False,
        machine_mode=False,
    ),
    Core("ibex", "pythondata_cpu_ibex", "ibex.sv", "rv32imc_zicsr", _ibex, misaligned=True, counters=False),
    Core("ibex-two", "pythondata_cpu_ibex", "system.sv", "rv32imc_zicsr", _ibex, harts=2),
    Core(
        *("vexriscv-min", "pythondata_cpu_vexriscv", "vexriscv.v", "rv32i_zicsr", _vexriscv("Min")),
        machine_mode=False,
        counters=False,
    ),
    Core(
        *("vexriscv-full", "pythondata_cpu_vexriscv", "vexriscv.v", "rv32im_zicsr", _vexriscv("Full")),
        counters=False,
    ),
)


def core(name: str) -> Core:
    """The core with this name."""
    return next(c for c in CORES if c.name == name)
