//! The system call in which a thread waits.

use std::{fs::File, os::unix::fs::FileExt, time::Duration};

use rustix::time::{ClockId, clock_gettime};

/// The state of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadWait {
    /// The thread runs, or waits in an unknown call.
    Busy,
    /// The thread waits for an event without a time limit.
    Event,
    /// The thread waits for an event, at most for this time.
    Timer(Duration),
}

/// The argument that contains the time limit of a system call.
#[derive(Debug, Clone, Copy)]
enum WaitLimit {
    /// The call has no time limit.
    None,
    /// The argument is a number of milliseconds; negative numbers stand for no limit.
    Milliseconds(usize),
    /// The argument is the address of a time in seconds and nanoseconds.
    Time(usize),
    /// The argument is the address of a time in seconds and microseconds.
    TimeVal(usize),
    /// The call is `futex`.
    Futex,
    /// The call is `clock_nanosleep`.
    Sleep,
}

/// The system calls in which threads wait: the numbers and their time limits.
#[cfg(target_arch = "x86_64")]
const WAITS: &[(i64, WaitLimit)] = &[
    (0, WaitLimit::None),              // read
    (7, WaitLimit::Milliseconds(2)),   // poll
    (23, WaitLimit::TimeVal(4)),       // select
    (34, WaitLimit::None),             // pause
    (35, WaitLimit::Time(0)),          // nanosleep
    (43, WaitLimit::None),             // accept
    (45, WaitLimit::None),             // recvfrom
    (47, WaitLimit::None),             // recvmsg
    (61, WaitLimit::None),             // wait4
    (128, WaitLimit::Time(2)),         // rt_sigtimedwait
    (130, WaitLimit::None),            // rt_sigsuspend
    (202, WaitLimit::Futex),           // futex
    (230, WaitLimit::Sleep),           // clock_nanosleep
    (232, WaitLimit::Milliseconds(3)), // epoll_wait
    (247, WaitLimit::None),            // waitid
    (270, WaitLimit::Time(4)),         // pselect6
    (271, WaitLimit::Time(2)),         // ppoll
    (281, WaitLimit::Milliseconds(3)), // epoll_pwait
    (288, WaitLimit::None),            // accept4
    (441, WaitLimit::Time(3)),         // epoll_pwait2
];

/// The system calls in which threads wait: the numbers and their time limits.
#[cfg(target_arch = "aarch64")]
const WAITS: &[(i64, WaitLimit)] = &[
    (22, WaitLimit::Milliseconds(3)), // epoll_pwait
    (63, WaitLimit::None),            // read
    (72, WaitLimit::Time(4)),         // pselect6
    (73, WaitLimit::Time(2)),         // ppoll
    (95, WaitLimit::None),            // waitid
    (98, WaitLimit::Futex),           // futex
    (101, WaitLimit::Time(0)),        // nanosleep
    (115, WaitLimit::Sleep),          // clock_nanosleep
    (133, WaitLimit::None),           // rt_sigsuspend
    (137, WaitLimit::Time(2)),        // rt_sigtimedwait
    (202, WaitLimit::None),           // accept
    (207, WaitLimit::None),           // recvfrom
    (212, WaitLimit::None),           // recvmsg
    (242, WaitLimit::None),           // accept4
    (260, WaitLimit::None),           // wait4
    (441, WaitLimit::Time(3)),        // epoll_pwait2
];

/// On other processors every thread counts as busy.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const WAITS: &[(i64, WaitLimit)] = &[];

/// Parses a line of `/proc/PID/task/TID/syscall`: the number of the call and its arguments.
pub(super) fn parse(line: &str, pid: u32) -> ThreadWait {
    wait_of(line, |address| read_pair(pid, address)).unwrap_or(ThreadWait::Busy)
}

/// Returns the wait of a thread; `None` if it is not in a known call. `read_pair` reads two numbers
/// from its memory.
fn wait_of(line: &str, read_pair: impl Fn(u64) -> Option<[i64; 2]>) -> Option<ThreadWait> {
    let mut words = line.split_ascii_whitespace();
    let number: i64 = words.next()?.parse().ok()?;
    let arguments: Vec<u64> =
        words.map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()).collect();
    let (_, limit) = WAITS.iter().find(|(one, _)| *one == number)?;
    let timer = |address: u64, unit: u64| -> Option<ThreadWait> {
        if address == 0 {
            return Some(ThreadWait::Event);
        }
        Some(ThreadWait::Timer(duration(read_pair(address)?, unit)?))
    };
    match limit {
        WaitLimit::None => Some(ThreadWait::Event),
        WaitLimit::Milliseconds(at) => {
            // The argument is a 32-bit number.
            let time = *arguments.get(*at)? as u32 as i32;
            Some(match u64::try_from(time) {
                Ok(time) => ThreadWait::Timer(Duration::from_millis(time)),
                Err(_) => ThreadWait::Event,
            })
        }
        WaitLimit::Time(at) => timer(*arguments.get(*at)?, 1),
        WaitLimit::TimeVal(at) => timer(*arguments.get(*at)?, 1_000),
        WaitLimit::Futex => {
            const COMMAND: u64 = 0x7f;
            const WAIT: u64 = 0;
            const WAIT_BITSET: u64 = 9;
            const REAL_TIME: u64 = 0x100;
            let [operation, address] = [*arguments.get(1)?, *arguments.get(3)?];
            match operation & COMMAND {
                WAIT => timer(address, 1),
                WAIT_BITSET if address == 0 => Some(ThreadWait::Event),
                WAIT_BITSET => {
                    let clock = if operation & REAL_TIME == 0 {
                        ClockId::Monotonic
                    } else {
                        ClockId::Realtime
                    };
                    Some(ThreadWait::Timer(until(read_pair(address)?, clock)?))
                }
                _ => None,
            }
        }
        WaitLimit::Sleep => {
            const ABSOLUTE: u64 = 1;
            let [clock, flags, address] = [0, 1, 2].map(|at| arguments.get(at).copied());
            match (clock?, flags? & ABSOLUTE) {
                (_, 0) => timer(address?, 1),
                (0, _) => Some(ThreadWait::Timer(until(read_pair(address?)?, ClockId::Realtime)?)),
                (1, _) => Some(ThreadWait::Timer(until(read_pair(address?)?, ClockId::Monotonic)?)),
                _ => None,
            }
        }
    }
}

