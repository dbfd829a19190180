//! Jobs become operations: how they run, how they end, and what is told about them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::place::{
    Outcome, Place, STAY, patience, quick, ran, said, script, sequence, step, until,
};
use deskhand_run::{
    Error, Filter, Network,
    operation::{Cancelled, Ended, Event, Listener, Outcome as Went, Skip, State, Work},
};

#[test]
fn a_failure_has_its_code_and_output_in_this_thread_and_in_the_background() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let text = "echo out; echo err >&2; echo out again; exit 3";
    let here = ran(&workshop, script(text))?;
    let there = workshop.begin(script(text), Listener::Nobody)?;
    assert_eq!(there.wait(patience(), STAY), State::Failed);
    for operation in [here, there] {
        let summary = operation.summary();
        assert_eq!((summary.state, &summary.exit), (State::Failed, &Some(Ended::Exit(3))));
        assert_eq!(said(&operation), "out\nerr\nout again\n");
        assert_eq!(summary.why.as_deref(), Some("it ended with exit code 3"));
        assert!(operation.id().starts_with("op_") && operation.id().len() == 9);
    }
    Ok(())
}

#[test]
fn nothing_of_one_call_is_left_for_the_next_and_nothing_of_the_server_is_there() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let first = "export LEFT=1; cd /; umask 0; f() { :; }; echo ok";
    assert_eq!(said(&*ran(&workshop, script(first))?), "ok\n");
    let second = "echo ${LEFT-none}; pwd; type f >/dev/null 2>&1 || echo no f; env";
    let operation = ran(&workshop, script(second))?;
    let (said, scope) = (said(&operation), place.scope.display());
    assert!(said.starts_with(&format!("none\n{scope}\nno f\n")), "{said}");
    for line in said.lines().skip(3) {
        let name = line.split('=').next().unwrap_or_default();
        let known =
            ["HOME", "LANG", "LANGUAGE", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "SHLVL"];
        let known = known.contains(&name) || ["TERM", "TMPDIR", "TZ", "USER", "_"].contains(&name);
        let toolchain = ["RUSTUP_", "CARGO_HOME", "NVM_", "PYENV_", "JAVA_HOME", "GOROOT", "LC_"];
        assert!(known || toolchain.iter().any(|one| name.starts_with(one)), "{line}");
    }
    assert!(said.contains("TERM=dumb\n"), "{said}");
    Ok(())
}

#[test]
fn steps_run_in_order_keep_their_folder_and_stop_at_the_first_failure() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    std::fs::create_dir(place.scope.join("sub"))?;
    let mut steps = vec![
        step(&["sh", "-c", "echo made > file; pwd"]),
        step(&["cat", "file"]),
        step(&["echo", "skipped"]),
        step(&["echo", "also $skipped"]),
        step(&["echo", "$HOME `id`"]),
        step(&["sh", "-c", "exit 4"]),
        step(&["echo", "never"]),
    ];
    steps.iter_mut().for_each(|step| step.folder = "sub".into());
    steps[2].skip = Some(Skip::IfExists("file".into()));
    steps[3].skip = Some(Skip::IfMissing("/etc/passwd".into()));
    steps[4].skip = Some(Skip::IfMissing("file".into()));
    steps[1].delay_before = Duration::from_millis(30);
    let operation = ran(&workshop, sequence(steps))?;
    let folder = place.scope.join("sub");
    assert_eq!(said(&operation), format!("{}\nmade\n$HOME `id`\n", folder.display()));
    let summary = operation.summary();
    assert_eq!((summary.state, summary.exit), (State::Failed, Some(Ended::Exit(4))));
    let went: Vec<&Went> = summary.steps.iter().map(|step| &step.outcome).collect();
    let well = Went::Ended(Ended::Exit(0));
    assert_eq!(
        went,
        [
            &well,
            &well,
            &Went::Skipped("file is there".to_owned()),
            &Went::Skipped("/etc/passwd is not there".to_owned()),
            &well,
            &Went::Ended(Ended::Exit(4)),
            &Went::NotRun,
        ]
    );
    let made = &summary.steps[1].output;
    assert_eq!(made.end - made.start, 5);
    assert!(summary.took >= Duration::from_millis(30));
    Ok(())
}

