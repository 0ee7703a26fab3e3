// SPDX-License-Identifier: Apache-2.0
//! Priorities of periodic tasks that the file gives none: by their periods, or one level for all of them.

use crate::check::Places;
use crate::problem::Problem;
use serde_json::{Map, Value as Json};

/// Below the tasks of links, above best effort.
const LEVELS: [u64; 2] = [11, 30];

/// Give every task a priority, and the kernel its `periodic_priorities`.
pub(crate) fn priorities(values: &mut Map<String, Json>, places: &Places, problems: &mut Vec<Problem>) {
    let Some(kernel) = values.get_mut("kernel") else { return };
    let given = kernel["periodic_priorities"].as_array().map(|list| list.iter().filter_map(Json::as_u64).collect());
    let levels: Vec<u64> = given.unwrap_or_else(|| LEVELS.to_vec());
    let by_deadline = kernel["periodic"] == "earliest_deadline";
    let is_given = kernel["periodic_priorities"].is_array();
    kernel["periodic_priorities"] = levels.clone().into();
    let (first, last) = (levels[0], levels[1]);
    let span = places.of("kernel.periodic_priorities");
    if first > last {
        let what = format!("priorities {first} to {last} are none");
        problems.push(Problem::at(span, what, "the first is less urgent", format!("write [{last}, {first}]")));
        return all_have_one(values);
    }
    if by_deadline && is_given && first != last {
        let what = "tasks that are ordered by their deadlines share one priority".to_owned();
        problems.push(Problem::at(span, what, "two", format!("write [{first}, {first}]")));
    }
    let Some(Json::Array(nodes)) = values.get_mut("node") else { return };
    for (n, node) in nodes.iter_mut().enumerate() {
        let Some(tasks) = node["task"].as_array_mut() else { continue };
        let at = |t: usize, key: &str| places.of(&format!("node.{n}.task.{t}.{key}"));
        let name = |task: &Json| task["name"].as_str().unwrap_or_default().to_owned();
        let periodic = tasks.iter().any(|task| task["kind"] == "periodic");
        for (t, task) in tasks.iter().enumerate() {
            let (is_periodic, priority) = (task["kind"] == "periodic", task["priority"].as_u64());
            if !is_periodic && priority.is_none() {
                let what = format!("the task `{}` needs the key `priority`", name(task));
                let help = "add priority = …, 0 (the most urgent) to 31";
                problems.push(Problem::at(at(t, "priority"), what, "belongs in this table", help));
            } else if is_periodic && by_deadline && priority.is_some() {
                let what = format!("deadlines order `{}`, not priorities", name(task));
                let help = "remove the key, or write periodic = \"rate_monotonic\" in the table `kernel`";
                problems.push(Problem::at(at(t, "priority"), what, "not used", help));
            } else if !is_periodic && task["kind"] != "interrupt" && by_deadline && periodic && priority == Some(first)
            {
                let what = format!("priority {first} belongs to tasks that are ordered by their deadlines");
                let help = "choose another, or another in kernel.periodic_priorities";
                problems.push(Problem::at(at(t, "priority"), what, "taken", help));
            }
        }
        let mut without: Vec<(u64, usize)> = Vec::new();
        for (t, task) in tasks.iter().enumerate() {
            if task["kind"] == "periodic" && task["priority"].is_null() {
                without.push((task["period_ticks"].as_u64().unwrap_or(u64::MAX), t));
            }
        }
        without.sort_unstable(); // equal periods: as they stand in the file
        for (rank, &(_, t)) in (0_u64..).zip(&without) {
            let level = if by_deadline { first } else { (first + rank).min(last) };
            if !by_deadline && first + rank == last + 1 {
                let count = without.len();
                let what =
                    format!("{count} periodic tasks have no priority, {first} to {last} are {}", last - first + 1);
                let help = "give some of them priorities, or write a wider kernel.periodic_priorities";
                problems.push(Problem::at(at(t, "period_ticks"), what, "none is left for this one", help));
            }
            tasks[t]["priority"] = level.into();
        }
    }
    all_have_one(values);
}

/// What has an error has some priority, so that other errors are found too.
fn all_have_one(values: &mut Map<String, Json>) {
    let nodes = values.get_mut("node").and_then(Json::as_array_mut);
    for task in nodes.into_iter().flatten().flat_map(|node| node["task"].as_array_mut().into_iter().flatten()) {
        if task["priority"].is_null() {
            task["priority"] = 0.into();
        }
    }
}
