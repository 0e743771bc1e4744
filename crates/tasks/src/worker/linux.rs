//! Processes as `/proc` shows them.

use std::fs;

/// When a process began, and the number of its parent; `None` if nothing of it runs.
pub(super) fn running(pid: i32) -> Option<(u64, i32)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&String::from_utf8_lossy(&stat))
}

/// The name stands in parentheses and may hold parentheses itself, so fields are
/// counted from the last one. A process whose last thread has ended only waits to be
/// collected: nothing of it will ever work again.
fn parse_stat(stat: &str) -> Option<(u64, i32)> {
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..]
        .split_ascii_whitespace()
        .collect();
    let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
    let ended = matches!(*fields.first()?, "Z" | "X") && number(17)? <= 1;
    let parent = fields.get(1)?.parse().ok()?;
    (!ended).then_some((number(19)?, parent))
}

/// Whether the number is held by a process of which nothing runs any more.
pub(super) fn ended(pid: i32) -> bool {
    let stat = fs::read(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| parse_stat(&String::from_utf8_lossy(&stat)).is_none())
}

/// Whether it can be seen at all who runs.
pub(super) fn table_is_readable() -> bool {
    fs::metadata("/proc/self/stat").is_ok()
}

/// The id that the machine was installed with; empty where it has none.
pub(super) fn machine() -> String {
    fs::read_to_string("/etc/machine-id").unwrap_or_default()
}

/// The namespace of process ids.
pub(super) fn namespace() -> String {
    let namespace = fs::read_link("/proc/self/ns/pid");
    namespace
        .map(|link| link.to_string_lossy().into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let line = |state: &str, threads: u32| {
            format!("42 (a) Z 1 () {state} 7 8 9 0 -1 0 0 0 0 0 1 2 3 4 20 0 {threads} 0 555 0")
        };
        assert_eq!(parse_stat(&line("S", 1)), Some((555, 7)));
        assert_eq!(parse_stat(&line("Z", 1)), None);
        assert_eq!(parse_stat(&line("Z", 2)), Some((555, 7)));
        assert_eq!(parse_stat("42 (a"), None);
    }
}