#[test]
fn a_program_that_is_not_there_is_a_failure_that_says_so() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let operation = ran(&workshop, sequence(vec![step(&["no-such-program"])]))?;
    let summary = operation.summary();
    assert_eq!(summary.state, State::Failed);
    assert!(summary.why.is_some_and(|why| why.contains("no-such-program")));
    Ok(())
}

#[test]
fn folders_outside_the_scope_are_refused_also_behind_a_link() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    std::os::unix::fs::symlink("/usr", place.scope.join("link"))?;
    for folder in ["/usr", "..", "link", "link/bin"] {
        let mut job = script("pwd");
        job.work = Work::Shell { script: "pwd".to_owned(), folder: folder.into() };
        let refused = workshop.begin(job, Listener::Nobody);
        assert!(matches!(refused, Err(Error::OutsideScope { .. })), "{folder}");
    }
    let mut job = script("pwd");
    job.work = Work::Shell { script: "pwd".to_owned(), folder: "nowhere".into() };
    assert!(matches!(workshop.begin(job, Listener::Nobody), Err(Error::NoFolder { .. })));
    Ok(())
}

#[test]
fn what_takes_too_long_is_ended_and_keeps_its_output() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    // The second closes its output and goes on: silence is no end.
    for text in ["echo before; sleep 1000", "echo before; exec >&- 2>&-; sleep 1000"] {
        let operation = ran(&workshop, quick(text, Duration::from_millis(150)))?;
        let summary = operation.summary();
        assert_eq!(summary.state, State::TimedOut, "{text}");
        assert_eq!(summary.why.as_deref(), Some("it took longer than 0.15 seconds and was ended"));
        assert_eq!(said(&operation), "before\n");
    }
    let steps = vec![step(&["echo", "one"]), step(&["sleep", "1000"]), step(&["echo", "three"])];
    let mut job = sequence(steps);
    job.timeout = Some(Duration::from_millis(200));
    let operation = ran(&workshop, job)?;
    assert_eq!((operation.state(), said(&operation)), (State::TimedOut, "one\n".to_owned()));
    Ok(())
}

#[test]
fn cancel_ends_what_runs_what_pauses_and_what_waits_in_line() -> Outcome {
    let place = Place::with(|setup| setup.at_once = 1)?;
    let workshop = place.open()?;
    let running = workshop.begin(script("echo on; sleep 1000"), Listener::Nobody)?;
    let waiting = workshop.begin(script("echo never > never"), Listener::Nobody)?;
    let mut late = step(&["echo", "late"]);
    late.delay_before = Duration::from_secs(1000);
    let pausing = workshop.begin(sequence(vec![step(&["true"]), late]), Listener::Nobody)?;
    assert!(until(|| running.summary().printed > 0));
    assert_eq!((waiting.state(), pausing.state()), (State::Pending, State::Pending));
    assert_eq!(waiting.cancel("not wanted"), Cancelled::Now);
    assert_eq!(waiting.summary().why.as_deref(), Some("not wanted"));
    assert_eq!(running.cancel("enough"), Cancelled::Now);
    assert_eq!((running.state(), said(&running)), (State::Cancelled, "on\n".to_owned()));
    assert_eq!(running.cancel("again"), Cancelled::Before(State::Cancelled));
    assert!(until(|| pausing.state() == State::Running));
    assert_eq!(pausing.cancel("now"), Cancelled::Now);
    assert_eq!(pausing.state(), State::Cancelled);
    assert!(!place.scope.join("never").exists());
    Ok(())
}

