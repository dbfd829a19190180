//! Attempts against the server process, `$PID`. The permitted variant targets a child process of
//! the script.

/// Name and script of each attempt.
pub(super) const ACTS: &[(&str, &str)] = &[
    ("probe it", "kill -0 $PID"),
    ("send SIGTERM", "kill -TERM $PID"),
    ("send SIGKILL", "kill -KILL $PID"),
    ("send SIGSTOP", "kill -STOP $PID"),
    ("kill its first thread", "$C thread-kill $PID"),
    ("kill it through a pidfd", "$C pidfd-kill $PID"),
    ("queue a signal for it", "$C queue $PID"),
    ("attach with ptrace", "$C ptrace $PID"),
    ("seize with ptrace", "$C seize $PID"),
    ("change its limits", "prlimit --pid $PID --nofile=5"),
    ("lower its priority", "renice -n 19 $PID"),
    ("bind it to a processor", "taskset -p 1 $PID"),
    ("see its /proc folder", "test -e /proc/$PID/status"),
    ("see its namespaces", "readlink /proc/$PID/ns/mnt"),
    ("read its executable path", "kill -0 $PID && readlink /proc/$PID/exe"),
];

/// Name and script of attempts against the first process or all processes. The permitted variant
/// only shows that programs run.
pub(super) const ON_OTHERS: &[(&str, &str)] = &[
    ("attach to the first process", "$C ptrace 1"),
    ("read the memory of the first process", "$C vm-read 1"),
    ("write to the memory of the first process", "$C vm-write 1"),
    ("write to the memory of the server", "$C vm-write $PID"),
    ("rename the first process", "echo x > /proc/1/comm"),
    ("limits of the first process", "prlimit --pid 1 --nofile=5"),
    ("lower the priority of the first process", "renice -n 19 1"),
    ("raise the OOM score of the first process", "echo 1000 > /proc/1/oom_score_adj"),
    ("join the namespaces of the first process", "nsenter -t 1 -m -n -p true"),
    ("raise the OOM score of the server", "echo 1000 > /proc/$PID/oom_score_adj"),
];
