//! Attempts to leave the scope fail, and the same action inside the scope succeeds.

use std::{error::Error, fs, io::Read, os::unix::fs::MetadataExt, path::Path};

use crate::fixture::TestSandbox;
use deskhand_sandbox::{Enforcement, ExitReason};

type TestResult = Result<(), Box<dyn Error>>;

/// Actions on a folder `$D` with a file `f` and a folder `d`, from a scope with a file `mine`.
const ACTS: &[(&str, &str)] = &[
    ("write", "echo x > $D/f"),
    ("append", "echo x >> $D/f"),
    ("create", ": > $D/new"),
    ("truncate", "truncate -s 0 $D/f"),
    ("truncate by name", "/usr/bin/python3 -c 'import os,sys; os.truncate(sys.argv[1], 0)' $D/f"),
    ("remove", "rm $D/f"),
    ("remove a folder", "rmdir $D/d"),
    ("make a folder", "mkdir $D/n"),
    ("rename away", "/usr/bin/python3 -c 'import os,sys; os.rename(sys.argv[1], \"taken\")' $D/f"),
    ("rename into", "/usr/bin/python3 -c 'import os,sys; os.rename(\"mine\", sys.argv[1])' $D/in"),
    (
        "exchange",
        "mv --exchange -T mine $D/f 2>/dev/null || /usr/bin/python3 -c 'import os,sys; d=sys.argv[1]; os.rename(d, d+\"2\")' $D/f",
    ),
    ("link away", "ln $D/f linked"),
    ("link into", "ln mine $D/linked"),
    ("symbolic link", "ln -s mine $D/s"),
    ("change mode", "chmod 700 $D/f"),
    ("change owner", "chown $(id -u):$(id -g) $D/f"),
    ("change times", "touch -d 2001-01-01 $D/f"),
    (
        "attribute",
        "/usr/bin/python3 -c 'import os,sys; os.setxattr(sys.argv[1], \"user.x\", b\"1\")' $D/f",
    ),
    ("pipe", "mkfifo $D/p"),
    (
        "socket",
        "/usr/bin/python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' $D/k",
    ),
    ("write by a link", "ln -s $D l && echo x > l/f"),
    ("write by a way round", "echo x > $PWD/../../../../../..$D/f"),
    ("write by the root of a process", "echo x > /proc/self/root$D/f"),
    (
        "write by mapping",
        "/usr/bin/python3 -c 'import mmap,sys; f=open(sys.argv[1],\"r+b\"); m=mmap.mmap(f.fileno(),0); m[0]=66' $D/f",
    ),
    (
        "lock for writing",
        "/usr/bin/python3 -c 'import os,sys; os.open(sys.argv[1], os.O_RDWR)' $D/f",
    ),
    (
        "unnamed file",
        "/usr/bin/python3 -c 'import os,sys; os.open(sys.argv[1], os.O_TMPFILE|os.O_RDWR)' $D",
    ),
];

/// Describes everything in a folder, as seen from outside the sandbox.
fn describe(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let (path, meta) = {
            let entry = entry?;
            (entry.path(), entry.metadata()?)
        };
        let text = if meta.is_file() { fs::read_to_string(&path)? } else { String::new() };
        all.push(format!(
            "{} {:o} {} {} {text}",
            path.display(),
            meta.mode(),
            meta.mtime(),
            meta.nlink()
        ));
    }
    all.sort();
    Ok(all)
}

/// The device and inode number of a folder.
fn scope_identity(folder: &Path) -> (u64, u64) {
    fs::metadata(folder).map(|meta| (meta.dev(), meta.ino())).unwrap_or_default()
}

fn populate(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder.join("d"))?;
    fs::write(folder.join("f"), "unchanged\n")
}

