# SPDX-License-Identifier: Apache-2.0
"""Messages, their costs and their cycles, against numbers added up by hand; and planted faults that must be found."""

from __future__ import annotations

import pytest
from synthetic import APP, MASTER, PULSE, SLAVE, Core, TraceBuilder, create_tasks, t0

from signalbox.analysis import AnalysisError, analyse, lower_median, summarise, timeline
from signalbox.analysis.messages import _divide
from signalbox.analysis.model import CpuCycles


def test_a_request_has_the_cycles_that_were_put_into_it() -> None:
    analysis = analyse(t0(size=128).trace())
    request, reply = analysis.pairs()[0]
    assert (request.sender, request.addressee, request.signo, request.size_bytes) == (MASTER, SLAVE, 7, 128)
    assert (reply.sender, reply.addressee) == (SLAVE, MASTER)
    # 100 call, 50 switch, 60 + 10 + 20 + 70 + 30 to the copy, 148 copy, 20 + 40 doorbell, 10 + 50 + 60 + 5 back to
    # RLNH's receive, 95 + 60 switch, 80 to the return
    assert request.blocking == 908
    # taken 35 cycles after the doorbell began, which is 508 cycles after the call
    assert request.split - request.send_call == 543
    assert request.receive_return - request.split == 1606
    assert request.latency == 2149
    assert request.cpu == CpuCycles(sender=908 + 300, receiver=1606, isr_sender=300, isr_receiver=848)
    assert request.cpu.total == 2814
    assert (request.copies, request.interrupts, request.context_switches, request.calls) == (3, 2, 7, 6)
    assert analysis.unfinished == 0


def test_the_breakdown_is_exact_by_layer_and_cause() -> None:
    analysis = analyse(t0(2, size=128).trace())
    request = analysis.pairs()[1][0]
    parts = analysis.breakdown(request)
    assert parts.by_cause() == {
        "execute": 1038,
        "fetch": 30 + 120 + 12,
        "miss": 10 + 32,
        "uncached": 64 + 64,
        "copy": (148 - 64 - 8) + (158 - 64) + (138 - 32),
        "bus_wait": 8,
        "dma": 0,
        # 35 of 40 on the sender (it is divided where the receiver takes over), and the acknowledge's 40
        "doorbell": 35 + 40,
        "interrupt": 360 - 120 + 30,
        "switch": 50 + 50 + 10 + 50 - 10,
        "queueing": 0,
    }
    assert sum(parts.by_cause().values()) == sum(parts.by_layer().values()) == request.latency == 2149
    assert parts.by_layer() == {"application": 0, "manager": 568, "driver": 551, "kernel": 1030, "medium": 0}
    assert sum(parts.by_thesis_layer().values()) == 2 * request.latency
    assert sum(parts.thesis_sender) == sum(parts.thesis_receiver) == request.latency
    assert parts.copying == 148 + 158 + 138
    assert parts.ringing == 35 + 40
    assert parts.divided == 35


@pytest.mark.parametrize("size", [16, 32, 64, 128, 256, 512, 1024])
def test_every_message_adds_up(size: int) -> None:
    analysis = analyse(t0(5, size, (0, 3, 70)).trace())
    assert len(analysis.messages) == 10
    for message in analysis.messages:
        parts = analysis.breakdown(message)
        assert sum(parts.by_cause().values()) == message.latency
        assert sum(parts.by_thesis_layer().values()) == 2 * message.latency


