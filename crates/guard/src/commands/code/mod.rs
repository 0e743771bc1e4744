//! Code in other languages, read by what it calls and which names it mentions.
//!
//! No language is parsed. A call that does something to files does so to the paths that it is
//! told or is called on, if everything there is a string or a variable whose value is known;
//! otherwise to every path in its statement, and if it is told nothing that is known, to every
//! path that the whole program spells out or is given. A call that starts a process has its
//! words followed as a command.

mod aliases;
mod asked;
mod assembled;
mod calls;
mod deeds;
mod formats;
mod given;
mod giving;
mod handles;
mod holes;
mod imports;
mod joins;
mod launchers;
mod listings;
mod looks;
mod mentions;
mod missing;
mod names;
mod outline;
mod own_path;
mod pairs;
mod processes;
mod started;
mod temporary;
mod values;

use super::archives;
use super::literals::{Literal, literals};
use super::printing::base64;
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};
use calls::{CHANGING_DIRECTORY, EXTRACTING};
use deeds::{Deed, calls, deeds, opened_to_read};
pub(super) use given::Given;
use mentions::{Mention, between, is_read};
use names::Names;
use outline::{Outline, Span};

/// Where code comes from. A program in a file is long and works on many names of its own, so
/// that of what a call may mean without naming it only that counts which exists and is
/// protected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Inline,
    File,
    /// One of many files of a program. Only what a call names outright counts.
    Package,
}

/// Follows code that is given words and nothing to read.
pub(super) fn follow(
    engine: &mut Engine<'_>,
    code: &Data,
    arguments: &[Text],
    origin: Origin,
) -> Result<(), Stop> {
    let given = Given::new(engine, arguments);
    follow_given(engine, code, &given, origin)
}

/// Follows code.
pub(super) fn follow_given(
    engine: &mut Engine<'_>,
    code: &Data,
    given: &Given,
    origin: Origin,
) -> Result<(), Stop> {
    let Some(code) = code.text() else {
        if origin == Origin::Inline {
            engine.could_do_anything();
        }
        return Ok(());
    };
    let code = without_comments(&unwrapped(code));
    // A program in a file loads much that is long and its own.
    if origin == Origin::Inline {
        imports::follow(engine, &code)?;
    }
    let code = aliases::written_out(&code);
    let code = assembled::written_out(handles::written_out(code));
    engine.apart(|engine| {
        own_path::look_from_there(engine, &code, given.program.as_ref())?;
        Program::new(&code, given, origin).follow(engine)
    })
}

/// A program while it is followed.
struct Program<'p> {
    outline: Outline<'p>,
    given: &'p Given,
    origin: Origin,
    /// Whether it lists files, so that a name stands for everything beneath it.
    lists: bool,
    starts: processes::Manner,
    /// Where it opens something to read it.
    opened: Vec<Span>,
    /// Whether it finds files from where it stands itself.
    finds_itself: bool,
}

impl<'p> Program<'p> {
    fn new(code: &'p str, given: &'p Given, origin: Origin) -> Self {
        let outline = Outline::new(code);
        let all = (0, code.len());
        let lists = !calls(&outline, all, &outline.tables.listing).is_empty()
            || outline.literals.iter().any(|one| one.is_wildcard(code));
        Self {
            given,
            origin,
            lists,
            finds_itself: given.program.is_some() && own_path::is_asked_for(code),
            starts: processes::Manner {
                starting: processes::starting(&outline),
                runs_backquotes: given.runs_backquotes,
                only_known: origin == Origin::Package,
                guesses: origin == Origin::Inline,
            },
            opened: opened_to_read(&outline, all),
            outline,
        }
    }

