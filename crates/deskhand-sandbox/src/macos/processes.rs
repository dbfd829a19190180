//! The processes of this machine, through libproc and sysctl: finds and kills the processes of a program.
#![allow(unsafe_code, reason = "system interface; every block states why it is sound")]

use std::{
    ffi::{CStr, c_char, c_int},
    io, mem, ptr,
    sync::LazyLock,
};

use rustix::process::{Pid, Signal, getsid, kill_process, kill_process_group};

use crate::{
    platform::timing::PROCESS_SCAN_INTERVAL,
    seatbelt::{
        family::{ProcessInfo, members},
        tag::{ContainerTag, ProfileAnswers},
    },
};

/// Maximum number of scans. A process that forks during one scan is found by the next; what is left after this
/// many hangs in the kernel.
const MAX_SCANS: u32 = 500;

/// Size of the buffer for the arguments and environment of one process.
const ARGUMENTS_BUFFER: usize = 64 << 10;

/// Kills a program and its descendants. Returns `true` if only the program itself is left, which its parent
/// reaps.
pub(super) fn kill_family(leader: i32, tag: Option<&ContainerTag>) -> bool {
    for _ in 0..MAX_SCANS {
        // The group may be gone. Its id is not reused while the leader waits to be reaped.
        if let Some(group) = Pid::from_raw(leader) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let left = members(&list_processes(tag), leader);
        if left.is_empty() {
            return true;
        }
        for pid in left.into_iter().filter_map(Pid::from_raw) {
            // The process may have ended since.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(PROCESS_SCAN_INTERVAL);
    }
    false
}

/// Returns every running process of this user.
fn list_processes(tag: Option<&ContainerTag>) -> Vec<ProcessInfo> {
    let own = rustix::process::getuid().as_raw();
    list_pids().into_iter().filter_map(|pid| read_process(pid, own, tag)).collect()
}

fn read_process(pid: i32, own: u32, tag: Option<&ContainerTag>) -> Option<ProcessInfo> {
    let info = read_bsdinfo(pid)?;
    // A zombie cannot be killed.
    if info.pbi_uid != own || info.pbi_status == libc::SZOMB {
        return None;
    }
    let candidate = tag.filter(|tag| info.pbi_start_tvsec >= tag.created_at());
    Some(ProcessInfo {
        pid,
        parent: i32::try_from(info.pbi_ppid).ok()?,
        group: i32::try_from(info.pbi_pgid).ok()?,
        session: getsid(Pid::from_raw(pid)).ok().map(|session| session.as_raw_nonzero().get()),
        tagged: candidate.is_some_and(|tag| {
            query_profile(pid, tag).is_some_and(ContainerTag::is_confined)
                || read_arguments(pid).is_some_and(|arguments| tag.is_in_arguments(&arguments))
        }),
    })
}

fn list_pids() -> Vec<i32> {
    // SAFETY: without a buffer the call only counts.
    let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
    // Leave space for processes that start in between.
    let mut pids = vec![0_i32; usize::try_from(count).unwrap_or(0) + 64];
    let size = i32::try_from(mem::size_of_val(pids.as_slice())).unwrap_or(0);
    // SAFETY: the buffer is owned by this function, has `size` bytes, and outlives the call.
    let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), size) };
    pids.truncate(usize::try_from(count).unwrap_or(0));
    pids
}

fn read_bsdinfo(pid: i32) -> Option<libc::proc_bsdinfo> {
    // SAFETY: all fields are integers or byte arrays, for which zero is valid.
    let mut info: libc::proc_bsdinfo = unsafe { mem::zeroed() };
    let size = i32::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the kernel writes at most `size` bytes to the structure, which has that size.
    let written =
        unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, (&raw mut info).cast(), size) };
    (written == size).then_some(info)
}

/// The type of `sandbox_check`: process, operation (null asks whether the process has a profile), filter type,
/// and the filter's argument. The result says whether the profile denies the operation.
type SandboxCheckFn = unsafe extern "C" fn(libc::pid_t, *const c_char, c_int, ...) -> c_int;

/// The filter type for the name of a service.
const FILTER_GLOBAL_NAME: c_int = 2;

/// `sandbox_check` of libSystem. Apple's programs use it, but it is not in the public headers.
static SANDBOX_CHECK: LazyLock<Option<SandboxCheckFn>> = LazyLock::new(|| {
    // SAFETY: looks up a symbol in the loaded libraries; the name is NUL-terminated.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"sandbox_check".as_ptr()) };
    // SAFETY: libSystem, which stays loaded, exports a function of this type under this name.
    (!symbol.is_null())
        .then(|| unsafe { mem::transmute::<*mut libc::c_void, SandboxCheckFn>(symbol) })
});

/// The flag that keeps these checks out of the system's log of denials.
static NO_REPORT: LazyLock<c_int> = LazyLock::new(|| {
    // SAFETY: looks up a symbol in the loaded libraries; the name is NUL-terminated.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"SANDBOX_CHECK_NO_REPORT".as_ptr()) };
    // SAFETY: libSystem, which stays loaded, exports a constant `int` under this name.
    if symbol.is_null() { 0 } else { unsafe { *symbol.cast_const().cast::<c_int>() } }
});

/// Asks the kernel what the profile of a process says about a tag. `None` if `sandbox_check` is missing.
fn query_profile(pid: i32, tag: &ContainerTag) -> Option<ProfileAnswers> {
    let check = (*SANDBOX_CHECK)?;
    let (own, unused) = tag.services()?;
    let looks_for = |service: &CStr| {
        let operation = c"mach-lookup".as_ptr();
        // SAFETY: both strings are NUL-terminated, outlive the call and are not retained; this filter type takes
        // a string.
        unsafe { check(pid, operation, FILTER_GLOBAL_NAME | *NO_REPORT, service.as_ptr()) }
    };
    // SAFETY: without an operation no further argument is read.
    let everything = unsafe { check(pid, ptr::null(), *NO_REPORT) };
    Some(ProfileAnswers { everything, own: looks_for(&own), unused: looks_for(&unused) })
}

/// Returns the arguments and environment of a process, as far as they fit into the buffer.
fn read_arguments(pid: i32) -> Option<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    let mut bytes = vec![0_u8; ARGUMENTS_BUFFER];
    let mut length = bytes.len();
    // SAFETY: the name has three elements as stated, the kernel writes at most `length` bytes to the buffer, which
    // has that size, and stores the count in `length`; no value is set.
    let done = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
            ptr::null_mut(),
            0,
        )
    };
    bytes.truncate(length);
    (done == 0).then_some(bytes)
}

/// Seconds since 1970.
pub(super) fn now() -> io::Result<u64> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map(|since| since.as_secs()).map_err(io::Error::other)
}
