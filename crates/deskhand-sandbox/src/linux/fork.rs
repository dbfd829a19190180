//! The calls no safe library has: a new process in new namespaces, the attributes of a whole tree of
//! mounts, and what happens between a new process and its program.
#![allow(unsafe_code, reason = "the kernel's interface; every block says why it is sound")]

use std::{
    ffi::CString,
    io,
    os::{
        fd::{AsRawFd, OwnedFd, RawFd},
        unix::{ffi::OsStrExt, process::CommandExt},
    },
    path::Path,
    process::Command,
};

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Which of the two a process is after it was doubled.
pub(super) enum Side {
    /// The new one.
    Child,
    /// The old one, with the number of the new one.
    Parent(i32),
}

/// Doubles this process, the new one in namespaces of its own.
///
/// It must have one thread: locks that another one held would stay held in the new process.
pub(super) fn doubled(namespaces: i32) -> io::Result<Side> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with no stack this is `fork`: the child gets a copy of everything and
    // goes on here. The caller has one thread (see above), so no lock of the allocator is held.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match i32::try_from(pid) {
        Ok(0) => Ok(Side::Child),
        Ok(pid) if pid > 0 => Ok(Side::Parent(pid)),
        Ok(_) | Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Puts this process into new namespaces of its own.
///
/// It must have one thread: a namespace of users is for all of a process.
pub(super) fn leave_namespaces(all: UnshareFlags) -> io::Result<()> {
    // SAFETY: the flags are of namespaces alone; none of them takes memory or files from under anybody.
    Ok(unsafe { unshare_unsafe(all) }?)
}

/// The kernel's `struct mount_attr`.
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Sets attributes of a mount and of all below it.
pub(super) fn restrict_mounts(at: &Path, attributes: u64) -> io::Result<()> {
    let path = CString::new(at.as_os_str().as_bytes())?;
    let attr = MountAttr { set: attributes, clear: 0, propagation: 0, user_namespace: 0 };
    let here: RawFd = libc::AT_FDCWD;
    // SAFETY: the path ends with a zero byte and the structure has the size that is told; both live until
    // the call returns, and the kernel writes to neither.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            here,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attr,
            size_of::<MountAttr>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Leaves the keys of the session behind: the new session of keys is empty.
pub(super) fn forget_keys() -> io::Result<()> {
    // SAFETY: no pointer is read: a null name asks for a session keyring without one.
    let done = unsafe {
        libc::syscall(libc::SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, std::ptr::null::<u8>())
    };
    if done >= 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Closes every file of this process but its standard streams and one.
///
/// Whoever owned one of them must never come back to it: so it is for a process at its beginning, and for
/// one that exits without going back to where it came from.
pub(super) fn close_others(kept: &OwnedFd) -> io::Result<()> {
    let kept = libc::c_uint::try_from(kept.as_raw_fd()).map_err(io::Error::other)?;
    for (first, last) in [(3, kept.saturating_sub(1)), (kept + 1, libc::c_uint::MAX)] {
        if first > last {
            continue;
        }
        // SAFETY: nobody comes back to what is closed (see above), so no file is used that is another's by then.
        let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        if done != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Makes the terminal on standard input of a command the one that controls it.
pub(super) fn on_terminal(command: &mut Command) {
    let lead = || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
        Ok(())
    };
    // SAFETY: between the new process and its program only two system calls are made; nothing is
    // allocated and no lock is taken.
    unsafe { command.pre_exec(lead) };
}

/// From linux/keyctl.h.
const KEYCTL_JOIN_SESSION_KEYRING: libc::c_long = 1;