def test_idle_waiting_is_queueing_in_the_medium() -> None:
    """The receiver is charged from the interrupt on; before, a sender that sleeps waits with nothing to do."""
    builder = TraceBuilder()
    sender, receiver = Core(builder, 0, 0), Core(builder, 1, 0)
    create_tasks(sender, "master")
    create_tasks(receiver, "slave")
    sender.rec(10, "switch_end", APP)
    receiver.rec(10, "switch_end", APP)
    receiver.rec(5, "receive_call", APP)
    receiver.rec(5, "switch_begin", APP)
    receiver.rec(5, "switch_end", 0x1400)
    receiver.rec(5, "sleep")
    sender.rec(40, "send_call", MASTER, SLAVE, 1, 8, 0)
    sender.rec(10, "cm_transmit_enter", 8)
    sender.rec(10, "drv_write_enter", 8)
    sender.rec(10, "doorbell_enter", 1, 0)
    sender.rec(10, "doorbell_exit")
    sender.rec(10, "drv_write_exit")
    sender.rec(10, "cm_transmit_exit")
    sender.rec(10, "send_return", MASTER, SLAVE)
    sender.rec(10, "switch_begin", APP)
    sender.rec(10, "switch_end", 0x1400)
    slept = sender.rec(10, "sleep")
    receiver.sleep_until(slept + 300)
    receiver.rec(0, "irq_enter", PULSE, 0)
    receiver.rec(20, "switch_begin", 0x1400)
    receiver.rec(20, "switch_end", APP)
    receiver.rec(20, "receive_return", MASTER, SLAVE, 1, 8, 0)
    analysis = analyse(builder.trace())
    parts = analysis.breakdown(analysis.messages[0])
    assert parts.by_cause()["queueing"] == parts.by_layer()["medium"] == 310
    assert parts.by_cause()["switch"] == 10 + 20
    assert analysis.messages[0].cpu.sender == 70
    assert analysis.messages[0].cpu.receiver == 60


def test_an_acknowledge_inside_send_is_counted_once() -> None:
    builder = TraceBuilder()
    sender, receiver = Core(builder, 0, 0), Core(builder, 1, 0)
    create_tasks(sender, "master")
    create_tasks(receiver, "slave")
    sender.rec(10, "switch_end", APP)
    receiver.rec(10, "switch_end", APP)
    sender.rec(100, "send_call", MASTER, SLAVE, 1, 8, 0)
    sender.rec(10, "drv_write_enter", 8)
    sender.rec(10, "doorbell_enter", 1, 0)
    receiver.rec(125, "irq_enter", PULSE, 0)
    sender.rec(10, "doorbell_exit")
    sender.rec(10, "drv_write_exit")
    receiver.rec(20, "isr_enter", 0x1300)
    receiver.rec(5, "doorbell_enter", 0, 1)
    sender.rec(20, "irq_enter", PULSE, 0)
    sender.rec(20, "isr_enter", 0x1300)
    sender.rec(20, "isr_exit", 0x1300)
    sender.rec(20, "trap_return", 0)
    receiver.rec(10, "doorbell_exit")
    receiver.rec(20, "isr_exit", 0x1300)
    receiver.rec(20, "trap_return", 0)
    sender.rec(50, "send_return", MASTER, SLAVE)
    receiver.rec(5, "receive_call", APP)
    receiver.rec(200, "receive_return", MASTER, SLAVE, 1, 8, 0)
    sender.rec(500, "mark", 1)
    message = analyse(builder.trace()).messages[0]
    assert message.blocking == 170
    assert message.cpu.sender == 170
    assert message.cpu.isr_sender == 60
    assert message.interrupts == 2


def interrupt_tasks(core: Core) -> tuple[int, int]:
    """Two more interrupt tasks, `low` and `high`; the application runs."""
    create_tasks(core, "master")
    tasks = []
    for pointer, name, priority in ((0x1500, "low", 5), (0x1600, "high", 2)):
        core.rec(1, "task_create", pointer, core.trace.string(name), 1, priority, MASTER + (priority << 10))
        tasks.append(pointer)
    core.rec(10, "switch_end", APP)
    return tasks[0], tasks[1]


def slices(core: Core) -> list[tuple[str, int, int]]:
    """Who ran and when, from the first switch on."""
    analysis = analyse(core.trace.trace())
    return [(analysis.tasks[s.task].name, s.start, s.end) for s in analysis.cores[0].slices if s.task >= 0]


def test_an_interrupt_task_that_interrupts_another_returns_to_it() -> None:
    core = Core(TraceBuilder(), 0, 0)
    low, high = interrupt_tasks(core)
    began = core.cycle
    core.rec(100, "irq_enter", PULSE, 0)
    core.rec(10, "isr_enter", low)
    core.rec(40, "irq_enter", PULSE, 0)
    core.rec(10, "isr_enter", high)
    core.rec(30, "isr_exit", high)
    core.rec(5, "trap_return", 0)
    core.rec(60, "isr_exit", low)
    core.rec(5, "trap_return", 0)
    core.rec(100, "mark", 1)
    assert slices(core) == [
        ("master", began, began + 110),
        ("low", began + 110, began + 160),
        ("high", began + 160, began + 195),
        ("low", began + 195, began + 260),
        ("master", began + 260, began + 360),
    ]


