//! What can be asked, in the words of the rest of the house.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::time::Duration;

use crate::arguments::Arguments;
use crate::bytes::i64_at;
use crate::record::Record;
use crate::{calls, socket};

/// The name of this boot of the machine. Unlike the moment of the boot it does not change
/// when somebody sets the clock.
///
/// # Errors
/// When the system does not say.
pub fn boot_session() -> io::Result<String> {
    let mut name = calls::sysctl_named(c"kern.bootsessionuuid")?;
    name.retain(|byte| *byte != 0);
    match String::from_utf8(name) {
        Ok(name) if !name.is_empty() => Ok(name),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// What this machine is told from others by, in hexadecimal digits.
///
/// # Errors
/// When the system does not say.
pub fn machine() -> io::Result<String> {
    let id = calls::machine()?;
    Ok(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// All processes of the machine, at one moment.
///
/// # Errors
/// When the system does not say.
pub fn processes() -> io::Result<Vec<Record>> {
    let table = calls::sysctl(&[libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_ALL, 0])?;
    Ok(Record::parse_all(&table))
}

/// The process with this number; `None` if there is none.
#[must_use]
pub fn process(pid: i32) -> Option<Record> {
    let row = calls::sysctl(&[libc::CTL_KERN, libc::KERN_PROC, libc::KERN_PROC_PID, pid]).ok()?;
    Record::parse(&row).filter(|record| record.pid == pid)
}

/// What a process was started with.
///
/// # Errors
/// When it is gone, or belongs to another user.
pub fn arguments(pid: i32) -> io::Result<Arguments> {
    let answer = calls::sysctl(&[libc::CTL_KERN, libc::KERN_PROCARGS2, pid])?;
    Arguments::parse(&answer).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// What a process has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Its own processor time.
    pub own: Duration,
    /// That of the children it has waited for, and of theirs.
    pub waited: Duration,
    /// Bytes that it wrote into files, whether or not they have reached a disk.
    pub written: u64,
    /// Bytes that reached a disk because of it.
    pub written_to_disk: u64,
}

/// What a process has used; `None` if it is gone or belongs to another user.
#[must_use]
pub fn usage(pid: i32) -> Option<Usage> {
    let seen = calls::usage(pid)?;
    Some(Usage {
        own: time(seen.ri_user_time.saturating_add(seen.ri_system_time)),
        waited: time(
            seen.ri_child_user_time
                .saturating_add(seen.ri_child_system_time),
        ),
        written: seen.ri_logical_writes,
        written_to_disk: seen.ri_diskio_byteswritten,
    })
}

/// The system counts in ticks of the processor's clock: nanoseconds on Intel's, others on
/// Apple's own.
fn time(ticks: u64) -> Duration {
    static PER_SECOND: OnceLock<u64> = OnceLock::new();
    let per_second = *PER_SECOND.get_or_init(|| {
        let told = calls::sysctl_named(c"hw.tbfrequency").unwrap_or_default();
        let told = i64_at(&told, 0).and_then(|told| u64::try_from(told).ok());
        told.filter(|told| *told > 0).unwrap_or(1_000_000_000)
    });
    let nanos = u128::from(ticks) * 1_000_000_000 / u128::from(per_second);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// Who is at the other end of a local socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The process that made that end.
    pub pid: i32,
    /// Its user.
    pub uid: u32,
}

/// Who is at the other end of a local socket.
///
/// # Errors
/// When nobody is, or the socket is none of this machine's.
pub fn peer(socket: impl AsFd) -> io::Result<Peer> {
    let socket = socket.as_fd();
    Ok(Peer {
        pid: calls::peer_process(socket)?,
        uid: calls::peer_user(socket)?,
    })
}

/// The processes of this user that hold a TCP socket with this address of its own.
#[must_use]
pub fn socket_holders(address: SocketAddr) -> Vec<i32> {
    /// `PROX_FDTYPE_SOCKET` in `sys/proc_info.h`.
    const SOCKET: u32 = 2;
    let SocketAddr::V4(address) = address else {
        return Vec::new();
    };
    let holds = |pid: i32| {
        let files = calls::open_files(pid);
        files
            .iter()
            .filter(|file| file.proc_fdtype == SOCKET)
            .any(|file| {
                let mut buffer = [0; socket::SIZE];
                let answer = calls::socket_info(pid, file.proc_fd, &mut buffer);
                socket::local_address(answer) == Some(address)
            })
    };
    let pids = processes().unwrap_or_default();
    pids.iter()
        .map(|one| one.pid)
        .filter(|pid| holds(*pid))
        .collect()
}
