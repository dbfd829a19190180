//! Attempts to read secrets. Every secret starts with `deskhand-secret-`. `$D` is a hidden folder,
//! `$H` the home of the server, `$R` the home of the user who runs the tests, `$M` a file in it,
//! `$PID` the server's process id.

/// Name and script of attempts that succeed on files inside the scope.
pub(super) const OWN: &[(&str, &str)] = &[
    ("read a file", "cat $D/f"),
    ("read by a link", "ln -s $D/f l && cat l"),
    ("read by a hard link", "ln $D/f l && cat l"),
    ("read by the way round", "cat $PWD/../../../../../../../../../..$D/f"),
    ("read by the root of a process", "cat /proc/self/root$D/f"),
    ("copy a file", "cp $D/f stolen && cat stolen"),
    ("pack a folder", "tar c $D | grep -ao 'deskhand-secret-[0-9a-f]*'"),
    ("keys of a home", "cat $H/.ssh/id_rsa"),
    ("passwords of a home", "cat $H/.netrc $H/.aws/credentials"),
    ("search a home", "grep -rhs deskhand-secret- $H"),
    ("another language", "python3 -S -c 'import sys; print(open(sys.argv[1]).read())' $D/f"),
];

/// Name and script of attempts that have no permitted variant.
pub(super) const OF_THE_SERVER: &[(&str, &str)] = &[
    ("home by its short name", "cat ~/.ssh/id_rsa ~/.netrc ~/.aws/credentials"),
    ("the home of who runs this", "cat $R/$M"),
    ("variables of this process", "env; cat /proc/self/environ"),
    ("variables of the server", "cat /proc/$PID/environ"),
    ("variables of every process", "cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ"),
    ("command lines of every process", "cat /proc/[0-9]*/cmdline; ps axeww"),
    ("memory of the server", "grep -ao 'deskhand-secret-[0-9a-f]*' /proc/$PID/mem"),
    (
        "memory of the first process",
        "grep -ao 'deskhand-secret-[0-9a-f]*' /proc/1/mem /proc/1/maps",
    ),
    ("descriptors of the server", "cat /proc/$PID/fd/*"),
    (
        "descriptors of the first process",
        "for n in 0 1 2 3 4 5 6 7 8 9; do timeout 1 cat /proc/1/fd/$n; done",
    ),
    ("a descriptor taken from the server", "$C getfd $PID 9"),
    ("a descriptor taken from the first process", "for n in 3 4 5 6 7 8 9; do $C getfd 1 $n; done"),
    ("inherited descriptors", "for n in 3 4 5 6 7 8 9 10 11 12; do timeout 1 cat /dev/fd/$n; done"),
    ("the folder of the server", "cat /proc/$PID/cwd/f"),
    ("the root of the server", "cat /proc/$PID/root$D/f"),
    ("the folder of the first process", "cat /proc/1/cwd/f /proc/1/root$D/f"),
    (
        "whatever lies about",
        "tar c /tmp /var /run /home /root /mnt /srv /media | grep -ao 'deskhand-secret-[0-9a-f]*'",
    ),
    ("what others share in memory", "cat /dev/shm/*; ipcs; cat /proc/sysvipc/*"),
    (
        "a file by its handle",
        "$C by-handle . $HANDLE; $C by-handle / $HANDLE; $C by-handle /usr $HANDLE",
    ),
    ("keys kept by the kernel", "cat /proc/keys; keyctl show; $C raw keyctl"),
    ("messages of the kernel", "dmesg; cat /dev/kmsg /proc/kmsg"),
    (
        "mounts of the machine",
        "cat /proc/self/mountinfo /proc/mounts | grep -o 'deskhand-secret-[0-9a-f]*'",
    ),
    (
        "disks of the machine",
        "cat /dev/[sv]d* /dev/nvme* /dev/mem | grep -ao 'deskhand-secret-[0-9a-f]*'",
    ),
];
