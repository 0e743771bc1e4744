//! The mutants there are, as cargo-mutants lists them. It knows what is worth changing and
//! reads the settings; only building and trying is done differently here.

use crate::place;
use anyhow::{Context, Result, ensure};
use regex_lite::Regex;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One small change of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// The line that names it in lists.
    pub(super) name: String,
    /// Where it is, below the root of the tree.
    pub(super) file: PathBuf,
    pub(super) genre: Genre,
    /// Where what is changed begins: line and column, both counted from 1.
    pub(super) at: (usize, usize),
    /// What is put there; nothing for what is deleted.
    pub(super) replacement: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Genre {
    /// A function that does nothing but return some value.
    FnValue,
    BinaryOperator,
    UnaryOperator,
    MatchArm,
    MatchArmGuard,
    StructField,
}

/// The mutants of a package that the settings do not exclude.
pub(super) fn list(package: &str, settings: &Path, excluded: &str) -> Result<Vec<Mutant>> {
    let mut command = place::cargo(&["mutants", "--list", "--json", "--package", package])?;
    let listed = command
        .arg("--config")
        .arg(settings)
        .output()
        .context("`cargo` cannot be started")?;
    ensure!(
        listed.status.success(),
        "cargo-mutants cannot list the mutants of {package}: {}",
        String::from_utf8_lossy(&listed.stderr).trim()
    );
    let mut mutants = read(&String::from_utf8_lossy(&listed.stdout))?;
    let excluded = expressions(excluded)?;
    mutants.retain(|mutant| !excluded.iter().any(|one| one.is_match(&mutant.name)));
    Ok(mutants)
}

/// What the settings exclude, an expression a line. cargo-mutants heeds it as well, but not for
/// fields that it deletes.
fn expressions(settings: &str) -> Result<Vec<Regex>> {
    let lines = settings.lines();
    let quoted = lines.filter_map(|line| line.strip_prefix("    '")?.strip_suffix("',"));
    quoted
        .map(|expression| Regex::new(expression).context("the settings exclude no expression"))
        .collect()
}

fn read(json: &str) -> Result<Vec<Mutant>> {
    let listed: Vec<Value> =
        serde_json::from_str(json).context("what cargo-mutants lists is not JSON")?;
    listed
        .iter()
        .map(|value| Mutant::read(value).with_context(|| format!("an unknown mutant: {value}")))
        .collect()
}

impl Mutant {
    fn read(value: &Value) -> Option<Self> {
        let word = |name: &str| value[name].as_str();
        let start = &value["span"]["start"];
        let number = |name: &str| usize::try_from(start[name].as_u64()?).ok();
        Some(Self {
            name: word("name")?.to_owned(),
            file: word("file")?.into(),
            genre: match word("genre")? {
                "FnValue" => Genre::FnValue,
                "BinaryOperator" => Genre::BinaryOperator,
                "UnaryOperator" => Genre::UnaryOperator,
                "MatchArm" => Genre::MatchArm,
                "MatchArmGuard" => Genre::MatchArmGuard,
                "StructField" => Genre::StructField,
                _ => return None,
            },
            at: (number("line")?, number("column")?),
            replacement: word("replacement")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_settings_exclude_is_read_from_them() {
        let settings = "exclude_re = [\n    # why\n    'a.rs:.*: delete field (b|c)',\n]\n";
        let excluded = expressions(settings).unwrap();
        assert_eq!(excluded.len(), 1);
        assert!(excluded[0].is_match("a.rs:1:2: delete field c from struct S"));
        assert!(!excluded[0].is_match("a.rs:1:2: delete field d from struct S"));
    }

    #[test]
    fn a_list_is_read_and_a_kind_that_is_unknown_is_told() {
        let listed = |genre: &str| {
            format!(
                r#"[{{"name": "a.rs:3:7: replace < with <= in f", "file": "a.rs",
                "genre": "{genre}", "replacement": "<=",
                "span": {{"start": {{"line": 3, "column": 7}}}}}}]"#
            )
        };
        let mutants = read(&listed("BinaryOperator")).unwrap();
        assert_eq!(mutants[0].at, (3, 7));
        assert_eq!(mutants[0].genre, Genre::BinaryOperator);
        assert!(read(&listed("Comment")).is_err());
    }
}
