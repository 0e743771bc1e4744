//! Programs that take names away: `rm` and its kin.

use super::{Options, touch_all};
use crate::effect::Action;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "rm" | "grm" | "srm" => {
            let options = Options::parse(words, &[]);
            if options.has(&["--help", "--version"]) {
                return Ok(true);
            }
            let recursive = options.has(&["-r", "-R", "--recursive", "-d", "--dir"]);
            remove(engine, &options.operands, recursive)?;
        }
        "rimraf" | "del" | "del-cli" | "trash" | "trash-put" | "gtrash" | "rip" => {
            remove(engine, &Options::parse(words, &[]).operands, true)?;
        }
        "rmdir" | "unlink" => {
            let options = Options::parse(words, &[]);
            remove(engine, &options.operands, false)?;
            if options.has(&["-p", "--parents"]) {
                remove(engine, &options.operands, true)?;
            }
        }
        "shred" => {
            let options = Options::parse(
                words,
                &["-n", "-s", "--iterations", "--size", "--random-source"],
            );
            touch_all(engine, Action::Overwrite, &options.operands)?;
            if options.has(&["-u", "--remove"]) {
                remove(engine, &options.operands, false)?;
            }
        }
        // These put a compressed file in the place of each one they are given.
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "lzma" | "unlzma"
        | "compress" | "uncompress" | "lzip" | "pigz" | "brotli" | "zstd" | "unzstd" => {
            let options = Options::parse(words, &["-S", "--suffix", "-T", "-o", "--output"]);
            touch_all(
                engine,
                Action::Overwrite,
                options.values(&["-o", "--output"]),
            )?;
            let keeps = [
                "-c",
                "--stdout",
                "--to-stdout",
                "-k",
                "--keep",
                "-l",
                "--list",
                "-t",
                "--test",
            ];
            let only_looks = [
                "-c",
                "--stdout",
                "--to-stdout",
                "-l",
                "--list",
                "-t",
                "--test",
            ];
            let restores = name.contains("un") || options.has(&["-d", "--decompress"]);
            if restores && !options.has(&only_looks) {
                let restored: Vec<Text> = options.operands.iter().filter_map(restored).collect();
                touch_all(engine, Action::Overwrite, &restored)?;
            }
            let removes = options.has(&["--rm"]) || !matches!(name, "zstd" | "unzstd" | "brotli");
            if removes && !options.has(&keeps) {
                remove(
                    engine,
                    &options.operands,
                    options.has(&["-r", "--recursive"]),
                )?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// What a compressed file is called when it is not.
fn restored(file: &Text) -> Option<Text> {
    let name = file.known()?;
    let suffixes = [".gz", ".bz2", ".xz", ".lzma", ".Z", ".lz", ".br", ".zst"];
    let plain = suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))?;
    Some(Text::fixed(plain))
}

fn remove(engine: &mut Engine<'_>, operands: &[Text], recursive: bool) -> Result<(), Stop> {
    for operand in operands {
        engine.take_away(Action::Delete, operand, recursive)?;
    }
    Ok(())
}
