//! Reading what `git diff-tree -z` prints.

use std::collections::BTreeMap;

use super::{ChangeKind, FILES, FileChange, UNHASHED, shift};
use crate::walk::to_path;

/// Changed files, sorted by their paths' bytes.
pub(super) type Paths = BTreeMap<Vec<u8>, FileChange>;

/// The differences between two snapshots' trees.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Paths,
    /// If the lists of unhashed files differ: their blobs before and after.
    pub(super) unhashed: Option<(Option<String>, Option<String>)>,
}

impl Listing {
    /// Reads the output of `--raw --numstat`; `None` if it has an unknown form.
    pub(super) fn read_differences(&mut self, output: &[u8]) -> Option<()> {
        let mut records = records(output);
        while let Some(record) = records.next() {
            match record.strip_prefix(b":") {
                Some(raw) => self.add(raw, records.next()?)?,
                None => {
                    let counted = count(record)?;
                    if let Some(change) = self.file(counted.path) {
                        (change.added_lines, change.deleted_lines) = counted.lines.unzip();
                    }
                }
            }
        }
        Some(())
    }

    /// Reads the output of `--numstat` with white space ignored: a file is meaningful if
    /// something is left of it.
    pub(super) fn read_meaningful(&mut self, output: &[u8]) -> Option<()> {
        for record in records(output) {
            let counted = count(record)?;
            if let Some(change) = self.file(counted.path) {
                change.meaningful = counted.lines != Some((0, 0));
            }
        }
        Some(())
    }

    fn add(&mut self, raw: &[u8], path: &[u8]) -> Option<()> {
        let raw = std::str::from_utf8(raw).ok()?;
        let [old_mode, new_mode, old, new, status] = *raw.split(' ').collect::<Vec<_>>().as_slice()
        else {
            return None;
        };
        if path == UNHASHED.as_bytes() {
            let blob = |id: &str| has_content(id).then(|| id.to_owned());
            self.unhashed = Some((blob(old), blob(new)));
            return Some(());
        }
        let kind = match status {
            "A" => ChangeKind::Added,
            "D" => ChangeKind::Deleted,
            "T" => ChangeKind::TypeChanged,
            "M" if old == new && old_mode != new_mode => ChangeKind::ModeOnly,
            "M" => ChangeKind::Modified,
            _ => return None,
        };
        let path = path.strip_prefix(FILES.as_bytes())?;
        let content =
            |mode: &str, id: &str| has_content(id).then(|| format!("{mode} {id}").into_bytes());
        let (before, after) = (content(old_mode, old), content(new_mode, new));
        let change = FileChange {
            path: to_path(path),
            kind,
            added_lines: None,
            deleted_lines: None,
            meaningful: false,
            shift: shift::of(path, before.as_deref(), after.as_deref()),
        };
        self.files.insert(path.to_vec(), change);
        Some(())
    }

    fn file(&mut self, path: &[u8]) -> Option<&mut FileChange> {
        self.files.get_mut(path.strip_prefix(FILES.as_bytes())?)
    }
}

/// Where there is no file, git writes nothing but zeros.
fn has_content(id: &str) -> bool {
    id.bytes().any(|digit| digit != b'0')
}

fn records(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}

struct Counted<'a> {
    /// Added and deleted lines, or `None` for binary content.
    lines: Option<(u64, u64)>,
    path: &'a [u8],
}

fn count(record: &[u8]) -> Option<Counted<'_>> {
    let mut fields = record.splitn(3, |byte| *byte == b'\t');
    let (added, deleted, path) = (fields.next()?, fields.next()?, fields.next()?);
    let number = |field| std::str::from_utf8(field).ok()?.parse().ok();
    let lines = match (added, deleted) {
        (b"-", b"-") => None,
        (added, deleted) => Some((number(added)?, number(deleted)?)),
    };
    Some(Counted { lines, path })
}