@pytest.mark.parametrize("inside", [False, True])
def test_an_interrupt_task_that_is_begun_by_a_call_returns_to_the_caller(inside: bool) -> None:
    core = Core(TraceBuilder(), 0, 0)
    low, high = interrupt_tasks(core)
    began = core.cycle
    if inside:
        core.rec(10, "irq_enter", PULSE, 0)
        core.rec(10, "isr_enter", low)
    caller = "low" if inside else "master"
    called = core.rec(100, "isr_enter", high)
    core.rec(30, "isr_exit", high)
    core.rec(50, "isr_exit" if inside else "mark", low)
    if inside:
        core.rec(5, "trap_return", 0)
        core.rec(10, "mark", 1)
    ran = slices(core)
    assert ("high", called, called + 30) in ran
    assert (caller, called + 30, called + (85 if inside else 80)) in ran
    assert ran[0][:2] == ("master", began)
    analysis = analyse(core.trace.trace())
    assert analysis.cores[0].in_isr[-1] == (10 + 100 + 30 + 50 + 5 if inside else 0)


def test_a_local_message_is_charged_to_its_core() -> None:
    builder = TraceBuilder()
    core = Core(builder, 0, 0)
    create_tasks(core, "master")
    other = MASTER + (2 << 10)
    core.rec(10, "switch_end", APP)
    core.rec(10, "send_call", MASTER, other, 3, 8, 0)
    core.rec(40, "send_return", MASTER, other, miss=5)
    core.rec(20, "switch_begin", APP)
    core.rec(30, "switch_end", 0x1200)
    core.rec(15, "receive_call", 0x1200)
    core.rec(25, "receive_return", MASTER, other, 3, 8, 0)
    message = analyse(builder.trace()).messages[0]
    assert message.latency == 130
    assert message.cpu == CpuCycles(sender=40, receiver=90, isr_sender=0, isr_receiver=0)
    assert message.interrupts == 0
    analysis = analyse(builder.trace())
    assert (
        analysis.breakdown(message).by_cause() | {"execute": 95, "miss": 5, "switch": 30}
        == analysis.breakdown(message).by_cause()
    )


def test_signals_of_one_number_are_matched_in_order() -> None:
    builder = TraceBuilder()
    core = Core(builder, 0, 0)
    create_tasks(core, "master")
    core.rec(10, "switch_end", APP)
    for signo in (1, 2, 1):
        core.rec(10, "send_call", MASTER, MASTER, signo, 8, 0)
        core.rec(10, "send_return", MASTER, MASTER)
    for signo in (2, 1, 1):
        core.rec(10, "receive_call", APP)
        core.rec(10, "receive_return", MASTER, MASTER, signo, 8, 0)
    messages = analyse(builder.trace()).messages
    assert [(m.signo, m.send_call, m.receive_return) for m in messages] == [(1, 24, 114), (2, 44, 94), (1, 64, 134)]


def test_a_signal_that_is_not_received_is_counted() -> None:
    builder = t0()
    builder.records = builder.records[:-40]
    analysis = analyse(builder.trace())
    assert (len(analysis.messages), analysis.unfinished) == (1, 1)


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        ("copy_exit", "where copy is open: a record is missing"),
        ("drv_write_enter", "drv_write_exit where cm_transmit is open"),
        ("doorbell_exit", "isr_exit in a doorbell"),
        ("send_call", "send_return where rlnh_deliver is open"),
        ("rlnh_deliver_exit", "where rlnh_deliver is open"),
        ("kernel_exit", "kernel begins where it is open already"),
        ("task_create", "was never created"),
    ],
)
def test_a_lost_record_is_found(lost: str, says: str) -> None:
    builder = t0()
    kinds = builder.trace().schema.kinds
    index = max(i for i, r in enumerate(builder.records) if r[1] == kinds[lost])
    del builder.records[index]
    with pytest.raises(AnalysisError, match=says):
        analyse(builder.trace())


def test_a_signal_from_nowhere_is_found() -> None:
    builder = t0()
    kind = builder.trace().schema.kinds["receive_return"]
    index = max(i for i, r in enumerate(builder.records) if r[1] == kind)
    changed = list(builder.records[index])
    changed[5] += 1
    builder.records[index] = tuple(changed)
    with pytest.raises(AnalysisError, match="signal 8 from 0x400401 to 0x401 is received but was never sent"):
        analyse(builder.trace())


