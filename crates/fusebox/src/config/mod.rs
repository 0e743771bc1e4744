//! What is configured, layer upon layer.
//!
//! Lowest first: the preset's own values, the machine's file, the user's file,
//! the repository's file, the environment, the command line. Later layers win,
//! with two exceptions. What the machine's file sets is a floor that nobody
//! after it can relax. What the repository's file sets comes from whoever wrote
//! the repository, perhaps the agent itself, and is taken only where it is
//! stricter than what holds already.
//!
//! A file may be written in the language of a companion system instead, which is
//! JSON (`block`). Its own file in the repository and its own variables count in
//! the way of working that comes from it alone (`companion`).
//!
//! Files are read before any lock is taken: once for each process, and by `run`
//! again before each iteration.

mod advice;
mod block;
mod cells;
mod companion;
mod default_file;
mod document;
mod environment;
mod fleet_keys;
mod fold;
mod in_force;
mod key;
mod kind;
mod layer;
mod loop_key;
mod pattern_key;
mod ralphrc;
mod resolve;
mod schema;
mod shown;
mod table;
mod task_keys;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_core::Preset;
use fusebox_core::journal::ImportedFile;
use fusebox_guard::Mode;

pub(crate) use cells::{Cell, Origin};
pub(crate) use default_file::default_file;
pub(crate) use environment::PROTECT;
pub(crate) use in_force::InForce;
pub(crate) use layer::{Held, Source};
pub(crate) use schema::schema;

use crate::cli::{Global, Run};
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use crate::text_file::{self, Links};
use companion::Voice;
pub(crate) use fleet_keys::FleetKey;
pub(crate) use key::Key;
use kind::Value;
use layer::{At, Document, Layer, Setting};
pub(crate) use shown::Shown;
pub(crate) use task_keys::TaskKey;

/// Where an administrator puts what holds for everybody.
pub(crate) const MANAGED: &str = "/etc/fusebox/config.toml";
/// The name of the repository's file, at the root of the workspace.
pub(crate) const PROJECT: &str = "fusebox.toml";
/// Larger files are not configuration.
const MOST_BYTES: u64 = 64 * 1024;

/// All layers that were found, lowest first.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    found: Vec<Layer>,
    /// What counts in one way of working alone.
    companions: Vec<Voice>,
    /// The circuit that they are asked for, once it is known: how it works, and what was
    /// imported for it.
    circuit: Option<(Preset, Vec<ImportedFile>)>,
}

impl Layers {
    /// Reads what there is for the workspace at `root`.
    pub(crate) fn load(global: &Global, root: &Path) -> Result<Self, Failure> {
        let mut layers = files(global.config.as_deref(), root)?;
        if !global.deaf {
            layers.extend(environment::layer(&environment::VARIABLES)?);
        }
        layers.extend(preset_flag(global));
        Ok(Self {
            found: layers,
            companions: companion::voices(root, !global.deaf),
            circuit: None,
        })
    }

    /// What would be in force at `root` if nothing were configured, and whatever can be imported
    /// there had been.
    pub(crate) fn once_imported(root: &Path, preset: Option<Preset>) -> Result<InForce, Failure> {
        let companions = companion::voices(root, false);
        let imported: Vec<_> = companions.iter().filter_map(Voice::as_imported).collect();
        let layers = Self {
            companions,
            ..Self::default()
        };
        layers.resolve_for(preset, &imported)
    }

    /// From here on the words of those count as well that are heard in the way a circuit
    /// works, or were imported for it.
    pub(crate) fn listen_for(&mut self, preset: Preset, imported: &[ImportedFile]) {
        self.circuit = Some((preset, imported.to_vec()));
    }

