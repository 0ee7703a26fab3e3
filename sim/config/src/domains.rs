// SPDX-License-Identifier: Apache-2.0
//! Domains of a system file: tasks that run in user mode behind physical memory protection.

use crate::check::Places;
use crate::class_types::Mode;
use crate::nearest::advice;
use crate::platform::duplicate;
use crate::problem::Problem;
use crate::system_types::*;
use crate::types::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Entries that every domain needs: a stack's guard and the program, two each, and its memory.
const ENTRIES: usize = 5;
/// What a domain's memory must hold besides data: guards, marks and headers come on top.
const STACK_ALIGN: u64 = 32;
/// A domain's pools are bits of a word.
const POOLS: usize = 32;

/// Everything that is wrong with the domains of one node.
pub fn check(n: usize, node: &Node, platform: &Platform, places: &Places, problems: &mut Vec<Problem>) {
    let mut all = Domains { n, node, platform, places, problems };
    all.platform();
    let mut first_named: BTreeMap<&str, usize> = BTreeMap::new();
    let mut first_with: BTreeMap<&str, Range<usize>> = BTreeMap::new();
    for (d, domain) in node.domains.iter().enumerate() {
        if let Some(first) = first_named.insert(&domain.name, d) {
            let at = |d: usize| places.of(&format!("node.{n}.domain.{d}.name"));
            all.problems.push(duplicate("domain", &domain.name, at(d), at(first)));
        }
        for (t, task) in domain.tasks.iter().enumerate() {
            let span = all.place(d, &format!("tasks.{t}"));
            all.task(task, span.clone());
            if let Some(first) = first_with.insert(task, span.clone()) {
                let p =
                    Problem::at(span, format!("`{task}` is in two domains"), "again here", "a task is in one domain");
                all.problems.push(p.and(first, "first here"));
            }
        }
        all.pools(d, domain);
        all.memory(d, domain);
        all.devices(d, domain);
        all.entries(d, domain);
    }
}

struct Domains<'a> {
    n: usize,
    node: &'a Node,
    platform: &'a Platform,
    places: &'a Places<'a>,
    problems: &'a mut Vec<Problem>,
}

