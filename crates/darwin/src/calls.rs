//! The calls themselves. Everything in here hands buffers of known length to the system and
//! gives back what it has filled of them; nothing outlives a call.
#![expect(
    unsafe_code,
    reason = "sysctl, libproc and two socket calls have no safe binding that is well kept"
)]

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

/// A table may grow between the question how long it is and the answer.
const ATTEMPTS: u32 = 5;
/// No answer of the system is longer; the list of processes is a few hundred kilobytes.
const LONGEST: usize = 64 << 20;

/// What the system says under a number of `sysctl`, whole.
pub(crate) fn sysctl(mib: &[c_int]) -> io::Result<Vec<u8>> {
    let mut mib = mib.to_vec();
    let names = u32::try_from(mib.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    answer(|buffer, length| {
        // SAFETY: `mib` holds `names` numbers; `buffer` is null or has `*length` writable
        // bytes, by the promise of `answer`; nothing is set, so the last two are null and 0.
        unsafe { libc::sysctl(mib.as_mut_ptr(), names, buffer, length, ptr::null_mut(), 0) }
    })
}

/// What the system says under a name of `sysctl`, whole.
pub(crate) fn sysctl_named(name: &CStr) -> io::Result<Vec<u8>> {
    answer(|buffer, length| {
        // SAFETY: the name ends in a zero; the rest is as in `sysctl`.
        unsafe { libc::sysctlbyname(name.as_ptr(), buffer, length, ptr::null_mut(), 0) }
    })
}

/// Asks how long the answer is, and then for the answer. `call` may write as many bytes to
/// the pointer as the number says, unless it is null, and says in the number how many it
/// wrote or would have.
fn answer(mut call: impl FnMut(*mut c_void, *mut usize) -> c_int) -> io::Result<Vec<u8>> {
    for _ in 0..ATTEMPTS {
        let mut length = 0;
        if call(ptr::null_mut(), &raw mut length) != 0 {
            return Err(io::Error::last_os_error());
        }
        if length > LONGEST {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let mut buffer = vec![0_u8; length];
        if call(buffer.as_mut_ptr().cast(), &raw mut length) == 0 {
            buffer.truncate(length);
            return Ok(buffer);
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() != Some(libc::ENOMEM) {
            return Err(error);
        }
    }
    Err(io::Error::from_raw_os_error(libc::ENOMEM))
}

/// The 16 bytes by which the machine is told from others.
pub(crate) fn machine() -> io::Result<[u8; 16]> {
    let mut id = [0; 16];
    // It has the answer, or nobody will within a second.
    let patience = libc::timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    // SAFETY: the system writes 16 bytes, for which there is room, and reads one `timespec`.
    if unsafe { libc::gethostuuid(id.as_mut_ptr(), &raw const patience) } == 0 {
        Ok(id)
    } else {
        Err(io::Error::last_os_error())
    }
}

/// What the system accounts to a process; `None` if it is gone or somebody else's.
pub(crate) fn usage(pid: c_int) -> Option<libc::rusage_info_v4> {
    let mut usage = MaybeUninit::<libc::rusage_info_v4>::zeroed();
    // SAFETY: for this flavour the system writes one `rusage_info_v4` to where the pointer
    // leads, in spite of the declared type, which is that of a pointer to a pointer.
    let failed =
        unsafe { libc::proc_pid_rusage(pid, libc::RUSAGE_INFO_V4, usage.as_mut_ptr().cast()) };
    // SAFETY: it was zeroed, and all of its fields are numbers, for which any bits will do.
    (failed == 0).then(|| unsafe { usage.assume_init() })
}

/// The open files of a process, as many as there were a moment ago.
pub(crate) fn open_files(pid: c_int) -> Vec<libc::proc_fdinfo> {
    let size = size_of::<libc::proc_fdinfo>();
    // SAFETY: without a buffer the system only says how many bytes there would be.
    let bytes = unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDLISTFDS, 0, ptr::null_mut(), 0) };
    let room = usize::try_from(bytes).unwrap_or(0).min(LONGEST) / size;
    let mut files = Vec::with_capacity(room);
    let Ok(bytes) = c_int::try_from(room * size) else {
        return files;
    };
    // SAFETY: there is room for so many bytes behind the pointer.
    let filled = unsafe {
        libc::proc_pidinfo(
            pid,
            libc::PROC_PIDLISTFDS,
            0,
            files.as_mut_ptr().cast(),
            bytes,
        )
    };
    let filled = usize::try_from(filled).unwrap_or(0) / size;
    // SAFETY: the system has filled so many entries, and never more than there is room for.
    unsafe { files.set_len(filled.min(room)) };
    files
}

/// What the system says of a socket that a process has open, in `buffer`; the part that was
/// filled.
pub(crate) fn socket_info(pid: c_int, file: c_int, buffer: &mut [u8]) -> &[u8] {
    /// `PROC_PIDFDSOCKETINFO` in `sys/proc_info.h`.
    const SOCKET: c_int = 3;
    let Ok(length) = c_int::try_from(buffer.len()) else {
        return &[];
    };
    // SAFETY: the buffer has so many writable bytes.
    let filled =
        unsafe { libc::proc_pidfdinfo(pid, file, SOCKET, buffer.as_mut_ptr().cast(), length) };
    let filled = usize::try_from(filled).unwrap_or(0).min(buffer.len());
    &buffer[..filled]
}

/// The user at the other end of a local socket.
pub(crate) fn peer_user(socket: BorrowedFd<'_>) -> io::Result<u32> {
    let (mut user, mut group) = (0, 0);
    // SAFETY: the descriptor is open, and both numbers can be written.
    let failed = unsafe { libc::getpeereid(socket.as_raw_fd(), &raw mut user, &raw mut group) };
    if failed == 0 {
        Ok(user)
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The process at the other end of a local socket.
pub(crate) fn peer_process(socket: BorrowedFd<'_>) -> io::Result<c_int> {
    let mut pid: c_int = 0;
    let mut length = libc::socklen_t::try_from(size_of::<c_int>()).unwrap_or(4);
    // SAFETY: the descriptor is open, and there are `length` writable bytes for the answer.
    let failed = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_LOCAL,
            libc::LOCAL_PEERPID,
            (&raw mut pid).cast(),
            &raw mut length,
        )
    };
    if failed == 0 {
        Ok(pid)
    } else {
        Err(io::Error::last_os_error())
    }
}
