# SPDX-License-Identifier: Apache-2.0
"""Traces made by hand: two cores, a request and its reply, every cycle chosen so that a test can add it up."""

from __future__ import annotations

from pathlib import Path

from signalbox.trace import ACCOUNTS, ENCODING, Schema, Trace

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = Schema.from_toml((ROOT / "sim" / "trace" / "schema.toml").read_text())

PULSE = 0x8000_0010
TIMER = 0x8000_0007


def address(node: int, index: int) -> int:
    """A global address of generation 1."""
    return node << 22 | index << 10 | 1


MASTER = address(0, 1)
SLAVE = address(1, 1)


class Core:
    """Records of one core; its clock only goes forward."""

    def __init__(self, trace: TraceBuilder, number: int, start: int) -> None:
        self.trace, self.number, self.cycle = trace, number, start
        self.accounts = dict.fromkeys(ACCOUNTS, 0)
        self.accounts["idle"] = start

    def rec(self, cycles: int, name: str, *args: int, **accounts: int) -> int:
        """Let `cycles` pass, of which the named accounts claim theirs, and stamp a record. Returns its cycle."""
        self.cycle += cycles
        for account, claimed in accounts.items():
            self.accounts[account] += claimed
        padded = (*args, 0, 0, 0, 0, 0)[:5]
        self.trace.records.append(
            (self.cycle, SCHEMA.kinds[name], self.number, *padded, *(self.accounts[a] for a in ACCOUNTS))
        )
        return self.cycle

    def sleep_until(self, cycle: int) -> int:
        """Idle until the cycle, then wake."""
        return self.rec(cycle - self.cycle, "wake", idle=cycle - self.cycle)


class TraceBuilder:
    """Collects records and strings."""

    def __init__(self) -> None:
        self.records: list[tuple[int, ...]] = []
        self.strings: list[str] = []

    def string(self, text: str) -> int:
        """Index of a string."""
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def trace(self, **meta: object) -> Trace:
        """What the simulator would give, through its encoding."""
        ordered = sorted(self.records, key=lambda r: (r[0], r[2]))
        data = b"".join(ENCODING.pack(*r) for r in ordered)
        return Trace.decode(data, self.strings, SCHEMA, {"clock_hz": 50_000_000, "platform": "de2-dual", **meta})


APP, RLNH, CM_RX, DRV, IDLE = 0x1000, 0x1100, 0x1200, 0x1300, 0x1400


def create_tasks(core: Core, app: str) -> None:
    """The five tasks of a node of T0."""
    node = core.number
    for i, (pointer, name, kind, priority) in enumerate(
        [(IDLE, "idle", 2, 31), (APP, app, 0, 12), (RLNH, "rlnh", 0, 9), (CM_RX, "cm_rx", 0, 10), (DRV, "drv", 1, 0)]
    ):
        index = {"idle": 0, app: 1, "rlnh": 2, "cm_rx": 3, "drv": 4}[name]
        core.rec(1 if i else 0, "task_create", pointer, core.trace.string(name), kind, priority, address(node, index))


def start_link_tasks(core: Core) -> None:
    """RLNH waits for signals and the receive task for its semaphore; then the application runs."""
    core.rec(20, "switch_begin", 0)
    core.rec(20, "switch_end", RLNH)
    core.rec(20, "receive_call", RLNH)
    core.rec(20, "switch_begin", RLNH)
    core.rec(20, "switch_end", CM_RX)
    core.rec(10, "kernel_enter", 5)
    core.rec(10, "switch_begin", CM_RX)
    core.rec(20, "switch_end", APP)


