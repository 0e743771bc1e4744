//! What is said where systems differ.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(crate) use linux::{PROCESS_TABLE, TO_FIND_ITSELF, TO_SEE_PROCESSES};
#[cfg(target_os = "macos")]
pub(crate) use macos::{PROCESS_TABLE, TO_FIND_ITSELF, TO_SEE_PROCESSES};

use fusebox_supervise::Orphans;

/// What holds a command's processes together, where that is less than it could be.
pub(crate) fn loose_ends(orphans: Orphans) -> Option<&'static str> {
    match orphans {
        Orphans::Adopted => None,
        Orphans::Searched => Some(
            "processes are found by their parents, sessions and environment, looked at 20 times a \
             second; one that leaves all three between two looks escapes",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_held_is_said() {
        assert_eq!(loose_ends(Orphans::Adopted), None);
        let said = loose_ends(Orphans::Searched).unwrap();
        assert!(said.contains("escapes"), "{said}");
    }
}
