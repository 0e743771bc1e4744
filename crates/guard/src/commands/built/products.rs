//! Programs that are built first and run by a name of their own afterwards.

use std::path::{Path, PathBuf};

use super::super::{Options, code, loaded};
use super::follow;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// What a product is called where nobody says.
#[derive(Clone, Copy)]
enum Called {
    /// `a.out`.
    Always(&'static str),
    /// As its first source is, without the ending.
    AsSource,
}

struct Compiler {
    names: &'static [&'static str],
    /// The word that asks for it, where there is one.
    verbs: &'static [&'static str],
    endings: &'static [&'static str],
    called: Called,
}

const C: &[&str] = &[".c", ".cc", ".cpp", ".cxx", ".C", ".m"];

const COMPILERS: &[Compiler] = &[
    Compiler {
        names: &["gcc", "cc", "clang", "tcc", "g++", "c++", "clang++"],
        verbs: &[],
        endings: C,
        called: Called::Always("a.out"),
    },
    Compiler {
        names: &["go"],
        verbs: &["build"],
        endings: &[".go"],
        called: Called::AsSource,
    },
    Compiler {
        names: &[
            "rustc",
            "swiftc",
            "ghc",
            "dmd",
            "ldc2",
            "ocamlfind",
            "ocamlopt",
        ],
        verbs: &[],
        endings: &[".rs", ".swift", ".hs", ".d", ".ml"],
        called: Called::AsSource,
    },
    Compiler {
        names: &["crystal", "nim", "zig", "dart"],
        verbs: &["build", "c", "compile", "build-exe", "exe"],
        endings: &[".cr", ".nim", ".zig", ".dart", ".c"],
        called: Called::AsSource,
    },
];

/// Remembers what a compiler makes of which sources. The last time counts.
pub(super) fn remember(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<(), Stop> {
    let Some(compiler) = COMPILERS.iter().find(|own| own.names.contains(&name)) else {
        return Ok(());
    };
    let options = Options::parse(words, &["-o", "--output", "-I", "-L", "-l", "-C", "-O"]);
    let is_source = |word: &&Text| {
        let end = word.known_end();
        compiler.endings.iter().any(|ending| end.ends_with(ending))
    };
    let mut operands = options.operands.iter().filter_map(Text::known);
    let is_asked =
        compiler.verbs.is_empty() || operands.any(|word| compiler.verbs.contains(&word.as_str()));
    let sources: Vec<Text> = options.operands.iter().filter(is_source).cloned().collect();
    let Some(first) = sources.first().filter(|_| is_asked) else {
        return Ok(());
    };
    let called = match compiler.called {
        Called::Always(name) => Text::fixed(name),
        Called::AsSource => {
            let source = first.known().unwrap_or_default();
            let stem = Path::new(&source).file_stem().unwrap_or_default();
            Text::fixed(stem.to_string_lossy())
        }
    };
    let product = options.value(&["-o", "--output"]).unwrap_or(&called);
    let mut paths: Vec<PathBuf> = Vec::new();
    for source in &sources {
        paths.extend(reached(engine, source)?);
    }
    for path in reached(engine, product)? {
        engine.shell.built.insert(path, paths.clone());
    }
    Ok(())
}

/// Follows the sources of a program that was built on the way and is run by its path.
pub(in crate::commands) fn run(
    engine: &mut Engine<'_>,
    name: &Text,
    words: &[Text],
) -> Result<(), Stop> {
    if engine.shell.built.is_empty() {
        return Ok(());
    }
    for path in reached(engine, name)? {
        let sources = engine.shell.built.get(&path).cloned().unwrap_or_default();
        for source in sources {
            let source = Text::fixed(source.to_string_lossy());
            let origin = match loaded::is_written_here(engine, &source)? {
                true => code::Origin::Inline,
                false => code::Origin::Package,
            };
            let text = engine.content(&source)?;
            if text.text().is_some() {
                engine.deeper(|engine| follow(engine, &text, Some(&source), words, origin))?;
            }
        }
    }
    Ok(())
}

fn reached(engine: &mut Engine<'_>, word: &Text) -> Result<Vec<PathBuf>, Stop> {
    let places = engine.places(word)?.into_iter();
    let paths = places.filter_map(|place| match place {
        Place::At(path, _) => Some(path),
        Place::Like(_) => None,
    });
    let paths: Vec<PathBuf> = paths.collect();
    let resolver = engine.resolver();
    Ok(paths
        .iter()
        .map(|path| resolver.beyond_links(path))
        .collect())
}
