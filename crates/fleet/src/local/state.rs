//! All that a fleet on one machine shares, as plain data.
//!
//! Others can write the file it comes from, with any numbers: none of them ends a loop. So what
//! is added to a number from it stops at the largest there is.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::patterns;
use crate::identity::Id;
use crate::terms::{Mark, PatternChange};
use crate::views::{HaltView, IncidentView, PatternView, WorkerView};

/// The file as a whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// Which fleet this is, since it was first written down.
    pub(super) fleet: Option<Id>,
    /// How often it was written down.
    pub(super) changes: u64,
    /// The boot of the machine that times belong to.
    pub(super) boot: String,
    pub(super) epoch: u64,
    pub(super) budgets: Vec<Budget>,
    /// Takes that were granted: when, and how long they are good for.
    pub(super) granted: BTreeMap<Id, Granted>,
    pub(super) halts: BTreeMap<String, HaltView>,
    /// Tasks by repository and name.
    pub(super) tasks: BTreeMap<String, BTreeMap<String, Task>>,
    pub(super) workers: BTreeMap<Id, Seen>,
    /// Members of what may become a pattern, and when they were last seen.
    pub(super) clusters: Vec<Cluster>,
    /// What is different about the patterns here, by name.
    pub(super) patterns: BTreeMap<String, PatternChange>,
    pub(super) incidents: Vec<IncidentView>,
    pub(super) next_incident: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Granted {
    pub(super) at: u64,
    pub(super) fresh_ms: u64,
    pub(super) forget_at: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) state: TaskState,
    pub(super) owner: Option<Id>,
    pub(super) fence: u64,
    pub(super) attempt: u32,
    pub(super) lease_until: u64,
    pub(super) note: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskState {
    #[default]
    Ready,
    Running,
    Done,
    Blocked,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) view: WorkerView,
    pub(super) at: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Cluster {
    repository: String,
    pattern: String,
    key: String,
    members: BTreeMap<String, u64>,
}

impl State {
    /// Makes the times of an earlier boot times of this one.
    pub(super) fn settle_into(&mut self, boot: &str) {
        if self.boot == boot {
            return;
        }
        boot.clone_into(&mut self.boot);
        self.budgets.iter_mut().for_each(Budget::survive_reboot);
        for granted in self.granted.values_mut() {
            granted.forget_at -= granted.at.min(granted.forget_at);
            (granted.at, granted.fresh_ms) = (0, 0);
        }
        // Whoever had a lease ended with the machine.
        let tasks = self.tasks.values_mut().flat_map(BTreeMap::values_mut);
        tasks.for_each(|task| task.lease_until = 0);
        self.workers.values_mut().for_each(|worker| worker.at = 0);
        let clusters = self.clusters.iter_mut();
        clusters.for_each(|one| one.members.values_mut().for_each(|at| *at = 0));
    }

    /// The latest halt over any of these scopes.
    pub(super) fn halt_over(&self, scopes: &[String]) -> Option<&HaltView> {
        let halts = scopes.iter().filter_map(|scope| self.halts.get(scope));
        halts.max_by_key(|halt| halt.epoch)
    }

    pub(super) fn halt(&mut self, scope: &str, reason: &str, by: &str, wall_ms: i64) {
        if self.halts.contains_key(scope) {
            return;
        }
        self.epoch = self.epoch.saturating_add(1);
        let halt = HaltView {
            scope: scope.to_owned(),
            epoch: self.epoch,
            reason: reason.to_owned(),
            by: by.to_owned(),
            since_ms: wall_ms,
        };
        self.halts.insert(scope.to_owned(), halt);
    }

    pub(super) fn resume(&mut self, scope: &str) -> bool {
        self.incidents.retain(|one| one.scope != scope);
        self.clusters
            .retain(|one| format!("repo:{}", one.repository) != scope);
        let halted = self.halts.remove(scope).is_some();
        self.epoch = self.epoch.saturating_add(u64::from(halted));
        halted
    }

    /// Forgets what can make no pattern any more.
    pub(super) fn tend(&mut self, now: u64) {
        let spans: BTreeMap<String, u64> = patterns::RULES
            .iter()
            .filter_map(|rule| self.pattern(rule.name))
            .map(|rule| (rule.name.clone(), rule.span_ms))
            .collect();
        self.clusters.retain_mut(|cluster| {
            let span = spans.get(&cluster.pattern).copied().unwrap_or(0);
            let members = &mut cluster.members;
            members.retain(|_, seen| seen.saturating_add(span) > now);
            !members.is_empty()
        });
    }

    /// A pattern as it counts here.
    pub(super) fn pattern(&self, name: &str) -> Option<PatternView> {
        let change = self.patterns.get(name).copied().unwrap_or_default();
        patterns::rule_of(name).map(|rule| rule.changed(change))
    }

    /// Counts one more member, and halts the repository if that makes a pattern.
    pub(super) fn mark(&mut self, by: &Id, repository: &str, mark: &Mark, now: u64, wall_ms: i64) {
        let Some(rule) = self.pattern(&mark.pattern) else {
            return;
        };
        let known = self.clusters.iter().position(|one| {
            one.repository == repository && one.pattern == mark.pattern && one.key == mark.key
        });
        let at = known.unwrap_or_else(|| {
            self.clusters.push(Cluster {
                repository: repository.to_owned(),
                pattern: mark.pattern.clone(),
                key: mark.key.clone(),
                members: BTreeMap::new(),
            });
            self.clusters.len() - 1
        });
        let members = &mut self.clusters[at].members;
        members.insert(mark.member.clone(), now);
        members.retain(|_, seen| seen.saturating_add(rule.span_ms) > now);
        let members: BTreeSet<String> = members.keys().take(100).cloned().collect();
        if members.len() < usize::try_from(rule.threshold).unwrap_or(usize::MAX) {
            return;
        }
        let scope = format!("repo:{repository}");
        let count = members.len();
        let same = |one: &&mut IncidentView| {
            one.scope == scope && one.pattern == mark.pattern && one.key == mark.key
        };
        let members = members.into_iter().collect();
        if let Some(open) = self.incidents.iter_mut().find(same) {
            open.members = members;
        } else {
            self.next_incident = self.next_incident.saturating_add(1);
            self.incidents.push(IncidentView {
                id: self.next_incident,
                scope: scope.clone(),
                pattern: mark.pattern.clone(),
                key: mark.key.clone(),
                severity: rule.severity,
                members,
                opened_ms: wall_ms,
            });
        }
        if !rule.halts {
            return;
        }
        let key: String = mark.key.chars().take(200).collect();
        self.halt(
            &scope,
            &format!("{}: {key} ({count})", rule.about),
            by.as_str(),
            wall_ms,
        );
    }
}
