//! Processes: libproc and sysctl.

use std::{
    ffi::{OsStr, c_char, c_int, c_void},
    io, mem,
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    ptr,
};

use deskhand_platform::Termination;

use crate::apps::{KernelApi, ProcessInfo};

/// Extra space for processes that start between the count and the list.
const EXTRA_PIDS: usize = 64;

/// The processes and apps of the running system.
pub(crate) struct SystemProcesses;

impl KernelApi for SystemProcesses {
    fn list_pids(&self) -> Vec<u32> {
        // SAFETY: without a buffer it only counts.
        let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
        let capacity = usize::try_from(count).unwrap_or(0) + EXTRA_PIDS;
        let mut pids: Vec<libc::pid_t> = vec![0; capacity];
        let size = c_int::try_from(capacity * size_of::<libc::pid_t>()).unwrap_or(0);
        // SAFETY: the buffer is live and has `size` bytes.
        let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast::<c_void>(), size) };
        pids.truncate(usize::try_from(count).unwrap_or(0));
        pids.into_iter().filter_map(|pid| u32::try_from(pid).ok().filter(|pid| *pid > 0)).collect()
    }

    fn process_info(&self, pid: u32) -> Option<ProcessInfo> {
        // SAFETY: this flavour fills this struct, which contains only numbers.
        let info: libc::proc_bsdinfo = unsafe { proc_info(pid, libc::PROC_PIDTBSDINFO) }?;
        // SAFETY: takes and returns only numbers.
        let session = unsafe { libc::getsid(raw_pid(pid)?) };
        let name = if info.pbi_name[0] == 0 { &info.pbi_comm[..] } else { &info.pbi_name[..] };
        Some(ProcessInfo {
            is_running: info.pbi_status != libc::SZOMB,
            parent: info.pbi_ppid,
            session: u32::try_from(session).unwrap_or(0),
            started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
            name: String::from_utf8_lossy(&c_string(name)).into_owned(),
        })
    }

    fn executable(&self, pid: u32) -> Option<PathBuf> {
        let mut path = vec![0_u8; libc::PROC_PIDPATHINFO_MAXSIZE as usize];
        let size = u32::try_from(path.len()).ok()?;
        // SAFETY: the buffer is live and has `size` bytes.
        let length =
            unsafe { libc::proc_pidpath(raw_pid(pid)?, path.as_mut_ptr().cast::<c_void>(), size) };
        path.truncate(usize::try_from(length).ok().filter(|length| *length > 0)?);
        Some(PathBuf::from(OsStr::from_bytes(&path)))
    }

    fn raw_arguments(&self, pid: u32) -> Option<Vec<u8>> {
        let mut max_size: c_int = 0;
        let mut size = size_of::<c_int>();
        let out = (&raw mut max_size).cast::<c_void>();
        // SAFETY: the result is one number, and `out` points to one.
        unsafe { sysctl(&mut [libc::CTL_KERN, libc::KERN_ARGMAX], out, &mut size) }?;
        let mut buffer = vec![0_u8; usize::try_from(max_size).ok()?];
        let mut size = buffer.len();
        let name = &mut [libc::CTL_KERN, libc::KERN_PROCARGS2, raw_pid(pid)?];
        // SAFETY: the buffer is live and has `size` bytes.
        unsafe { sysctl(name, buffer.as_mut_ptr().cast::<c_void>(), &mut size) }?;
        buffer.truncate(size);
        buffer.shrink_to_fit();
        Some(buffer)
    }

    fn working_dir(&self, pid: u32) -> Option<PathBuf> {
        // SAFETY: this flavour fills this struct, which contains only numbers.
        let info: libc::proc_vnodepathinfo =
            unsafe { proc_info(pid, libc::PROC_PIDVNODEPATHINFO) }?;
        let path = c_string(info.pvi_cdir.vip_path.as_flattened());
        (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&path)))
    }

    fn signal(&self, pid: u32, how: Termination) -> io::Result<()> {
        let signal = match how {
            Termination::Request => libc::SIGTERM,
            Termination::Kill => libc::SIGKILL,
        };
        let pid = raw_pid(pid).ok_or(io::ErrorKind::NotFound)?;
        // SAFETY: takes only numbers. `raw_pid` excludes 0 and negative numbers, which stand for groups.
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

fn raw_pid(pid: u32) -> Option<libc::pid_t> {
    libc::pid_t::try_from(pid).ok().filter(|pid| *pid > 0)
}

/// Information of one flavour about a process.
///
/// # Safety
///
/// `T` is the struct that the kernel fills for this flavour, and any bytes are a valid `T`.
unsafe fn proc_info<T>(pid: u32, flavour: c_int) -> Option<T> {
    // SAFETY: the caller guarantees that zeros are a valid `T`.
    let mut info: T = unsafe { mem::zeroed() };
    let size = c_int::try_from(size_of::<T>()).ok()?;
    let out = (&raw mut info).cast::<c_void>();
    // SAFETY: the struct is live, belongs to this function and has `size` bytes.
    let filled = unsafe { libc::proc_pidinfo(raw_pid(pid)?, flavour, 0, out, size) };
    (filled == size).then_some(info)
}

/// Reads a kernel value by its numeric name.
///
/// # Safety
///
/// `out` points to `size` writable bytes.
unsafe fn sysctl(name: &mut [c_int], out: *mut c_void, size: &mut usize) -> Option<()> {
    let count = libc::c_uint::try_from(name.len()).ok()?;
    // SAFETY: the name is live and has this length, the caller guarantees the output, and nothing is set.
    let status = unsafe { libc::sysctl(name.as_mut_ptr(), count, out, size, ptr::null_mut(), 0) };
    (status == 0).then_some(())
}

/// The bytes before the first zero.
fn c_string(text: &[c_char]) -> Vec<u8> {
    text.iter().take_while(|one| **one != 0).map(|one| one.cast_unsigned()).collect()
}
