//! Whether a call changes a file, as far as the call itself tells.
//!
//! Only to tell harmful stops of solved sessions from free ones: what came after
//! the last edit changed nothing, so ending a session there cost nothing. Seen
//! live, the work tree tells this better.

use fusebox_agents::json::{Text, lenient_object, parse};

/// Tools that change a file whatever they are asked.
const EDITORS: [&str; 6] = [
    "edit",
    "create",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
];
/// Commands of an editor with several that change a file.
const EDITOR_COMMANDS: [&str; 4] = ["create", "str_replace", "insert", "undo_edit"];
/// Pieces of shell commands that change files.
const SHELL_WRITES: [&str; 7] = [
    "sed -i",
    "git apply",
    "git checkout",
    "git stash",
    "patch ",
    "cat <<",
    "tee ",
];

lenient_object! {
    /// Arguments, as far as they are looked at.
    Arguments<'a> {
        command: Text<'a>,
    }
}

pub(crate) fn changes_a_file(tool: &str, arguments: &str, answer: &str) -> bool {
    match tool {
        "str_replace_editor" => {
            command(arguments, |command| EDITOR_COMMANDS.contains(&command))
                && !answer.starts_with("ERROR")
        }
        "execute_bash" => command(arguments, |command| {
            SHELL_WRITES.iter().any(|piece| command.contains(piece)) || redirects(command)
        }),
        tool => EDITORS.contains(&tool),
    }
}

fn command(arguments: &str, is: impl Fn(&str) -> bool) -> bool {
    let arguments = parse::<Arguments<'_>>(arguments);
    arguments
        .and_then(|arguments| arguments.command)
        .is_some_and(|command| is(&command))
}

/// Whether output goes to a file: a `>` that is not part of `>>`, `2>` or `&>`,
/// and a path after it.
fn redirects(command: &str) -> bool {
    let characters: Vec<char> = command.chars().collect();
    characters.iter().enumerate().any(|(at, character)| {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let mut after = characters[at + 1..]
            .iter()
            .skip_while(|next| next.is_whitespace());
        *character == '>'
            && !matches!(before, Some('>' | '2' | '&'))
            && after
                .next()
                .is_some_and(|next| next.is_alphanumeric() || "_/.".contains(*next))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_told_from_looks() {
        let shell = |command: &str| format!("{{\"command\":{}}}", serde_json::json!(command));
        for (tool, arguments, answer, expected) in [
            ("Edit", String::new(), "", true),
            ("Read", String::new(), "", false),
            ("str_replace_editor", shell("str_replace"), "done", true),
            (
                "str_replace_editor",
                shell("str_replace"),
                "ERROR: no",
                false,
            ),
            ("str_replace_editor", shell("view"), "text", false),
            ("execute_bash", shell("echo x > out.txt"), "", true),
            ("execute_bash", shell("echo x >> out.txt"), "", false),
            ("execute_bash", shell("make 2>/dev/null"), "", false),
            ("execute_bash", shell("make >&2"), "", false),
            ("execute_bash", shell("> /tmp/x"), "", true),
            ("execute_bash", shell("sed -i s/a/b/ f"), "", true),
            ("execute_bash", shell("ls"), "", false),
        ] {
            assert_eq!(
                changes_a_file(tool, &arguments, answer),
                expected,
                "{tool} {arguments}"
            );
        }
    }
}