#[test]
fn files_outside_the_scope_cannot_be_changed() -> TestResult {
    let outside = tempfile::tempdir()?;
    let real = outside.path().canonicalize()?;
    let (seen, hidden) = (real.join("seen"), real.join("hidden"));
    for folder in [&seen, &hidden] {
        populate(folder)?;
    }
    let fixture =
        TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.readable.push(seen.clone()))?;
    let before = [describe(&seen)?, describe(&hidden)?];
    for (at, (name, act)) in ACTS.iter().enumerate() {
        let here = format!("{at}");
        let inside = fixture.scope.join(&here).join("inside");
        populate(&inside)?;
        let tried = |folder: &Path| -> Result<(ExitReason, String), Box<dyn Error>> {
            fs::write(fixture.scope.join(&here).join("mine"), "mine")?;
            let act = format!("set -e\nrm -rf l taken linked\n{act}");
            fixture.run_with(&act, &here, &[("D", &folder.to_string_lossy())])
        };
        for folder in [&seen, &hidden] {
            let (exit, output_text) = tried(folder)?;
            assert_ne!(exit, ExitReason::Exit(0), "{name} of {}: {output_text}", folder.display());
        }
        let (exit, output_text) = tried(&inside)?;
        assert_eq!(exit, ExitReason::Exit(0), "{name} inside: {output_text}");
    }
    assert_eq!([describe(&seen)?, describe(&hidden)?], before);
    // A readable folder can be read.
    let (_, output_text) = fixture.run(&format!("cat {}/f", seen.display()))?;
    assert_eq!(output_text, "unchanged\n");
    Ok(())
}

#[test]
fn read_only_folders_cannot_be_changed_or_moved() -> TestResult {
    let fixture = TestSandbox::with_plan(Enforcement::Kernel, |plan| {
        let read_only = plan.scope.join("a/b/fixed");
        // If this fails, the assertions below fail.
        let _ = populate(&read_only);
        plan.read_only.push(read_only);
    })?;
    let read_only = fixture.scope.join("a/b/fixed");
    let (before, place) = (describe(&read_only)?, scope_identity(&read_only));
    for act in [
        "echo x > a/b/fixed/f",
        "mv a/b/fixed a/b/other",
        "mv a/b a/other",
        "mv a other",
        "mkdir new && mv --exchange -T new a 2>/dev/null || mv -T a new/a",
        "rm -rf a/b/fixed",
    ] {
        let (exit, output_text) = fixture.run(act)?;
        assert_ne!(exit, ExitReason::Exit(0), "{act}: {output_text}");
    }
    assert_eq!((describe(&read_only)?, scope_identity(&read_only)), (before, place));
    let beside = "set -e; echo x > a/b/f; mkdir a/d; mv a/b/f a/d/f; mv a/d moved; cat moved/f";
    assert_eq!(
        fixture.run(beside)?,
        (ExitReason::Exit(0), "x\n".to_owned()),
        "other folders stay writable"
    );
    Ok(())
}

#[test]
fn a_link_that_changes_during_a_write_does_not_lead_outside() -> TestResult {
    let outside = tempfile::tempdir()?;
    populate(outside.path())?;
    let shown = outside.path().canonicalize()?;
    let fixture =
        TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.readable.push(shown.clone()))?;
    populate(&fixture.scope)?;
    let text = "cat > race.py <<'END'\n\
        import os, sys, threading\n\
        stop = False\n\
        def swap():\n    while not stop:\n        for to in ('.', sys.argv[1]):\n            \
        os.symlink(to, 'next'); os.rename('next', 'way')\n\
        os.symlink('.', 'way')\n\
        thread = threading.Thread(target=swap); thread.start()\n\
        done = 0\n\
        for i in range(2000):\n    try:\n        open('way/f', 'w').write('raced'); done += 1\n    \
        except OSError: pass\n\
        stop = True; thread.join(); print(done)\nEND\n/usr/bin/python3 race.py $D";
    let (exit, output_text) = fixture.run_with(text, "", &[("D", &shown.to_string_lossy())])?;
    assert_eq!(exit, ExitReason::Exit(0), "{output_text}");
    assert!(output_text.trim().parse::<u32>()? > 0, "{output_text}");
    assert_eq!(fs::read_to_string(shown.join("f"))?, "unchanged\n");
    assert_eq!(fs::read_to_string(fixture.scope.join("f"))?, "raced");
    Ok(())
}