#[test]
fn one_that_runs_in_its_caller_waits_for_its_turn_and_can_be_cancelled_meanwhile() -> Outcome {
    let place = Place::with(|setup| setup.at_once = 1)?;
    let workshop = place.open()?;
    let first =
        workshop.begin(script("while [ ! -e go ]; do sleep 0.01; done"), Listener::Nobody)?;
    let cancelled = workshop.prepare(script("echo no"), Listener::Nobody)?;
    let run = workshop.prepare(script("echo yes"), Listener::Nobody)?;
    let last = std::thread::scope(|threads| {
        let gone = threads.spawn(|| workshop.run(&cancelled));
        std::thread::sleep(Duration::from_millis(50));
        let served = threads.spawn(|| workshop.run(&run));
        std::thread::sleep(Duration::from_millis(50));
        let last = workshop.begin(script("echo last"), Listener::Nobody);
        cancelled.cancel("no");
        let ended = gone.join();
        std::fs::write(place.scope.join("go"), "").ok();
        assert!(
            ended.is_ok_and(|done| done.is_ok()) && served.join().is_ok_and(|done| done.is_ok())
        );
        last
    })?;
    assert_eq!(last.wait(patience(), STAY), State::Completed);
    assert_eq!((first.state(), cancelled.state()), (State::Completed, State::Cancelled));
    assert_eq!((said(&run), said(&last)), ("yes\n".to_owned(), "last\n".to_owned()));
    Ok(())
}

#[test]
fn a_hundred_jobs_pass_through_a_line_of_four() -> Outcome {
    let place = Place::with(|setup| (setup.at_once, setup.keep) = (4, 200))?;
    let workshop = place.open()?;
    for index in 0..100 {
        workshop.begin(script(&format!("echo {index}")), Listener::Nobody)?;
    }
    let awaited = workshop.wait(&Filter::default(), patience(), STAY)?;
    assert_eq!((awaited.ended.len(), awaited.running.len()), (100, 0));
    let all: Vec<String> = awaited.ended.iter().map(|operation| said(operation)).collect();
    let expected: Vec<String> = (0..100).map(|index| format!("{index}\n")).collect();
    assert_eq!(all, expected);
    Ok(())
}

#[test]
fn await_answers_what_ended_and_what_runs_by_id_and_by_tool() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let early = workshop.begin(script("echo early"), Listener::Nobody)?;
    let slow = workshop.begin(sequence(vec![step(&["sleep", "1000"])]), Listener::Nobody)?;
    early.wait(patience(), STAY);
    let soon = std::time::Instant::now() + Duration::from_millis(50);
    let all = workshop.wait(&Filter::default(), soon, STAY)?;
    let ids = |all: &[Arc<deskhand_run::operation::Operation>]| -> Vec<String> {
        all.iter().map(|one| one.id().to_owned()).collect()
    };
    assert_eq!(ids(&all.ended), [early.id()]);
    assert_eq!(ids(&all.running), [slow.id()]);
    let again = workshop.wait(&Filter::named(Some("sandboxed, git"), None), patience(), STAY)?;
    assert!(again.ended.is_empty() && again.running.is_empty(), "told twice");
    let named = Filter { ids: vec![early.id().to_owned()], ..Filter::default() };
    assert_eq!(ids(&workshop.wait(&named, patience(), STAY)?.ended), [early.id()]);
    let by_tool = workshop.wait(&Filter::named(Some("cargo"), None), patience(), &|| true)?;
    assert_eq!(ids(&by_tool.running), [slow.id()]);
    let unknown = Filter { ids: vec!["op_nobody".to_owned()], ..Filter::default() };
    let refused = workshop.wait(&unknown, patience(), STAY);
    assert!(matches!(refused, Err(Error::UnknownOperation { known, .. }) if known.len() == 2));
    Ok(())
}

#[test]
fn only_the_latest_are_remembered_and_one_that_runs_always_is() -> Outcome {
    let place = Place::with(|setup| setup.keep = 3)?;
    let workshop = place.open()?;
    let first = workshop.begin(script("sleep 1000"), Listener::Nobody)?;
    let old = ran(&workshop, script("echo 0"))?.id().to_owned();
    for index in 1..6 {
        ran(&workshop, script(&format!("echo {index}")))?;
    }
    let all = workshop.operations(&Filter::default())?;
    let titles: Vec<&str> = all.iter().map(|one| one.title()).collect();
    assert_eq!(titles, ["sleep 1000", "echo 3", "echo 4", "echo 5"]);
    assert!(workshop.operation(&old).is_err());
    assert_eq!(first.state(), State::Running);
    Ok(())
}

