//! Local sockets on Linux. An address holds a hundred bytes, and a state directory may be
//! anywhere; what is open has a short name in `/proc`.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::Peer;

/// Listens at `path`, where nothing is.
pub(in crate::switchboard) fn bind(path: &Path) -> io::Result<UnixListener> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = rustix::fs::open(directory, flags, Mode::empty())?;
    let near = format!("/proc/self/fd/{}", directory.as_raw_fd());
    UnixListener::bind(Path::new(&near).join(name))
}

/// Reaches whoever listens at `path`. A link is not followed, and anything but a socket is not
/// even opened. `try_again` is asked while the line is busy.
pub(in crate::switchboard) fn call(
    path: &Path,
    mut try_again: impl FnMut() -> bool,
) -> Option<UnixStream> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let about = fstat(&place).ok()?;
    if FileType::from_raw_mode(about.st_mode) != FileType::Socket {
        return None;
    }
    let near = format!("/proc/self/fd/{}", place.as_raw_fd());
    let address = SocketAddrUnix::new(near).ok()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    loop {
        match connect(&socket, &address) {
            Ok(()) => return Some(socket.into()),
            // More have called than fit into the queue.
            Err(Errno::AGAIN) if try_again() => {}
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

pub(in crate::switchboard) fn peer(socket: &UnixStream) -> Option<Peer> {
    let peer = socket_peercred(socket).ok()?;
    Some(Peer {
        pid: peer.pid.as_raw_pid(),
        uid: peer.uid,
    })
}