    /// What each was read from, lowest first.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.found.iter().map(Layer::name)
    }

    /// The same layers with the files as they are now.
    ///
    /// What the repository's file said at first stays in force beside what it
    /// says now: as it may only tighten, an agent that deletes it in mid-run has
    /// gained nothing.
    pub(crate) fn reread(&self, config: Option<&Path>, root: &Path) -> Result<Self, Failure> {
        let is_project = |layer: &&Layer| layer.source == Source::Project;
        let is_file = |layer: &&Layer| {
            matches!(
                layer.source,
                Source::Managed | Source::User | Source::Project
            )
        };
        let mut layers = files(config, root)?;
        let same = |layer: &Layer, first: &Layer| layer.settings == first.settings;
        if let Some(first) = self.found.iter().find(is_project)
            && !layers.iter().filter(is_project).any(|now| same(now, first))
        {
            let trusted = layers.iter().filter(|layer| !is_project(layer)).count();
            layers.insert(trusted, first.clone());
        }
        layers.extend(self.found.iter().filter(|layer| !is_file(layer)).cloned());
        Ok(Self {
            found: layers,
            companions: companion::reread(&self.companions, root),
            circuit: self.circuit.clone(),
        })
    }

    /// Adds what the command line of `run` says.
    pub(crate) fn add_flags(&mut self, args: &Run) {
        let ms = |time: Duration| u64::try_from(time.as_millis()).ok();
        let amount = |key, name, amount: Option<u64>| {
            let value = Value::Amount(amount?);
            Some(Setting {
                key,
                value,
                at: At::Name(name),
            })
        };
        let settings = [
            amount(
                Key::StagnationThreshold,
                "--stagnation-threshold",
                args.stagnation_threshold.map(u64::from),
            ),
            args.on_stagnation.map(|action| Setting {
                key: Key::StagnationAction,
                value: action.into(),
                at: At::Name("--on-stagnation"),
            }),
            amount(Key::Timeout, "--timeout", args.timeout.and_then(ms)),
            amount(
                Key::IdleTimeout,
                "--idle-timeout",
                args.idle_timeout.and_then(ms),
            ),
            amount(Key::MaxIterations, "--max-iterations", args.max_iterations),
            amount(Key::TokenLimit, "--max-tokens", args.max_tokens),
            amount(Key::MoneyLimit, "--max-usd", args.max_usd),
            amount(Key::MaxTime, "--max-time", args.max_time.and_then(ms)),
            amount(
                Key::LongestWait,
                "--longest-wait",
                args.longest_wait.and_then(ms),
            ),
            amount(Key::Wait, "--wait", args.wait.then_some(1)),
            amount(Key::Wait, "--no-wait", args.no_wait.then_some(0)),
            amount(Key::Observe, "--observe", args.observe.then_some(1)),
        ];
        // The parser of the command line fills its gaps from the environment,
        // which is a layer of its own and has spoken already.
        let said = |setting: &Setting| {
            let environment = self.found.iter().find(|l| l.source == Source::Environment);
            environment
                .and_then(|layer| layer.get(setting.key))
                .is_some_and(|other| other.value == setting.value)
        };
        let settings = settings
            .into_iter()
            .flatten()
            .filter(|setting| !said(setting));
        let layer = Layer {
            source: Source::Flag,
            document: None,
            settings: settings.collect(),
            remarks: Vec::new(),
        };
        self.found.push(layer);
    }

    /// Protects one more path below the root, which this flag named.
    pub(crate) fn protect(&mut self, flag: &'static str, path: String, mode: Mode) {
        self.found.push(Layer {
            source: Source::Flag,
            document: None,
            settings: vec![Setting {
                key: Key::Protect,
                value: Value::Paths(vec![(path, mode)]),
                at: At::Name(flag),
            }],
            remarks: Vec::new(),
        });
    }

    /// The way of working that the machine holds everybody to, if it does.
    pub(crate) fn bound_preset(&self) -> Option<Preset> {
        let managed = self
            .found
            .iter()
            .find(|layer| layer.source == Source::Managed)?;
        resolve::preset_of(managed).map(|(preset, _)| preset)
    }

    /// The files and other places that say anything.
    pub(crate) fn sources(&self) -> Vec<String> {
        let layers = self.found.iter().filter(|layer| !layer.settings.is_empty());
        layers.map(Layer::name).collect()
    }

    /// The words of a key that says them, and who said them last. The machine's
    /// are not a floor: words are not stricter or looser.
    pub(crate) fn words(&self, key: Key) -> Option<(&[String], Origin)> {
        let circuit = self.circuit.as_ref();
        let layers = circuit.and_then(|(preset, imported)| self.of(*preset, imported).ok());
        let layers = layers.unwrap_or_else(|| self.found.iter().collect());
        layers.into_iter().rev().find_map(|layer| {
            let setting = layer.get(key)?;
            let words = match &setting.value {
                Value::Text(text) => std::slice::from_ref(text),
                Value::List(words) => words,
                _ => return None,
            };
            Some((words, Origin::of(layer, setting)))
        })
    }

    /// All paths that anybody wants protected, with who wants it. Nobody's rule
    /// takes another's away.
    pub(crate) fn protected_paths(&self) -> Vec<(&str, Mode, Origin)> {
        let layers = self.found.iter();
        let settings = layers.filter_map(|layer| Some((layer, layer.get(Key::Protect)?)));
        let rules = settings.flat_map(|(layer, setting)| {
            let paths = match &setting.value {
                Value::Paths(paths) => paths.as_slice(),
                _ => &[],
            };
            paths
                .iter()
                .map(move |(path, mode)| (path.as_str(), *mode, Origin::of(layer, setting)))
        });
        rules.collect()
    }

    /// The one word of a key.
    pub(crate) fn word(&self, key: Key) -> Option<&str> {
        self.words(key)?.0.first().map(String::as_str)
    }

    /// The hash of the operator's key.
    pub(crate) fn operator_key_sha256(&self) -> Option<&str> {
        match &self.operator_key()?.1.value {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// Where that hash is set. The machine's wins over the user's, and nobody
    /// else has a say.
    fn operator_key(&self) -> Option<(&Layer, &Setting)> {
        let trusted = |layer: &&Layer| matches!(layer.source, Source::Managed | Source::User);
        let mut layers = self.found.iter().filter(trusted);
        layers.find_map(|layer| Some((layer, layer.get(Key::Operator)?)))
    }
}

/// The layers that come from files.
fn files(config: Option<&Path>, root: &Path) -> Result<Vec<Layer>, Failure> {
    let mut layers = Vec::new();
    layers.extend(load(Path::new(MANAGED), Source::Managed, Links::Follow)?);
    layers.extend(match config {
        Some(named) => Some(load(named, Source::User, Links::Follow)?.ok_or_else(|| {
            Failure::new(exit::CONFIG, format!("{} does not exist", named.display()))
        })?),
        None => match user_file() {
            Some(path) => load(&path, Source::User, Links::Follow)?,
            None => None,
        },
    });
    layers.extend(load(&root.join(PROJECT), Source::Project, Links::Refuse)?);
    Ok(layers)
}

/// The way of working that the machine's file or the user's chooses. Codes have their meaning by
/// it, so that it is found however wrong the rest of the file is.
pub(crate) fn chosen_preset(config: Option<&Path>) -> Option<Preset> {
    let named = config.map(Path::to_owned).or_else(user_file);
    let files = [Some(PathBuf::from(MANAGED)), named];
    let read = |path| text_file::read(path, Links::Follow, MOST_BYTES).ok()?;
    let mut texts = files.iter().flatten().filter_map(|path| read(path));
    texts.find_map(|text| document::preset_in(&text))
}

fn load(path: &Path, source: Source, links: Links) -> Result<Option<Layer>, Failure> {
    let text = text_file::read(path, links, MOST_BYTES)
        .map_err(|why| Failure::new(exit::CONFIG, format!("{}: {why}", shown(path))))?;
    let Some(text) = text else {
        return Ok(None);
    };
    let parse = if block::is_json(&text) {
        block::parse
    } else {
        document::parse
    };
    let path = path.to_owned();
    parse(Document { path, text }, source).map(Some)
}

/// Where the user's file is, unless another one is named.
pub(crate) fn user_file() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(base.join("fusebox/config.toml"))
}

