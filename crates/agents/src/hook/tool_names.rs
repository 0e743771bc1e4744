//! Tools that no agent has of its own: those of MCP servers and of later releases.
//!
//! Nothing is known of them but a name that a person chose and arguments in a shape that a
//! person chose. Both are usually honest: what deletes says so, and a path stands under a key
//! that is called so. A name that tells nothing is taken to do anything to the paths it is
//! given, except where it begins with a word for looking.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::deeds::{COMMANDS, Deed, Touch, command_in, joined, patch_in};
use super::emptying;

/// How deep in the arguments paths are looked for.
const DEEPEST: usize = 6;
/// The longest text that can be a path.
const LONGEST_PATH: usize = 4096;

/// What a patch in the format of `apply_patch` begins with.
const PATCH: &str = "*** Begin Patch";

/// Lists of words that are a command, or what stands behind one.
const WORDS: [&str; 3] = ["argv", "args", "arguments"];
/// Objects in which the arguments proper are.
const WRAPPINGS: [&str; 7] = [
    "input",
    "params",
    "parameters",
    "args",
    "arguments",
    "request",
    "options",
];

const LOOKING: [&str; 20] = [
    "read", "get", "list", "search", "find", "view", "show", "fetch", "stat", "describe", "query",
    "open", "browse", "lookup", "resolve", "grep", "glob", "tree", "status", "ls",
];
const DELETING: [&str; 8] = [
    "delete", "remove", "rm", "unlink", "trash", "erase", "destroy", "purge",
];
const MOVING: [&str; 3] = ["move", "rename", "mv"];
const UPDATING: [&str; 12] = [
    "write", "edit", "update", "create", "insert", "append", "replace", "save", "add", "set",
    "patch", "modify",
];
/// Those of them whose content is added to what a file holds, or put into it.
const ADDING: [&str; 5] = ["insert", "append", "add", "edit", "patch"];
const PATH_KEYS: [&str; 11] = [
    "path",
    "file",
    "dir",
    "folder",
    "uri",
    "source",
    "destination",
    "target",
    "from",
    "to",
    "notebook",
];

/// What a call of such a tool would do.
pub(super) fn deeds(tool: &str, arguments: &Map<String, Value>) -> Vec<Deed> {
    let touch = touch_of(tool);
    let mut deeds = Vec::new();
    commands_in(arguments, DEEPEST, &mut deeds);
    if let Some(touch) = touch {
        // Whoever deletes or moves may call its argument anything.
        let any_key = matches!(touch, Touch::Delete | Touch::Rename);
        let is_whole = !says_any_of(tool, &ADDING);
        let of =
            |object: &Map<String, Value>| emptying::touch(touch, emptying::of(object, is_whole));
        let mut found = |path, touch| deeds.push(Deed::Write { path, touch });
        paths_in(arguments, any_key, DEEPEST, (&of, &mut found));
    }
    deeds
}

/// The commands among the arguments. Code is none: in another language it would be refused
/// for what a shell does not understand of it. What it does is seen afterwards.
fn commands_in(arguments: &Map<String, Value>, depth: usize, deeds: &mut Vec<Deed>) {
    let list = |key: &&str| arguments.get(*key)?.as_array().map(|words| joined(words));
    let behind = WORDS
        .iter()
        .find_map(list)
        .filter(|words| !words.is_empty());
    let command = COMMANDS.iter().find_map(|key| match arguments.get(*key)? {
        Value::String(command) => Some(command.clone()),
        Value::Array(words) => Some(joined(words)),
        _ => None,
    });
    let whole = match (command, behind) {
        (Some(command), Some(behind)) => Some(format!("{command} {behind}")),
        (command, behind) => command.or(behind),
    };
    deeds.extend(whole.map(|command| command_in(command, arguments)));
    for each in arguments
        .get("commands")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        match each {
            Value::String(command) => deeds.push(command_in(command.clone(), arguments)),
            Value::Array(words) => deeds.push(command_in(joined(words), arguments)),
            Value::Object(inner) if depth > 0 => commands_in(inner, depth - 1, deeds),
            _ => {}
        }
    }
    for key in WRAPPINGS.iter().filter(|_| depth > 0) {
        if let Some(Value::Object(inner)) = arguments.get(*key) {
            commands_in(inner, depth - 1, deeds);
        }
    }
    // A call of several calls: each of them is an object in a list.
    let lists = arguments.iter().filter(|(key, _)| *key != "commands");
    let each = lists.filter_map(|(_, value)| value.as_array()).flatten();
    for inner in each.filter_map(Value::as_object).filter(|_| depth > 0) {
        commands_in(inner, depth - 1, deeds);
    }
    // Whatever the argument is called, a patch says what it is.
    let texts = arguments.values().filter_map(Value::as_str);
    for text in texts.filter(|text| text.trim_start().starts_with(PATCH)) {
        deeds.push(patch_in(text.to_owned(), arguments));
    }
}

/// What the name says; `None` if it only looks.
fn touch_of(tool: &str) -> Option<Touch> {
    let any = |list: &[&str]| says_any_of(tool, list);
    if any(&DELETING) {
        Some(Touch::Delete)
    } else if any(&MOVING) {
        Some(Touch::Rename)
    } else if any(&UPDATING) {
        Some(Touch::Update)
    } else if any(&LOOKING) {
        None
    } else {
        Some(Touch::Unknown)
    }
}

/// Whether the name of a tool, without that of its server, has one of these words in it.
fn says_any_of(tool: &str, list: &[&str]) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    words(name).iter().any(|word| list.contains(&word.as_str()))
}