    fn has(&self, span: Span, names: &[&'static str]) -> bool {
        !calls(&self.outline, span, names).is_empty()
    }

    fn follow(&self, engine: &mut Engine<'_>) -> Result<(), Stop> {
        let mut names = Names::new(self.given);
        // What is named anywhere is done once to from each directory.
        let mut done_anywhere: Vec<Action> = Vec::new();
        let mut nothing_until = 0;
        for span in self.outline.statements() {
            engine.spend()?;
            let mut span = (span.0.max(nothing_until), span.1);
            if span.0 >= span.1 {
                continue;
            }
            let mut mentioned = names.follow(engine, &self.outline, span)?;
            if let Some(behind) = names.ask(&self.outline, span) {
                // What the condition itself names is only looked at.
                span.0 = behind.min(span.1);
                mentioned = names.follow(engine, &self.outline, span)?;
            }
            let until = missing::nothing_until(engine, &self.outline, span, &mentioned)?;
            if let Some(until) = until {
                nothing_until = until;
                if until >= span.1 {
                    continue;
                }
                // What is left of it happens otherwise.
                span.0 = until;
                mentioned = names.follow(engine, &self.outline, span)?;
            }
            processes::start(
                engine,
                &self.outline,
                span,
                &mentioned,
                &names,
                &self.starts,
            )?;
            if self.has(span, CHANGING_DIRECTORY)
                && let Some(directory) = mentioned.first()
            {
                engine.call(&[Text::fixed("cd"), directory.text.clone()])?;
                done_anywhere.clear();
                continue;
            }
            if self.has(span, &["exec", "eval"]) {
                for literal in self.outline.within(span) {
                    let inner = Data::Known(literal.text.clone());
                    engine
                        .deeper(|engine| follow_given(engine, &inner, self.given, self.origin))?;
                }
            }
            if self.has(span, EXTRACTING) {
                let own = self.outline.within(span);
                let into = unpacked_into(self.outline.code, own);
                unpack(engine, &mentioned, into.as_ref())?;
            }
            let meant: Vec<&Mention> = mentioned.iter().filter(|one| self.is_meant(one)).collect();
            for deed in deeds(&self.outline, span) {
                engine.spend()?;
                let is_told = self.commit(engine, &deed, &names, &meant)?;
                if !is_told && !done_anywhere.contains(&deed.action) {
                    done_anywhere.push(deed.action);
                    self.touch_whatever_is_named(engine, deed.action)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a mention may be the name of what something is done to. In a program of many
    /// names of its own, one that could be anything is none.
    fn is_meant(&self, mention: &Mention) -> bool {
        let known = mention.text.known();
        let is_guess = known.is_none() && !mention.is_vague && self.origin != Origin::Inline;
        !mention.is_read && !is_guess && known.is_none_or(|text| is_path_like(&text))
    }

    /// Does to its targets what a call does. They are what the call names, if all of that is
    /// known, and otherwise whatever the statement names. Answers whether the call names any.
    fn commit(
        &self,
        engine: &mut Engine<'_>,
        deed: &Deed,
        names: &Names<'_>,
        meant: &[&Mention],
    ) -> Result<bool, Stop> {
        let told = deed.spans.iter().flat_map(|span| between(meant, *span));
        let (vague, told): (Vec<&Mention>, Vec<&Mention>) = told.partition(|one| one.is_vague);
        let is_known = vague.is_empty() && names.knows_all(&self.outline, &deed.spans);
        if !told.is_empty() && is_known {
            self.touch_all(engine, deed.action, &told)?;
            return Ok(true);
        }
        if self.origin == Origin::Package {
            return Ok(true);
        }
        let is_source = |mention: &Mention| mention.is_within(deed.source.as_slice());
        let others = meant.iter().filter(|one| !one.is_vague && !is_source(one));
        let others: Vec<&Mention> = others.copied().collect();
        self.touch_all(engine, deed.action, &others)?;
        Ok(!told.is_empty())
    }

    fn touch_all(
        &self,
        engine: &mut Engine<'_>,
        action: Action,
        mentions: &[&Mention],
    ) -> Result<(), Stop> {
        let mut mentions = mentions.to_vec();
        // Where files are listed, the name beside the steps may be a mere ending.
        if self.finds_itself && !self.lists {
            mentions = own_path::without_steps(action, mentions);
        }
        mentions
            .iter()
            .try_for_each(|mention| match &mention.pattern {
                Some(pattern) => listings::touch(engine, action, &mention.text, pattern),
                None => touch(engine, action, &mention.text, self.lists),
            })
    }

    /// Something is done to what is named elsewhere in the program, or is given to it.
    fn touch_whatever_is_named(&self, engine: &mut Engine<'_>, action: Action) -> Result<(), Stop> {
        let code = self.outline.code;
        let is_opened = |at: usize| {
            let index = self.opened.partition_point(|(from, _)| *from <= at);
            index
                .checked_sub(1)
                .is_some_and(|index| at < self.opened[index].1)
        };
        let written = self.outline.literals.iter().filter(|literal| {
            let is_read = is_opened(literal.start) || is_read(code, literal.start, literal.end);
            is_path_like(&literal.text) && !is_read
        });
        let written = written.map(|literal| Text::fixed(literal.text.as_str()));
        for target in written.chain(self.given.unnamed(code).cloned()) {
            engine.spend()?;
            if self.origin == Origin::Inline || is_protected(engine, &target)? {
                touch(engine, action, &target, self.lists)?;
            }
        }
        Ok(())
    }
}

/// Whether a word names something that exists and is protected.
fn is_protected(engine: &mut Engine<'_>, word: &Text) -> Result<bool, Stop> {
    if word.is_unknown() {
        return Ok(false);
    }
    let places = engine.places(word)?;
    Ok(places.iter().any(|place| match place {
        Place::At(path, _) => {
            let real = engine.resolver().beyond_links(path);
            engine.tree.kind(&real).is_some() && engine.protected.rule_of(&real).is_some()
        }
        Place::Like(_) => false,
    }))
}

/// Unpacks the one archive that a statement mentions and that can be read, or anything.
fn unpack(engine: &mut Engine<'_>, mentioned: &[Mention], into: Option<&Text>) -> Result<(), Stop> {
    let mut readable = Vec::new();
    for mention in mentioned {
        if archives::members_of(engine, &mention.text)?.is_some() {
            readable.push(&mention.text);
        }
    }
    match readable[..] {
        [archive] => archives::unpack_members(engine, into, archive),
        _ => archives::unpack(engine, into),
    }
}

/// Where an archive is unpacked, if that is said.
fn unpacked_into(code: &str, own: &[Literal]) -> Option<Text> {
    let into = |literal: &&Literal| {
        let before = code[..literal.start].trim_end();
        let starts = ["extractall(", "extractAllTo(", "path=", "extract_dir="];
        let is_second = before.ends_with(',') && code.contains("unpack_archive");
        starts.iter().any(|start| before.ends_with(start)) || is_second
    };
    own.iter()
        .find(into)
        .map(|literal| Text::fixed(literal.text.as_str()))
}

/// A string that may be the name of a file.
fn is_path_like(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.contains('\n')
        && text.len() < 4_096
        && !matches!(text, "w" | "a" | "r" | "wb" | "rb" | "utf8" | "utf-8")
}

fn touch(engine: &mut Engine<'_>, action: Action, target: &Text, lists: bool) -> Result<(), Stop> {
    let plain = target
        .known()
        .map(|text| text.trim_start_matches(['>', '<', '+', ' ']).to_owned());
    // What is put into a string is not known, but the directory before it is.
    let filled = plain.as_deref().and_then(|text| {
        let (before, _) = text.split_once(['{', '$'])?;
        Some(before.rsplit_once('/')?.0.to_owned())
    });
    let lists = lists || filled.is_some();
    let plain = filled.or(plain).map(Text::fixed);
    let target = plain.as_ref().unwrap_or(target);
    let takes_away = matches!(action, Action::Delete | Action::Rename);
    engine.guessing(|engine| match lists {
        false => engine.take_away(action, target, takes_away),
        true => touch_below(engine, action, target),
    })
}

/// Something is done to what a directory holds.
fn touch_below(engine: &mut Engine<'_>, action: Action, directory: &Text) -> Result<(), Stop> {
    for place in engine.places(&directory.unquoted())? {
        let target = match place {
            Place::At(path, _) => Target::Tree(engine.resolver().beyond_links(&path)),
            Place::Like(pattern) => Target::Like(pattern),
        };
        engine.note(action, target);
    }
    Ok(())
}

/// Code with those of its lines emptied that are remarks from their start.
fn without_comments(code: &str) -> String {
    let is_remark =
        |line: &&str| line.trim_start().starts_with(['#']) || line.trim_start().starts_with("//");
    let lines = code
        .split('\n')
        .map(|line| if is_remark(&line) { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// Code that is handed over in base64 is looked at as if it stood there.
fn unwrapped(code: &str) -> String {
    let mut all = code.to_owned();
    if code.contains("b64decode") || code.contains("base64") || code.contains("atob") {
        for literal in literals(code) {
            let decoded = base64(&literal.text).and_then(|bytes| String::from_utf8(bytes).ok());
            if let Some(decoded) = decoded {
                all.push('\n');
                all.push_str(&decoded);
            }
        }
    }
    all
}
