//! Programs that rewrite files in place: formatters, and linters that fix what they find.
//!
//! They take directories and wildcards of their own, and rewrite what is of their kind in them.

use std::path::{Path, PathBuf};

use super::{Options, touch_all, touch_if_protected};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;
use crate::tree::Kind;

struct Formatter {
    names: &'static [&'static str],
    /// How the names of files end that it rewrites in a directory.
    endings: &'static [&'static str],
    writes: Writes,
}

/// When it writes.
#[derive(Clone, Copy)]
enum Writes {
    /// Only with one of the options that say so.
    Asked,
    /// Unless it is told only to look.
    Always,
}

const ASKED: &[&str] = &[
    "--write",
    "-w",
    "-i",
    "--fix",
    "--inplace",
    "--in-place",
    "--write-changes",
    "--apply",
    "-b",
];

const ONLY_LOOKS: &[&str] = &["--check", "--diff", "--check-only"];

const SCRIPTS: &[&str] = &[".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue"];

const FORMATTERS: &[Formatter] = &[
    Formatter {
        names: &["prettier", "dprint"],
        endings: &[
            ".md", ".mdx", ".json", ".yaml", ".yml", ".toml", ".html", ".css", ".scss", ".less",
            ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".vue", ".graphql",
        ],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["markdownlint", "markdownlint-cli2"],
        endings: &[".md", ".markdown"],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["mdformat"],
        endings: &[".md"],
        writes: Writes::Always,
    },
    Formatter {
        names: &["biome"],
        endings: &[".json", ".css", ".js", ".jsx", ".ts", ".tsx"],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["eslint", "xo", "standard"],
        endings: SCRIPTS,
        writes: Writes::Asked,
    },
    Formatter {
        names: &["codespell", "typos", "textlint"],
        endings: &[""],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["ruff"],
        endings: &[".py", ".pyi"],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["gofmt", "goimports"],
        endings: &[".go"],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["shfmt"],
        endings: &[".sh", ".bash"],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["taplo"],
        endings: &[".toml"],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["clang-format", "yq", "stylelint", "perltidy"],
        endings: &[],
        writes: Writes::Asked,
    },
    Formatter {
        names: &["black", "isort"],
        endings: &[".py", ".pyi"],
        writes: Writes::Always,
    },
    Formatter {
        names: &["rustfmt", "csscomb"],
        endings: &[],
        writes: Writes::Always,
    },
];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    let Some(formatter) = FORMATTERS.iter().find(|own| own.names.contains(&name)) else {
        return Ok(false);
    };
    let outputs = ["-o", "--output-file"];
    let valued: &[&str] = match formatter.writes {
        Writes::Asked => &["-o", "--output-file", "--config", "-c", "--rules"],
        Writes::Always => &["-l", "--line-length", "--config"],
    };
    let options = Options::parse(words, valued);
    touch_all(engine, Action::Overwrite, options.values(&outputs))?;
    let writes = match formatter.writes {
        Writes::Asked => options.has(ASKED),
        Writes::Always => !options.has(ONLY_LOOKS),
    };
    if !writes {
        return Ok(true);
    }
    let mut kept = Vec::new();
    for operand in &options.operands {
        let start = operand.known_start();
        if start.starts_with(['!', '#']) {
            kept.extend(meant_by(engine, &operand.without_start(1))?);
        }
    }
    for operand in &options.operands {
        engine.touch(Action::Overwrite, operand)?;
        touch_if_protected(engine, operand)?;
        for path in meant_by(engine, operand)? {
            let is_kept = kept.iter().any(|kept| path.starts_with(kept));
            if is_kept {
                continue;
            }
            rewrite(engine, formatter, &path);
        }
    }
    Ok(true)
}

/// The paths that a word means to a program that matches wildcards itself, at any depth.
fn meant_by(engine: &mut Engine<'_>, word: &Text) -> Result<Vec<PathBuf>, Stop> {
    if let Some(wildcard) = word.known().filter(|known| crate::glob::is_pattern(known)) {
        return Ok(engine.protected_matching(&wildcard));
    }
    let places = engine.places(word)?.into_iter();
    let at = places.filter_map(|place| match place {
        Place::At(path, _) => Some(engine.resolver().beyond_links(&path)),
        Place::Like(_) => None,
    });
    Ok(at.collect())
}

/// A file is rewritten, and of a directory what is of the right kind.
fn rewrite(engine: &mut Engine<'_>, formatter: &Formatter, path: &Path) {
    if engine.tree.kind(path) != Some(Kind::Directory) {
        engine.note(Action::Overwrite, Target::Path(path.to_owned()));
        return;
    }
    for found in engine.everything() {
        let name = found.to_string_lossy();
        let is_its_kind = formatter.endings.iter().any(|end| name.ends_with(end));
        let is_file = engine.tree.kind(&found) == Some(Kind::File);
        if found.starts_with(path) && is_its_kind && is_file {
            engine.note(Action::Overwrite, Target::Path(found));
        }
    }
}
