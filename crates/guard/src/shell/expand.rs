//! From words to fields: braces, quotes, variables, substitutions, splitting.

use std::path::{Path, PathBuf};

use brush_parser::word::{self, TildeExpr, WordPiece, WordPieceWithSource};
use brush_parser::{ParserOptions, ast};

use super::wildcards::{Braces, braces, has_groups, without_groups};
use super::{Engine, ansi_c};
use crate::glob;
use crate::stop::Stop;
use crate::text::{Data, OTHER_FILE, Part, Text};

/// Words in the making.
#[derive(Default)]
struct Fields {
    done: Vec<Text>,
    open: Option<Text>,
}

impl Fields {
    fn push(&mut self, part: Part) {
        self.open.get_or_insert_with(Text::default).push(part);
    }

    fn append(&mut self, text: &Text) {
        self.open.get_or_insert_with(Text::default).append(text);
    }

    fn end(&mut self) {
        self.done.extend(self.open.take());
    }

    fn finish(mut self) -> Vec<Text> {
        self.end();
        self.done
    }
}

impl Engine<'_> {
    /// The fields that a word of a command becomes.
    pub(crate) fn fields(&mut self, raw: &str) -> Result<Vec<Text>, Stop> {
        let mut fields = Vec::new();
        let words = match braces(raw) {
            Braces::Words(words) => words,
            Braces::Many { before, after } => {
                let mut made = Fields::default();
                self.add_pieces(&pieces(&before)?, false, &mut made)?;
                made.push(Part::Unknown);
                self.add_pieces(&pieces(&after)?, false, &mut made)?;
                return Ok(made.finish());
            }
        };
        for word in words {
            self.spend()?;
            let pieces = pieces(&word)?;
            let mut made = Fields::default();
            self.add_pieces(&pieces, false, &mut made)?;
            fields.extend(made.finish());
        }
        Ok(fields)
    }

    /// A word where no splitting happens: an assignment, a redirection, a case.
    pub(crate) fn text(&mut self, raw: &str) -> Result<Text, Stop> {
        let mut made = Fields::default();
        let pieces = pieces(raw)?;
        self.add_pieces(&pieces, true, &mut made)?;
        let fields = made.finish();
        let mut text = Text::default();
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                text.push(Part::Fixed(" ".to_owned()));
            }
            text.append(field);
        }
        Ok(text)
    }

    /// The body of a here-document.
    pub(crate) fn heredoc(&mut self, raw: &str) -> Result<Data, Stop> {
        let pieces = word::parse_heredoc(raw, &ParserOptions::default())
            .map_err(|error| Stop::NotShell(error.to_string()))?;
        let mut made = Fields::default();
        self.add_pieces(&pieces, true, &mut made)?;
        let text = made.finish().into_iter().next().unwrap_or_default();
        Ok(text.known().map_or(Data::Unknown, Data::Known))
    }

    fn add_pieces(
        &mut self,
        pieces: &[WordPieceWithSource],
        quoted: bool,
        into: &mut Fields,
    ) -> Result<(), Stop> {
        for piece in pieces {
            self.add_piece(&piece.piece, quoted, into)?;
        }
        Ok(())
    }

    fn add_piece(
        &mut self,
        piece: &WordPiece,
        quoted: bool,
        into: &mut Fields,
    ) -> Result<(), Stop> {
        match piece {
            WordPiece::Text(text) if !quoted && has_groups(text) => {
                into.push(Part::Glob(without_groups(text)));
            }
            WordPiece::Text(text) if !quoted && glob::is_pattern(text) => {
                into.push(Part::Glob(text.clone()));
            }
            WordPiece::Text(text) | WordPiece::SingleQuotedText(text) => {
                into.push(Part::Fixed(text.clone()));
            }
            WordPiece::AnsiCQuotedText(text) => into.push(Part::Fixed(ansi_c(text))),
            WordPiece::EscapeSequence(text) => {
                let own = text.strip_prefix('\\').unwrap_or(text);
                into.push(Part::Fixed(own.trim_start_matches('\n').to_owned()));
            }
            WordPiece::DoubleQuotedSequence(inner)
            | WordPiece::GettextDoubleQuotedSequence(inner) => {
                let empty_list = matches!(inner.as_slice(), [only] if is_list(&only.piece));
                if !empty_list {
                    into.push(Part::Fixed(String::new()));
                }
                self.add_pieces(inner, true, into)?;
            }
            WordPiece::TildeExpansion(tilde) => {
                self.borrows = true;
                let home = self.tilde(tilde);
                into.append(&home);
            }
            WordPiece::ParameterExpansion(parameter) => {
                let values = self.parameter(parameter)?;
                self.add_values(&values, quoted, is_list(piece), into)?;
            }
            WordPiece::CommandSubstitution(code)
            | WordPiece::BackquotedCommandSubstitution(code) => {
                let value = self.substitute(code)?;
                self.borrows = true;
                self.add_values(&[value], quoted, false, into)?;
            }
            WordPiece::ArithmeticExpression(expression) => {
                let value = self.arithmetic(expression)?;
                into.append(&value);
            }
        }
        Ok(())
    }

    fn add_values(
        &mut self,
        values: &[Text],
        quoted: bool,
        is_list: bool,
        into: &mut Fields,
    ) -> Result<(), Stop> {
        let separators = self.shell.separators();
        for (index, value) in values.iter().enumerate() {
            self.budget.grow(value.bytes())?;
            if index > 0 {
                if !quoted || is_list {
                    into.end();
                } else {
                    into.push(Part::Fixed(" ".to_owned()));
                }
            }
            if quoted {
                into.append(&value.quoted());
            } else {
                split(value, &separators, into);
            }
        }
        Ok(())
    }

    /// What a substitution becomes: what it prints, without the newlines at the end.
    fn substitute(&mut self, code: &str) -> Result<Text, Stop> {
        let file = code.trim().strip_prefix('<').map(str::trim);
        let printed = match file {
            Some(file) if !file.starts_with(['(', '<']) => {
                let name = self.text(file)?;
                self.content(&name)?
            }
            _ => {
                let run = |engine: &mut Self| {
                    engine.apart(|engine| {
                        // Bash does not hand this on to where it substitutes.
                        engine.shell.ends_on_failure = false;
                        engine.source(code)
                    })
                };
                self.capture(run)?.1
            }
        };
        Ok(match printed {
            Data::Known(text) => Text::fixed(text.trim_end_matches('\n')),
            // Where only what is not looked at may be listed, nothing may be.
            Data::Lines(text) if text.trim_end() == OTHER_FILE => {
                Text::one_of(vec![String::new(), OTHER_FILE.to_owned()])
            }
            Data::Lines(text) => Text::one_of(text.lines().map(str::to_owned).collect()),
            Data::Unknown => Text::unknown(),
        })
    }

    /// A number, of which at least the substitutions in it are followed.
    pub(crate) fn arithmetic(
        &mut self,
        expression: &ast::UnexpandedArithmeticExpr,
    ) -> Result<Text, Stop> {
        if !is_balanced(&expression.value) {
            // `$((a); b)` runs commands, and the parser may take it for a number.
            return Err(Stop::NotShell("$(( that is no number".to_owned()));
        }
        let text = self.text(&expression.value)?;
        let number = text
            .known()
            .and_then(|text| text.trim().parse::<i64>().ok());
        Ok(number.map_or_else(Text::unknown, |number| Text::fixed(number.to_string())))
    }

    fn tilde(&self, tilde: &TildeExpr) -> Text {
        match tilde {
            TildeExpr::Home => self.variable_or_unknown("HOME"),
            TildeExpr::WorkingDir => self.working_directory(),
            TildeExpr::OldWorkingDir => self.previous_directory(),
            _ => Text::unknown(),
        }
    }

    pub(crate) fn working_directory(&self) -> Text {
        directories(&self.shell.directories)
    }

    pub(crate) fn previous_directory(&self) -> Text {
        directories(&self.shell.previous)
    }

    pub(crate) fn variable_or_unknown(&self, name: &str) -> Text {
        let value = self.shell.get(name);
        value.map_or_else(Text::unknown, |value| value.first())
    }

    /// What a file holds, as the command itself wrote it or as it is on disk.
    pub(crate) fn content(&mut self, name: &Text) -> Result<Data, Stop> {
        let Some(path) = name.known() else {
            return Ok(Data::Unknown);
        };
        let Some(Some(directory)) = self.shell.directories.first().cloned() else {
            return Ok(Data::Unknown);
        };
        self.spend()?;
        let named = directory.join(path);
        // Asked of the name: where it leads to here is our own input, not the command's.
        let input = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
        if input.iter().any(|input| named == Path::new(input)) {
            return Ok(self.stdin.clone());
        }
        let path = self.resolver().beyond_links(&named);
        if path == Path::new("/dev/null") {
            return Ok(Data::empty());
        }
        let written = self.shell.files.get(&path).cloned();
        let read = || self.tree.read(&path).map_or(Data::Unknown, Data::Known);
        Ok(written.unwrap_or_else(read))
    }
}