#[test]
fn progress_comes_at_once_then_paced_and_bounded_and_ends_with_the_end() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
    let into = Arc::clone(&heard);
    let listener = Listener::Hears(Arc::new(move |event| {
        if let Ok(mut heard) = into.lock() {
            heard.push(event);
        }
    }));
    let text = "echo first; sleep 0.3; seq 1 20000; printf 'no newline'";
    let operation = workshop.begin(script(text), listener)?;
    assert_eq!(operation.wait(patience(), STAY), State::Completed);
    assert!(until(|| heard
        .lock()
        .is_ok_and(|heard| matches!(heard.last(), Some(Event::Ended(_))))));
    let heard = heard.lock().map_err(|_| "a listener failed")?;
    let mut bytes = 0;
    let mut texts = Vec::new();
    for event in heard.iter() {
        if let Event::Output(news) = event {
            bytes += news.text.len() as u64 + news.left_out;
            assert!(news.text.len() <= 4096);
            texts.push(news.text.as_str());
        }
    }
    assert_eq!(texts.first(), Some(&"first\n"));
    assert!(texts.last().is_some_and(|text| text.ends_with("20000\nno newline")), "{texts:?}");
    assert_eq!(bytes, operation.summary().printed);
    assert!(texts.len() < 20, "{}", texts.len());
    Ok(())
}

#[test]
fn no_two_sessions_share_a_sandbox_and_the_first_gets_the_one_that_was_tried() -> Outcome {
    let place = Place::new()?;
    let which = "readlink /proc/self/ns/user";
    let tried = place.shop.try_out(&place.scope, Network::Off)?;
    let (one, other) = (place.open()?, place.open()?);
    let of_one = said(&*ran(&one, script(which))?);
    assert_eq!(said(&*ran(&tried, script(which))?), of_one);
    assert_ne!(said(&*ran(&other, script(which))?), of_one);
    let leave = "echo left > ~/left; echo left > /tmp/left; echo left > here";
    ran(&one, script(leave))?;
    let look = "cat ~/left /tmp/left 2>/dev/null; cat here";
    assert_eq!(said(&*ran(&other, script(look))?), "left\n");
    Ok(())
}

#[test]
fn a_session_that_ends_ends_what_is_its_own_and_lets_nothing_begin() -> Outcome {
    let place = Place::new()?;
    let (one, other) = (place.open()?, place.open()?);
    let foreign = one.begin(script("sleep 1000"), Listener::Nobody)?;
    let own = other.begin(script("sleep 1000"), Listener::Nobody)?;
    assert!(other.operation(foreign.id()).is_err());
    drop(one);
    assert!(foreign.state() == State::Cancelled && !own.state().is_over());
    other.end("enough");
    assert_eq!(own.state(), State::Cancelled);
    assert!(matches!(other.begin(script("true"), Listener::Nobody), Err(Error::Closed)));
    Ok(())
}

#[test]
fn what_is_cancelled_as_it_begins_does_not_run_on() -> Outcome {
    let place = Place::with(|setup| setup.keep = 1000)?;
    let workshop = place.open()?;
    let mut before = 0;
    for round in 0..150 {
        let text = format!("sleep 0.2; echo ran > ran-{round}");
        let operation = workshop.begin(script(&text), Listener::Nobody)?;
        // The moment is tried from both sides.
        std::thread::sleep(Duration::from_micros(round * 4));
        before += usize::from(operation.summary().took.is_zero());
        assert_eq!(operation.cancel("at once"), Cancelled::Now);
        assert_eq!(operation.state(), State::Cancelled);
    }
    assert!(before < 150, "none had begun");
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(std::fs::read_dir(&place.scope)?.count(), 0);
    Ok(())
}
