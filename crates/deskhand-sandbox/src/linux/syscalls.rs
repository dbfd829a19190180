//! The seccomp filter: allows the system calls of ordinary programs, without those that lead out of the sandbox.
//! All other calls fail with `ENOSYS`, so that programs fall back to older calls.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use crate::Network;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Applies the filter to this thread and its descendants.
pub(super) fn restrict_self(filter: &BpfProgram) -> Result<(), String> {
    seccompiler::apply_filter(filter).map_err(|error| format!("seccomp: {error}"))
}

/// Reachability of abstract Unix sockets, which have no path and are not hidden by a mount namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AbstractSockets {
    /// Sockets outside the sandbox cannot be reached.
    Isolated,
    /// They could be reached, so the filter must forbid Unix sockets with names.
    Reachable,
}

/// Builds the filter for a network setting.
pub(super) fn build_filter(
    network: &Network,
    abstract_sockets: AbstractSockets,
) -> Result<BpfProgram, String> {
    let failed = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
    let unconditional = UNCONDITIONAL.iter().chain(LEGACY);
    let mut rules: Rules = unconditional.map(|call| (*call, Vec::new())).collect();
    add_conditional_rules(&mut rules, network, abstract_sockets).map_err(|error| failed(&error))?;
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| failed(&error))?;
    let missing = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(rules, missing, SeccompAction::Allow, arch);
    filter.and_then(BpfProgram::try_from).map_err(|error| failed(&error))
}

type BuildResult<T> = Result<T, seccompiler::BackendError>;

fn rule(conditions: Vec<(u8, SeccompCmpOp, u64)>) -> BuildResult<SeccompRule> {
    let conditions = conditions.into_iter().map(|(at, op, value)| {
        // The kernel reads only 32 bits of these arguments.
        SeccompCondition::new(at, Dword, op, value)
    });
    SeccompRule::new(conditions.collect::<BuildResult<Vec<_>>>()?)
}

fn add_conditional_rules(
    rules: &mut Rules,
    network: &Network,
    abstract_sockets: AbstractSockets,
) -> BuildResult<()> {
    let masked = |at: u8, mask: i64, value: i64| {
        rule(vec![(at, SeccompCmpOp::MaskedEq(mask as u64), value as u64)])
    };
    // Processes and threads, but no namespaces.
    rules.insert(libc::SYS_clone, vec![masked(0, NAMESPACES, 0)?]);
    // Pipes, sockets and regular files, but no devices.
    let kinds = [0, libc::S_IFREG, libc::S_IFIFO, libc::S_IFSOCK].map(i64::from);
    let kind = i64::from(libc::S_IFMT | libc::S_ISUID | libc::S_ISGID);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_mknod, all(kinds.iter().map(|one| masked(1, kind, *one)))?);
    rules.insert(libc::SYS_mknodat, all(kinds.iter().map(|one| masked(2, kind, *one)))?);
    // No set-user-ID or set-group-ID files.
    let special = i64::from(libc::S_ISUID | libc::S_ISGID);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_chmod, vec![masked(1, special, 0)?]);
    rules.insert(libc::SYS_fchmod, vec![masked(1, special, 0)?]);
    rules.insert(libc::SYS_fchmodat, vec![masked(2, special, 0)?]);
    rules.insert(FCHMODAT2, vec![masked(2, special, 0)?]);
    // Nor when a file is created. The mode argument counts only with O_CREAT or O_TMPFILE.
    let making = i64::from(libc::O_CREAT) | O_TMPFILE_BIT;
    let plain_mode =
        |flags: u8, mode: u8| all([masked(flags, making, 0), masked(mode, special, 0)].into_iter());
    rules.insert(libc::SYS_openat, plain_mode(2, 3)?);
    #[cfg(target_arch = "x86_64")]
    {
        rules.insert(libc::SYS_open, plain_mode(1, 2)?);
        rules.insert(libc::SYS_creat, vec![masked(1, special, 0)?]);
    }
    // No input injection into a terminal.
    let typed = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD];
    let not_typed = typed.map(|one| (1, SeccompCmpOp::Ne, one)).to_vec();
    rules.insert(libc::SYS_ioctl, vec![rule(not_typed)?]);
    protect_init(rules)?;
    add_socket_rules(rules, network, abstract_sockets)
}

/// Protects the first process of a container, which survives a program and runs the next one.
fn protect_init(rules: &mut Rules) -> BuildResult<()> {
    let not = |at: u8, value: u64| (at, SeccompCmpOp::Ne, value);
    for call in [
        libc::SYS_prlimit64,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
    ] {
        rules.insert(call, vec![rule(vec![not(0, 1)])?]);
    }
    // Nor through a call that affects all processes of the user.
    let all_of_user = u64::from(libc::PRIO_USER);
    rules.insert(libc::SYS_setpriority, vec![rule(vec![not(0, all_of_user), not(1, 1)])?]);
    rules.insert(libc::SYS_ioprio_set, vec![rule(vec![not(0, IOPRIO_WHO_USER), not(1, 1)])?]);
    Ok(())
}