#[test]
fn home_is_hidden_behind_a_private_one() -> TestResult {
    let place = tempfile::tempdir()?;
    let home = place.path().canonicalize()?;
    for file in [".ssh/id", ".cargo/credentials.toml", ".npmrc", ".git-credentials", ".netrc"] {
        let file = home.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&home))?;
        fs::write(file, "secret")?;
    }
    fs::create_dir_all(home.join(".cargo/registry/index"))?;
    fs::create_dir_all(home.join("project"))?;
    let fixture = TestSandbox::with_plan(Enforcement::Kernel, |plan| {
        plan.overlays = vec![home.join(".cargo/registry")];
        plan.readable.retain(|path| path.starts_with("/usr"));
        plan.environment.insert("HOME".to_owned(), home.to_string_lossy().into_owned());
        plan.home = Some(home.clone());
        plan.scope = home.join("project");
        plan.scope_identity = scope_identity(&plan.scope);
    })?;
    let text = "cd ~; find . -type f | xargs cat; cat .ssh/id .npmrc; \
                echo mine > .profile && cat .profile && echo x > .cargo/registry/index/new && echo layered; \
                cat .cargo/credentials.toml; echo kept > project/kept; ls -A";
    let (_, output_text) = fixture.run(text)?;
    assert!(!output_text.contains("secret"), "{output_text}");
    assert!(
        output_text.contains("mine\nlayered\n") && output_text.contains(".cargo\n"),
        "{output_text}"
    );
    assert_eq!(fs::read_to_string(home.join("project/kept"))?, "kept\n");
    assert!(!home.join(".profile").exists() && !home.join(".cargo/registry/index/new").exists());
    Ok(())
}

#[test]
fn server_process_is_invisible() -> TestResult {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let server = std::process::id();
    let attempts = [
        format!("kill -0 {server}"),
        format!("kill -9 {server}"),
        format!("cat /proc/{server}/environ"),
        format!("ls /proc/{server}/fd"),
        "cat /proc/1/environ".to_owned(),
        "readlink /proc/1/fd/0".to_owned(),
        "ls /proc/1/root/".to_owned(),
        "echo x > /proc/1/comm".to_owned(),
        "prlimit --pid 1 --nofile=5".to_owned(),
        "renice -n 19 1".to_owned(),
        "taskset -p 1 1".to_owned(),
    ];
    for text in attempts {
        let (exit, output_text) = fixture.run(&text)?;
        assert_ne!(exit, ExitReason::Exit(0), "{text}: {output_text}");
    }
    let controls = "sleep 9 & kill -0 $! && kill -9 $! && cat /proc/self/environ > /dev/null && \
                    readlink /proc/$$/fd/0 && ls /proc/$$/root/ && prlimit --pid $$ --nofile=50 && renice -n 19 $$ && taskset -p 1 $$";
    let (exit, output_text) = fixture.run(controls)?;
    assert_eq!(exit, ExitReason::Exit(0), "{output_text}");
    let (_, output_text) = fixture.run("ls /proc | grep -c '^[0-9]'")?;
    assert!(output_text.trim().parse::<u32>()? < 8, "{output_text}");
    Ok(())
}

#[test]
fn nothing_is_inherited_from_the_server() -> TestResult {
    let file = fs::File::open("/etc/passwd")?;
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    assert!(std::env::var("CARGO_MANIFEST_DIR").is_ok());
    let (_, output_text) = fixture.run(
        "env | grep -c CARGO_MANIFEST_DIR; ls /proc/self/fd | wc -l; tty; \
                               grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status",
    )?;
    let lines: Vec<&str> = output_text.lines().collect();
    assert_eq!(lines[..3], ["0", "4", "not a tty"], "{output_text}");
    for kind in ["Inh", "Prm", "Eff", "Bnd", "Amb"] {
        assert!(output_text.contains(&format!("Cap{kind}:\t0000000000000000")), "{output_text}");
    }
    assert!(
        output_text.contains("NoNewPrivs:\t1") && output_text.contains("Seccomp:\t2"),
        "{output_text}"
    );
    Ok(())
}

