//! The names in a directory that is held open.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(target_os = "macos", test))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use linux::each;
#[cfg(target_os = "macos")]
pub(crate) use portable::each;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::ffi::CStr;
    use std::fs;
    use std::mem::MaybeUninit;
    use std::ops::ControlFlow;
    use std::os::fd::AsFd;
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType};

    use super::*;
    use crate::plain;

    type Seen = BTreeSet<(String, bool)>;

    /// What both ways of listing see, within `limit` names.
    fn both(directory: impl AsFd, limit: usize) -> [(Seen, bool); 2] {
        let mut buffer = [MaybeUninit::uninit(); 512];
        let mut seen = Seen::new();
        let mut visit = |name: &CStr, kind: FileType| {
            if seen.len() == limit {
                return ControlFlow::Break(());
            }
            let name = name.to_str().unwrap().to_owned();
            seen.insert((name, kind == FileType::Directory));
            ControlFlow::Continue(())
        };
        let ended = each(directory.as_fd(), &mut buffer, &mut visit).unwrap();
        let one = (std::mem::take(&mut seen), ended.is_break());
        let mut visit = |name: &CStr, kind: FileType| {
            if seen.len() == limit {
                return ControlFlow::Break(());
            }
            let name = name.to_str().unwrap().to_owned();
            seen.insert((name, kind == FileType::Directory));
            ControlFlow::Continue(())
        };
        let ended = portable::each(directory.as_fd(), &mut buffer, &mut visit).unwrap();
        [one, (std::mem::take(&mut seen), ended.is_break())]
    }

    #[test]
    fn both_ways_see_the_same_names_again_and_again() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("directory")).unwrap();
        symlink("directory", home.path().join("link")).unwrap();
        for number in 0..100 {
            fs::write(home.path().join(format!("file {number}")), "").unwrap();
        }
        let directory = plain::open_directory(CWD, home.path()).unwrap();
        let [one, other] = both(&directory, 1_000);
        assert_eq!(one, other);
        assert_eq!(one.0.len(), 102, "neither the dots nor anything else");
        assert!(one.0.contains(&("directory".into(), true)));
        assert!(one.0.contains(&("link".into(), false)));
        // Listing moves the place in an open directory; it must not show.
        let other = portable::each(directory.as_fd(), &mut [], |_, _| {
            ControlFlow::<()>::Continue(())
        });
        assert!(other.unwrap().is_continue());
        assert_eq!(both(&directory, 1_000)[1], one);
    }

    #[test]
    fn both_ways_can_be_ended_early() {
        let home = tempfile::tempdir().unwrap();
        for number in 0..10 {
            fs::write(home.path().join(number.to_string()), "").unwrap();
        }
        let directory = plain::open_directory(CWD, home.path()).unwrap();
        for (seen, ended) in both(&directory, 3) {
            assert_eq!((seen.len(), ended), (3, true));
        }
    }
}
