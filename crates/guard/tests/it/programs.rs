//! Programs made at random, held against a real shell.
//!
//! A program sets variables, goes elsewhere, branches, loops and removes. Bash runs it with a
//! function in the place of `rm`; whatever it would remove must be among what the guard
//! thought of, and the program must be denied if any of that is protected. The guard may
//! think of more: it follows branches that are not taken.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::Workspace;
use fusebox_guard::{Action, Decision, Guard, Target};
use proptest::prelude::*;

/// Makes a program out of bytes: each decides between ways to go on, and where they end,
/// everything is as plain as it can be.
struct Choices<'b> {
    bytes: std::slice::Iter<'b, u8>,
    depth: usize,
}

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % count
    }

    fn one_of(&mut self, choices: &[&str]) -> String {
        choices[self.below(choices.len())].to_owned()
    }

    /// Three variables are enough to be confused by.
    fn name(&mut self) -> String {
        self.one_of(&["a", "b", "c"])
    }

    fn plain(&mut self) -> String {
        self.one_of(&[
            "specs",
            "build",
            "src",
            "x",
            "CLAUDE.md",
            "sub",
            "a.md",
            ".",
        ])
    }

    fn deeper<T>(&mut self, plain: T, then: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth == 0 {
            return plain;
        }
        self.depth -= 1;
        let made = then(self);
        self.depth += 1;
        made
    }

    fn word(&mut self) -> String {
        let plain = self.plain();
        self.deeper(plain.clone(), |choices| {
            let name = choices.name();
            match choices.below(24) {
                0..=4 => plain,
                5 => format!("${name}"),
                6 => format!("\"${name}\""),
                7 => format!("${{{name}:-{}}}", choices.word()),
                8 => format!("${{{name}-{}}}", choices.word()),
                9 => format!("{plain}${{{name}:+/{}}}", choices.plain()),
                10 => format!("${{{name}+{}}}", choices.word()),
                11 => format!("$(echo {})", choices.words()),
                12 => format!("$({})", choices.list()),
                13 => format!("{{{},{}}}", choices.plain(), choices.plain()),
                14 => format!("{}/{}", choices.word(), choices.plain()),
                15 => format!("${{{name}%s}}"),
                16 => format!("${{{name}#s}}"),
                17 => format!("x${{{name}:1}}"),
                18 => choices.one_of(&["$1", "\"$@\"", "$#", "\"$*\"", "${2}"]),
                19 => choices.one_of(&["s*", "*", "[a-z]*", "?*s", "*/a.md", ".r*"]),
                20 => choices.one_of(&["$PWD", "~+", "..", "../x", "build/dlink"]),
                21 => format!("${{{name}/e/a}}"),
                22 => choices.one_of(&["\"${d[@]}\"", "${d[1]}", "$d"]),
                _ => format!("'{plain}'"),
            }
        })
    }

    fn words(&mut self) -> String {
        let count = 1 + self.below(2);
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn condition(&mut self) -> String {
        match self.below(7) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => format!("test -d {}", self.word()),
            3 => format!("[ -n \"${}\" ]", self.name()),
            4 => format!("[[ ${} == s* ]]", self.name()),
            5 => format!("! [ -z \"${}\" ]", self.name()),
            _ => self.statement(),
        }
    }

    fn statement(&mut self) -> String {
        let removal = format!("rm -r {}", self.words());
        self.deeper(removal.clone(), |choices| {
            let name = choices.name();
            match choices.below(32) {
                0..=4 => removal,
                5 | 6 => format!("{name}={}", choices.word()),
                7 => format!("{name}+={}", choices.word()),
                8 | 9 => format!("cd {}", choices.word()),
                10 => choices.one_of(&["cd -", "cd ..", "cd -P ..", "pushd build", "popd"]),
                11 => format!("({})", choices.list()),
                12 => format!("{{ {}; }}", choices.list()),
                13 => {
                    let condition = choices.condition();
                    let (yes, no) = (choices.list(), choices.list());
                    format!("if {condition}; then {yes}; else {no}; fi")
                }
                14 => format!("if {}; then {}; fi", choices.condition(), choices.list()),
                15 => format!("{} && {}", choices.condition(), choices.statement()),
                16 => format!("{} || {}", choices.condition(), choices.statement()),
                17 => {
                    let (one, two) = (choices.condition(), choices.condition());
                    let joint = choices.one_of(&["&&", "||"]);
                    format!("{one} && {two} {joint} {}", choices.statement())
                }
                18 => format!(
                    "for {name} in {}; do {}; done",
                    choices.words(),
                    choices.list()
                ),
                19 => format!("for ((i=0; i<3; i++)); do {}; done", choices.list()),
                20 => {
                    let input = choices.word();
                    format!(
                        "while read -r {name}; do {}; done <<< {input}",
                        choices.list()
                    )
                }
                21 => format!("f() {{ {}; }}; f {}", choices.list(), choices.words()),
                22 => format!("set -- {}", choices.words()),
                23 => choices.one_of(&["shift", "break", "continue", "return"]),
                24 => {
                    let value = choices.word();
                    let (one, two) = (choices.list(), choices.list());
                    format!("case {value} in s*) {one};; *) {two};; esac")
                }
                25 => format!("export {name}={}", choices.word()),
                26 => format!("d=({})", choices.words()),
                27 => format!("read -r {name} <<< {}", choices.word()),
                28 => format!("eval {}", choices.statement()),
                29 => format!("{} & wait", choices.statement()),
                30 => format!("{} | {}", choices.statement(), choices.statement()),
                _ => format!("{name}={} eval 'rm -r ${name}'", choices.word()),
            }
        })
    }

    fn list(&mut self) -> String {
        let count = 1 + self.below(3);
        let statements: Vec<String> = (0..count).map(|_| self.statement()).collect();
        statements.join("; ")
    }
}

