//! The agent: is it there, and is somebody signed in? Nothing is asked of it.

use super::Patient;
use crate::config::{Key, Layers};
use crate::finding::{Finding, Level};
use crate::run::preflight;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let root = patient.root;
    // What is wrong with the configuration is told where it is looked at.
    let layers = Layers::load(&patient.context.cli.global, root).unwrap_or_default();
    let configured = layers.word(Key::Agent).and_then(fusebox_agents::by_name);
    if let Some(agent) = configured.filter(|agent| !agent.programs().is_empty()) {
        return vec![preflight::program(agent, root), preflight::sign_in(agent)];
    }
    let known = fusebox_agents::AGENTS
        .iter()
        .filter(|agent| !agent.programs().is_empty());
    let found: Vec<_> = known
        .copied()
        .filter(|agent| preflight::program(*agent, root).level == Level::Fine)
        .collect();
    if found.is_empty() {
        let what = "no supported agent on PATH";
        return vec![Finding::doubtful(
            "agent",
            what,
            "install one, or run any command with `fusebox run -- CMD`",
        )];
    }
    let told = |agent: &&dyn fusebox_agents::Agent| match preflight::sign_in(*agent).level {
        Level::Fine => agent.title().to_owned(),
        _ => format!("{} (no sign-in found)", agent.title()),
    };
    let names: Vec<String> = found.iter().map(told).collect();
    vec![Finding::fine("agent", names.join(", "))]
}