/// Whether every bracket that is closed was opened before.
fn is_balanced(expression: &str) -> bool {
    let mut open = 0_usize;
    expression.chars().all(|c| {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
        true
    })
}

/// Whether a piece stands for a list that quotes do not join: `"$@"`, `"${a[@]}"`, and what is
/// left of such a list or of each of its elements, as in `"${@:2}"` and `"${a[@]%.o}"`.
fn is_list(piece: &WordPiece) -> bool {
    use brush_parser::word::ParameterExpr as E;
    use brush_parser::word::{Parameter, SpecialParameter};
    let WordPiece::ParameterExpansion(expression) = piece else {
        return false;
    };
    let (E::Parameter { parameter, .. }
    | E::UseDefaultValues { parameter, .. }
    | E::Substring { parameter, .. }
    | E::RemoveSmallestSuffixPattern { parameter, .. }
    | E::RemoveLargestSuffixPattern { parameter, .. }
    | E::RemoveSmallestPrefixPattern { parameter, .. }
    | E::RemoveLargestPrefixPattern { parameter, .. }
    | E::ReplaceSubstring { parameter, .. }) = expression
    else {
        return false;
    };
    matches!(
        parameter,
        Parameter::Special(SpecialParameter::AllPositionalParameters { concatenate: false })
            | Parameter::NamedWithAllIndices {
                concatenate: false,
                ..
            }
    )
}

