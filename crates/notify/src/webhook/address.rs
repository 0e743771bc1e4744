//! Which addresses a request may go to.
//!
//! A webhook is a request from inside a network. A name that leads to a
//! private address would let whoever controls the name reach what stands
//! behind the firewall: a router, a database, the cloud's credentials at
//! `169.254.169.254`. Names are resolved first, every address is judged, and
//! the connection goes to the judged address, so a second answer of the name
//! server changes nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far requests may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nowhere but to this machine, by a name that says so.
    ThisMachine,
    /// To public addresses.
    Public,
    /// To public ones and to those of private networks.
    Private,
}

impl Reach {
    pub(super) fn includes(self, address: IpAddr) -> bool {
        match self {
            Self::ThisMachine => address.to_canonical().is_loopback(),
            Self::Public => is_public(address),
            Self::Private => is_public(address) || is_private(address),
        }
    }
}

/// Whether a host, as written in a URL, can mean nothing but this machine.
/// Only the plain spellings count: `2130706433` is loopback to some resolvers.
pub(super) fn names_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<IpAddr> = bare.parse().ok();
    host.eq_ignore_ascii_case("localhost") || address.is_some_and(|ip| ip.is_loopback())
}

fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(a == 0
        || ip.is_loopback()
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_documentation()
        || (a == 100 && b & 0xc0 == 64) // between a provider and its customers
        || (a == 192 && b == 0 && c == 0) // protocol assignments
        || (a == 192 && b == 88 && c == 99) // relays to IPv6
        || (a == 198 && b & 0xfe == 18) // benchmarks
        || a >= 224) // multicast, reserved, broadcast
}

/// What is not in the range that is given out is not public. Within it, the
/// forms that carry an IPv4 address are judged by that, or refused.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let v4 = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        Ipv4Addr::new(a, b, c, d)
    };
    match (a, b) {
        (0x64, 0xff9b) => [c, d, e, f] == [0; 4] && is_public_v4(v4(g, h)), // translated
        (0x2002, _) => is_public_v4(v4(b, c)),                              // 6to4
        (0x2001, 0..0x200 | 0xdb8) | (0x3fff, 0..0x1000) => false, // tunnels, documentation
        _ => a & 0xe000 == 0x2000,
    }
}

/// Addresses of one's own networks. Link-local ones are not among them, nor is
/// the address where a cloud answers on IPv6.
fn is_private(address: IpAddr) -> bool {
    const CLOUD: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private() || v4.is_loopback() || (a == 100 && b & 0xc0 == 64)
        }
        IpAddr::V6(v6) => v6 != CLOUD && (v6.is_loopback() || v6.is_unique_local()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_judged_in_every_spelling() {
        use Reach::{Private, Public, ThisMachine};
        for (address, reaches) in [
            ("1.1.1.1", &[Public, Private][..]),
            ("2606:4700::1111", &[Public, Private]),
            ("64:ff9b::101:101", &[Public, Private]),
            ("2002:101:101::1", &[Public, Private]),
            ("127.0.0.1", &[ThisMachine, Private]),
            ("127.9.9.9", &[ThisMachine, Private]),
            ("::1", &[ThisMachine, Private]),
            ("::ffff:127.0.0.1", &[ThisMachine, Private]),
            ("10.1.2.3", &[Private]),
            ("172.31.0.1", &[Private]),
            ("192.168.0.1", &[Private]),
            ("100.100.0.1", &[Private]),
            ("fd12::1", &[Private]),
            ("::ffff:10.0.0.1", &[Private]),
            ("169.254.169.254", &[]),
            ("::ffff:169.254.169.254", &[]),
            ("64:ff9b::a9fe:a9fe", &[]),
            ("64:ff9b:1::1", &[]),
            ("2002:a9fe:a9fe::1", &[]),
            ("fd00:ec2::254", &[]),
            ("fe80::1", &[]),
            ("fec0::1", &[]),
            ("ff02::1", &[]),
            ("0.0.0.0", &[]),
            ("0.1.2.3", &[]),
            ("::", &[]),
            ("::7f00:1", &[]),
            ("2001::1", &[]),
            ("2001:db8::1", &[]),
            ("192.0.0.8", &[]),
            ("198.18.0.1", &[]),
            ("198.51.100.1", &[]),
            ("224.0.0.1", &[]),
            ("255.255.255.255", &[]),
        ] {
            let ip: IpAddr = address.parse().unwrap();
            for reach in [ThisMachine, Public, Private] {
                assert_eq!(
                    reach.includes(ip),
                    reaches.contains(&reach),
                    "{address} {reach:?}"
                );
            }
        }
    }

    #[test]
    fn only_plain_names_mean_this_machine() {
        for host in [
            "localhost",
            "LocalHost",
            "127.0.0.1",
            "127.1.2.3",
            "[::1]",
            "::1",
        ] {
            assert!(names_this_machine(host), "{host}");
        }
        for host in [
            "localhost.example.org",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "0.0.0.0",
            "",
        ] {
            assert!(!names_this_machine(host), "{host}");
        }
    }
}