def send(core: Core, sender: int, to: int, size: int) -> tuple[int, int]:
    """The sending half, from send_call to the return of send; returns the cycles of the doorbell and of the return.

    Blocking 1000 cycles and one per byte: send 100, switch 50, RLNH 30, CM 120, DRV 60 and the copy, doorbell 40, ...
    """
    other = 1 - core.number
    core.rec(10, "send_call", sender, to, 7, size, 0x9000)
    core.rec(100, "switch_begin", APP, fetch=30)
    core.rec(50, "switch_end", RLNH, miss=10)
    core.rec(60, "receive_return", sender, address(core.number, 2), 7, size, 0x9000)
    core.rec(10, "manager_enter", 1)
    core.rec(20, "cm_transmit_enter", size)
    core.rec(70, "drv_write_enter", size + 16)
    core.rec(30, "copy_enter", size)
    core.rec(size + 20, "copy_exit", uncached=size // 2, bus_wait=8)
    core.rec(20, "doorbell_enter", other, 0)
    rung = core.cycle + 30
    core.rec(40, "doorbell_exit", uncached=20)
    core.rec(10, "drv_write_exit")
    core.rec(50, "cm_transmit_exit")
    core.rec(60, "manager_exit", 1)
    core.rec(5, "receive_call", RLNH)
    core.rec(95, "switch_begin", RLNH)
    core.rec(60, "switch_end", APP)
    core.rec(80, "send_return", sender, to, miss=30)
    return rung, core.cycle


def wait(core: Core) -> None:
    """The application receives, finds nothing, and the core goes to sleep."""
    core.rec(15, "receive_call", APP)
    core.rec(100, "switch_begin", APP)
    core.rec(50, "switch_end", IDLE)
    core.rec(5, "sleep")


def take(core: Core, sender: int, to: int, size: int, rung: int, extra: int = 0) -> int:
    """The receiving half; the core takes the notify 5 cycles after `rung`. Returns when the acknowledge is rung."""
    core.sleep_until(rung + 3)
    core.rec(2, "irq_enter", PULSE, 0x4000)
    core.rec(360, "isr_enter", DRV, interrupt=5, fetch=120)
    core.rec(40, "drv_read_enter", 0x7000)
    core.rec(20, "drv_read_exit")
    core.rec(10, "copy_enter", size + 16)
    core.rec(size + 30, "copy_exit", uncached=size // 2)
    core.rec(20, "cm_handle_rx_enter", size + 16)
    core.rec(90, "kernel_enter", 4)
    core.rec(40, "kernel_exit", 4)
    core.rec(10, "cm_handle_rx_exit")
    core.rec(10, "doorbell_enter", 1 - core.number, 1)
    acknowledged = core.cycle + 30
    core.rec(40, "doorbell_exit", uncached=20)
    core.rec(20, "isr_exit", DRV)
    core.rec(30, "switch_begin", IDLE)
    core.rec(50, "switch_end", CM_RX)
    core.rec(10, "trap_return", 0x5000)
    core.rec(10, "kernel_exit", 5)
    core.rec(10, "manager_enter", 2)
    core.rec(60, "copy_enter", size)
    core.rec(size + 10 + extra, "copy_exit", miss=size // 4 + extra)
    core.rec(30, "rlnh_deliver_enter", sender, to, 7)
    core.rec(70, "send_call", sender, to, 7, size, 0x9100)
    core.rec(60, "send_return", sender, to)
    core.rec(20, "rlnh_deliver_exit")
    core.rec(30, "manager_exit", 2)
    core.rec(10, "kernel_enter", 5)
    core.rec(80, "switch_begin", CM_RX)
    core.rec(50, "switch_end", APP)
    core.rec(130, "receive_return", sender, to, 7, size, 0x9100, fetch=12)
    return acknowledged


def acknowledge(core: Core, rung: int) -> None:
    """The sender, asleep, takes the acknowledge 5 cycles after `rung` and sleeps again: 300 cycles of interrupt."""
    core.sleep_until(rung + 3)
    core.rec(2, "irq_enter", PULSE, 0x4000)
    core.rec(55, "isr_enter", DRV, interrupt=5)
    core.rec(45, "cm_handle_tx_enter")
    core.rec(120, "cm_handle_tx_exit", fetch=40)
    core.rec(30, "isr_exit", DRV)
    core.rec(50, "trap_return", 0x4000)
    core.rec(5, "sleep")


def t0(requests: int = 1, size: int = 128, extras: tuple[int, ...] = ()) -> TraceBuilder:
    """Requests of master with replies of slave, one every 50,000 cycles; `extras` lengthen the receiver's last copy."""
    builder = TraceBuilder()
    core0, core1 = Core(builder, 0, 10), Core(builder, 1, 40)
    create_tasks(core0, "master")
    create_tasks(core1, "slave")
    start_link_tasks(core0)
    start_link_tasks(core1)
    wait(core1)
    core0.rec(10, "receive_call", APP)
    core0.rec(60, "switch_begin", APP)
    core0.rec(40, "switch_end", IDLE)
    core0.rec(5, "sleep")
    for i in range(requests):
        core0.sleep_until(50_000 * (i + 1))
        core0.rec(2, "irq_enter", TIMER, 0x4000)
        core0.rec(40, "switch_begin", IDLE, interrupt=5)
        core0.rec(40, "switch_end", APP)
        core0.rec(20, "trap_return", 0x5000)
        core0.rec(30, "receive_return", 0, 0, 0, 0, 0)
        rung, _ = send(core0, MASTER, SLAVE, size)
        wait(core0)
        acknowledged = take(core1, MASTER, SLAVE, size, rung, extras[i % len(extras)] if extras else 0)
        acknowledge(core0, acknowledged)
        rung, _ = send(core1, SLAVE, MASTER, size)
        wait(core1)
        acknowledged = take(core0, SLAVE, MASTER, size, rung)
        acknowledge(core1, acknowledged)
        core0.rec(20, "receive_call", APP)
        core0.rec(60, "switch_begin", APP)
        core0.rec(40, "switch_end", IDLE)
        core0.rec(5, "sleep")
    return builder