/// The words of `deleteFile`, `delete_file` and `delete-file`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        let begins = letter.is_uppercase() && after_small;
        after_small = letter.is_lowercase();
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter.is_alphanumeric()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What would be done to the paths of an object, asked once for each object, and whoever is told
/// each path with it.
type Found<'a> = (
    &'a dyn Fn(&Map<String, Value>) -> Touch,
    &'a mut dyn FnMut(PathBuf, Touch),
);

fn paths_in(object: &Map<String, Value>, any_key: bool, depth: usize, (of, found): Found<'_>) {
    let touch = of(object);
    for (key, value) in object {
        let words = words(key);
        let fits = any_key
            || words.iter().any(|word| {
                let singular = word.strip_suffix('s').unwrap_or(word);
                PATH_KEYS.iter().any(|known| singular.ends_with(known))
            });
        within(value, fits, (touch, any_key), depth, (of, &mut *found));
    }
}

fn within(
    value: &Value,
    fits: bool,
    (touch, any_key): (Touch, bool),
    depth: usize,
    (of, found): Found<'_>,
) {
    match value {
        Value::String(text) if fits && text.len() <= LONGEST_PATH && !text.contains('\n') => {
            let path = text.strip_prefix("file://").unwrap_or(text);
            found(PathBuf::from(path), touch);
        }
        Value::Array(list) if depth > 0 => {
            for value in list {
                within(value, fits, (touch, any_key), depth - 1, (of, &mut *found));
            }
        }
        Value::Object(object) if depth > 0 => paths_in(object, any_key, depth - 1, (of, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn deeds_of(tool: &str, arguments: &Value) -> Vec<Deed> {
        deeds(tool, arguments.as_object().expect("an object"))
    }

    fn write(path: &str, touch: Touch) -> Deed {
        Deed::Write {
            path: path.into(),
            touch,
        }
    }

    #[test]
    fn a_name_tells_what_is_done_and_a_key_to_what() {
        for (tool, arguments, expected) in [
            (
                "mcp__fs__delete_file",
                json!({"path": "specs/a"}),
                vec![write("specs/a", Touch::Delete)],
            ),
            (
                "mcp__fs__deleteFile",
                json!({"what": "specs/a"}),
                vec![write("specs/a", Touch::Delete)],
            ),
            (
                "mcp__fs__move_file",
                json!({"source": "a", "destination": "b"}),
                vec![write("b", Touch::Rename), write("a", Touch::Rename)],
            ),
            (
                "mcp__fs__write_file",
                json!({"path": "a", "content": "b"}),
                vec![write("a", Touch::Update)],
            ),
            (
                "mcp__fs__write_files",
                json!({"files": [{"path": "a", "content": ""}, {"path": "b", "content": "c"}]}),
                vec![
                    write("a", Touch::Empty(u64::MAX)),
                    write("b", Touch::Update),
                ],
            ),
            (
                "mcp__fs__append_file",
                json!({"path": "a", "content": ""}),
                vec![write("a", Touch::Update)],
            ),
            (
                "mcp__fs__edit_file",
                json!({"path": "a", "edits": [{"oldText": "b", "newText": ""}]}),
                vec![write("a", Touch::Empty(3))],
            ),
            ("mcp__fs__read_file", json!({"path": "a"}), vec![]),
            (
                "mcp__fs__zap",
                json!({"filePath": "a", "title": "b"}),
                vec![write("a", Touch::Unknown)],
            ),
            (
                "mcp__fs__remove_files",
                json!({"files": [{"name": "a"}, "b"]}),
                vec![write("a", Touch::Delete), write("b", Touch::Delete)],
            ),
            (
                "mcp_fs_remove",
                json!({"uri": "file:///r/a"}),
                vec![write("/r/a", Touch::Delete)],
            ),
        ] {
            assert_eq!(deeds_of(tool, &arguments), expected, "{tool}");
        }
    }

    #[test]
    fn a_command_is_a_command_whoever_runs_it() {
        let command = |text: &str| Deed::Shell {
            command: text.into(),
            directory: None,
        };
        for (arguments, expected) in [
            (json!({"command": "rm -rf specs"}), command("rm -rf specs")),
            (json!({"cmd": ["rm", "a b"]}), command("rm 'a b'")),
            (json!({"argv": ["rm", "a b"]}), command("rm 'a b'")),
            (json!({"args": ["rm", "a"]}), command("rm a")),
            (
                json!({"command": "rm", "args": ["-r", "a b"]}),
                command("rm -r 'a b'"),
            ),
            (json!({"command": "ls", "args": []}), command("ls")),
            (json!({"input": {"command": "rm a"}}), command("rm a")),
            (
                json!({"params": {"arguments": {"cmd": "rm a"}}}),
                command("rm a"),
            ),
            (json!({"commands": ["rm a"]}), command("rm a")),
            (json!({"commands": [["rm", "a"]]}), command("rm a")),
            (json!({"commands": [{"command": "rm a"}]}), command("rm a")),
            (
                json!({"tool_calls": [{"tool": "bash", "parameters": {"command": "rm a"}}]}),
                command("rm a"),
            ),
        ] {
            assert_eq!(deeds_of("mcp__x__get_shell", &arguments), [expected]);
        }
        let text = "*** Begin Patch\n*** Delete File: specs/a.md\n*** End Patch";
        let patch = [Deed::Patch {
            text: text.into(),
            directory: None,
        }];
        for tool in ["mcp__x__apply_patch", "ApplyPatch", "mcp__x__zap"] {
            assert_eq!(deeds_of(tool, &json!({"patch": text})), patch);
            assert_eq!(deeds_of(tool, &json!({"input": {"any": text}})), patch);
        }
        let code = json!({"code": "async (page) => page.$$('a')"});
        assert_eq!(deeds_of("mcp__browser__run", &code), []);
    }
}
