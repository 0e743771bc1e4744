//! Programs that one line describes: which of their words are files that they write.

use super::{Options, readers, touch_all};
use crate::effect::Action;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// What a program does to its operands.
#[derive(Clone, Copy)]
enum Operands {
    /// Reads them, or does not take files at all.
    Read,
    /// Replaces the content of each.
    Overwritten,
    /// Writes the last, if there are at least so many.
    LastOfAtLeast(usize),
    /// Changes permissions or owners; the first operand is not a file.
    ModeChanged,
}

struct Program {
    names: &'static [&'static str],
    operands: Operands,
    /// Options whose value is a file that is written.
    outputs: &'static [&'static str],
    /// Other options with a value.
    valued: &'static [&'static str],
}

const fn program(
    names: &'static [&'static str],
    operands: Operands,
    outputs: &'static [&'static str],
    valued: &'static [&'static str],
) -> Program {
    Program {
        names,
        operands,
        outputs,
        valued,
    }
}

const PROGRAMS: &[Program] = &[
    program(
        &["sort", "gsort", "shuf", "gshuf", "sdiff"],
        Operands::Read,
        &["-o", "--output"],
        &["-k", "-t", "-S", "-T", "-n", "-i", "-w", "--random-source"],
    ),
    program(
        &["uniq", "xxd"],
        Operands::LastOfAtLeast(2),
        &[],
        &["-f", "-s", "-w", "-l", "-c", "-g", "-o"],
    ),
    program(
        &["objcopy", "llvm-objcopy"],
        Operands::LastOfAtLeast(1),
        &[],
        &["-O", "-I", "-j", "-R", "-B"],
    ),
    program(
        &[
            "strip", "dos2unix", "unix2dos", "indent", "autopep8", "patchelf",
        ],
        Operands::Overwritten,
        &["-o"],
        &[],
    ),
    program(
        &[
            "gcc",
            "g++",
            "cc",
            "c++",
            "clang",
            "clang++",
            "ld",
            "as",
            "rustc",
            "tsc",
            "ghc",
            "ocamlfind",
            "nasm",
            "go",
            "swiftc",
            "dot",
            "pandoc",
            "rst2html",
            "protoc",
            "bison",
            "flex",
            "yacc",
            "m4",
            "iconv",
            "gpg",
            "age",
            "xsltproc",
            "esbuild",
            "nm",
            "ldd",
        ],
        Operands::Read,
        &["-o", "--output", "--outfile", "--out", "-MF", "-Map", "-MJ"],
        &["-x", "-I", "-L", "-l", "-D", "-t"],
    ),
    program(
        &["openssl"],
        Operands::Read,
        &["-out", "-keyout", "-writerand"],
        &["-in", "-key", "-passin", "-passout", "-subj", "-config"],
    ),
    program(
        &["ssh-keygen"],
        Operands::Read,
        &["-f"],
        &["-t", "-b", "-N", "-C", "-P", "-m", "-a"],
    ),
    program(
        &["wget"],
        Operands::Read,
        &["-O", "--output-document", "-o", "--output-file"],
        &["-P", "-U", "-t", "-T", "--header"],
    ),
    program(
        &[
            "chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr", "chcon", "xattr",
        ],
        Operands::ModeChanged,
        &[],
        &["--reference", "-m", "-x", "-n", "-v"],
    ),
    program(
        &["ffmpeg", "convert", "magick", "cwebp", "sox", "qpdf", "gs"],
        Operands::LastOfAtLeast(2),
        &["-o"],
        &[],
    ),
    // Clients of databases, whose operands are names of databases.
    program(
        &["psql", "pgcli", "mysql", "mariadb", "mycli"],
        Operands::Read,
        &["-o", "--output", "-L", "--log-file", "--tee", "--logfile"],
        &[
            "-c", "-d", "-U", "-h", "-p", "-v", "-f", "-e", "-u", "-P", "-D",
        ],
    ),
    program(
        &[
            "pg_dump",
            "pg_dumpall",
            "mysqldump",
            "mariadb-dump",
            "mongodump",
        ],
        Operands::Read,
        &["-f", "--file", "-r", "--result-file", "-o", "--out"],
        &[
            "-d", "-U", "-h", "-p", "-u", "-P", "-t", "-n", "-F", "--format",
        ],
    ),
    program(
        &["split", "csplit"],
        Operands::LastOfAtLeast(2),
        &[],
        &["-b", "-l", "-n", "-C", "-a"],
    ),
    program(
        &["jq", "gron", "xmllint"],
        Operands::Read,
        &["--output"],
        &[
            "--arg",
            "--argjson",
            "-f",
            "--indent",
            "--slurpfile",
            "--rawfile",
        ],
    ),
];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if name == "mkdir" {
        return make_directories(engine, words).map(|()| true);
    }
    if readers::contains(name) {
        return Ok(true);
    }
    let Some(program) = PROGRAMS
        .iter()
        .find(|program| program.names.contains(&name))
    else {
        return Ok(false);
    };
    let valued: Vec<&str> = program
        .outputs
        .iter()
        .chain(program.valued)
        .copied()
        .collect();
    let options = Options::parse(words, &valued);
    touch_all(engine, Action::Overwrite, options.values(program.outputs))?;
    match program.operands {
        Operands::Read => {}
        Operands::Overwritten => touch_all(engine, Action::Overwrite, &options.operands)?,
        Operands::LastOfAtLeast(count) => {
            if options.operands.len() >= count {
                touch_all(engine, Action::Overwrite, options.operands.last())?;
            }
        }
        Operands::ModeChanged => {
            touch_all(engine, Action::ChangeMode, options.operands.iter().skip(1))?;
        }
    }
    Ok(true)
}

/// New directories are remembered, so that going there is known to succeed.
fn make_directories(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    for operand in Options::parse(words, &["-m", "--mode"]).operands {
        for place in engine.places(&operand)? {
            if let Place::At(path, _) = place {
                let resolver = engine.resolver();
                let made = [resolver.beyond_links(&path), resolver.made(&path)];
                engine.shell.made.extend(made);
            }
        }
    }
    Ok(())
}
