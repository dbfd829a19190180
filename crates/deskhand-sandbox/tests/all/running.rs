//! Programs run in containers, with and without enforcement by the kernel.

use std::{
    error::Error,
    io::{Read, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use crate::fixture::{BOTH, TestSandbox};
use deskhand_sandbox::{Enforcement, ExitReason, Request, TerminalSize};

type TestResult = Result<(), Box<dyn Error>>;

#[test]
fn program_gets_its_arguments_variables_folder_and_streams() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        let container = fixture.sandbox.container()?;
        let (input, mut typed) = std::io::pipe()?;
        let (mut output, out) = std::io::pipe()?;
        let (mut errors, err) = std::io::pipe()?;
        let request = Request {
            program: "sh".to_owned(),
            arguments: ["-c", "cat; echo $1 $COLOUR; pwd >&2; exit 3", "sh", "two words"]
                .map(str::to_owned)
                .into(),
            environment: [("COLOUR".to_owned(), "blue".to_owned())].into(),
            folder: fixture.scope.clone(),
        };
        container.start(&request, [input.as_fd(), out.as_fd(), err.as_fd()])?;
        drop((input, out, err));
        typed.write_all(b"typed ")?;
        drop(typed);
        let (mut output_text, mut error_text) = (String::new(), String::new());
        output.read_to_string(&mut output_text)?;
        errors.read_to_string(&mut error_text)?;
        assert_eq!(output_text, "typed two words blue\n");
        assert_eq!(error_text.trim_end(), fixture.scope.to_string_lossy());
        assert_eq!(
            (container.wait()?, container.wait()?),
            (ExitReason::Exit(3), ExitReason::Exit(3))
        );
    }
    Ok(())
}

#[test]
fn start_failure_states_the_reason() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        let null = std::fs::File::open("/dev/null")?;
        let streams = [null.as_fd(), null.as_fd(), null.as_fd()];
        let missing = Request {
            program: "no-such-program".to_owned(),
            folder: fixture.scope.clone(),
            ..Request::default()
        };
        let nowhere = Request {
            program: "true".to_owned(),
            folder: fixture.scope.join("nowhere"),
            ..Request::default()
        };
        for (request, word) in [(missing, "no-such-program"), (nowhere, "nowhere")] {
            let container = fixture.sandbox.container()?;
            container.start(&request, streams)?;
            let exit = container.wait()?;
            assert!(
                matches!(&exit, ExitReason::NotStarted(reason) if reason.contains(word)),
                "{exit:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn script_gets_its_variables_and_folder_and_writes_to_one_pipe_in_order() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        std::fs::create_dir(fixture.scope.join("it's here"))?;
        let text = "pwd\ncat <<END | tr a-z A-Z\nheredoc $COLOUR\nEND\n\
                    for i in 1 2 3; do echo out$i; echo err$i >&2; done\ncat; echo gone > /dev/null; exit 7";
        let (exit, output_text) =
            fixture.run_with(text, "it's here", &[("COLOUR", "it's \"blue\" $x")])?;
        let folder = fixture.scope.join("it's here");
        let wanted = format!(
            "{}\nHEREDOC IT'S \"BLUE\" $X\nout1\nerr1\nout2\nerr2\nout3\nerr3\n",
            folder.display()
        );
        assert_eq!((exit, output_text), (ExitReason::Exit(7), wanted));
    }
    Ok(())
}

#[test]
fn no_state_is_left_for_the_next_script() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        fixture
            .run("cd /; export LEFT=1; f() { echo f; }; umask 000; ulimit -n 20; exec 5>here")?;
        let (_, output_text) = fixture
            .run("echo [$LEFT]; pwd; type f 2>&1; umask; ulimit -n; ls /proc/self/fd | wc -l")?;
        let lines: Vec<&str> = output_text.lines().collect();
        assert_eq!(lines[..2], ["[]", &*fixture.scope.to_string_lossy()], "{output_text}");
        assert!(
            lines[2].contains("not found") && lines[3] == "0022" && lines[4] != "20",
            "{output_text}"
        );
        // Three streams and the listed folder.
        assert_eq!(lines[5].trim(), "4", "{output_text}");
    }
    Ok(())
}

#[test]
fn program_on_a_pty_controls_it_and_sees_its_size() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        let container = fixture.sandbox.container()?;
        let request = Request {
            program: "sh".to_owned(),
            arguments: [
                "-c",
                "test -t 0 && stty size; tty; read x </dev/tty; stty size; echo got $x",
            ]
            .map(str::to_owned)
            .into(),
            environment: [("TERM".to_owned(), "dumb".to_owned())].into(),
            folder: fixture.scope.clone(),
        };
        let mut pty =
            container.start_on_terminal(&request, TerminalSize { rows: 30, columns: 100 })?;
        let mut output_text = String::new();
        let mut part = [0; 256];
        while !output_text.contains("/dev/pts/") {
            let count = pty.master.read(&mut part)?;
            output_text.push_str(&String::from_utf8_lossy(&part[..count]));
        }
        pty.resize(TerminalSize { rows: 24, columns: 80 })?;
        pty.master.write_all(b"word\n")?;
        while !output_text.contains("got word") {
            let count = pty.master.read(&mut part)?;
            output_text.push_str(&String::from_utf8_lossy(&part[..count]));
        }
        assert!(
            output_text.starts_with("30 100") && output_text.contains("24 80"),
            "{output_text}"
        );
        assert_eq!(container.wait()?, ExitReason::Exit(0));
    }
    Ok(())
}

#[test]
fn wait_until_returns_none_at_the_deadline() -> TestResult {
    let fixture = TestSandbox::new(BOTH[0])?;
    let (container, _output) = fixture.start("read x < /dev/zero & sleep 60")?;
    assert_eq!(container.wait_until(Instant::now() + Duration::from_millis(5))?, None);
    container.kill()?;
    assert_eq!(container.wait()?, ExitReason::Signal(9));
    Ok(())
}

#[test]
fn scripts_run_concurrently() -> TestResult {
    for enforcement in BOTH {
        let fixture = TestSandbox::new(enforcement)?;
        let all: Vec<String> = std::thread::scope(|threads| {
            let one = |i: usize| {
                let fixture = &fixture;
                threads.spawn(move || {
                    fixture
                        .run(&format!("echo {i}"))
                        .map(|(_, output_text)| output_text)
                        .unwrap_or_default()
                })
            };
            let running: Vec<_> = (0..24).map(one).collect();
            running.into_iter().filter_map(|one| one.join().ok()).collect()
        });
        assert_eq!(all, (0..24).map(|i| format!("{i}\n")).collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn ipc_objects_are_removed_before_the_next_program() -> TestResult {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let leave = "/usr/bin/ipcmk -M 4096 -p 0 && /usr/bin/ipcmk -S 2 -p 0 && /usr/bin/ipcmk -Q -p 0 && \
        /usr/bin/python3 -c 'import ctypes,os; m=ctypes.CDLL(\"librt.so.1\"); \
        assert m.mq_open(b\"/left\", os.O_CREAT|os.O_RDWR, 0o600, None) >= 0' && ls /dev/mqueue";
    let look =
        "cat /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg | grep -v key; ls /dev/mqueue";
    // Containers are reused after a few runs.
    for _ in 0..3 {
        let (exit, output_text) = fixture.run(leave)?;
        assert!(
            exit == ExitReason::Exit(0) && output_text.ends_with("left\n"),
            "{exit:?} {output_text}"
        );
    }
    for _ in 0..12 {
        assert_eq!(fixture.run(look)?, (ExitReason::Exit(0), String::new()));
    }
    Ok(())
}
