//! What the tools of another system say, which counts in the way of working that
//! comes from it, or where somebody has imported it, and nowhere else.
//!
//! A repository's file may only tighten. What a person has vouched for counts as
//! their own, for as long as nobody changes a byte of it.
//!
//! Which way of working rules is known only when the circuit is, under its lock,
//! and files are read before that. So everything is read for all of them, and kept
//! with whatever is wrong with it: a broken file of a tool that nobody asked for
//! must not stop anything.

use std::path::Path;

use fusebox_core::journal::ImportedFile;
use fusebox_core::policy::{Policy, Preset, ThresholdEdits};
use fusebox_seeds::ralph::RC_FILE;

use super::layer::{Document, Layer, Source};
use super::{MOST_BYTES, block, environment, ralphrc};
use crate::digest::sha256;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use crate::text_file;

/// One source of settings.
#[derive(Clone, Debug)]
pub(super) struct Voice {
    audience: Audience,
    source: Source,
    said: Result<Layer, Failure>,
    /// The file it is, if it is one.
    file: Option<VoiceFile>,
}

/// Who listens to a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Audience {
    /// One way of working.
    Preset(Preset),
    /// Whoever has imported it.
    Importers,
}

/// A file of the repository, and what it would say if a person vouched for it.
#[derive(Clone, Debug)]
struct VoiceFile {
    path: &'static str,
    digest: String,
    trusted: Option<Layer>,
}

/// All that is said for the workspace at `root`, by variables as well where they count.
pub(super) fn voices(root: &Path, variables: bool) -> Vec<Voice> {
    let mut voices = Vec::new();
    for preset in Preset::ALL {
        let policy = Policy::of(preset);
        let audience = Audience::Preset(preset);
        if let Some(companion) = policy.companion {
            voices.extend(project(root, audience, companion.config, block::parse));
        }
        let heeded = match variables {
            true => policy.variables,
            false => &[],
        };
        let said = environment::of_others(heeded).transpose();
        voices.extend(said.map(|said| Voice {
            audience,
            source: Source::Environment,
            said,
            file: None,
        }));
    }
    let parse = |document, source| Ok(ralphrc::parse(document, source));
    voices.extend(project(root, Audience::Importers, RC_FILE, parse));
    voices
}

/// The same, later in a run. What a repository's file said at first stays in
/// force beside what it says now, as it does for the one of our own.
pub(super) fn reread(before: &[Voice], root: &Path) -> Vec<Voice> {
    let mut now = voices(root, true);
    let audiences = Preset::ALL.map(Audience::Preset);
    for audience in audiences.into_iter().chain([Audience::Importers]) {
        let is_file =
            |voice: &&Voice| voice.audience == audience && voice.source == Source::Project;
        let Some(first) = before.iter().find(is_file) else {
            continue;
        };
        if !now.iter().filter(is_file).any(|voice| voice.agrees(first)) {
            now.insert(0, first.clone());
        }
    }
    now
}

/// What is said in one way of working, to somebody who has imported some of it.
pub(super) fn layers<'a>(
    voices: &'a [Voice],
    preset: Preset,
    imported: &[ImportedFile],
) -> Result<Vec<&'a Layer>, Failure> {
    let heard = voices.iter().filter(|voice| match voice.audience {
        Audience::Preset(theirs) => theirs == preset,
        Audience::Importers => voice.imported(imported).is_some(),
    });
    // Where nothing may be relaxed, nobody can vouch for that either.
    let rigid = Policy::of(preset).edits == ThresholdEdits::TightenOnly;
    let vouched = if rigid { &[] } else { imported };
    heard.map(|voice| voice.layer(vouched)).collect()
}

impl Voice {
    /// The file, as somebody imports it who does not vouch for it.
    pub(super) fn as_imported(&self) -> Option<ImportedFile> {
        let file = self.file.as_ref()?;
        Some(ImportedFile {
            path: file.path.to_owned(),
            digest: file.digest.clone(),
            trusted: false,
        })
    }

    fn imported<'a>(&self, imported: &'a [ImportedFile]) -> Option<&'a ImportedFile> {
        let file = self.file.as_ref()?;
        imported.iter().find(|known| known.path == file.path)
    }

    /// What it says. A person's word for a file is for the file that they saw.
    fn layer(&self, imported: &[ImportedFile]) -> Result<&Layer, Failure> {
        let vouched = self.imported(imported).zip(self.file.as_ref());
        let trusted = vouched.and_then(|(known, file)| {
            let same = known.trusted && known.digest == file.digest;
            file.trusted.as_ref().filter(|_| same)
        });
        match trusted {
            Some(layer) => Ok(layer),
            None => self.said.as_ref().map_err(Failure::clone),
        }
    }

    fn agrees(&self, other: &Self) -> bool {
        match (&self.said, &other.said) {
            (Ok(one), Ok(other)) => one.settings == other.settings,
            _ => false,
        }
    }
}

fn project(
    root: &Path,
    audience: Audience,
    path: &'static str,
    parse: impl Fn(Document, Source) -> Result<Layer, Failure>,
) -> Option<Voice> {
    let place = root.join(path);
    let voice = |said, file| Voice {
        audience,
        source: Source::Project,
        said,
        file,
    };
    match text_file::read_beneath(root, Path::new(path), MOST_BYTES) {
        Ok(None) => None,
        Ok(Some(text)) => {
            let digest = sha256(&text);
            let document = Document { path: place, text };
            let trusted = parse(document.clone(), Source::User).ok();
            let file = VoiceFile {
                path,
                digest,
                trusted,
            };
            Some(voice(parse(document, Source::Project), Some(file)))
        }
        Err(why) => {
            let what = format!("{}: {why}", shown(&place));
            Some(voice(Err(Failure::new(exit::CONFIG, what)), None))
        }
    }
}
