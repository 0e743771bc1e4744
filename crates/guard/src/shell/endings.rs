//! How a shell ends, and the code that `trap` keeps for then.

use super::{Engine, Status};
use crate::effect::Target;
use crate::stop::Stop;
use crate::text::{Data, Text};

/// What is followed where a shell ends, and not before.
const AT_THE_END: &str = "EXIT";

impl Engine<'_> {
    /// `trap CODE SIGNAL…`. What is kept for the end is followed there, with the directory and
    /// the variables that the shell has then. A signal, or a failure, may come at any time:
    /// what is kept for that is followed at once as well.
    pub(super) fn trap(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        let dashes = arguments.first().and_then(Text::known).as_deref() == Some("--");
        let words = &arguments[usize::from(dashes)..];
        let Some((code, signals)) = words.split_first() else {
            return Ok(None);
        };
        let is_option = matches!(code.known().as_deref(), Some("-p" | "-l" | "-P"));
        if is_option || signals.is_empty() {
            // A signal alone is one that nothing is kept for any more.
            let freed = signals.is_empty().then(|| signal(code));
            self.shell
                .traps
                .retain(|name, _| Some(name) != freed.as_ref());
            return Ok(None);
        }
        let is_taken_back = matches!(code.known().as_deref(), Some("-" | ""));
        let mut is_sudden = false;
        for signal in signals.iter().map(signal) {
            if is_taken_back {
                self.shell.traps.remove(&signal);
                continue;
            }
            is_sudden |= signal != AT_THE_END;
            self.shell.traps.insert(signal, vec![code.clone()]);
        }
        if is_sudden {
            // It may also change what this shell has set.
            self.shell.own = None;
            self.imagine(code)?;
        }
        Ok(None)
    }

    fn kept_code(&mut self, code: &Text) -> Result<(), Stop> {
        match code.known() {
            Some(known) => self.source_data(&Data::Known(known)).map(drop),
            None => self.code(code).map(drop),
        }
    }

    /// What code would do now, with nothing changed by it. Names that are not known yet say
    /// nothing: it is followed again at the end, when they are.
    fn imagine(&mut self, code: &Text) -> Result<(), Stop> {
        let before = self.shell.clone();
        let told = self.effects.len();
        self.shell.traps.clear();
        let result = self.capture(|engine| engine.kept_code(code).map(|()| None));
        self.shell = before;
        let later = self.effects.split_off(told.min(self.effects.len()));
        let is_certain = |target: &Target| !matches!(target, Target::Like(_));
        let certain = later.into_iter().filter(|one| is_certain(&one.target));
        self.effects.extend(certain);
        result.map(drop)
    }

    /// `exit`: nothing behind it is reached.
    pub(super) fn exit(&mut self, arguments: &[Text]) -> Result<Status, Stop> {
        // Of several numbers none is taken, and it may go on.
        if arguments.len() > 1 {
            return Ok(None);
        }
        let kept = self.shell.traps.get(AT_THE_END).cloned();
        for code in kept.iter().flatten() {
            self.imagine(code)?;
        }
        self.shell.has_ended = true;
        Ok(None)
    }

    /// A shell ends, and what it has kept for that comes last.
    pub(crate) fn end(&mut self) -> Result<(), Stop> {
        for code in std::mem::take(&mut self.shell.traps).values().flatten() {
            self.shell.has_ended = false;
            self.kept_code(code)?;
        }
        Ok(())
    }
}

/// A signal by one of its names. One that is not known may be the end as well.
fn signal(word: &Text) -> String {
    let name = word.known().map(|name| name.to_uppercase());
    match name
        .as_deref()
        .map(|name| name.strip_prefix("SIG").unwrap_or(name))
    {
        None | Some("0") => AT_THE_END.to_owned(),
        Some(name) => name.to_owned(),
    }
}
