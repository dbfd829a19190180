//! Programs run in cells, with and without the kernel holding them.

use std::{
    error::Error,
    io::{Read, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use crate::bench::{Bench, EITHER};
use deskhand_sandbox::{Ended, How, Request, Size};

type Outcome = Result<(), Box<dyn Error>>;

#[test]
fn a_program_has_its_arguments_variables_folder_and_streams() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        let cell = bench.sandbox.cell()?;
        let (input, mut typed) = std::io::pipe()?;
        let (mut output, out) = std::io::pipe()?;
        let (mut errors, err) = std::io::pipe()?;
        let request = Request {
            program: "sh".to_owned(),
            arguments: ["-c", "cat; echo $1 $COLOUR; pwd >&2; exit 3", "sh", "two words"]
                .map(str::to_owned)
                .into(),
            environment: [("COLOUR".to_owned(), "blue".to_owned())].into(),
            folder: bench.scope.clone(),
        };
        cell.begin(&request, [input.as_fd(), out.as_fd(), err.as_fd()])?;
        drop((input, out, err));
        typed.write_all(b"typed ")?;
        drop(typed);
        let (mut said, mut complained) = (String::new(), String::new());
        output.read_to_string(&mut said)?;
        errors.read_to_string(&mut complained)?;
        assert_eq!(said, "typed two words blue\n");
        assert_eq!(complained.trim_end(), bench.scope.to_string_lossy());
        assert_eq!((cell.wait()?, cell.wait()?), (Ended::Exit(3), Ended::Exit(3)));
    }
    Ok(())
}

#[test]
fn what_cannot_be_started_says_why() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        let null = std::fs::File::open("/dev/null")?;
        let streams = [null.as_fd(), null.as_fd(), null.as_fd()];
        let missing = Request {
            program: "no-such-program".to_owned(),
            folder: bench.scope.clone(),
            ..Request::default()
        };
        let nowhere = Request {
            program: "true".to_owned(),
            folder: bench.scope.join("nowhere"),
            ..Request::default()
        };
        for (request, word) in [(missing, "no-such-program"), (nowhere, "nowhere")] {
            let cell = bench.sandbox.cell()?;
            cell.begin(&request, streams)?;
            let ended = cell.wait()?;
            assert!(matches!(&ended, Ended::NotStarted(why) if why.contains(word)), "{ended:?}");
        }
    }
    Ok(())
}

#[test]
fn a_script_has_its_variables_folder_and_one_stream_in_order() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        std::fs::create_dir(bench.scope.join("it's here"))?;
        let text = "pwd\ncat <<END | tr a-z A-Z\nheredoc $COLOUR\nEND\n\
                    for i in 1 2 3; do echo out$i; echo err$i >&2; done\ncat; echo gone > /dev/null; exit 7";
        let (ended, said) = bench.run_with(text, "it's here", &[("COLOUR", "it's \"blue\" $x")])?;
        let folder = bench.scope.join("it's here");
        let wanted = format!(
            "{}\nHEREDOC IT'S \"BLUE\" $X\nout1\nerr1\nout2\nerr2\nout3\nerr3\n",
            folder.display()
        );
        assert_eq!((ended, said), (Ended::Exit(7), wanted));
    }
    Ok(())
}

#[test]
fn nothing_stays_from_one_script_to_the_next() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        bench.run("cd /; export LEFT=1; f() { echo f; }; umask 000; ulimit -n 20; exec 5>here")?;
        let (_, said) = bench
            .run("echo [$LEFT]; pwd; type f 2>&1; umask; ulimit -n; ls /proc/self/fd | wc -l")?;
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[..2], ["[]", &*bench.scope.to_string_lossy()], "{said}");
        assert!(lines[2].contains("not found") && lines[3] == "0022" && lines[4] != "20", "{said}");
        // Its three streams, and the folder it lists.
        assert_eq!(lines[5].trim(), "4", "{said}");
    }
    Ok(())
}

#[test]
fn a_program_on_a_terminal_controls_it_and_hears_of_its_size() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        let cell = bench.sandbox.cell()?;
        let request = Request {
            program: "sh".to_owned(),
            arguments: [
                "-c",
                "test -t 0 && stty size; tty; read x </dev/tty; stty size; echo got $x",
            ]
            .map(str::to_owned)
            .into(),
            environment: [("TERM".to_owned(), "dumb".to_owned())].into(),
            folder: bench.scope.clone(),
        };
        let mut terminal = cell.begin_on_terminal(&request, Size { rows: 30, columns: 100 })?;
        let mut said = String::new();
        let mut part = [0; 256];
        while !said.contains("/dev/pts/") {
            let count = terminal.end.read(&mut part)?;
            said.push_str(&String::from_utf8_lossy(&part[..count]));
        }
        terminal.resize(Size { rows: 24, columns: 80 })?;
        terminal.end.write_all(b"word\n")?;
        while !said.contains("got word") {
            let count = terminal.end.read(&mut part)?;
            said.push_str(&String::from_utf8_lossy(&part[..count]));
        }
        assert!(said.starts_with("30 100") && said.contains("24 80"), "{said}");
        assert_eq!(cell.wait()?, Ended::Exit(0));
    }
    Ok(())
}

#[test]
fn an_end_can_be_waited_for_with_patience() -> Outcome {
    let bench = Bench::new(EITHER[0])?;
    let (cell, _output) = bench.begin("read x < /dev/zero & sleep 60")?;
    assert_eq!(cell.wait_until(Instant::now() + Duration::from_millis(5))?, None);
    cell.kill()?;
    assert_eq!(cell.wait()?, Ended::Signal(9));
    Ok(())
}

#[test]
fn many_threads_run_scripts_at_the_same_time() -> Outcome {
    for how in EITHER {
        let bench = Bench::new(how)?;
        let all: Vec<String> = std::thread::scope(|threads| {
            let one = |i: usize| {
                let bench = &bench;
                threads.spawn(move || {
                    bench.run(&format!("echo {i}")).map(|(_, said)| said).unwrap_or_default()
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
fn what_a_program_leaves_in_the_kernel_is_gone_for_the_next() -> Outcome {
    let bench = Bench::new(How::Kernel)?;
    let leave = "/usr/bin/ipcmk -M 4096 -p 0 && /usr/bin/ipcmk -S 2 -p 0 && /usr/bin/ipcmk -Q -p 0 && \
        /usr/bin/python3 -c 'import ctypes,os; m=ctypes.CDLL(\"librt.so.1\"); \
        assert m.mq_open(b\"/left\", os.O_CREAT|os.O_RDWR, 0o600, None) >= 0' && ls /dev/mqueue";
    let look =
        "cat /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg | grep -v key; ls /dev/mqueue";
    // A cell takes the next program when its turn comes again.
    for _ in 0..3 {
        let (ended, said) = bench.run(leave)?;
        assert!(ended == Ended::Exit(0) && said.ends_with("left\n"), "{ended:?} {said}");
    }
    for _ in 0..12 {
        assert_eq!(bench.run(look)?, (Ended::Exit(0), String::new()));
    }
    Ok(())
}
