//! Which names of hosts stand for this machine.

use std::net::IpAddr;
use std::path::Path;

use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// How every machine calls itself.
const EVERYBODY: [&str; 6] = [
    "localhost",
    "localhost.localdomain",
    "localhost6",
    "ip6-localhost",
    "ip6-loopback",
    "0",
];

/// Whether a host is certain to be this machine, or may be one that is.
pub(super) fn is_here(
    engine: &mut Engine<'_>,
    host: &Text,
    settings: Option<&Text>,
) -> Result<bool, Stop> {
    let names: Vec<String> = host
        .alternatives()
        .iter()
        .filter_map(Text::known)
        .map(|host| bare(&host))
        .collect();
    if names.is_empty() {
        return Ok(false);
    }
    let own = own_names(engine);
    if names.iter().any(|name| is_own(name, &own)) {
        return Ok(true);
    }
    let home = engine.shell.known("HOME").unwrap_or_default();
    let at_home = Text::fixed(format!("{home}/.ssh/config"));
    let settings = engine.content(settings.unwrap_or(&at_home))?;
    let settings = settings.text().unwrap_or_default();
    Ok(names
        .iter()
        .filter_map(|name| named_there(settings, name))
        .any(|name| is_own(&name, &own)))
}

/// A host without who logs in there and behind which port.
fn bare(host: &str) -> String {
    let host = host.strip_prefix("ssh://").unwrap_or(host);
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.trim_end_matches('/');
    let in_brackets = host.strip_prefix('[').and_then(|host| host.split_once(']'));
    let host = match in_brackets {
        Some((host, _)) => host,
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or_default(),
        None => host,
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

fn is_own(name: &str, own: &[String]) -> bool {
    let address = name.split('%').next().unwrap_or_default().parse::<IpAddr>();
    let is_address = address.is_ok_and(|address| {
        let address = address.to_canonical();
        address.is_loopback() || address.is_unspecified()
    });
    // `127.1` is short for `127.0.0.1`.
    let is_short = name.strip_prefix("127.").is_some_and(|rest| {
        let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        rest.split('.').all(is_number)
    });
    is_address
        || is_short
        || EVERYBODY.contains(&name)
        || name.ends_with(".localhost")
        || own.iter().any(|own| own == name)
}

/// What this machine is called, as far as that stands written somewhere.
fn own_names(engine: &Engine<'_>) -> Vec<String> {
    let hosts = engine.tree.read(Path::new("/etc/hosts"));
    let mut names = names_of_loopback(&hosts.unwrap_or_default());
    let node = own_name();
    let short = node.split('.').next().unwrap_or_default().to_owned();
    names.push(format!("{short}.local"));
    names.push(short);
    names.push(node);
    names.retain(|name| !name.is_empty());
    names
}

/// The name that the system was given.
pub(crate) fn own_name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().to_ascii_lowercase()
}

/// The names in a table of hosts behind addresses of this machine itself.
fn names_of_loopback(table: &str) -> Vec<String> {
    let lines = table
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    let names = lines.flat_map(|line| {
        let mut fields = line.split_whitespace();
        let address = fields.next().and_then(|field| field.parse::<IpAddr>().ok());
        let is_own = address.is_some_and(|address| address.is_loopback());
        fields.filter(move |_| is_own)
    });
    names.map(str::to_ascii_lowercase).collect()
}

/// The host that another name stands for in the settings of `ssh`.
fn named_there(settings: &str, name: &str) -> Option<String> {
    let mut is_meant = false;
    for line in settings.lines().map(str::trim) {
        let Some((key, value)) = line.split_once([' ', '\t', '=']) else {
            continue;
        };
        let value = value.trim_matches([' ', '\t', '=', '"']);
        match key.to_ascii_lowercase().as_str() {
            "host" => {
                let mut patterns = value.split_whitespace();
                is_meant = patterns.any(|pattern| crate::glob::matches(pattern, name));
            }
            "match" => is_meant = false,
            "hostname" if is_meant => return Some(bare(&value.replace("%h", name))),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_whatever_stands_around_it() {
        for (host, expected) in [
            ("localhost", "localhost"),
            ("me@LocalHost.", "localhost"),
            ("ssh://me@localhost:2222", "localhost"),
            ("ssh://[::1]:22/", "::1"),
            ("me@::1", "::1"),
        ] {
            assert_eq!(bare(host), expected, "{host}");
        }
    }

    #[test]
    fn this_machine_has_many_names() {
        let own = ["vm".to_owned()];
        for name in [
            "localhost",
            "127.0.0.1",
            "127.1",
            "127.9.8.7",
            "::1",
            "0.0.0.0",
            "::ffff:127.0.0.1",
            "fe80.localhost",
            "ip6-loopback",
            "vm",
            "0",
            "::1%lo",
        ] {
            assert!(is_own(name, &own), "{name}");
        }
        for name in [
            "",
            "vm2",
            "10.0.0.1",
            "127.x",
            "127.",
            "localhost.example.com",
            "::2",
            "1",
        ] {
            assert!(!is_own(name, &own), "{name}");
        }
    }

    #[test]
    fn names_are_read_from_tables_and_settings() {
        let table = "127.0.0.1 localhost # x\n::1 Six\n10.0.0.1 other\n# 127.0.0.1 not\n";
        assert_eq!(names_of_loopback(table), ["localhost", "six"]);
        let settings = "User x\nHost a b*\n  HostName 127.0.0.1\nHost c\n  hostname=%h.lan\n\
                        Match all\n  HostName ::1\n";
        assert_eq!(named_there(settings, "a").as_deref(), Some("127.0.0.1"));
        assert_eq!(named_there(settings, "bx").as_deref(), Some("127.0.0.1"));
        assert_eq!(named_there(settings, "c").as_deref(), Some("c.lan"));
        assert_eq!(named_there(settings, "d"), None);
        assert_eq!(named_there("Host e\nMatch all\nHostName ::1", "e"), None);
    }
}