/// The variables that are read here, whatever the command.
pub(crate) fn variable_names() -> impl Iterator<Item = &'static str> {
    environment::VARIABLES.iter().map(|(name, _)| *name)
}

/// `--preset`, unless it was the environment that said so.
fn preset_flag(global: &Global) -> Option<Layer> {
    let preset = global.preset?;
    let said =
        !global.deaf && std::env::var(environment::PRESET).is_ok_and(|name| name == preset.name());
    (!said).then(|| Layer {
        source: Source::Flag,
        document: None,
        settings: vec![Setting {
            key: Key::Preset,
            value: Value::Preset(preset),
            at: At::Name("--preset"),
        }],
        remarks: Vec::new(),
    })
}

/// A door for the fuzzer: what a repository's own file may say is read, or refused in words
/// that can be shown.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_as_project(text: &str) {
    read_as(Source::Project, text);
}

/// The same for the user's own file.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_as_user(text: &str) {
    read_as(Source::User, text);
}

#[cfg(feature = "fuzzing")]
fn read_as(source: Source, text: &str) {
    let path = PathBuf::from("fusebox.toml");
    let text = text.to_owned();
    if let Err(failure) = document::parse(Document { path, text }, source) {
        assert!(!failure.what.contains(|c: char| c.is_control() && c != '\n'));
    }
}
