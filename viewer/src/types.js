// SPDX-License-Identifier: Apache-2.0
// The data that a report carries. `signalbox.report` writes it; nothing here runs.

/**
 * One signal from the call of send to the return of receive. Instants are cycles since the timeline's origin.
 * @typedef {object} Message
 * @property {number} number
 * @property {string} from task name
 * @property {string} to task name
 * @property {number} from_core index into `Timeline.cores`
 * @property {number} to_core
 * @property {number} from_task index into that core's tasks, -1 when unknown
 * @property {number} to_task
 * @property {number} signo
 * @property {number} size_bytes
 * @property {number} send_call
 * @property {number} send_return
 * @property {number} split until here the sender's core is charged
 * @property {number} receive_return
 * @property {number} latency_cycles
 * @property {number} blocking_cycles
 * @property {number} copies
 * @property {number} interrupts
 * @property {number} context_switches
 * @property {{sender: number, receiver: number, total: number}} cpu_cycles
 * @property {number[][]} matrix cycles by layer and cause; the sum is `latency_cycles`
 * @property {Record<string, number>} thesis_layers_cycles both cores; the sum is twice `latency_cycles`
 */

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {string} kind priority, interrupt or idle
 * @property {number} priority
 * @property {[number, number][]} slices
 */

/** A call: index of the task in its core, name, start, end, depth. @typedef {[number, string, number, number, number]} Call */

/**
 * @typedef {object} Core
 * @property {string} name
 * @property {Task[]} tasks
 * @property {[string, number, number][]} kernel what (interrupt, switch or service), start, end
 * @property {Call[]} calls
 */

/**
 * @typedef {object} Timeline
 * @property {number} version
 * @property {string} title
 * @property {number | null} clock_hz
 * @property {number} origin_cycle
 * @property {number} start
 * @property {number} end
 * @property {string[]} layers
 * @property {string[]} causes
 * @property {Record<string, string>} call_names
 * @property {Core[]} cores
 * @property {Message[]} messages
 */

/**
 * @typedef {object} Row
 * @property {string} [label]
 * @property {string} buffers
 * @property {string} optimisation
 * @property {number} size_bytes
 * @property {number} samples
 * @property {{median: number, min: number, max: number}} latency_cycles
 * @property {number} blocking_cycles
 * @property {number} round_trip_cycles
 * @property {Record<string, number>} cpu_cycles
 * @property {Record<string, number>} layers_cycles
 * @property {Record<string, number>} breakdown_cycles
 * @property {{name: string, timeline: Timeline}[]} timelines
 */

/** @typedef {{id: string, subject: string, published: number, measured: number, unit: string, qualifier: string, note: string}} Published */

/** @typedef {{id: string, claim: string, section: string, verdict: string, figure: string, why: string}} Claim */

/**
 * @typedef {object} Report
 * @property {string} title
 * @property {string} summary
 * @property {[string, string][]} identity name and value pairs
 * @property {number | null} clock_hz
 * @property {Row[]} rows
 * @property {Published[]} published
 * @property {Claim[]} claims
 */

export {};
