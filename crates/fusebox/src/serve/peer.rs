//! Who is at the other end of a connection on this machine.
//!
//! A token shows that somebody was told it, or has read it somewhere, which an agent
//! of the same user could. What an agent cannot change is where its processes come
//! from. So whoever asks for something to be done is looked up: the system knows
//! which socket the other end is, and which processes hold it.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The sockets of this machine, as the system lists them.
const SOCKETS: &str = "/proc/net/tcp";

/// The processes that hold the other end; empty where they cannot be seen.
pub(super) fn holders(peer: SocketAddr) -> Vec<i32> {
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

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_other_end_is_found_and_is_this_very_process() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (_stream, peer) = listener.accept().unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(holders(peer).contains(&own));
        let nobody = "127.0.0.1:1".parse().unwrap();
        assert!(holders(nobody).is_empty());
    }
}
