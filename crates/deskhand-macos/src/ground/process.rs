//! Processes as the kernel knows them: libproc and sysctl.

use std::{
    ffi::{OsStr, c_char, c_int, c_void},
    io, mem,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    ptr,
};

use deskhand_platform::End;

use crate::apps::{Facts, Kernel};

/// Room for processes that start between the count and the list.
const MORE: usize = 64;

/// The system, as far as programs go.
pub(crate) struct System;

impl Kernel for System {
    fn pids(&self) -> Vec<u32> {
        // SAFETY: without a buffer it only counts.
        let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
        let room = usize::try_from(count).unwrap_or(0) + MORE;
        let mut pids: Vec<libc::pid_t> = vec![0; room];
        let size = c_int::try_from(room * size_of::<libc::pid_t>()).unwrap_or(0);
        // SAFETY: the buffer is live and as many bytes long as is said.
        let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast::<c_void>(), size) };
        pids.truncate(usize::try_from(count).unwrap_or(0));
        pids.into_iter().filter_map(|pid| u32::try_from(pid).ok().filter(|pid| *pid > 0)).collect()
    }

    fn facts(&self, pid: u32) -> Option<Facts> {
        // SAFETY: the kind of facts asked for fills this very struct, which is plain numbers.
        let info: libc::proc_bsdinfo = unsafe { told(pid, libc::PROC_PIDTBSDINFO) }?;
        // SAFETY: it takes and gives numbers only.
        let session = unsafe { libc::getsid(number(pid)?) };
        let name = if info.pbi_name[0] == 0 { &info.pbi_comm[..] } else { &info.pbi_name[..] };
        Some(Facts {
            runs: info.pbi_status != libc::SZOMB,
            parent: info.pbi_ppid,
            session: u32::try_from(session).unwrap_or(0),
            started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
            name: String::from_utf8_lossy(&bytes(name)).into_owned(),
        })
    }

    fn program(&self, pid: u32) -> Option<PathBuf> {
        let mut path = vec![0_u8; libc::PROC_PIDPATHINFO_MAXSIZE as usize];
        let room = u32::try_from(path.len()).ok()?;
        // SAFETY: the buffer is live and as long as is said.
        let length =
            unsafe { libc::proc_pidpath(number(pid)?, path.as_mut_ptr().cast::<c_void>(), room) };
        path.truncate(usize::try_from(length).ok().filter(|length| *length > 0)?);
        Some(PathBuf::from(OsStr::from_bytes(&path)))
    }

    fn arguments(&self, pid: u32) -> Option<Vec<u8>> {
        let mut longest: c_int = 0;
        let mut size = size_of::<c_int>();
        let at = (&raw mut longest).cast::<c_void>();
        // SAFETY: the answer is one number, and goes to one.
        unsafe { ask(&mut [libc::CTL_KERN, libc::KERN_ARGMAX], at, &mut size) }?;
        let mut all = vec![0_u8; usize::try_from(longest).ok()?];
        let mut size = all.len();
        let name = &mut [libc::CTL_KERN, libc::KERN_PROCARGS2, number(pid)?];
        // SAFETY: the buffer is live and as long as is said.
        unsafe { ask(name, all.as_mut_ptr().cast::<c_void>(), &mut size) }?;
        all.truncate(size);
        all.shrink_to_fit();
        Some(all)
    }

    fn folder(&self, pid: u32) -> Option<PathBuf> {
        // SAFETY: the kind of facts asked for fills this very struct, which is plain numbers.
        let info: libc::proc_vnodepathinfo = unsafe { told(pid, libc::PROC_PIDVNODEPATHINFO) }?;
        let path = bytes(info.pvi_cdir.vip_path.as_flattened());
        (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&path)))
    }

    fn signal(&self, pid: u32, how: End) -> io::Result<()> {
        let signal = match how {
            End::Ask => libc::SIGTERM,
            End::Kill => libc::SIGKILL,
        };
        let pid = number(pid).ok_or(io::ErrorKind::NotFound)?;
        // SAFETY: it takes numbers only; 0 and negative ones, which stand for many, are never made above.
        match unsafe { libc::kill(pid, signal) } {
            0 => Ok(()),
            _ => match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::ESRCH) => {
                    Err(io::ErrorKind::NotFound.into())
                }
                error => Err(error),
            },
        }
    }
}

fn number(pid: u32) -> Option<libc::pid_t> {
    libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 0)
}

/// Facts of one kind about a process.
///
/// # Safety
///
/// `T` is the struct the kernel fills for this kind, and any bytes make a valid one.
unsafe fn told<T>(pid: u32, kind: c_int) -> Option<T> {
    // SAFETY: the caller answers for zeros being a valid one.
    let mut facts: T = unsafe { mem::zeroed() };
    let size = c_int::try_from(size_of::<T>()).ok()?;
    let at = (&raw mut facts).cast::<c_void>();
    // SAFETY: the struct is live, ours alone, and as long as is said.
    let filled = unsafe { libc::proc_pidinfo(number(pid)?, kind, 0, at, size) };
    (filled == size).then_some(facts)
}

/// Asks the kernel for something by its numbers.
///
/// # Safety
///
/// The answer goes to `size` bytes at `at`.
unsafe fn ask(name: &mut [c_int], at: *mut c_void, size: &mut usize) -> Option<()> {
    let count = libc::c_uint::try_from(name.len()).ok()?;
    // SAFETY: the name is live and of that length, the caller answers for the room, and nothing is set.
    let status = unsafe { libc::sysctl(name.as_mut_ptr(), count, at, size, ptr::null_mut(), 0) };
    (status == 0).then_some(())
}

/// The bytes before the first zero.
fn bytes(text: &[c_char]) -> Vec<u8> {
    text.iter().take_while(|one| **one != 0).map(|one| one.cast_unsigned()).collect()
}
