//! The list of requirements, as it is kept in `requirements.tsv`.

use super::id::Id;
use anyhow::{Context, Result, bail, ensure};
use std::fmt;

const TEXT: &str = include_str!("../../../requirements.tsv");

/// How binding a requirement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Must,
    Should,
    Optional,
    /// The documentation satisfies it, and a test reads the documentation.
    Informative,
    /// For a later version: listed, but not owed.
    Future,
}

impl Level {
    const LETTERS: [(Self, &str); 5] = [
        (Self::Must, "M"),
        (Self::Should, "S"),
        (Self::Optional, "O"),
        (Self::Informative, "I"),
        (Self::Future, "F"),
    ];
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = Self::LETTERS.iter().find(|(level, _)| level == self);
        out.write_str(letter.map_or("?", |(_, letter)| letter))
    }
}

/// One requirement.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: Id,
    pub(crate) level: Level,
    pub(crate) subject: String,
}

impl Row {
    /// Whether it has to be met by this version.
    pub(crate) fn is_owed(&self) -> bool {
        self.level != Level::Future
    }
}

/// All of them, and how many are never again to go without a test.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) floor: usize,
    pub(crate) rows: Vec<Row>,
}

impl Table {
    /// The project's own.
    pub(crate) fn load() -> Result<Self> {
        Self::parse(TEXT).context("requirements.tsv")
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let floor = lines
            .next()
            .and_then(|line| line.strip_prefix("floor\t"))
            .context("the first line is not `floor` and a number")?;
        let floor = floor.parse().context("the floor is no number")?;
        let rows = lines.map(row).collect::<Result<Vec<Row>>>()?;
        for pair in rows.windows(2) {
            let [one, next] = pair else { continue };
            ensure!(one.id < next.id, "{} stands before {}", one.id, next.id);
        }
        Ok(Self { floor, rows })
    }

    pub(crate) fn has(&self, id: &Id) -> bool {
        self.rows.iter().any(|row| row.id == *id)
    }
}

fn row(line: &str) -> Result<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [id, letter, subject] = fields.as_slice() else {
        bail!("`{line}` is not id, level and subject");
    };
    let level = Level::LETTERS.iter().find(|(_, known)| known == letter);
    Ok(Row {
        id: id.parse()?,
        level: level.with_context(|| format!("`{letter}` is no level"))?.0,
        subject: (*subject).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole() {
        let rows = Table::load().unwrap().rows;
        for (document, count) in [
            ("000.", 117),
            ("001.", 113),
            ("002.", 88),
            ("003.", 103),
            ("004.", 127),
            ("D.", 68),
            ("X.", 10),
        ] {
            let numbers = rows.iter().map(|row| row.id.to_string());
            let own = numbers.filter(|id| id.starts_with(document)).count();
            assert_eq!(own, count, "{document}");
        }
        assert_eq!(rows.iter().filter(|row| !row.is_owed()).count(), 7);
        assert!(rows.iter().all(|row| !row.subject.is_empty()));
    }

    #[test]
    fn a_broken_list_is_refused() {
        let sound = "# why\nfloor\t1\n004.15\tM\tthree idle loops\nX.3\tS\tdurable\n";
        assert_eq!(Table::parse(sound).unwrap().rows.len(), 2);
        for (from, to) in [
            ("floor\t1\n", ""),
            ("floor\t1", "floor\tone"),
            ("\tM\t", "\tQ\t"),
            ("\tM\t", "\t"),
            ("X.3", "X3"),
            ("X.3", "004.15"),
            ("X.3", "004.9"),
        ] {
            let broken = sound.replace(from, to);
            assert!(Table::parse(&broken).is_err(), "{broken}");
        }
    }
}
