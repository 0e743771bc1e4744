//! From the text of a file to settings, or to everything that is wrong with it.

use std::cell::LazyCell;
use std::ops::Range;

use fusebox_core::observation::NAME_BYTES;
use fusebox_core::{Preset, clip};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::key::Key;
use super::kind::{Kind, Value};
use super::layer::{At, Document, Layer, Setting, Source};
use crate::duration;
use crate::exit;
use crate::failure::Failure;

/// More complaints than this about one file help nobody.
const MOST_COMPLAINTS: usize = 20;
/// How much alike two keys must be for one to be taken for the other.
const ALIKE: f64 = 0.8;

/// Reads the settings of a file.
pub(super) fn parse(document: Document, source: Source) -> Result<Layer, Failure> {
    let mut reader = Reader {
        document: &document,
        source,
        keys: LazyCell::new(|| Key::all().map(|key| (key.path(), key)).collect()),
        settings: Vec::new(),
        complaints: Vec::new(),
        remarks: Vec::new(),
    };
    let (table, errors) = DeTable::parse_recoverable(&document.text);
    if errors.is_empty() {
        reader.table("", table.get_ref());
    }
    for error in errors {
        let end = document.text.len()..document.text.len();
        reader.complain(error.message().to_owned(), error.span().unwrap_or(end));
    }
    if let Some(failure) = reader.failure() {
        return Err(failure);
    }
    let (mut settings, remarks) = (reader.settings, reader.remarks);
    // It sets several thresholds at once; those that are named win over it.
    settings.sort_by_key(|setting| setting.key != Key::StagnationThreshold);
    Ok(Layer {
        source,
        settings,
        document: Some(document),
        remarks,
    })
}

/// The way of working that a file names, whatever else is wrong with it.
pub(super) fn preset_in(text: &str) -> Option<Preset> {
    let (table, _) = DeTable::parse_recoverable(text);
    let named = table.get_ref().get(Key::Preset.path().as_str())?;
    named.get_ref().as_str()?.parse().ok()
}

struct Reader<'a> {
    document: &'a Document,
    source: Source,
    /// Where each key stands. Put together when the first is looked up: many files hold
    /// nothing but comments, and are read before every tool of an agent.
    keys: LazyCell<Vec<(String, Key)>>,
    settings: Vec<Setting>,
    complaints: Vec<Complaint>,
    remarks: Vec<String>,
}

/// What is wrong, not yet put into words: a hostile file may be wrong in more
/// places than anybody is told of.
struct Complaint {
    span: Range<usize>,
    what: String,
    /// The unknown name, and the table it stands in.
    unknown: Option<(String, String)>,
    /// What to do about it.
    hint: Option<&'static str>,
}

impl Complaint {
    fn about(what: String, span: Range<usize>) -> Self {
        Self {
            span,
            what,
            unknown: None,
            hint: None,
        }
    }
}

/// Where that may be set which a repository may not.
const YOURS: &str = "set it in your own configuration: $XDG_CONFIG_HOME/fusebox/config.toml, or the file given with --config";