#[test]
fn privileges_cannot_be_gained() -> TestResult {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let attempts = [
        "unshare -U true",
        "unshare -Ur true",
        "unshare -n true",
        "unshare -m true",
        "mount -t tmpfs x .",
        "chroot / true",
        "nsenter -t 1 -p true",
        "/usr/bin/python3 -c 'import os; os.mknod(\"null\", 0o020666, os.makedev(1, 3))'",
        "cp /bin/true s && chmod u+s s",
        "/usr/bin/python3 -c 'import os; os.close(os.open(\"g\", os.O_CREAT | os.O_WRONLY, 0o2755))'",
        "/usr/bin/python3 -c 'import os; os.mknod(\"g\", 0o102755)'",
        "chmod 666 /dev/null",
        "touch -d 2001-01-01 /dev/zero",
        "chmod 666 /etc/passwd",
        "chmod 666 /etc/shadow",
        "v=$(cat /proc/sys/kernel/core_pattern); echo \"$v\" > /proc/sys/kernel/core_pattern",
        "cat /etc/shadow | grep .",
        "echo b > /proc/sysrq-trigger",
        "dd if=/dev/mem count=1",
        "setpriv --reuid 65534 true",
    ];
    for text in attempts {
        let (exit, output_text) = fixture.run(text)?;
        assert_ne!(exit, ExitReason::Exit(0), "{text}: {output_text}");
    }
    // io_uring_setup, open_tree, move_mount, fsopen, clone3, pidfd_getfd, mount_setattr: same numbers on every
    // architecture.
    let text = "/usr/bin/python3 -c 'import ctypes; c=ctypes.CDLL(None, use_errno=True)\n\
                for n in (425, 428, 429, 430, 435, 438, 442): print(n, c.syscall(n, 0, 0, 0, 0), ctypes.get_errno())'";
    let (_, output_text) = fixture.run(text)?;
    let wanted = [425, 428, 429, 430, 435, 438, 442].map(|n| format!("{n} -1 38\n")).concat();
    assert_eq!(output_text, wanted);
    let controls = "mkfifo p && cp /bin/true s && chmod 755 s && ./s && cat /etc/passwd > /dev/null && \
                    head -c 9 /dev/urandom > /dev/null && echo x > /dev/null && cat /proc/sys/kernel/core_pattern";
    let (exit, output_text) = fixture.run(controls)?;
    assert_eq!(exit, ExitReason::Exit(0), "{output_text}");
    Ok(())
}

#[test]
fn another_folder_in_place_of_the_scope_is_refused() -> TestResult {
    let place = tempfile::tempdir()?;
    let real = place.path().canonicalize()?;
    for name in ["scope", "victim"] {
        fs::create_dir(real.join(name))?;
    }
    let plan = deskhand_sandbox::Plan::new(&real.join("scope"))?;
    fs::rename(real.join("scope"), real.join("moved"))?;
    let open = || {
        deskhand_sandbox::Sandbox::open(&plan, Enforcement::Kernel, &crate::fixture::broker()?)
            .map_err(Box::<dyn Error>::from)
    };
    std::os::unix::fs::symlink("victim", real.join("scope"))?;
    assert!(open().is_err());
    fs::remove_file(real.join("scope"))?;
    fs::create_dir(real.join("scope"))?;
    assert!(open().is_err());
    fs::remove_dir(real.join("scope"))?;
    fs::rename(real.join("moved"), real.join("scope"))?;
    assert!(open().is_ok());
    Ok(())
}

