//! The format of `apply_patch`, the patches that agents write: which files one names, and what
//! becomes of them.

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// It is made, or changed in parts.
    Write,
    Delete,
    /// It has another name afterwards.
    Rename,
}

/// Every file that a patch names, in the order of the patch.
pub(crate) fn deeds(patch: &str) -> Vec<(&str, Deed)> {
    let mut deeds = Vec::new();
    let mut updated = None;
    for line in patch.lines() {
        let named = |header: &str| line.trim_start().strip_prefix(header).map(str::trim);
        if let Some(name) = named("*** Add File: ") {
            deeds.push((name, Deed::Write));
        } else if let Some(name) = named("*** Update File: ") {
            updated = Some(name);
            deeds.push((name, Deed::Write));
        } else if let Some(name) = named("*** Delete File: ") {
            deeds.push((name, Deed::Delete));
        } else if let Some(name) = named("*** Move to: ") {
            deeds.push((name, Deed::Write));
            deeds.extend(updated.take().map(|from| (from, Deed::Rename)));
        }
    }
    deeds
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
}
