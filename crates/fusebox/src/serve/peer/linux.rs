//! Sockets and their holders as `/proc` lists them.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The sockets of this machine, as the system lists them.
const SOCKETS: &str = "/proc/net/tcp";

/// The processes that hold the other end of a connection with `own`; empty where they cannot be
/// seen.
pub(in crate::serve) fn holders(peer: SocketAddr, own: SocketAddr) -> Vec<i32> {
    let Ok(table) = fs::read_to_string(SOCKETS) else {
        return Vec::new();
    };
    let Some(inode) = inode(&table, peer, own) else {
        return Vec::new();
    };
    let wanted = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| holds(*pid, &wanted)).collect()
}

fn holds(pid: i32, wanted: &str) -> bool {
    let files = fs::read_dir(format!("/proc/{pid}/fd"));
    let mut links = files.into_iter().flatten().flatten();
    links.any(|file| fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == wanted))
}

/// The number of the socket at `peer` that is connected to `own`. An address may be shared: one
/// process can have connections from it to many others. Where two lines fit, it is nobody's.
fn inode(table: &str, peer: SocketAddr, own: SocketAddr) -> Option<u64> {
    let (peer, own) = (as_listed(peer)?, as_listed(own)?);
    let mut fitting = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let fits = words.next()? == peer && words.next()? == own;
        fits.then(|| words.nth(6)?.parse().ok())
    });
    let found = fitting.next()?;
    match fitting.next() {
        None => found,
        Some(_) => None,
    }
}

fn as_listed(address: SocketAddr) -> Option<String> {
    let IpAddr::V4(ip) = address.ip() else {
        return None;
    };
    // The bytes of an address stand there as the machine keeps a number.
    let number = u32::from_ne_bytes(ip.octets());
    Some(format!("{number:08X}:{:04X}", address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_known_by_both_of_its_ends() {
        let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let line = |from: u16, to: u16, inode: u32| {
            let [from, to] = [from, to].map(|port| as_listed(address(port)).unwrap());
            format!("   5: {from} {to} 01 00000000:00000000 00:00000000 00000000  0  0 {inode} 1\n")
        };
        let found = |table: &str| inode(table, address(7), address(8));
        let shared = line(7, 9, 1) + &line(7, 8, 2);
        assert_eq!(found(&shared), Some(2));
        assert_eq!(found(&(shared + &line(7, 8, 3))), None);
        assert_eq!(found(&line(8, 7, 4)), None);
    }
}
