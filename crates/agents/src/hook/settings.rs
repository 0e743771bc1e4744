//! How an agent is told to call us: where its settings are, and what is written there.

use serde_json::{Value, json};

use super::deeds::{quoted, unquoted};
use super::points::HookPoint;

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// This person's, in every project.
    User,
    /// This project's.
    Project,
}

/// Where an agent looks for hooks, and what it should find there.
#[derive(Clone, Copy, Debug)]
pub struct Registration {
    /// A variable that names the directory of the person's settings, and the file in it.
    pub variable: Option<(&'static str, &'static str)>,
    /// The file with the person's settings, below the home directory.
    pub user: &'static str,
    /// The file with the project's settings, below its root.
    pub project: &'static str,
    /// What is written.
    pub registered: Registered,
    /// What a person must still do, if anything.
    pub afterwards: Option<&'static str>,
    /// What decides which hooks are called, and which no agent may therefore change.
    pub decisive: Decisive,
    /// What switches off all hooks, where the agent knows such a thing.
    pub off: Option<OffSwitch>,
}

/// A setting that switches off all hooks, whatever else is registered.
#[derive(Clone, Copy, Debug)]
pub struct OffSwitch {
    /// The key, at the top of the file.
    pub key: &'static str,
    /// The machine's own files, which say it above all others.
    pub of_the_machine: &'static [&'static str],
}

/// Files and directories in which it is decided which hooks an agent calls.
#[derive(Clone, Copy, Debug)]
pub struct Decisive {
    /// Below the home directory.
    pub at_home: &'static [&'static str],
    /// Below the root of a project.
    pub in_project: &'static [&'static str],
}

/// What an agent is to call.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The program.
    pub program: &'a str,
    /// The options that stand behind each call.
    pub options: &'a [String],
}

impl<'a> Caller<'a> {
    /// The words behind the program.
    pub(crate) fn words(&self, agent: &'a str, point: HookPoint) -> Vec<&'a str> {
        let options = self.options.iter().map(String::as_str);
        ["hook", agent, point.word()]
            .into_iter()
            .chain(options)
            .collect()
    }
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub enum Registered {
    /// Elements of lists in a JSON file that holds other things, too.
    Elements {
        /// Keys that the file must have, with the values they get if it has not.
        defaults: &'static [(&'static str, u64)],
        /// The elements for a program.
        elements: fn(caller: &Caller<'_>) -> Vec<Element>,
        /// Whether an element is one of ours, whatever the path of the program.
        ours: fn(&Value) -> bool,
    },
    /// A file that is ours alone.
    File {
        /// What it holds, for a program.
        text: fn(caller: &Caller<'_>) -> String,
        /// What only a file of ours holds.
        mark: &'static str,
        /// The command that such a file has the agent call.
        command: fn(text: &str, point: HookPoint) -> Option<Vec<String>>,
    },
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The keys that lead to the list.
    pub path: [&'static str; 2],
    /// What is added to it.
    pub value: Value,
}

/// How long an agent waits for an answer, in seconds. Our own deadline is shorter: agents
/// take silence for a yes.
pub(crate) const fn patience(point: HookPoint) -> u64 {
    match point {
        HookPoint::BeforeTool | HookPoint::BeforeCommand => 10,
        _ => 30,
    }
}

/// A command line that calls us.
pub(crate) fn shell_command(caller: &Caller<'_>, agent: &str, point: HookPoint) -> String {
    let words = caller.words(agent, point);
    let words = std::iter::once(caller.program).chain(words);
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

/// Whether a handler calls us for that agent, and does nothing else. The program may have been
/// elsewhere.
pub(crate) fn calls_us(handler: &Value, agent: &str) -> bool {
    let words = command_of(handler).unwrap_or_default();
    let [program, hook, named, point, ..] = &words[..] else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    is_our_name(name) && hook == "hook" && named == agent && point.parse::<HookPoint>().is_ok()
}

/// The names that the program goes by.
fn is_our_name(name: &str) -> bool {
    matches!(name, "fusebox" | "fusebox-test")
}

/// An element for each point in the shape that Claude Code began and others took over: groups
/// of handlers under the name of an event.
pub(crate) fn groups(
    points: &[(&'static str, HookPoint)],
    handler: impl Fn(HookPoint) -> Value,
) -> Vec<Element> {
    let element = |&(event, point): &(&'static str, HookPoint)| Element {
        path: ["hooks", event],
        value: json!({ "hooks": [handler(point)] }),
    };
    points.iter().map(element).collect()
}

/// Whether an element is a group of nothing but our handlers, or one of these handlers.
pub(crate) fn is_ours(element: &Value, is_handler: impl Fn(&Value) -> bool) -> bool {
    match element.get("hooks").and_then(Value::as_array) {
        Some(handlers) => !handlers.is_empty() && handlers.iter().all(is_handler),
        None => is_handler(element),
    }
}

/// The command that a registration has the agent call at a point: found in the settings as
/// they are, not as they should be.
#[must_use]
pub fn called(
    settings: &Value,
    ours: &dyn Fn(&Value) -> bool,
    point: HookPoint,
) -> Option<Vec<String>> {
    let below: Vec<&Value> = match settings {
        Value::Array(list) => list.iter().collect(),
        Value::Object(object) => object.values().collect(),
        _ => return None,
    };
    let here = command_of(settings).filter(|words| ours(settings) && is_for(words, point));
    here.or_else(|| {
        below
            .into_iter()
            .find_map(|value| called(value, ours, point))
    })
}

/// The words of a handler: a program with its arguments, or a line that says no more than that.
fn command_of(handler: &Value) -> Option<Vec<String>> {
    let line = ["command", "bash"]
        .iter()
        .find_map(|key| handler.get(key)?.as_str())?;
    match handler.get("args").and_then(Value::as_array) {
        Some(args) => {
            let args = args.iter().map(|word| word.as_str().map(str::to_owned));
            std::iter::once(Some(line.to_owned())).chain(args).collect()
        }
        None => unquoted(line),
    }
}

fn is_for(words: &[String], point: HookPoint) -> bool {
    words.get(3).map(String::as_str) == Some(point.word())
}