def test_another_size_on_arrival_is_found() -> None:
    builder = t0()
    kind = builder.trace().schema.kinds["receive_return"]
    index = max(i for i, r in enumerate(builder.records) if r[1] == kind)
    changed = list(builder.records[index])
    changed[6] += 4
    builder.records[index] = tuple(changed)
    with pytest.raises(AnalysisError, match=r"sent with 128 bytes at cycle .* and is received with 132"):
        analyse(builder.trace())


@pytest.mark.parametrize("account", range(8, 14))
def test_overlapping_accounts_are_found(account: int) -> None:
    """A cycle in two accounts: one account claims more than the stretch has left."""
    builder = t0()
    at = len(builder.records) // 2
    core = builder.records[at][2]
    for i in range(at, len(builder.records)):
        if builder.records[i][2] == core:
            changed = list(builder.records[i])
            changed[account] += 1000
            builder.records[i] = tuple(changed)
    with pytest.raises(AnalysisError, match="do not fit into"):
        analyse(builder.trace())


def test_an_account_that_goes_backwards_is_found() -> None:
    builder = t0()
    changed = list(builder.records[-1])
    changed[9] -= 1
    builder.records[-1] = tuple(changed)
    with pytest.raises(AnalysisError, match="'miss': -1"):
        analyse(builder.trace())


def test_a_share_is_divided_without_remainder() -> None:
    assert _divide([10, 0, 5, 20], 7, 35) == [2, 0, 1, 4]
    assert _divide([1, 1, 1], 2, 3) == [1, 1, 0]
    assert sum(_divide([17, 4, 9, 1], 13, 31)) == 13


def test_the_median_is_the_lower_one() -> None:
    assert lower_median([4, 1, 3, 2]) == 2
    assert lower_median([5, 1, 3]) == 3
    with pytest.raises(ValueError, match="at least one"):
        lower_median([])


def test_a_row_is_that_of_the_median_signal() -> None:
    analysis = analyse(t0(5, 128, (0, 40, 10, 30, 20)).trace())
    row = summarise(analysis, analysis.pairs()[1:])
    assert row["samples"] == 4
    assert row["latency_cycles"] == {"median": 2149 + 20, "min": 2149 + 10, "max": 2149 + 40}
    assert sum(row["breakdown_cycles"].values()) == 2169
    assert row["breakdown_cycles"]["miss"] == 42 + 20
    assert sum(row["layers_cycles"].values()) == 2169
    assert sum(row["thesis_layers_cycles"].values()) == 2 * 2169
    assert row["cpu_cycles"] == {
        "sender": 1208,
        "receiver": 1626,
        "isr_sender": 300,
        "isr_receiver": 848,
        "total": 2834,
    }
    acknowledge = row["isr_sender_breakdown_cycles"]
    assert {cause: cycles for cause, cycles in acknowledge.items() if cycles} == {
        "execute": 45 + 120 - 40 + 30,
        "fetch": 40,
        "interrupt": 55 + 50,
    }
    assert row["placements"] == 1
    assert row["reply_latency_cycles"] == 2149
    assert row["round_trip_cycles"] == 2169 + 10 + 2149


def test_a_timeline_is_plain_data_around_its_messages() -> None:
    analysis = analyse(t0(2).trace())
    data = timeline(analysis, analysis.pairs()[1], "pair")
    request, reply = data["messages"]
    assert (request["send_call"], request["send_return"], request["split"], request["receive_return"]) == (
        0,
        908,
        543,
        2149,
    )
    assert sum(map(sum, request["matrix"])) == request["latency_cycles"] == 2149
    assert reply["from"] == "slave"
    assert reply["from_core"] == 1
    tasks = {t["name"]: t["slices"] for t in data["cores"][0]["tasks"]}
    assert tasks["rlnh"] == [[150, 828]]
    assert tasks["master"][:2] == [[-60, 150], [828, 1073]]
    assert data["cores"][0]["kernel"][2:6] == [
        ["service", -40, -10],
        ["service", 0, 100],
        ["switch", 100, 150],
        ["service", 150, 210],
    ]
    calls = [c for c in data["cores"][0]["calls"] if c[1] not in ("send", "receive")]
    assert calls[:4] == [
        [2, "cm_transmit", 240, 608, 1],
        [2, "drv_write", 310, 558, 2],
        [2, "copy", 340, 488, 3],
        [2, "doorbell", 508, 548, 3],
    ]
