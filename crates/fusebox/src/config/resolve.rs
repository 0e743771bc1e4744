//! Which value is in force: layer upon layer, each as far as it may.

use fusebox_core::journal::ImportedFile;
use fusebox_core::policy::{Policy, Preset};

use super::cells::Origin;
use super::fold::Fold;
use super::key::Key;
use super::kind::Value;
use super::layer::{Layer, Setting, Source};
use super::{InForce, Layers, companion};
use crate::failure::Failure;

impl Layers {
    /// The values in force for a circuit that was `begun` with a way of working,
    /// if it was begun at all.
    pub(crate) fn resolve(&self, begun: Option<Preset>) -> Result<InForce, Failure> {
        self.resolve_for(begun, &[])
    }

    /// The same for a circuit for which files were `imported`.
    pub(crate) fn resolve_for(
        &self,
        begun: Option<Preset>,
        imported: &[ImportedFile],
    ) -> Result<InForce, Failure> {
        let mut warnings = Vec::new();
        let (preset, origin) = self.preset(begun, &mut warnings)?;
        let base = Policy::of(preset);
        let mut fold = Fold::over(&base, warnings);
        let layers = self.of(preset, imported)?;
        layers.into_iter().for_each(|layer| fold.layer(layer));
        fold.refuse_silence();
        let key = self.operator_key();
        let operator_key = key.map(|(layer, setting)| Origin::of(layer, setting));
        fold.finish(origin, operator_key)
    }

    /// The layers that count in a way of working, lowest first. Of two from one
    /// kind of source the companion's comes first: our own names win.
    pub(super) fn of(
        &self,
        preset: Preset,
        imported: &[ImportedFile],
    ) -> Result<Vec<&Layer>, Failure> {
        let mut layers = companion::layers(&self.companions, preset, imported)?;
        layers.extend(&self.found);
        layers.sort_by_key(|layer| layer.source);
        Ok(layers)
    }

    /// The way of working. The machine's choice binds everybody, the project's
    /// nobody: ways of working are not stricter or looser, they are different.
    fn preset(
        &self,
        begun: Option<Preset>,
        warnings: &mut Vec<String>,
    ) -> Result<(Preset, Origin), Failure> {
        let mut found = (Preset::default(), Origin::built_in());
        let mut bound = false;
        for layer in &self.found {
            let Some((preset, setting)) = preset_of(layer) else {
                continue;
            };
            let asked = matches!(layer.source, Source::Environment | Source::Flag);
            if bound && preset != found.0 && asked {
                return Err(other_than_managed(&found, layer, setting));
            }
            if layer.source == Source::Project || bound {
                if preset != begun.unwrap_or(found.0) {
                    warnings.push(not_chosen(layer, setting, begun.unwrap_or(found.0)));
                }
                continue;
            }
            bound = layer.source == Source::Managed;
            found = (preset, Origin::of(layer, setting));
        }
        Ok(match begun {
            Some(begun) if begun != found.0 => (
                begun,
                Origin {
                    source: Source::Circuit,
                    ..Origin::built_in()
                },
            ),
            _ => found,
        })
    }
}

pub(super) fn preset_of(layer: &Layer) -> Option<(Preset, &Setting)> {
    let setting = layer.get(Key::Preset)?;
    match setting.value {
        Value::Preset(preset) => Some((preset, setting)),
        _ => None,
    }
}

fn other_than_managed(found: &(Preset, Origin), layer: &Layer, setting: &Setting) -> Failure {
    let what = format!(
        "the machine holds everybody to preset `{}` ({})",
        found.0, found.1.place
    );
    layer.complaint(what, setting)
}

fn not_chosen(layer: &Layer, setting: &Setting, preset: Preset) -> String {
    format!(
        "{}: the preset cannot be chosen here; in force is `{preset}`",
        layer.place(setting)
    )
}
