//! A configuration that changes while a run is under way.

use fusebox_core::Preset;

use super::Session;
use crate::config::{InForce, Layers};
use crate::failure::Failure;

impl Session {
    /// Takes what the configuration files say by now, and says what that changes.
    ///
    /// A file that has become wrong changes nothing: the run was begun under a
    /// sound configuration, and that one stays. What is wrong is said once.
    pub(crate) fn reread_config(&self, preset: Preset) -> Vec<String> {
        // Where no file was asked in the first place, none is now.
        if !self.strict {
            return Vec::new();
        }
        match self.configuration_now(preset) {
            Ok((layers, now)) => {
                let before = self.layers.replace(layers).resolve(Some(preset));
                self.complaint.take();
                before.map_or_else(|_| Vec::new(), |before| differences(&before, now))
            }
            Err(failure) if self.complaint.borrow().as_ref() == Some(&failure.what) => Vec::new(),
            Err(failure) => {
                let note = format!(
                    "the configuration has become wrong, and what held before stays in force: {}",
                    failure.what
                );
                self.complaint.replace(Some(failure.what));
                vec![note]
            }
        }
    }

    fn configuration_now(&self, preset: Preset) -> Result<(Layers, InForce), Failure> {
        let root = &self.located.root;
        let layers = self.layers.borrow().reread(self.config.as_deref(), root)?;
        let in_force = layers.resolve(Some(preset))?;
        Ok((layers, in_force))
    }
}

fn differences(before: &InForce, now: InForce) -> Vec<String> {
    let mut notes = Vec::new();
    if before.policy != now.policy {
        notes.push("the configuration was changed; from here on the new values hold".to_owned());
    }
    let warnings = now.warnings.into_iter();
    notes.extend(warnings.filter(|warning| !before.warnings.contains(warning)));
    notes
}