/// The whole of a program: something that is set, and then statements.
fn program(bytes: &[u8]) -> String {
    let mut choices = Choices {
        bytes: bytes.iter(),
        depth: 4,
    };
    let count = 2 + choices.below(4);
    let statements: Vec<String> = (0..count).map(|_| choices.statement()).collect();
    // What is not set at all may come from anywhere, and counts as most likely set.
    format!("a=build b= c=x d=(src)\n{}", statements.join("\n"))
}

/// What is wrong with the guard's view of a program, if anything.
fn unseen(guard: &Guard, root: &Path, program: &str) -> Option<String> {
    let really = crate::bash::removed(program, root)?;
    let verdict = guard.judge_command(program.as_bytes(), root);
    if verdict.stopped.is_some() {
        return None;
    }
    // Only what is there can be lost, and bash removed nothing.
    let would_be_lost = |path: &&String| {
        let path = Path::new(path);
        guard.protected().rule_of(path).is_some() && path.symlink_metadata().is_ok()
    };
    if let Some(lost) = really.iter().find(would_be_lost)
        && verdict.decision == Decision::Allow
    {
        return Some(format!("{lost} would be lost"));
    }
    let deletes = verdict.affected.iter();
    let deletes =
        deletes.filter(|effect| matches!(effect.action, Action::Delete | Action::Unknown));
    let mut thought = BTreeSet::new();
    for effect in deletes {
        match &effect.target {
            Target::Path(path) | Target::Tree(path) => {
                thought.insert(path.to_string_lossy().into_owned());
            }
            // What could be anything is thought of with it.
            Target::Like(_) => return None,
        }
    }
    // A wildcard that matches nothing stays as it is, which is the name of no file here.
    let named = |path: &&String| !path.contains(['*', '?', '[']);
    let mut named = really.iter().filter(named);
    let missing = named.find(|path| !thought.contains(*path))?;
    Some(format!("{missing} was not thought of, only {thought:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn whatever_a_shell_would_remove_was_thought_of(
        bytes in proptest::collection::vec(any::<u8>(), 8..80),
    ) {
        let workspace = Workspace::new();
        let program = program(&bytes);
        let wrong = unseen(&workspace.guard(), workspace.path(), &program);
        prop_assert!(wrong.is_none(), "{}\n{program}", wrong.unwrap_or_default());
    }
}