/// From the kernel's syscall table. New calls have the same number on every architecture; libc defines this one
/// only on some.
const FCHMODAT2: i64 = 452;

/// The bit of `O_TMPFILE` that no other flag has.
const O_TMPFILE_BIT: i64 = 0o20_000_000;

/// From linux/ioprio.h.
const IOPRIO_WHO_USER: u64 = 3;

fn add_socket_rules(
    rules: &mut Rules,
    network: &Network,
    abstract_sockets: AbstractSockets,
) -> BuildResult<()> {
    let is = |at: u8, value: i32| (at, SeccompCmpOp::Eq, value as u64);
    let kind = |value: i32| (1, SeccompCmpOp::MaskedEq(0xf), value as u64);
    let internet = [libc::AF_INET, libc::AF_INET6];
    let mut allowed = Vec::new();
    match network {
        Network::Off => {}
        Network::On => {
            for family in internet {
                allowed.push(vec![is(0, family), kind(libc::SOCK_STREAM)]);
                allowed.push(vec![is(0, family), kind(libc::SOCK_DGRAM)]);
            }
        }
        // TCP only: Landlock does not restrict the ports of other stream protocols.
        Network::Ports(_) => {
            for family in internet {
                for protocol in [0, libc::IPPROTO_TCP] {
                    allowed.push(vec![is(0, family), kind(libc::SOCK_STREAM), is(2, protocol)]);
                }
            }
            // TCP Fast Open connects while it sends, without a Landlock check.
            let slow = SeccompCmpOp::MaskedEq(libc::MSG_FASTOPEN as u64);
            for (call, at) in
                [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)]
            {
                rules.insert(call, vec![rule(vec![(at, slow.clone(), 0)])?]);
            }
            // `listen` binds an unbound socket to a port, without a Landlock check.
            rules.remove(&libc::SYS_listen);
        }
    }
    if *network != Network::Off {
        // Programs ask for the addresses of this machine before they connect.
        allowed.push(vec![is(0, libc::AF_NETLINK), is(2, libc::NETLINK_ROUTE)]);
    }
    match abstract_sockets {
        AbstractSockets::Isolated => allowed.push(vec![is(0, libc::AF_UNIX)]),
        AbstractSockets::Reachable => {}
    }
    // An empty list would allow every socket.
    let none = vec![is(0, libc::AF_UNSPEC)];
    let allowed = if allowed.is_empty() { vec![none] } else { allowed };
    rules.insert(libc::SYS_socket, all(allowed.into_iter().map(rule))?);
    rules.insert(libc::SYS_socketpair, vec![rule(vec![is(0, libc::AF_UNIX)])?]);
    Ok(())
}

fn all(rules: impl Iterator<Item = BuildResult<SeccompRule>>) -> BuildResult<Vec<SeccompRule>> {
    rules.collect()
}

/// All flags of `clone` that create a namespace.
const NAMESPACES: i64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as i64;

macro_rules! calls {
    ($($name:ident)*) => { &[$(libc::$name),*] };
}