#[test]
fn tool_definitions_are_read_only() -> TestResult {
    let place = tempfile::tempdir()?;
    fs::create_dir_all(place.path().join(".deskhand/tools"))?;
    fs::write(place.path().join(".deskhand/tools/a.json"), "{}")?;
    let plan = deskhand_sandbox::Plan::new(place.path())?;
    let fixture = TestSandbox::with_plan(Enforcement::Kernel, |given| *given = plan)?;
    for text in [
        "echo x > .deskhand/tools/b.json",
        "rm .deskhand/tools/a.json",
        "mv .deskhand other",
        "chmod 700 .deskhand",
    ] {
        let (exit, output_text) = fixture.run(text)?;
        assert_ne!(exit, ExitReason::Exit(0), "{text}: {output_text}");
    }
    let (exit, output_text) = fixture
        .run("cat .deskhand/tools/a.json && mkdir -p other/tools && echo x > other/tools/b.json")?;
    assert_eq!(exit, ExitReason::Exit(0), "{output_text}");
    Ok(())
}

#[test]
fn terminals_and_shared_memory_belong_to_one_container() -> TestResult {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let container = fixture.sandbox.container()?;
    let request = deskhand_sandbox::Request {
        program: "sh".to_owned(),
        arguments: ["-c", "ipcmk -M 100 > made; echo typed; sleep 20"].map(str::to_owned).into(),
        folder: fixture.scope.clone(),
        ..deskhand_sandbox::Request::default()
    };
    let mut pty = container
        .start_on_terminal(&request, deskhand_sandbox::TerminalSize { rows: 9, columns: 9 })?;
    let mut shown = [0; 5];
    pty.master.read_exact(&mut shown)?;
    let (_, output_text) = fixture.run("ls /dev/pts; ipcs -m | grep -c 0x; cat made")?;
    assert!(
        output_text.starts_with("ptmx\n0\n") && output_text.contains("Shared memory id"),
        "{output_text}"
    );
    container.kill()?;
    Ok(())
}

#[test]
fn temporary_files_belong_to_one_sandbox() -> TestResult {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let outside = tempfile::NamedTempFile::new()?;
    let name = outside.path().to_string_lossy().into_owned();
    let (_, output_text) =
        fixture.run(&format!("cat {name}; mktemp > first; ls /tmp /var/tmp /dev/shm"))?;
    assert!(output_text.contains("No such file"), "{output_text}");
    let mut first = String::new();
    fs::File::open(fixture.scope.join("first"))?.read_to_string(&mut first)?;
    assert!(first.starts_with("/tmp/") && !Path::new(first.trim()).exists(), "{first}");
    let (exit, _) = fixture.run("test -e $(cat first) && echo x > $(cat first)")?;
    assert_eq!(exit, ExitReason::Exit(0));
    Ok(())
}

#[test]
fn resource_limits_are_enforced() -> TestResult {
    let fixture = TestSandbox::with_plan(Enforcement::Kernel, |plan| {
        plan.limits.memory = 400 << 20;
        plan.limits.file_size = 1 << 20;
        plan.limits.processes = 400;
        plan.limits.cpu_seconds = 1;
    })?;
    let (exit, output_text) = fixture.run("/usr/bin/python3 -c 'len(bytearray(1 << 29))'")?;
    assert_ne!(exit, ExitReason::Exit(0), "{output_text}");
    let (exit, output_text) = fixture.run("head -c 3000000 /dev/zero > big")?;
    assert_ne!(exit, ExitReason::Exit(0), "{output_text}");
    assert_eq!(fs::metadata(fixture.scope.join("big"))?.len(), 1 << 20);
    let (exit, output_text) =
        fixture.run("i=0; while [ $i -lt 500 ]; do sleep 5 & i=$((i+1)); done 2>&1")?;
    assert_ne!(exit, ExitReason::Exit(0), "{output_text}");
    let (exit, _) = fixture.run("sh -c 'while :; do :; done'")?;
    assert!(matches!(exit, ExitReason::Exit(code) if code > 128), "{exit:?}");
    let (exit, output_text) = fixture
        .run("/usr/bin/python3 -c 'len(bytearray(1 << 20))' && head -c 3000 /dev/zero > small")?;
    assert_eq!(exit, ExitReason::Exit(0), "{output_text}");
    Ok(())
}
