//! Attempts to read secrets. Every secret starts with `deskhand-secret-`. `$D` is a hidden folder,
//! `$H` the home of the server, `$R` the home of the user who runs the tests, `$M` a file in it,
//! `$PID` the server's process id.

/// Name and script of attempts that succeed on files inside the scope.
pub(super) const OWN: &[(&str, &str)] = &[
    ("read a file", "cat $D/f"),
    ("read through a symbolic link", "ln -s $D/f l && cat l"),
    ("read through a hard link", "ln $D/f l && cat l"),
    ("read through a path with many ..", "cat $PWD/../../../../../../../../../..$D/f"),
    ("read through /proc/self/root", "cat /proc/self/root$D/f"),
    ("copy a file", "cp $D/f stolen && cat stolen"),
    ("archive a folder", "tar c $D | grep -ao 'deskhand-secret-[0-9a-f]*'"),
    ("SSH keys in a home", "cat $H/.ssh/id_rsa"),
    ("passwords in a home", "cat $H/.netrc $H/.aws/credentials"),
    ("search a home", "grep -rhs deskhand-secret- $H"),
    ("Python program", "python3 -S -c 'import sys; print(open(sys.argv[1]).read())' $D/f"),
];

/// Name and script of attempts that have no permitted variant.
pub(super) const OF_THE_SERVER: &[(&str, &str)] = &[
    ("home as ~", "cat ~/.ssh/id_rsa ~/.netrc ~/.aws/credentials"),
    ("home of the user who runs the tests", "cat $R/$M"),
    ("environment of this process", "env; cat /proc/self/environ"),
    ("environment of the server", "cat /proc/$PID/environ"),
    ("environment of every process", "cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ"),
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
    ("a descriptor copied from the server", "$C getfd $PID 9"),
    (
        "a descriptor copied from the first process",
        "for n in 3 4 5 6 7 8 9; do $C getfd 1 $n; done",
    ),
    ("inherited descriptors", "for n in 3 4 5 6 7 8 9 10 11 12; do timeout 1 cat /dev/fd/$n; done"),
    ("working directory of the server", "cat /proc/$PID/cwd/f"),
    ("root directory of the server", "cat /proc/$PID/root$D/f"),
    ("working directory of the first process", "cat /proc/1/cwd/f /proc/1/root$D/f"),
    (
        "all common folders",
        "tar c /tmp /var /run /home /root /mnt /srv /media | grep -ao 'deskhand-secret-[0-9a-f]*'",
    ),
    ("shared memory", "cat /dev/shm/*; ipcs; cat /proc/sysvipc/*"),
    (
        "a file by its file-system handle",
        "$C by-handle . $HANDLE; $C by-handle / $HANDLE; $C by-handle /usr $HANDLE",
    ),
    ("keys in the kernel keyring", "cat /proc/keys; keyctl show; $C raw keyctl"),
    ("kernel messages", "dmesg; cat /dev/kmsg /proc/kmsg"),
    ("mount table", "cat /proc/self/mountinfo /proc/mounts | grep -o 'deskhand-secret-[0-9a-f]*'"),
    ("block devices", "cat /dev/[sv]d* /dev/nvme* /dev/mem | grep -ao 'deskhand-secret-[0-9a-f]*'"),
];