impl Reader<'_> {
    fn table(&mut self, inside: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let path = match inside {
                "" => name.get_ref().to_string(),
                inside => format!("{inside}.{}", name.get_ref()),
            };
            let key = self
                .keys
                .iter()
                .find(|(known, _)| *known == path)
                .map(|found| found.1);
            match key {
                Some(key) => self.setting(key, &path, value),
                None if self.holds_keys(&path) => match value.get_ref() {
                    DeValue::Table(table) => self.table(&path, table),
                    other => self.complain(
                        format!("`{path}` is a table, not {}", article(other)),
                        value.span(),
                    ),
                },
                None => self.unknown(inside, name.get_ref(), name.span()),
            }
        }
    }

    fn holds_keys(&self, path: &str) -> bool {
        self.keys.iter().any(|(known, _)| {
            known
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('.'))
        })
    }

    fn setting(&mut self, key: Key, path: &str, value: &Spanned<DeValue<'_>>) {
        if self.source == Source::Project && !key.may_come_from_a_repository() {
            let what = format!("`{path}` may not be set by a repository");
            self.complaints.push(Complaint {
                hint: Some(YOURS),
                ..Complaint::about(what, value.span())
            });
            return;
        }
        self.remarks.extend(without_unit(key, path, value));
        match read(key, value.get_ref()) {
            Some(read) => self.settings.push(Setting {
                key,
                value: read,
                at: At::Bytes(value.span()),
            }),
            None => self.complain(
                format!("`{path}` must be {}", key.kind().expected()),
                value.span(),
            ),
        }
    }

    fn unknown(&mut self, inside: &str, name: &str, span: Range<usize>) {
        let place = match inside {
            "" => "this file".to_owned(),
            inside => format!("`[{inside}]`"),
        };
        self.complaints.push(Complaint {
            span,
            what: format!("`{}` is not a key of {place}", clip(name, NAME_BYTES)),
            unknown: Some((inside.to_owned(), name.to_owned())),
            hint: None,
        });
    }

    /// The key or table of the same place that is most like `name`; failing
    /// that, the same name in another place.
    fn suggestion(&self, inside: &str, name: &str) -> Option<String> {
        let name = clip(name, NAME_BYTES);
        let here = self.keys.iter().filter_map(|(path, _)| {
            let rest = match inside {
                "" => path.as_str(),
                inside => path.strip_prefix(inside)?.strip_prefix('.')?,
            };
            rest.split('.').next()
        });
        let alike = here
            .map(|known| (strsim::jaro_winkler(known, name), known))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let elsewhere = || {
            let mut paths = self.keys.iter().map(|(path, _)| path);
            paths.find(|path| path.rsplit('.').next() == Some(name))
        };
        alike
            .map(|(_, known)| known.to_owned())
            .or_else(|| elsewhere().cloned())
    }

    fn complain(&mut self, what: String, span: Range<usize>) {
        self.complaints.push(Complaint::about(what, span));
    }

    /// The complaints as one failure, in the order of the file.
    fn failure(&mut self) -> Option<Failure> {
        let mut complaints = std::mem::take(&mut self.complaints);
        complaints.sort_by_key(|complaint| complaint.span.start);
        let left_out = complaints.len().saturating_sub(MOST_COMPLAINTS);
        complaints.truncate(MOST_COMPLAINTS);
        let mut failures = complaints.into_iter().map(|complaint| self.put(complaint));
        let mut first = failures.next()?;
        first.also = failures.collect();
        if left_out > 0 {
            let what = format!("{left_out} more complaints about the same file are not shown");
            first.also.push(Failure::new(exit::CONFIG, what));
        }
        Some(first)
    }

    fn put(&self, complaint: Complaint) -> Failure {
        let failure = self.document.complaint(complaint.what, &complaint.span);
        let failure = match complaint.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        };
        let unknown = complaint.unknown;
        match unknown.and_then(|(inside, name)| self.suggestion(&inside, &name)) {
            Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
            None => failure,
        }
    }
}

/// A word about a time that does not say in what it is counted.
fn without_unit(key: Key, path: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
    let text = value.get_ref().as_str()?;
    is_bare_time(key, text).then(|| {
        let text = clip(text, NAME_BYTES);
        format!("`{path}` has no unit and is taken for seconds: write \"{text}s\"")
    })
}

fn is_bare_time(key: Key, text: &str) -> bool {
    key.kind() == Kind::Time && duration::is_bare(text)
}

fn read(key: Key, value: &DeValue<'_>) -> Option<Value> {
    match value {
        // As files were read before, and some still say.
        DeValue::String(text) if is_bare_time(key, text) => {
            key.kind().read_text(&format!("{text}s"))
        }
        DeValue::String(text) => key.kind().read_text(text),
        DeValue::Integer(number) if key.kind() == Kind::Money => {
            key.kind().read_text(&whole(number)?.to_string())
        }
        DeValue::Integer(number) => key.kind().read_number(whole(number)?),
        DeValue::Float(number) if key.kind() == Kind::Money => {
            key.kind().read_text(&number.to_string())
        }
        DeValue::Boolean(switch) => key.kind().read_switch(*switch),
        DeValue::Array(items) if key.kind() == Kind::Paths => {
            let paths = items.iter().map(|item| path(item.get_ref()));
            key.kind().read_paths(paths.collect::<Option<_>>()?)
        }
        DeValue::Array(items) => {
            let words = items.iter().map(|item| match item.get_ref() {
                DeValue::String(word) => Some(word.to_string()),
                _ => None,
            });
            key.kind().read_list(words.collect::<Option<_>>()?)
        }
        _ => None,
    }
}

/// A path, and the name of a mode if one is given.
fn path(item: &DeValue<'_>) -> Option<(String, Option<String>)> {
    let text = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.to_string()),
        _ => None,
    };
    let DeValue::Table(table) = item else {
        return Some((text(item)?, None));
    };
    let (mut path, mut mode) = (None, None);
    for (name, value) in table {
        match &**name.get_ref() {
            "path" => path = Some(text(value.get_ref())?),
            "mode" => mode = Some(text(value.get_ref())?),
            _ => return None,
        }
    }
    Some((path?, mode))
}

fn whole(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn article(value: &DeValue<'_>) -> String {
    let name = value.type_str();
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}
