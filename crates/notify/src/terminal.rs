//! Notifications that a terminal makes when it is told to.
//!
//! They reach a person through a remote shell, where no desktop is. A terminal
//! that knows two of the sequences would show two notifications, so exactly
//! one is sent: the one that the terminal at hand is known to understand. One
//! that is not known is sent the bell, which every terminal understands.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::os::fd::BorrowedFd;

use crate::failure::{Failure, Unavailable};
use crate::message::Message;

/// What a terminal understands, as far as its environment tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalKind {
    /// `OSC 9`: one text. iTerm2, Warp, the terminals of VS Code.
    Osc9,
    /// `OSC 777`: title and body. foot, Ghostty, `WezTerm`, urxvt.
    Osc777,
    /// `OSC 99`: title, body and how urgent it is. kitty.
    Osc99,
    /// tmux: wrapped for the terminal around it, in the sequence that most of
    /// those understand, and a bell for tmux itself, which only hands wrapped
    /// text on if its user has set `allow-passthrough`.
    Tmux,
    /// The bell alone.
    Bell,
}

impl TerminalKind {
    /// Told from the variables `TERM`, `TERM_PROGRAM` and `TMUX`; `None` for a
    /// terminal that understands nothing.
    #[must_use]
    pub fn told_by(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        if term.is_empty() || term == "dumb" {
            return None;
        }
        if variable("TMUX").is_some_and(|tmux| !tmux.is_empty()) {
            return Some(Self::Tmux);
        }
        let knows_777 = ["rxvt", "foot", "xterm-ghostty", "wezterm"];
        Some(match program.as_str() {
            "iTerm.app" | "WarpTerminal" | "vscode" => Self::Osc9,
            "ghostty" | "WezTerm" => Self::Osc777,
            _ if term == "xterm-kitty" => Self::Osc99,
            _ if knows_777.iter().any(|known| term.starts_with(known)) => Self::Osc777,
            _ => Self::Bell,
        })
    }
}

/// A terminal that is written to beside everything else that is shown there.
#[derive(Debug)]
pub struct Terminal {
    device: File,
    kind: TerminalKind,
}

impl Terminal {
    /// Takes a descriptor that is a terminal, usually that of stderr.
    ///
    /// # Errors
    ///
    /// When it is none: a file or a pipe must never receive such sequences.
    pub fn on(device: BorrowedFd<'_>, kind: TerminalKind) -> Result<Self, Unavailable> {
        let unavailable = |why: String| Unavailable {
            sink: "terminal notifications",
            why,
        };
        if !device.is_terminal() {
            return Err(unavailable("nobody looks at a terminal".into()));
        }
        let device = device
            .try_clone_to_owned()
            .map_err(|error| unavailable(format!("cannot keep the terminal open: {error}")))?;
        Ok(Self {
            device: device.into(),
            kind,
        })
    }

    pub(crate) fn deliver(&self, message: &Message) -> Result<(), Failure> {
        // One write, so that other output comes before or after it.
        (&self.device)
            .write_all(sequence(self.kind, message).as_bytes())
            .map_err(|error| Failure::lasting(format!("cannot write to the terminal: {error}")))
    }
}

/// What is written. Texts in a message hold no control characters, so none
/// can end the sequence early. The headline begins with our name, so that no
/// title such as `4;1;50` makes `OSC 9` a progress bar.
fn sequence(kind: TerminalKind, message: &Message) -> String {
    let title = message.headline();
    let body = message.lines().join(" · ");
    let both = if body.is_empty() {
        title.clone()
    } else {
        format!("{title} · {body}")
    };
    match kind {
        TerminalKind::Osc9 => format!("\x1b]9;{both}\x07"),
        TerminalKind::Osc777 => {
            // A semicolon would end the title.
            format!("\x1b]777;notify;{};{body}\x07", title.replace(';', ","))
        }
        // The two parts belong together by their id, which must be of plain letters.
        TerminalKind::Osc99 => {
            let (id, urgency) = (&message.id, message.notice.severity as u8);
            format!(
                "\x1b]99;i={id}:d=0:u={urgency};{title}\x1b\\\x1b]99;i={id}:d=1:p=body;{body}\x1b\\"
            )
        }
        TerminalKind::Tmux => format!("\x1bPtmux;\x1b\x1b]9;{both}\x07\x1b\\\x07"),
        TerminalKind::Bell => "\x07".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::notice::{Kind, Notice};

    #[test]
    fn each_terminal_is_told_in_its_own_words() {
        let mut notice = Notice::new(Kind::Tripped, "4;1;50\x07\x1b]52;c;x", 0);
        notice.body = "one\ntwo\u{9c}".into();
        let message = Message::new("msg_1".into(), &notice);
        let title = r"fusebox: 4;1;50\x07\x1b]52;c;x";
        let body = r"one · two\u{9c}";
        for (kind, expected) in [
            (TerminalKind::Osc9, format!("\x1b]9;{title} · {body}\x07")),
            (
                TerminalKind::Osc777,
                format!("\x1b]777;notify;{};{body}\x07", title.replace(';', ",")),
            ),
            (
                TerminalKind::Tmux,
                format!("\x1bPtmux;\x1b\x1b]9;{title} · {body}\x07\x1b\\\x07"),
            ),
            (
                TerminalKind::Osc99,
                format!(
                    "\x1b]99;i=msg_1:d=0:u=2;{title}\x1b\\\x1b]99;i=msg_1:d=1:p=body;{body}\x1b\\"
                ),
            ),
            (TerminalKind::Bell, "\x07".into()),
        ] {
            assert_eq!(sequence(kind, &message), expected, "{kind:?}");
        }
    }

    #[test]
    fn the_environment_tells_the_kind() {
        for (term, program, tmux, kind) in [
            ("", "", "", None),
            ("dumb", "iTerm.app", "", None),
            ("xterm-256color", "", "", Some(TerminalKind::Bell)),
            ("xterm-256color", "iTerm.app", "", Some(TerminalKind::Osc9)),
            ("xterm-kitty", "", "", Some(TerminalKind::Osc99)),
            ("foot", "", "", Some(TerminalKind::Osc777)),
            ("xterm-256color", "WezTerm", "", Some(TerminalKind::Osc777)),
            (
                "tmux-256color",
                "tmux",
                "/tmp/t,1,0",
                Some(TerminalKind::Tmux),
            ),
        ] {
            let told = TerminalKind::told_by(|name| {
                let value = match name {
                    "TERM" => term,
                    "TERM_PROGRAM" => program,
                    _ => tmux,
                };
                (!value.is_empty()).then(|| value.to_owned())
            });
            assert_eq!(told, kind, "{term} {program} {tmux}");
        }
    }

    #[test]
    fn a_file_never_receives_a_sequence() {
        let file = tempfile::tempfile().unwrap();
        let error = Terminal::on(file.as_fd(), TerminalKind::Osc9).unwrap_err();
        assert_eq!(error.sink, "terminal notifications");
    }
}
