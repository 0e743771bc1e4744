//! Local sockets on macOS. An address holds a hundred bytes, and a state directory may be
//! anywhere; where it has a longer name, it is reached through a link.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use rustix::process::Uid;

use super::Peer;
use super::short::ShortWay;

/// Listens at `path`, where nothing is.
pub(in crate::switchboard) fn bind(path: &Path) -> io::Result<UnixListener> {
    UnixListener::bind(ShortWay::to(path)?.path())
}

/// Reaches whoever listens at `path`, if it is a socket and no link. What takes its place
/// between the two is found out by who answers. A line that is busy refuses, as one does that
/// nobody listens on, so there is no point in trying again.
pub(in crate::switchboard) fn call(
    path: &Path,
    _try_again: impl FnMut() -> bool,
) -> Option<UnixStream> {
    let about = fs::symlink_metadata(path).ok()?;
    if !about.file_type().is_socket() {
        return None;
    }
    UnixStream::connect(ShortWay::to(path).ok()?.path()).ok()
}

pub(in crate::switchboard) fn peer(socket: &UnixStream) -> Option<Peer> {
    let peer = fusebox_darwin::peer(socket).ok()?;
    Some(Peer {
        pid: peer.pid,
        uid: Uid::from_raw(peer.uid),
    })
}
