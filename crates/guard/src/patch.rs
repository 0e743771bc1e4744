//! The format of `apply_patch`, the patches that agents write: which files one names, and what
//! becomes of them.

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// It is made, or changed in parts.
    Write,
    /// Nothing is left in it, if it holds at most so many bytes.
    Empty(u64),
    Delete,
    /// It has another name afterwards.
    Rename,
}

/// What an update cannot be told to have left: a line end that is not the patch's.
const LINE_END: u64 = 2;

/// Every file that a patch names, in the order of the patch.
pub(crate) fn deeds(patch: &str) -> Vec<(&str, Deed)> {
    let mut deeds = Vec::new();
    let mut updated = None;
    // Where the file stands whose lines come now, and what becomes of them.
    let mut lines_of: Option<(usize, Lines)> = None;
    for line in patch.lines() {
        let named = |header: &str| line.trim_start().strip_prefix(header).map(str::trim);
        if let Some(name) = named("*** Add File: ") {
            let before = lines_of.replace((deeds.len(), Lines::added()));
            settle(&mut deeds, before);
            deeds.push((name, Deed::Write));
        } else if let Some(name) = named("*** Update File: ") {
            updated = Some(name);
            let before = lines_of.replace((deeds.len(), Lines::default()));
            settle(&mut deeds, before);
            deeds.push((name, Deed::Write));
        } else if let Some(name) = named("*** Delete File: ") {
            settle(&mut deeds, lines_of.take());
            deeds.push((name, Deed::Delete));
        } else if let Some(name) = named("*** Move to: ") {
            deeds.push((name, Deed::Write));
            deeds.extend(updated.take().map(|from| (from, Deed::Rename)));
        } else if let Some((_, lines)) = &mut lines_of {
            lines.see(line);
        }
    }
    settle(&mut deeds, lines_of);
    deeds
}

fn settle(deeds: &mut [(&str, Deed)], lines: Option<(usize, Lines)>) {
    if let Some((at, lines)) = lines
        && let Some(most) = lines.leave_nothing_of()
        && let Some((_, deed)) = deeds.get_mut(at)
    {
        *deed = Deed::Empty(most);
    }
}

/// The lines that a patch has for one file.
#[derive(Default)]
struct Lines {
    /// Whether they are all that the file will hold.
    are_whole: bool,
    /// Whether one that says something is put in, or left where it is.
    left: bool,
    /// How many bytes are taken out.
    taken: u64,
}

impl Lines {
    fn added() -> Self {
        Self {
            are_whole: true,
            ..Self::default()
        }
    }

    fn see(&mut self, line: &str) {
        match line.strip_prefix('-') {
            Some(taken) => {
                let taken = u64::try_from(taken.len()).unwrap_or(u64::MAX);
                self.taken = self.taken.saturating_add(taken).saturating_add(1);
            }
            None if line.starts_with("@@") || line.starts_with("*** ") => {}
            None => self.left |= !line.trim_start_matches('+').trim().is_empty(),
        }
    }

    /// How large the file may be for nothing to be left of it.
    fn leave_nothing_of(&self) -> Option<u64> {
        match (self.left, self.are_whole, self.taken) {
            (true, ..) | (false, false, 0) => None,
            (false, true, _) => Some(u64::MAX),
            (false, false, taken) => Some(taken.saturating_add(LINE_END)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_moves_loses_its_name_and_one_beside_it_does_not() {
        let patch = "*** Begin Patch\n*** Update File: a b.md\n*** Move to: c.md\n@@\n-x\n+y\n\
             *** Delete File: d.md\n*** Add File: e.md\n+*** Delete File: f.md\n*** End Patch\n";
        assert_eq!(
            deeds(patch),
            [
                ("a b.md", Deed::Write),
                ("c.md", Deed::Write),
                ("a b.md", Deed::Rename),
                ("d.md", Deed::Delete),
                ("e.md", Deed::Write),
            ]
        );
    }

    #[test]
    fn a_patch_that_leaves_no_line_empties() {
        let header = "*** Begin Patch\n";
        for (lines, expected) in [
            ("*** Add File: a\n*** End Patch\n", Deed::Empty(u64::MAX)),
            ("*** Add File: a\n+\n+  \n", Deed::Empty(u64::MAX)),
            ("*** Add File: a\n+x\n", Deed::Write),
            ("*** Update File: a\n@@\n-one\n-two\n", Deed::Empty(10)),
            ("*** Update File: a\n@@ one\n-two\n+\n", Deed::Empty(6)),
            ("*** Update File: a\n@@\n one\n-two\n", Deed::Write),
            ("*** Update File: a\n@@\n-one\n+two\n", Deed::Write),
            ("*** Update File: a\n", Deed::Write),
        ] {
            let patch = format!("{header}{lines}*** Delete File: b\n");
            let found = deeds(&patch);
            assert_eq!(found, [("a", expected), ("b", Deed::Delete)], "{lines}");
        }
    }
}
