//! Sockets and their holders as `/proc` lists them.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The sockets of this machine, as the system lists them.
const SOCKETS: &str = "/proc/net/tcp";

/// The processes that hold the other end; empty where they cannot be seen.
pub(in crate::serve) fn holders(peer: SocketAddr) -> Vec<i32> {
    let Ok(table) = fs::read_to_string(SOCKETS) else {
        return Vec::new();
    };
    let Some(inode) = inode(&table, peer) else {
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

/// The number of the socket whose own address that is.
fn inode(table: &str, address: SocketAddr) -> Option<u64> {
    let IpAddr::V4(ip) = address.ip() else {
        return None;
    };
    // The bytes of an address stand there as the machine keeps a number.
    let number = u32::from_ne_bytes(ip.octets());
    let local = format!("{number:08X}:{:04X}", address.port());
    table.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let is_it = words.nth(1)? == local;
        is_it.then(|| words.nth(7)?.parse().ok())?
    })
}
