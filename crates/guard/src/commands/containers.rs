//! Containers: what is mounted in one is reached there by another name.

use std::path::PathBuf;

use super::Options;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// The options of `docker run` that have a value.
const VALUED: &[&str] = &[
    "-v",
    "--volume",
    "--mount",
    "-w",
    "--workdir",
    "-e",
    "--env",
    "--env-file",
    "-u",
    "--user",
    "-p",
    "--publish",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "-m",
    "--memory",
    "-c",
    "--cpus",
    "--name",
    "--network",
    "--net",
    "--entrypoint",
    "--platform",
    "--pull",
    "--restart",
    "--add-host",
    "--cap-add",
    "--cap-drop",
    "--device",
    "--dns",
    "--gpus",
    "--ipc",
    "--pid",
    "--security-opt",
    "--shm-size",
    "--tmpfs",
    "--ulimit",
    "--userns",
    "--volumes-from",
    "--cidfile",
    "--log-driver",
];

/// A directory of this machine and where it is in the container.
struct Mount {
    source: PathBuf,
    target: PathBuf,
}

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    if !matches!(name, "docker" | "podman" | "nerdctl") {
        return Ok(false);
    }
    let is_run = |word: &Text| word.known().as_deref() == Some("run");
    let is_compose = words
        .iter()
        .any(|word| word.known().as_deref() == Some("compose"));
    let Some(at) = words.iter().position(is_run).filter(|_| !is_compose) else {
        return Ok(false);
    };
    let words = &words[at + 1..];
    let (options, at) = Options::parse_leading(words, VALUED);
    let mounts = mounts(engine, &options)?;
    let entry = options.value(&["--entrypoint"]);
    // The first word is the image.
    let rest = words.get(at + 1..).unwrap_or_default();
    let command: Vec<Text> = entry.into_iter().chain(rest).cloned().collect();
    if mounts.is_empty() || command.is_empty() {
        return Ok(false);
    }
    let directories = match options.value(&["-w", "--workdir"]) {
        Some(own) => vec![own.known().map(PathBuf::from)],
        // The image says where it begins, and may well say one of these.
        None => {
            let targets = mounts.iter().map(|mount| Some(mount.target.clone()));
            targets.chain([Some(PathBuf::from("/"))]).collect()
        }
    };
    engine.apart(|engine| {
        for mount in mounts {
            engine.shell.mounts.insert(mount.target, mount.source);
        }
        engine.shell.go(directories, false);
        engine.call(&command)
    })?;
    Ok(true)
}

/// What is mounted so that it can be written to.
fn mounts(engine: &mut Engine<'_>, options: &Options) -> Result<Vec<Mount>, Stop> {
    let short = options.values(&["-v", "--volume"]).filter_map(|text| {
        let known = text.known()?;
        let mut parts = known.split(':');
        let (source, target) = (parts.next()?.to_owned(), parts.next()?.to_owned());
        let is_read_only = parts.any(|more| more.split(',').any(|flag| flag == "ro"));
        (!is_read_only).then_some((source, target))
    });
    let long = options.values(&["--mount"]).filter_map(|text| {
        let known = text.known()?;
        let field = |names: &[&str]| {
            let mut fields = known.split(',').filter_map(|field| field.split_once('='));
            let found = fields.find(|(name, _)| names.contains(name));
            found.map(|(_, value)| value.to_owned())
        };
        let mut flags = known.split(',');
        let is_read_only = flags.any(|flag| matches!(flag, "readonly" | "ro" | "readonly=true"));
        let both = field(&["source", "src"]).zip(field(&["target", "dst", "destination"]));
        both.filter(|_| !is_read_only)
    });
    let pairs: Vec<(String, String)> = short.chain(long).collect();
    let mut mounts = Vec::new();
    // A name without a slash or a dot is that of a volume.
    for (source, target) in pairs {
        if !source.starts_with(['/', '.', '~']) || !target.starts_with('/') {
            continue;
        }
        if let Some(Place::At(source, _)) = engine.places(&Text::fixed(source))?.first() {
            mounts.push(Mount {
                source: source.clone(),
                target: PathBuf::from(target.trim_end_matches('/')),
            });
        }
    }
    Ok(mounts)
}
