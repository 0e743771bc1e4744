//! Where a command reads from and writes to.

use std::path::PathBuf;

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect};

use super::{Engine, Place, Status};
use crate::effect::Action;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// The streams of one command, where they are not those of its shell.
#[derive(Default)]
pub(crate) struct Streams {
    input: Option<Data>,
    output: Option<Output>,
    /// Whether there may be nothing to read from, or to write to.
    pub(super) may_fail: bool,
}

/// Where the output goes.
enum Output {
    /// Into a file whose name is known, after what was there or instead of it.
    File(PathBuf, bool),
    /// Somewhere else.
    Elsewhere,
}

impl Engine<'_> {
    pub(crate) fn redirect(
        &mut self,
        redirect: &IoRedirect,
        streams: &mut Streams,
    ) -> Result<(), Stop> {
        match redirect {
            IoRedirect::HereDocument(_, document) => {
                streams.input = Some(if document.requires_expansion {
                    self.heredoc(&document.doc.value)?
                } else {
                    Data::Known(document.doc.value.clone())
                });
            }
            IoRedirect::HereString(_, word) => {
                let text = self.text(&word.value)?.known();
                streams.input = Some(text.map_or(Data::Unknown, |text| Data::Known(text + "\n")));
            }
            IoRedirect::OutputAndError(word, append) => {
                let name = self.text(&word.value)?;
                streams.may_fail |= !is_always_there(&name);
                self.write_to(&name, *append, true, streams)?;
            }
            IoRedirect::File(number, kind, target) => {
                self.redirect_file(*number, kind, target, streams)?;
            }
        }
        Ok(())
    }

    fn redirect_file(
        &mut self,
        number: Option<i32>,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        streams: &mut Streams,
    ) -> Result<(), Stop> {
        use IoFileRedirectKind as Kind;
        let name = match target {
            IoFileRedirectTarget::Filename(word) => {
                let fields = self.fields(&word.value)?;
                fields.into_iter().next().unwrap_or_default()
            }
            IoFileRedirectTarget::ProcessSubstitution(kind, subshell) => {
                self.process_substitution(kind, subshell)?
            }
            IoFileRedirectTarget::Duplicate(word) => {
                let text = self.text(&word.value)?;
                streams.may_fail |= !matches!(text.known().as_deref(), Some("1" | "2"));
                // `2`, `-` and `2-` are streams; anything else is the name of a file.
                let is_stream = text.known().is_none_or(|text| {
                    let number = text.trim_end_matches('-');
                    number.chars().all(|c| c.is_ascii_digit())
                });
                if is_stream {
                    return Ok(());
                }
                text
            }
            IoFileRedirectTarget::Fd(number) => {
                streams.may_fail |= !matches!(number, 1 | 2);
                return Ok(());
            }
        };
        streams.may_fail |= !is_always_there(&name);
        match kind {
            Kind::Read | Kind::DuplicateInput => {
                if number.unwrap_or(0) == 0 {
                    streams.input = Some(self.content(&name)?);
                }
                Ok(())
            }
            // Nothing is cut, but what is written goes over what is there. As the input it
            // is there to be read.
            Kind::ReadAndWrite if number.unwrap_or(0) == 0 => {
                streams.input = Some(self.content(&name)?);
                self.touch(Action::Append, &name)
            }
            Kind::ReadAndWrite => self.touch(Action::Overwrite, &name),
            Kind::Append => self.write_to(&name, true, number.unwrap_or(1) == 1, streams),
            Kind::Write | Kind::Clobber | Kind::DuplicateOutput => {
                self.write_to(&name, false, number.unwrap_or(1) == 1, streams)
            }
        }
    }

    fn write_to(
        &mut self,
        name: &Text,
        append: bool,
        is_output: bool,
        streams: &mut Streams,
    ) -> Result<(), Stop> {
        let action = if append {
            Action::Append
        } else {
            Action::Overwrite
        };
        let sign = if append { ">>" } else { ">" };
        let by = format!("{sign} {}", name.shown());
        let before = std::mem::replace(&mut self.doing, by);
        let touched = self.touch(action, name);
        self.doing = before;
        touched?;
        if is_output {
            let places = self.places(name)?;
            streams.output = Some(match places.as_slice() {
                [Place::At(path, _)] => Output::File(self.resolver().beyond_links(path), append),
                _ => Output::Elsewhere,
            });
        }
        Ok(())
    }

    /// Follows a command with streams of its own; what it writes to a file is remembered.
    pub(crate) fn with_streams(
        &mut self,
        streams: Streams,
        follow: impl FnOnce(&mut Self) -> Result<Status, Stop>,
    ) -> Result<Status, Stop> {
        let may_fail = streams.may_fail;
        let before = streams.input.map(|input| {
            let within = self.stdin_within.take();
            (std::mem::replace(&mut self.stdin, input), within)
        });
        let status = match streams.output {
            None => follow(self)?,
            Some(output) => {
                let (status, printed, within) = self.capture_within(follow)?;
                if let Output::File(path, append) = output {
                    let about = within
                        .filter(|_| !append)
                        .map(|within| (path.clone(), within));
                    self.remember(path, &printed, append);
                    self.shell.about.extend(about);
                }
                status
            }
        };
        if let Some((before, within)) = before {
            self.stdin = before;
            self.stdin_within = within;
        }
        Ok(status.filter(|succeeds| !succeeds || !may_fail))
    }

    pub(crate) fn remember(&mut self, path: PathBuf, printed: &Data, append: bool) {
        let mut content = if append {
            let on_disk = || self.tree.read(&path).map_or(Data::Unknown, Data::Known);
            self.shell.files.get(&path).cloned().unwrap_or_else(on_disk)
        } else {
            Data::empty()
        };
        content.add(printed);
        self.shell.files.insert(path, content);
    }
}

/// Whether something can be read from and written to wherever a command runs.
fn is_always_there(name: &Text) -> bool {
    let name = name.known();
    matches!(
        name.as_deref(),
        Some("/dev/null" | "/dev/stdout" | "/dev/stderr")
    )
}