fn directories(all: &[Option<PathBuf>]) -> Text {
    let known: Option<Vec<String>> = all
        .iter()
        .map(|path| {
            path.as_ref()
                .map(|path| path.to_string_lossy().into_owned())
        })
        .collect();
    known.map_or_else(Text::unknown, Text::one_of)
}

fn pieces(word: &str) -> Result<Vec<WordPieceWithSource>, Stop> {
    word::parse(word, &ParserOptions::default()).map_err(|error| Stop::NotShell(error.to_string()))
}

/// Splits an unquoted value into fields.
fn split(value: &Text, separators: &str, into: &mut Fields) {
    for part in value.parts() {
        match part {
            Part::Fixed(text) | Part::Glob(text) => split_text(text, separators, into),
            Part::OneOf(texts) => {
                let mut words: Vec<String> = Vec::new();
                for text in texts {
                    let own = text.split(|c| separators.contains(c));
                    let own: Vec<_> = own.filter(|word| !word.is_empty()).collect();
                    // One that is nothing leaves what stands beside it as it is.
                    if own.is_empty() {
                        words.push(String::new());
                    }
                    words.extend(own.into_iter().map(str::to_owned));
                }
                into.append(&Text::one_of(words).unquoted());
            }
            Part::Unknown => into.push(Part::Unknown),
        }
    }
}

fn split_text(text: &str, separators: &str, into: &mut Fields) {
    let mut words = text.split(|c| separators.contains(c)).peekable();
    while let Some(word) = words.next() {
        if !word.is_empty() {
            into.append(&Text::fixed(word).unquoted());
        }
        if words.peek().is_some() {
            into.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_is_closed_only_if_one_is_open() {
        for balanced in ["", "1 + 2", "(1)", "((1) + (2))", "(("] {
            assert!(is_balanced(balanced), "{balanced}");
        }
        for unbalanced in [")", "(1))", "1) + (2", "(1)) + ("] {
            assert!(!is_balanced(unbalanced), "{unbalanced}");
        }
    }
}