/// Converts seconds and a fraction in units of `unit` nanoseconds.
fn duration([seconds, fraction]: [i64; 2], unit: u64) -> Option<Duration> {
    let nanoseconds = u64::try_from(fraction).ok()?.checked_mul(unit)?;
    Duration::from_secs(u64::try_from(seconds).ok()?).checked_add(Duration::from_nanos(nanoseconds))
}

/// Returns the time until a point of a clock.
fn until(at: [i64; 2], clock: ClockId) -> Option<Duration> {
    let now = clock_gettime(clock);
    let now = duration([now.tv_sec, now.tv_nsec], 1)?;
    Some(duration(at, 1)?.saturating_sub(now))
}

/// Reads two 64-bit numbers from the memory of a process.
fn read_pair(pid: u32, address: u64) -> Option<[i64; 2]> {
    let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
    let mut bytes = [0; 16];
    memory.read_exact_at(&mut bytes, address).ok()?;
    let (first, second) = bytes.split_at(8);
    Some([i64::from_ne_bytes(first.try_into().ok()?), i64::from_ne_bytes(second.try_into().ok()?)])
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn parse(line: &str) -> ThreadWait {
        wait_of(line, |_| Some([2, 500_000])).unwrap_or(ThreadWait::Busy)
    }

    fn timer(time: Duration) -> ThreadWait {
        ThreadWait::Timer(time)
    }

    #[test]
    fn a_main_loop_shows_its_next_timer() {
        for (line, wait) in [
            ("7 0x55933c1ef180 0x1 0xffffffff 0x80 0x0 0x0 0x7f 0x7f", ThreadWait::Event),
            ("7 0x56431077e0b0 0x1 0x1f4 0x0 0x0 0x0 0x7f 0x7f", timer(Duration::from_millis(500))),
            ("232 0x3 0x7f 0x10 0x64 0x0 0x0 0x7f 0x7f", timer(Duration::from_millis(100))),
            ("271 0x7f 0x1 0x0 0x0 0x8 0x0 0x7f 0x7f", ThreadWait::Event),
            ("271 0x7f 0x1 0x7f10 0x0 0x8 0x0 0x7f 0x7f", timer(Duration::new(2, 500_000))),
            ("23 0x7f 0x1 0x7f 0x0 0x7f10 0x0 0x7f 0x7f", timer(Duration::new(2, 500_000_000))),
        ] {
            assert_eq!(parse(line), wait, "{line}");
        }
    }

    #[test]
    fn a_condition_shows_its_limit() {
        let relative = "202 0x55933c1e94e0 0x80 0x0 0x7f2768ffead0 0x0 0xe 0x7f 0x7f";
        assert_eq!(parse(relative), timer(Duration::new(2, 500_000)));
        let endless = "202 0x559c2eec8108 0x189 0x0 0x0 0x0 0xffffffff 0x7f 0x7f";
        assert_eq!(parse(endless), ThreadWait::Event);
        // The time 2.0005 of the clock is over.
        let absolute = "202 0x559c2eec8108 0x189 0x0 0x7f10 0x0 0xffffffff 0x7f 0x7f";
        assert_eq!(parse(absolute), timer(Duration::ZERO));
        let lock = "202 0x559c2eec8108 0x86 0x0 0x0 0x0 0x0 0x7f 0x7f";
        assert_eq!(parse(lock), ThreadWait::Busy);
    }

    #[test]
    fn a_thread_outside_of_a_known_call_is_busy() {
        for line in ["running\n", "-1 0x7f 0x7f", "219 0x0 0x0", "16 0x3 0x1 0x0", "7 0x55", ""] {
            assert_eq!(parse(line), ThreadWait::Busy, "{line}");
        }
        let sleep = "230 0x0 0x0 0x7fff80a59780 0x7fff80a597c0 0x0 0x0 0x7f 0x7f";
        assert_eq!(wait_of(sleep, |_| None), None, "unreadable memory");
    }
}
