//! System calls without a safe wrapper: fork into new namespaces, attributes of a mount tree, and code between
//! fork and exec.
#![allow(unsafe_code, reason = "kernel interface; every block states why it is sound")]

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

/// The result of a fork.
pub(super) enum ForkResult {
    /// This is the new process.
    Child,
    /// This is the old process; the value is the id of the new one.
    Parent(i32),
}

/// Forks this process. The child runs in new namespaces.
///
/// The process must have one thread: locks of other threads would stay locked in the child.
pub(super) fn fork_into(namespaces: i32) -> io::Result<ForkResult> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without CLONE_VM and without a stack this is `fork`: the child gets a copy of everything and
    // continues here. The process has one thread (see above), so no allocator lock is held.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match i32::try_from(pid) {
        Ok(0) => Ok(ForkResult::Child),
        Ok(pid) if pid > 0 => Ok(ForkResult::Parent(pid)),
        Ok(_) | Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Moves this process into new namespaces.
///
/// The process must have one thread: a user namespace applies to a whole process.
pub(super) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    // SAFETY: the flags are namespace flags only; none of them unshares memory or the file table.
    Ok(unsafe { unshare_unsafe(namespaces) }?)
}

/// The kernel's `struct mount_attr`.
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Sets attributes of a mount and all mounts below it.
pub(super) fn set_mount_attributes(at: &Path, attributes: u64) -> io::Result<()> {
    let path = CString::new(at.as_os_str().as_bytes())?;
    let attr = MountAttr { set: attributes, clear: 0, propagation: 0, user_namespace: 0 };
    let here: RawFd = libc::AT_FDCWD;
    // SAFETY: the path is NUL-terminated and the structure has the stated size; both outlive the call, and the
    // kernel writes to neither.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            here,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const attr,
            size_of::<MountAttr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Leaves the session keyring and joins a new, empty one.
pub(super) fn join_empty_keyring() -> io::Result<()> {
    // SAFETY: no pointer is read: a null name requests an anonymous session keyring.
    let result = unsafe {
        libc::syscall(libc::SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, std::ptr::null::<u8>())
    };
    if result >= 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Closes all files of this process except the standard streams and one other.
///
/// Objects that own one of the closed files must never be used or dropped again. So this is for a process at its
/// start, and for one that exits without returning to its caller.
pub(super) fn close_all_except(kept: &OwnedFd) -> io::Result<()> {
    let kept = libc::c_uint::try_from(kept.as_raw_fd()).map_err(io::Error::other)?;
    for (first, last) in [(3, kept.saturating_sub(1)), (kept + 1, libc::c_uint::MAX)] {
        if first > last {
            continue;
        }
        // SAFETY: no closed descriptor is used again (see above), so none is used after its number was reused.
        let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Makes the terminal on standard input the controlling terminal of a command.
pub(super) fn set_controlling_terminal(command: &mut Command) {
    let take_terminal = || {
        rustix::process::setsid()?;
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes two system calls; it allocates nothing and takes no
    // lock.
    unsafe { command.pre_exec(take_terminal) };
}

/// From linux/keyctl.h.
const KEYCTL_JOIN_SESSION_KEYRING: libc::c_long = 1;
