//! The user's and the machine's configuration. Never the repository's.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cli::Global;
use crate::exit;
use crate::failure::Failure;

/// Where an administrator puts what holds for everybody.
const MANAGED: &str = "/etc/fusebox/config.toml";
/// Larger files are not configuration.
const MOST_BYTES: u64 = 64 * 1024;

/// What can be configured.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// SHA-256 of the operator's key, in hexadecimal. Whoever knows the key may
    /// release a breaker where there is no terminal to type `yes` on.
    pub(crate) operator_key_sha256: Option<String>,
}

impl Config {
    /// Reads what there is: the machine's file wins over the user's.
    pub(crate) fn load(global: &Global) -> Result<Self, Failure> {
        let user = match &global.config {
            Some(named) => Some(read(named)?.ok_or_else(|| {
                Failure::new(exit::CONFIG, format!("{} does not exist", named.display()))
            })?),
            None => user_file().map(|path| read(&path)).transpose()?.flatten(),
        };
        let managed = read(Path::new(MANAGED))?.unwrap_or_default();
        let user = user.unwrap_or_default();
        Ok(Self {
            operator_key_sha256: managed.operator_key_sha256.or(user.operator_key_sha256),
        })
    }
}

fn user_file() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let base = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(base.join("fusebox/config.toml"))
}

fn read(path: &Path) -> Result<Option<Config>, Failure> {
    let wrong = |why: String| Failure::new(exit::CONFIG, format!("{}: {why}", path.display()));
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
        Ok(found) if !found.is_file() => return Err(wrong("is not a file".into())),
        Ok(found) if found.len() > MOST_BYTES => {
            return Err(wrong("is too large for a configuration".into()));
        }
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map(Some).map_err(|error| {
        wrong(format!(
            "line {}: {}",
            line_of(&text, &error),
            error.message()
        ))
    })
}

/// The line of the file that an error is about, counted from 1.
fn line_of(text: &str, error: &toml::de::Error) -> usize {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.as_bytes().iter().take(start);
    1 + before.filter(|byte| **byte == b'\n').count()
}
