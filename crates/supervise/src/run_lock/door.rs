//! A door for the fuzzer.

use std::fs;
use std::path::Path;

use fusebox_files::regular::{self, Links};
use rustix::process::getpid;

use super::{LockOwner, RunLock};

/// A name that is read from a lock file is shown, and it keeps nobody out.
/// `path` is free for a lock.
pub(crate) fn read_owner(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a file");
    let owner = LockOwner::read(&mut regular::open(path, Links::Refuse).expect("a file"));
    if let Some(owner) = owner {
        let written = format!("{} {} {}", owner.pid, owner.seconds(), owner.host);
        assert_eq!(LockOwner::parse(&written).as_ref(), Some(&owner));
        assert!(owner.to_string().contains(&owner.host));
        assert!(!RunLock::is_held_by(path, owner.pid));
    }
    assert!(!RunLock::is_held(path));
    let lock = RunLock::take(path).expect("it is free");
    assert!(RunLock::is_held_by(path, getpid().as_raw_pid()) && lock.is_in_place());
    let own = fs::read_to_string(path).expect("what we wrote");
    assert!(LockOwner::parse(&own).is_some_and(|owner| owner.pid == getpid().as_raw_pid()));
}
