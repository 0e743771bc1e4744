//! What the shell does itself.

use super::{Engine, Status, Variable};
use crate::commands::{Options, printing};
use crate::stop::Stop;
use crate::text::{Data, Part, Text};

/// The options of `read` that have a value.
const READ_VALUED: &[&str] = &["-a", "-d", "-i", "-n", "-N", "-p", "-t", "-u"];

/// Those of `mapfile`.
const MAPFILE_VALUED: &[&str] = &["-d", "-n", "-O", "-s", "-u", "-C", "-c"];

impl Engine<'_> {
    /// Follows a builtin; `None` if the name is none.
    pub(crate) fn builtin(
        &mut self,
        name: &Text,
        arguments: &[Text],
    ) -> Result<Option<Status>, Stop> {
        let Some(name) = name.known() else {
            return Ok(None);
        };
        Ok(Some(match name.as_str() {
            ":" | "true" => Some(true),
            "false" => Some(false),
            "cd" => self.change_directory(arguments)?,
            "pushd" => self.push_directory(arguments)?,
            "popd" => self.pop_directory(),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                // What is only a number, or cannot be set again, has other values than it is given.
                let is_option = |word: &Text| word.known_start().starts_with(['-', '+']);
                if name == "readonly" || (name != "export" && arguments.iter().any(is_option)) {
                    self.shell.own = None;
                }
                self.shell.export_declared(&name, arguments);
                self.declare(arguments)
            }
            "unset" => self.unset(arguments),
            "set" => self.set_options(arguments)?,
            "shopt" => self.switch(arguments),
            "alias" => self.alias(arguments),
            "unalias" => {
                for alias in arguments.iter().filter_map(Text::known) {
                    self.shell.aliases.remove(&alias);
                }
                None
            }
            "shift" => self.shift(arguments),
            "eval" => self.source_data(&joined(arguments))?,
            "source" | "." => self.source_file(arguments)?,
            "trap" => self.trap(arguments)?,
            "read" => {
                let options = Options::parse(arguments, READ_VALUED);
                let status = self.read(&options);
                for name in options.operands.iter().filter_map(Text::known) {
                    self.shell.take_in_turn(&name);
                }
                status
            }
            "mapfile" | "readarray" => self.map_file(arguments)?,
            "printf" if arguments.first().and_then(Text::known).as_deref() == Some("-v") => {
                self.print_into_variable(&arguments[1..])
            }
            "enable" | "hash" | "type" | "wait" | "jobs" | "bg" | "fg" | "disown" | "ulimit"
            | "umask" | "times" | "let" | "getopts" | "complete" | "compgen" | "bind"
            | "return" => {
                if matches!(name.as_str(), "let" | "getopts") {
                    self.shell.own = None;
                }
                self.print(&Data::Unknown);
                None
            }
            "break" | "continue" => {
                self.leave_turn(arguments);
                None
            }
            "test" | "[" => self.test(&name, arguments)?,
            "exit" => self.exit(arguments)?,
            _ => return Ok(None),
        }))
    }

    fn unset(&mut self, arguments: &[Text]) -> Status {
        for variable in arguments.iter().filter_map(Text::known) {
            self.shell.variables.remove(&variable);
            self.shell.exported.remove(&variable);
            self.shell.functions.remove(&variable);
        }
        None
    }

    fn set_options(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        let arguments = self.all_named(arguments)?;
        if traces(&arguments) {
            self.trace()?;
        }
        if let Some(ends) = ends_on_failure(&arguments) {
            self.shell.ends_on_failure = ends;
        }
        self.shell.export_all(&arguments);
        Ok(self.set_arguments(&arguments))
    }

    fn alias(&mut self, arguments: &[Text]) -> Status {
        self.print(&Data::Unknown);
        let given = arguments.iter().filter_map(Text::known);
        let meanings = given.filter_map(|word| {
            let (name, meaning) = word.split_once('=')?;
            Some((name.to_owned(), meaning.to_owned()))
        });
        self.shell.aliases.extend(meanings);
        None
    }

    fn shift(&mut self, arguments: &[Text]) -> Status {
        let count = arguments.first().and_then(Text::known);
        let count = count.and_then(|count| count.parse().ok()).unwrap_or(1);
        let count = self.shell.arguments.len().min(count);
        self.shell.arguments.drain(..count);
        None
    }

    /// Lines become a list; code may be given that is run for some of them.
    fn map_file(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        let called = arguments.windows(2);
        let called = called.filter(|pair| pair[0].known().as_deref() == Some("-C"));
        for code in called.map(|pair| pair[1].known()) {
            self.source_data(&code.map_or(Data::Unknown, Data::Known))?;
        }
        Ok(self.read(&Options::parse(arguments, MAPFILE_VALUED)))
    }

    /// `printf -v`, from the name of the variable on.
    fn print_into_variable(&mut self, arguments: &[Text]) -> Status {
        let variable = arguments.first().and_then(Text::known).unwrap_or_default();
        let value = printing::printf(arguments.get(1..).unwrap_or_default());
        self.shell
            .set_text(&variable, value.unwrap_or_else(Text::unknown));
        None
    }

    fn declare(&mut self, arguments: &[Text]) -> Status {
        let mut refers = false;
        let mut letters: Option<fn(&str) -> String> = None;
        for argument in arguments {
            let start = argument.known_start();
            if start.starts_with('-') {
                refers |= start.contains('n');
                if start.contains('l') {
                    letters = Some(str::to_lowercase);
                } else if start.contains('u') {
                    letters = Some(str::to_uppercase);
                }
            } else if let Some((name, _)) = start.split_once('=') {
                let mut value = argument.without_start(name.len() + 1).quoted();
                if let Some(letters) = letters {
                    value = value.map(letters);
                }
                match value.known() {
                    Some(other) if refers => {
                        let reference = Variable::Reference(other);
                        self.shell.variables.insert(name.to_owned(), reference);
                    }
                    _ => self.assign(name, Variable::Scalar(value), false),
                }
            }
        }
        None
    }

    /// `shopt -s name`, and `-u` to switch it off again.
    fn switch(&mut self, arguments: &[Text]) -> Status {
        self.print(&Data::Unknown);
        let words: Vec<String> = arguments.iter().filter_map(Text::known).collect();
        let (flags, names): (Vec<String>, Vec<String>) =
            words.into_iter().partition(|word| word.starts_with('-'));
        let asks = |letter: char| flags.iter().any(|flag| flag.contains(letter));
        for name in names {
            if asks('s') {
                self.shell.switched_on.insert(name);
            } else if asks('u') {
                self.shell.switched_on.remove(&name);
            }
        }
        None
    }

    /// A shell that shows what it does expands `PS4` before each command.
    pub(crate) fn trace(&mut self) -> Result<(), Stop> {
        match self.shell.known("PS4") {
            Some(prompt) => self.heredoc(&prompt).map(drop),
            None => Ok(()),
        }
    }

    /// `set -- a b` and `set a b` alike; options before them are only options.
    fn set_arguments(&mut self, arguments: &[Text]) -> Status {
        let mut rest = arguments;
        let mut is_given = !arguments.is_empty();
        while let Some((first, after)) = rest.split_first() {
            let start = first.known_start();
            if !start.starts_with(['-', '+']) {
                break;
            }
            rest = after;
            if start == "--" {
                self.shell.arguments = rest.to_vec();
                return None;
            }
            is_given = !rest.is_empty();
            if start == "-" {
                break;
            }
            // `-o` takes the name of an option, wherever it stands among the letters.
            let is_name = |word: &Text| !word.known_start().starts_with(['-', '+']);
            if start.contains('o') && rest.first().is_some_and(is_name) {
                rest = &rest[1..];
                is_given = !rest.is_empty();
            }
        }
        if is_given {
            self.shell.arguments = rest.to_vec();
        }
        None
    }

    fn source_file(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        let Some((file, rest)) = arguments.split_first() else {
            return Ok(None);
        };
        let code = self.content(file)?;
        match code {
            Data::Known(code) | Data::Lines(code) => {
                if !rest.is_empty() {
                    self.shell.arguments = rest.to_vec();
                }
                self.in_file(Some(file.clone()), |engine| engine.script(&code))
            }
            // A profile of the user, a file that is not there: none of it was written here.
            Data::Unknown => {
                self.shell.own = None;
                Ok(None)
            }
        }
    }

    /// A script is only a part of what was asked; one that cannot be parsed is left alone.
    pub(crate) fn script(&mut self, code: &str) -> Result<Status, Stop> {
        match self.source(code) {
            Err(Stop::NotShell(_)) => Ok(None),
            other => other,
        }
    }

    /// Every line of the input in turn is a value that the variable may have.
    fn read(&mut self, options: &Options) -> Status {
        let names = options.values(&["-a"]).chain(&options.operands);
        let names: Vec<String> = names.filter_map(Text::known).collect();
        let lines: Option<Vec<String>> = self.stdin.text().map(|text| {
            text.split(['\n', '\0'])
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect()
        });
        let value = lines.map_or_else(Text::unknown, Text::one_of);
        for name in &names {
            let value = if names.len() > 1 {
                value.map(str::to_owned).or(&self.words_of_input())
            } else {
                value.clone()
            };
            self.shell.set_text(name, value);
            // At the end of the input there is nothing to read.
            self.shell.may_be_unset.insert(name.clone());
            self.shell.read.insert(name.clone());
        }
        if names.is_empty() {
            self.shell.set_text("REPLY", value);
        }
        None
    }

    fn words_of_input(&self) -> Text {
        let separators = self.shell.separators() + "\n\0";
        self.stdin.text().map_or_else(Text::unknown, |text| {
            let words = text.split(|c| separators.contains(c));
            let words = words.filter(|word| !word.is_empty());
            Text::one_of(words.map(str::to_owned).collect())
        })
    }
}

/// Whether `set -x` or `set -o xtrace` is among these.
fn traces(arguments: &[Text]) -> bool {
    let mut words = arguments.iter().map(Text::known_start);
    words.any(|word| word == "xtrace" || (word.starts_with('-') && word.contains('x')))
}

/// What `set -e`, `set +e` and `set -o errexit` say, the last of them.
pub(crate) fn ends_on_failure(arguments: &[Text]) -> Option<bool> {
    let words = arguments.iter().map(Text::known_start);
    let options = words.take_while(|word| !matches!(word.as_str(), "--" | "-"));
    let mut says = None;
    let mut is_on = true;
    for word in options {
        let letters = word.strip_prefix(['-', '+']);
        if letters.is_some() {
            is_on = word.starts_with('-');
        }
        if word == "errexit" || letters.is_some_and(|letters| letters.contains('e')) {
            says = Some(is_on);
        }
    }
    says
}

/// Words as one line of code.
pub(crate) fn joined(words: &[Text]) -> Data {
    let mut code = Text::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            code.push(Part::Fixed(" ".to_owned()));
        }
        code.append(word);
    }
    code.known().map_or(Data::Unknown, Data::Known)
}
