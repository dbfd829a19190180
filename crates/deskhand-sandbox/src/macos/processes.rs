//! The processes of this machine, by libproc and sysctl: who belongs to a program, and ending them.
#![allow(unsafe_code, reason = "the system's interface; every block says why it is sound")]

use std::{
    ffi::{CStr, c_char, c_int},
    io, mem, ptr,
    sync::LazyLock,
    time::Duration,
};

use rustix::process::{Pid, Signal, getsid, kill_process, kill_process_group};

use crate::seatbelt::{
    family::{Seen, family},
    mark::{Answers, Mark},
};

/// Between two looks at what is left.
const PACE: Duration = Duration::from_millis(2);

/// How often it is looked: whoever forks away from one look is found by the next, and what is still there
/// after so many hangs in the kernel.
const LOOKS: u32 = 500;

/// Room for what the kernel tells of the arguments and variables of one process.
const TOLD: usize = 64 << 10;

/// Ends a program with everything that belongs to it; whether nothing of it is left but itself, which its
/// parent asks how it ended.
pub(super) fn end(leader: i32, mark: Option<&Mark>) -> bool {
    for _ in 0..LOOKS {
        // Groups may be gone, and their numbers are not used again while the leader waits for its parent.
        if let Some(group) = Pid::from_raw(leader) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let left = family(&all(mark), leader);
        if left.is_empty() {
            return true;
        }
        for pid in left.into_iter().filter_map(Pid::from_raw) {
            // It may have ended since.
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(PACE);
    }
    false
}

/// Every process of this user that has not ended.
fn all(mark: Option<&Mark>) -> Vec<Seen> {
    let own = rustix::process::getuid().as_raw();
    numbers().into_iter().filter_map(|pid| seen(pid, own, mark)).collect()
}

fn seen(pid: i32, own: u32, mark: Option<&Mark>) -> Option<Seen> {
    let info = described(pid)?;
    // Who has ended and only waits for its parent cannot be ended again.
    if info.pbi_uid != own || info.pbi_status == libc::SZOMB {
        return None;
    }
    let young = mark.filter(|mark| info.pbi_start_tvsec >= mark.since());
    Some(Seen {
        pid,
        parent: i32::try_from(info.pbi_ppid).ok()?,
        group: i32::try_from(info.pbi_pgid).ok()?,
        session: getsid(Pid::from_raw(pid)).ok().map(|session| session.as_raw_nonzero().get()),
        marked: young.is_some_and(|mark| {
            answers(pid, mark).is_some_and(Mark::holds)
                || told(pid).is_some_and(|told| mark.is_among(&told))
        }),
    })
}

fn numbers() -> Vec<i32> {
    // SAFETY: without a buffer the call only counts.
    let count = unsafe { libc::proc_listallpids(ptr::null_mut(), 0) };
    // Room for those that begin meanwhile.
    let mut pids = vec![0_i32; usize::try_from(count).unwrap_or(0) + 64];
    let size = i32::try_from(mem::size_of_val(pids.as_slice())).unwrap_or(0);
    // SAFETY: the buffer is ours, is as long in bytes as it is said to be, and lives until the call returns.
    let count = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), size) };
    pids.truncate(usize::try_from(count).unwrap_or(0));
    pids
}

fn described(pid: i32) -> Option<libc::proc_bsdinfo> {
    // SAFETY: the structure is plain numbers and letters, for which zero is a value.
    let mut info: libc::proc_bsdinfo = unsafe { mem::zeroed() };
    let size = i32::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the kernel writes at most `size` bytes to the structure, which is that long and ours.
    let written =
        unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, (&raw mut info).cast(), size) };
    (written == size).then_some(info)
}

/// Tells whether the profile of a process denies something: a process, an operation or null for whether it has
/// a profile, what the rest is, and the rest.
type Check = unsafe extern "C" fn(libc::pid_t, *const c_char, c_int, ...) -> c_int;

/// The rest is the name of a service.
const SERVICE: c_int = 2;

/// Apple's own programs ask it; its headers leave it out.
static CHECK: LazyLock<Option<Check>> = LazyLock::new(|| {
    // SAFETY: looks a name up among the libraries that are loaded; the name ends with a zero.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"sandbox_check".as_ptr()) };
    // SAFETY: under this name libSystem, which stays loaded, has a function of this very kind.
    (!symbol.is_null()).then(|| unsafe { mem::transmute::<*mut libc::c_void, Check>(symbol) })
});

/// What keeps questions out of the system's log of what was denied.
static QUIET: LazyLock<c_int> = LazyLock::new(|| {
    // SAFETY: looks a name up among the libraries that are loaded; the name ends with a zero.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"SANDBOX_CHECK_NO_REPORT".as_ptr()) };
    // SAFETY: under this name libSystem, which stays loaded, has one number that never changes.
    if symbol.is_null() { 0 } else { unsafe { *symbol.cast_const().cast::<c_int>() } }
});

/// What the profile of a process says of the mark of a cell; none when it cannot be asked.
fn answers(pid: i32, mark: &Mark) -> Option<Answers> {
    let check = (*CHECK)?;
    let (own, nobodys) = mark.services()?;
    let looks_for = |service: &CStr| {
        let operation = c"mach-lookup".as_ptr();
        // SAFETY: both texts end with a zero and live until the call returns, which keeps neither; a name is what
        // this kind of question takes.
        unsafe { check(pid, operation, SERVICE | *QUIET, service.as_ptr()) }
    };
    // SAFETY: without an operation nothing else is read.
    let everything = unsafe { check(pid, ptr::null(), *QUIET) };
    Some(Answers { everything, own: looks_for(&own), nobodys: looks_for(&nobodys) })
}

/// The arguments and variables of a process, as far as there is room.
fn told(pid: i32) -> Option<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    let mut bytes = vec![0_u8; TOLD];
    let mut length = bytes.len();
    // SAFETY: the name has the three numbers that are told, the kernel writes at most `length` bytes to the
    // buffer, which is ours and that long, and says in `length` how many; nothing is set.
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
