//! What is known of a variable behind a test, where it is one of several in each turn:
//! `[[ $f == *.log ]] && rm "$f"`, `case "$f" in *.log) rm "$f";; esac`.
//!
//! The test is followed with each of the values. That is for what is read line by line or
//! taken from a list; another variable may hold several of them at once.

use brush_parser::ast::{
    CaseClauseCommand, CaseItem, CaseItemPostAction, Command, CompoundList, Pipeline,
};

use super::emptiness::variable;
use super::{Engine, Shell, Status};
use crate::commands::temporary::MADE;
use crate::stop::Stop;
use crate::text::{OTHER_FILE, Text};

/// Whether a value stands for others: for a number that nobody has counted, or, if it is nothing,
/// for what nobody knows of the input.
pub(super) fn is_stand_in(value: &str) -> bool {
    let is_number = value.chars().all(|c| c.is_ascii_digit());
    is_number || value.contains(OTHER_FILE) || value.contains(MADE)
}

/// The one pipeline that a condition consists of.
pub(super) fn only_of(list: &CompoundList) -> Option<&Pipeline> {
    match list.0.as_slice() {
        [only] if only.0.additional.is_empty() => Some(&only.0.first),
        _ => None,
    }
}

/// Whether a command is a test, which starts nothing.
fn is_test(command: &Command) -> bool {
    let is_plain = |text: String| !text.contains('`') && !text.contains("$(");
    let name = match command {
        Command::ExtendedTest(test, None) => return is_plain(test.to_string()),
        Command::Simple(simple) if simple.prefix.is_none() => simple.word_or_name.as_ref(),
        _ => None,
    };
    name.is_some_and(|name| matches!(name.value.as_str(), "[" | "test"))
        && is_plain(command.to_string())
}

impl Engine<'_> {
    /// A shell as it is where a test of a value has passed, or has not; nothing if that cannot
    /// be.
    pub(super) fn narrowed(
        &mut self,
        shell: Shell,
        test: &Pipeline,
        passed: bool,
    ) -> Result<Option<Shell>, Stop> {
        let [command] = test.seq.as_slice() else {
            return Ok(Some(shell));
        };
        if !is_test(command) {
            return Ok(Some(shell));
        }
        let code = command.to_string();
        let asked = |name: &&String| {
            code.contains(&format!("${name}")) || code.contains(&format!("${{{name}"))
        };
        let [name] = shell.taken_in_turn().filter(asked).collect::<Vec<_>>()[..] else {
            return Ok(Some(shell));
        };
        let name = name.clone();
        let Some(values) = shell
            .get(&name)
            .and_then(|value| value.first().known_alternatives())
        else {
            return Ok(Some(shell));
        };
        let before = std::mem::replace(&mut self.shell, shell.clone());
        let mut kept = Vec::new();
        for value in values {
            self.shell.set_text(&name, Text::fixed(value.as_str()));
            self.shell.own(&name);
            let status = match is_stand_in(&value) {
                true => None,
                false => self.command(command)?,
            };
            let status = status.map(|status| status != test.bang);
            if status.is_none_or(|status| status == passed) {
                kept.push(value);
            }
        }
        self.shell = before;
        Ok(with_only(shell, &name, kept))
    }

    pub(super) fn case_clause(&mut self, clause: &CaseClauseCommand) -> Result<Status, Stop> {
        let value = self.text(&clause.value.value)?;
        let name = variable(&clause.value.value).filter(|name| self.shell.is_taken_in_turn(name));
        let is_plain = |case: &CaseItem| matches!(case.post_action, CaseItemPostAction::ExitCase);
        let one_by_one = name.filter(|_| clause.cases.iter().all(is_plain));
        let one_by_one = one_by_one.zip(value.known_alternatives());
        if let Some((name, values)) = one_by_one {
            return self.cases_of(clause, name, values);
        }
        let value = value.known();
        let before = self.shell.clone();
        let mut end = before.clone();
        for case in &clause.cases {
            let mut fits = false;
            for pattern in &case.patterns {
                let pattern = self.text(&pattern.value)?.known();
                fits |= match (&value, pattern) {
                    (Some(value), Some(pattern)) => crate::glob::matches(&pattern, value),
                    _ => true,
                };
            }
            if let (true, Some(list)) = (fits, &case.cmd) {
                self.shell = before.clone();
                self.list(list)?;
                end = end.or(self.shell.clone());
            }
        }
        self.shell = end;
        Ok(None)
    }

    /// Each of the values goes where it fits first.
    fn cases_of(
        &mut self,
        clause: &CaseClauseCommand,
        name: &str,
        values: Vec<String>,
    ) -> Result<Status, Stop> {
        let before = self.shell.clone();
        let mut end: Option<Shell> = None;
        let mut left = values;
        for case in &clause.cases {
            let mut own = Vec::new();
            let mut others = left.clone();
            for pattern in &case.patterns {
                let is_plain = !pattern.value.contains(['"', '\'', '\\', '(']);
                let pattern = self.text(&pattern.value)?.known();
                let fits = |value: &String| {
                    let fits = pattern
                        .as_ref()
                        .map(|pattern| crate::glob::matches(pattern, value));
                    fits.filter(|fits| is_plain || !fits)
                        .filter(|_| !is_stand_in(value) && !self.switches_case())
                };
                own.extend(
                    left.iter()
                        .filter(|value| fits(value) != Some(false))
                        .cloned(),
                );
                others.retain(|value| fits(value) != Some(true));
            }
            left = others;
            if let (Some(list), Some(shell)) = (&case.cmd, with_only(before.clone(), name, own)) {
                self.shell = shell;
                self.list(list)?;
                let here = self.shell.clone();
                end = Some(match end {
                    Some(end) => end.or(here),
                    None => here,
                });
            }
        }
        if let Some(shell) = with_only(before.clone(), name, left) {
            end = Some(match end {
                Some(end) => end.or(shell),
                None => shell,
            });
        }
        self.shell = end.unwrap_or(before);
        Ok(None)
    }

    /// Whether upper and lower case may be the same in tests.
    pub(super) fn switches_case(&self) -> bool {
        self.shell.switched_on.contains("nocasematch")
    }
}

/// The shell in which a variable is one of these; nothing if there are none.
fn with_only(mut shell: Shell, name: &str, values: Vec<String>) -> Option<Shell> {
    if values.is_empty() {
        return None;
    }
    let may_be_unset = shell.may_be_unset.contains(name);
    let is_read = shell.read.contains(name);
    shell.set_text(name, Text::one_of(values));
    shell.take_in_turn(name);
    if may_be_unset {
        shell.may_be_unset.insert(name.to_owned());
    }
    if is_read {
        shell.read.insert(name.to_owned());
    }
    Some(shell)
}
