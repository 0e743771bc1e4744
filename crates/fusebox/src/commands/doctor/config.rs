//! The configuration: valid, and where it comes from.

use fusebox_core::Circuit;

use super::Patient;
use crate::config::Layers;
use crate::exit;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::run::NotifyPlan;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let context = patient.context;
    let view = patient.session.and_then(|one| one.store.peek().ok());
    let circuit = view.map_or_else(Circuit::default, |view| view.state.0);
    let preset = circuit.core.preset.or(context.cli.global.preset);
    let layers = Layers::load(&context.cli.global, patient.root);
    let resolved = layers.and_then(|layers| {
        let in_force = layers.resolve(preset)?;
        Ok((layers, in_force))
    });
    match resolved {
        Err(failure) => vec![broken(&failure)],
        Ok((mut layers, in_force)) => {
            let sources = layers.sources();
            layers.listen_for(in_force.policy.preset, &circuit.imported);
            // A run would begin with it, and end with that.
            let notify = NotifyPlan::of(&layers, &in_force, None);
            if let Some(objection) = notify.objection(patient.root) {
                return vec![broken(&objection)];
            }
            let preset = in_force.policy.preset;
            let from = if sources.is_empty() {
                String::new()
            } else {
                format!(", from {}", sources.join(", "))
            };
            let mut findings = vec![Finding::fine(
                "config",
                format!("valid: preset {preset}{from}"),
            )];
            let doubts = in_force.warnings.into_iter();
            findings.extend(
                doubts.map(|warning| Finding::doubtful("config", warning, "`fusebox config show`")),
            );
            findings
        }
    }
}

fn broken(failure: &Failure) -> Finding {
    let place = failure
        .excerpt
        .first()
        .map_or_else(String::new, |line| format!(" ({})", line.trim()));
    let fix = failure
        .hints
        .first()
        .cloned()
        .unwrap_or_else(|| "correct it; `fusebox config schema` lets an editor help".into());
    Finding::broken("config", format!("{}{place}", failure.what), fix).with_code(exit::CONFIG)
}