impl Domains<'_> {
    fn place(&self, d: usize, key: &str) -> Range<usize> {
        self.places.of(&format!("node.{}.domain.{d}.{key}", self.n))
    }

    fn problem(&mut self, span: Range<usize>, what: String, label: &str, help: impl Into<String>) {
        self.problems.push(Problem::at(span, what, label, help));
    }

    fn class(&self) -> Option<&Core> {
        self.platform.cores.get(self.node.core)
    }

    fn platform(&mut self) {
        let Some(core) = self.class() else { return };
        if self.node.domains.is_empty() {
            return;
        }
        let class = &core.class;
        let lack = match (class.privilege.contains(&Mode::User), class.pmp_entries) {
            (false, _) => "no user mode",
            (true, 0) => "no physical memory protection",
            _ => return,
        };
        let what = format!("`{}` (class {}) has {lack}", core.name, class.name);
        let span = self.place(0, "name");
        self.problem(
            span,
            what,
            "cannot be kept apart",
            "use a platform whose cores have both, such as virt; or take the tasks out of the domain",
        );
    }

    fn task(&mut self, name: &str, span: Range<usize>) {
        let known: Vec<&str> = self.node.tasks.iter().map(|t| t.name.as_str()).collect();
        match self.node.tasks.iter().find(|t| t.name == name) {
            None => {
                let what = format!("`{}` has no task `{name}`", self.node.name);
                self.problem(span, what, "not found", advice(name, "tasks", &known));
            }
            Some(task) if task.kind == TaskKind::Interrupt => {
                let what = format!("`{name}` is an interrupt task");
                self.problem(span, what, "runs in machine mode", "let it signal a task of the domain");
            }
            Some(_) => {}
        }
    }

    fn pools(&mut self, d: usize, domain: &Domain) {
        let names: Vec<&str> = self.node.pools.iter().skip(1).filter_map(|p| p.name.as_deref()).collect();
        let mut first_named: BTreeMap<&str, usize> = BTreeMap::new();
        for (p, name) in domain.pools.iter().enumerate() {
            let span = self.place(d, &format!("pools.{p}"));
            if let Some(first) = first_named.insert(name, p) {
                let what = format!("the pool `{name}` is named twice");
                let first = self.place(d, &format!("pools.{first}"));
                let p = Problem::at(span, what, "again here", "name it once");
                self.problems.push(p.and(first, "first here"));
                continue;
            }
            match self.node.pools.iter().position(|p| p.name.as_ref() == Some(name)) {
                None => {
                    let what = format!("`{}` has no pool `{name}`", self.node.name);
                    self.problem(span, what, "not found", advice(name, "named pools", &names));
                }
                Some(0) => {
                    let what = format!("`{name}` is the system pool of `{}`", self.node.name);
                    self.problem(span, what, "the kernel's", "add another pool for the domain");
                }
                Some(at) if at >= POOLS => {
                    let what = format!("`{name}` is pool {at} of `{}`", self.node.name);
                    self.problem(span, what, "too late", format!("domains reach the first {POOLS} pools"));
                }
                Some(_) => {}
            }
        }
    }

    /// Other domains of the node that reach a pool, too.
    fn is_shared(&self, name: &str) -> bool {
        self.node.domains.iter().filter(|d| d.pools.iter().any(|p| p == name)).count() > 1
    }

    fn memory(&mut self, d: usize, domain: &Domain) {
        let bytes = domain.memory_bytes;
        let span = self.place(d, "memory_bytes");
        if !bytes.is_power_of_two() {
            let help = format!("write {}", bytes.next_power_of_two());
            self.problem(span, format!("a region cannot have {bytes} bytes"), "not a power of two", help);
            return;
        }
        let tasks = self.node.tasks.iter().filter(|t| domain.tasks.contains(&t.name));
        let stacks: u64 = tasks.map(|t| u64::from(t.stack_bytes).next_multiple_of(STACK_ALIGN)).sum();
        let own = |p: &&Pool| p.name.as_ref().is_some_and(|n| domain.pools.contains(n) && !self.is_shared(n));
        let blocks = |p: &Pool| -> u64 {
            let sizes = p.block_bytes.iter().zip(&p.block_count);
            sizes.map(|(bytes, count)| (u64::from(*bytes) + 12).next_multiple_of(8) * u64::from(*count)).sum()
        };
        let pools: u64 = self.node.pools.iter().filter(own).map(blocks).sum();
        if stacks + pools > u64::from(bytes) {
            let what =
                format!("the stacks ({stacks} bytes) and pools ({pools} bytes) of `{}` have no room", domain.name);
            let help = format!("write at least {}, and think of its data", (stacks + pools).next_power_of_two());
            self.problem(span, what, "too small", help);
        }
    }

    fn devices(&mut self, d: usize, domain: &Domain) {
        let known: Vec<&str> = self.platform.devices.iter().map(|d| d.name.as_str()).collect();
        let least = self.class().map_or(4, |c| c.class.pmp_granularity_bytes.max(8));
        for (i, name) in domain.devices.iter().enumerate() {
            let span = self.place(d, &format!("devices.{i}"));
            match self.platform.devices.iter().find(|d| d.name == *name) {
                None => {
                    let what = format!("`{}` has no device `{name}`", self.platform.name);
                    self.problem(span, what, "not found", advice(name, "devices", &known));
                }
                Some(device) => {
                    let size = device.size_bytes;
                    if !size.is_power_of_two() || device.base % size != 0 || size < least {
                        let what = format!("`{name}` has {size:#x} bytes at {:#010x}", device.base);
                        let help = "a device can be granted whose registers fill a naturally aligned power of two";
                        self.problem(span, what, "cannot be protected alone", help);
                    }
                }
            }
        }
    }

    fn entries(&mut self, d: usize, domain: &Domain) {
        let Some(entries) = self.class().map(|c| c.class.pmp_entries as usize).filter(|e| *e > 0) else { return };
        let shared = domain.pools.iter().filter(|p| self.is_shared(p)).count();
        let needed = ENTRIES + shared + domain.devices.len();
        if needed > entries {
            let what = format!("`{}` needs {needed} entries of physical memory protection", domain.name);
            let help = format!(
                "the core has {entries}: {ENTRIES} for its stack, program and memory, one for each shared pool ({shared}) and \
                 device ({}); share fewer",
                domain.devices.len()
            );
            let span = self.place(d, "name");
            self.problem(span, what, "too many regions", help);
        }
        let granularity = self.class().map_or(4, |c| c.class.pmp_granularity_bytes);
        if domain.memory_bytes < granularity || granularity > 64 {
            let what = format!("the core protects regions of {granularity} bytes and more");
            let span = self.place(d, "memory_bytes");
            self.problem(span, what, "too fine", "domains need a granularity of at most 64 bytes");
        }
    }
}