/// Calls that are always allowed. Landlock and the mount namespace restrict files.
const UNCONDITIONAL: &[i64] = calls![
    // processes and threads
    SYS_execve SYS_execveat SYS_exit SYS_exit_group SYS_wait4 SYS_waitid SYS_kill SYS_tkill SYS_tgkill
    SYS_getpid SYS_getppid SYS_gettid SYS_getpgid SYS_setpgid SYS_getsid SYS_setsid SYS_set_tid_address
    SYS_set_robust_list SYS_get_robust_list SYS_rseq SYS_futex SYS_futex_waitv SYS_sched_yield
    SYS_sched_getaffinity SYS_sched_getparam SYS_sched_getscheduler SYS_sched_getattr
    SYS_sched_get_priority_max SYS_sched_get_priority_min SYS_sched_rr_get_interval SYS_getpriority
    SYS_ioprio_get SYS_prctl SYS_getrusage SYS_times SYS_getrlimit SYS_setrlimit SYS_ptrace SYS_pidfd_open SYS_pidfd_send_signal SYS_membarrier SYS_getcpu
    // signals
    SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigpending SYS_rt_sigtimedwait
    SYS_rt_sigqueueinfo SYS_rt_tgsigqueueinfo SYS_rt_sigsuspend SYS_sigaltstack SYS_signalfd4
    SYS_restart_syscall
    // identity
    SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_getresuid SYS_getresgid SYS_getgroups SYS_setuid
    SYS_setgid SYS_setreuid SYS_setregid SYS_setresuid SYS_setresgid SYS_setfsuid SYS_setfsgid
    SYS_setgroups SYS_capget SYS_capset SYS_umask
    // memory
    SYS_brk SYS_mmap SYS_munmap SYS_mremap SYS_mprotect SYS_madvise SYS_mincore SYS_msync SYS_mlock
    SYS_mlock2 SYS_munlock SYS_mlockall SYS_munlockall SYS_memfd_create SYS_get_mempolicy SYS_mbind
    SYS_set_mempolicy SYS_pkey_alloc SYS_pkey_free SYS_pkey_mprotect
    // files
    SYS_close SYS_close_range SYS_read SYS_write SYS_readv SYS_writev SYS_pread64
    SYS_pwrite64 SYS_preadv SYS_pwritev SYS_preadv2 SYS_pwritev2 SYS_lseek SYS_fstat SYS_newfstatat
    SYS_statx SYS_statfs SYS_fstatfs SYS_faccessat SYS_faccessat2 SYS_readlinkat SYS_getdents64
    SYS_getcwd SYS_chdir SYS_fchdir SYS_mkdirat SYS_unlinkat SYS_renameat SYS_renameat2 SYS_linkat
    SYS_symlinkat SYS_truncate SYS_ftruncate SYS_fallocate SYS_fsync SYS_fdatasync SYS_sync_file_range
    SYS_sync SYS_syncfs SYS_fadvise64 SYS_readahead SYS_sendfile SYS_copy_file_range SYS_splice SYS_tee
    SYS_vmsplice SYS_utimensat SYS_fchown SYS_fchownat SYS_getxattr SYS_lgetxattr SYS_fgetxattr
    SYS_setxattr SYS_lsetxattr SYS_fsetxattr SYS_listxattr SYS_llistxattr SYS_flistxattr
    SYS_removexattr SYS_lremovexattr SYS_fremovexattr SYS_flock SYS_fcntl SYS_dup SYS_dup3 SYS_pipe2
    SYS_inotify_init1 SYS_inotify_add_watch SYS_inotify_rm_watch
    // waiting
    SYS_ppoll SYS_pselect6 SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2
    SYS_eventfd2 SYS_timerfd_create SYS_timerfd_settime SYS_timerfd_gettime SYS_nanosleep
    SYS_clock_nanosleep SYS_clock_gettime SYS_clock_getres SYS_gettimeofday SYS_getitimer SYS_setitimer
    SYS_timer_create SYS_timer_settime SYS_timer_gettime SYS_timer_getoverrun SYS_timer_delete
    // communication
    SYS_bind SYS_connect SYS_listen SYS_accept SYS_accept4 SYS_getsockname SYS_getpeername
    SYS_getsockopt SYS_setsockopt SYS_sendto SYS_recvfrom SYS_sendmsg SYS_recvmsg SYS_sendmmsg
    SYS_recvmmsg SYS_shutdown SYS_shmget SYS_shmat SYS_shmctl SYS_shmdt SYS_semget SYS_semop
    SYS_semctl SYS_semtimedop SYS_msgget SYS_msgsnd SYS_msgrcv SYS_msgctl SYS_mq_open SYS_mq_unlink
    SYS_mq_timedsend SYS_mq_timedreceive SYS_mq_notify SYS_mq_getsetattr
    // system information
    SYS_uname SYS_sysinfo SYS_getrandom SYS_personality SYS_seccomp
    SYS_landlock_create_ruleset SYS_landlock_add_rule SYS_landlock_restrict_self
];

/// Older forms of calls that exist only on x86-64.
#[cfg(target_arch = "x86_64")]
const LEGACY: &[i64] = calls![
    SYS_stat SYS_lstat SYS_access SYS_readlink SYS_getdents SYS_mkdir SYS_rmdir
    SYS_unlink SYS_rename SYS_link SYS_symlink SYS_chown SYS_lchown SYS_utime SYS_utimes SYS_futimesat
    SYS_dup2 SYS_pipe SYS_poll SYS_select SYS_epoll_create SYS_epoll_wait SYS_inotify_init SYS_eventfd
    SYS_signalfd SYS_fork SYS_vfork SYS_getpgrp SYS_alarm SYS_pause SYS_time SYS_arch_prctl
];

/// Newer architectures have no older forms.
#[cfg(not(target_arch = "x86_64"))]
const LEGACY: &[i64] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_filter_for_every_network() {
        for network in [Network::Off, Network::On, Network::Ports(vec![443])] {
            for abstract_sockets in [AbstractSockets::Isolated, AbstractSockets::Reachable] {
                let built = build_filter(&network, abstract_sockets).map(|it| it.len());
                assert!(
                    built.as_ref().is_ok_and(|length| *length < 4096),
                    "{network:?}: {built:?}"
                );
            }
        }
    }

    #[test]
    fn nothing_that_reaches_out_is_among_the_plain_calls() {
        let out = [
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_pivot_root,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_clone3,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_request_key,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_io_uring_setup,
            libc::SYS_userfaultfd,
            libc::SYS_open_by_handle_at,
            libc::SYS_name_to_handle_at,
            libc::SYS_chroot,
            libc::SYS_kexec_load,
            libc::SYS_init_module,
            libc::SYS_pidfd_getfd,
            libc::SYS_move_mount,
            libc::SYS_open_tree,
            libc::SYS_fsopen,
            libc::SYS_mount_setattr,
            libc::SYS_reboot,
            libc::SYS_swapon,
            libc::SYS_acct,
            libc::SYS_settimeofday,
            libc::SYS_clock_settime,
            libc::SYS_quotactl,
            libc::SYS_syslog,
            libc::SYS_kcmp,
        ];
        for call in out {
            assert!(!UNCONDITIONAL.contains(&call) && !LEGACY.contains(&call), "{call}");
        }
    }
}
