//! The commented file with every key, as it is for one way of working.
//!
//! What it prints must be good wherever people put it: as their own file and as the
//! repository's. So a key is written only where it says what holds anyway and both may say
//! so; any other is an example behind a `#`.

use fusebox_core::{Policy, Preset};

use super::cells::Cells;
use super::key::Key;
use super::kind::Value;
use super::layer::{At, Layer, Setting, Source};
use super::{InForce, Layers};

/// The file for the way of working that nobody has to choose, with every key and what it is for.
pub(super) const TEMPLATE: &str = include_str!("default.toml");

/// The file for a way of working.
pub(crate) fn default_file(preset: Preset) -> String {
    let policy = Policy::of(preset);
    let cells = Cells::of(&policy);
    let mut table = String::new();
    let mut text = String::new();
    for line in TEMPLATE.lines() {
        if let Some(name) = header(line) {
            table = format!("{name}.");
            let remark = unread(name, &policy).unwrap_or_default();
            text.push_str(&format!("{line}\n{remark}"));
            continue;
        }
        let key = assignment(line).and_then(|(name, _)| key(&format!("{table}{name}")));
        let line = match key {
            Some(key) => written(key, line, &cells, preset),
            None => line.to_owned(),
        };
        text.push_str(&line);
        text.push('\n');
    }
    let [template, asked] = [Preset::default(), preset].map(|preset| format!("`{preset}`"));
    text.replacen(&template, &asked, 1)
}

fn header(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']')
}

/// Name and value of a line that sets a key, or would without its `#`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("# ").unwrap_or(line).split_once(" = ")?;
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    name.bytes().all(is_name).then_some((name, value))
}

fn key(path: &str) -> Option<Key> {
    Key::all().find(|key| key.path() == path)
}

/// Says it of a signal that this way of working does not read.
fn unread(table: &str, policy: &Policy) -> Option<String> {
    let signal = key(&format!("{table}.trip"))?.signal()?;
    let reads = policy.rules.get(signal).is_some();
    (!reads).then(|| format!("# The preset `{}` does not read it.\n", policy.preset))
}

fn written(key: Key, line: &str, cells: &Cells, preset: Preset) -> String {
    let (name, example) = assignment(line).unwrap_or((line, ""));
    if key == Key::Preset {
        return format!("{name} = \"{preset}\"");
    }
    let amount = match key {
        Key::StagnationThreshold => InForce::threshold(cells).and_then(|cell| cell.amount),
        key => cells.get(key),
    };
    match amount {
        Some(amount) if changes_nothing(key, amount, preset) => {
            format!("{name} = {}", key.kind().written(amount))
        }
        Some(amount) => format!("# {name} = {}", key.kind().written(amount)),
        None => format!("# {name} = {example}"),
    }
}

/// Whether a person and a repository may both say this, and nothing follows from it. One
/// number for all phases, for example, is not what holds where phases differ.
fn changes_nothing(key: Key, amount: u64, preset: Preset) -> bool {
    key.may_come_from_a_repository()
        && [Source::User, Source::Project].into_iter().all(|source| {
            let setting = Setting {
                key,
                value: Value::Amount(amount),
                at: At::Name("default"),
            };
            let layer = Layer {
                source,
                document: None,
                settings: vec![setting],
                remarks: Vec::new(),
            };
            let layers = Layers {
                found: vec![layer],
                companions: Vec::new(),
                circuit: None,
            };
            let same = |in_force: InForce| {
                in_force.warnings.is_empty() && in_force.policy == Policy::of(preset)
            };
            layers.resolve(Some(preset)).is_ok_and(same)
        })
}
