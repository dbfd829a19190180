//! Operations: their execution, their end, and their events.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::fixture::{
    Fixture, NEVER_STOP, TestResult, output_text, run_now, script, script_with_timeout, sequence,
    step, test_deadline, wait_until,
};
use deskhand_run::{
    Error, Network, OperationFilter,
    operation::{
        CancelOutcome, ExitReason, OperationEvent, OperationObserver, OperationState, Skip,
        StepOutcome, Work,
    },
};

#[test]
fn failure_has_its_exit_code_and_output() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let text = "echo out; echo err >&2; echo out again; exit 3";
    let here = run_now(&session, script(text))?;
    let there = session.start(script(text), OperationObserver::None)?;
    assert_eq!(there.wait(test_deadline(), NEVER_STOP), OperationState::Failed);
    for operation in [here, there] {
        let summary = operation.summary();
        assert_eq!(
            (summary.state, &summary.exit),
            (OperationState::Failed, &Some(ExitReason::Exit(3)))
        );
        assert_eq!(output_text(&operation), "out\nerr\nout again\n");
        assert_eq!(summary.reason.as_deref(), Some("it exited with code 3"));
        assert!(operation.id().starts_with("op_") && operation.id().len() == 9);
    }
    Ok(())
}

#[test]
fn no_state_is_left_for_the_next_operation_and_nothing_is_inherited() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let first = "export LEFT=1; cd /; umask 0; f() { :; }; echo ok";
    assert_eq!(output_text(&*run_now(&session, script(first))?), "ok\n");
    let second = "echo ${LEFT-none}; pwd; type f >/dev/null 2>&1 || echo no f; env";
    let operation = run_now(&session, script(second))?;
    let (output_text, scope) = (output_text(&operation), fixture.scope.display());
    assert!(output_text.starts_with(&format!("none\n{scope}\nno f\n")), "{output_text}");
    for line in output_text.lines().skip(3) {
        let name = line.split('=').next().unwrap_or_default();
        let known =
            ["HOME", "LANG", "LANGUAGE", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "SHLVL"];
        let known = known.contains(&name) || ["TERM", "TMPDIR", "TZ", "USER", "_"].contains(&name);
        let toolchain = ["RUSTUP_", "CARGO_HOME", "NVM_", "PYENV_", "JAVA_HOME", "GOROOT", "LC_"];
        assert!(known || toolchain.iter().any(|one| name.starts_with(one)), "{line}");
    }
    assert!(output_text.contains("TERM=dumb\n"), "{output_text}");
    Ok(())
}

#[test]
fn steps_run_in_order_and_stop_at_the_first_failure() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    std::fs::create_dir(fixture.scope.join("sub"))?;
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
    let operation = run_now(&session, sequence(steps))?;
    let folder = fixture.scope.join("sub");
    assert_eq!(output_text(&operation), format!("{}\nmade\n$HOME `id`\n", folder.display()));
    let summary = operation.summary();
    assert_eq!((summary.state, summary.exit), (OperationState::Failed, Some(ExitReason::Exit(4))));
    let went: Vec<&StepOutcome> = summary.steps.iter().map(|step| &step.outcome).collect();
    let well = StepOutcome::Exited(ExitReason::Exit(0));
    assert_eq!(
        went,
        [
            &well,
            &well,
            &StepOutcome::Skipped("file exists".to_owned()),
            &StepOutcome::Skipped("/etc/passwd does not exist".to_owned()),
            &well,
            &StepOutcome::Exited(ExitReason::Exit(4)),
            &StepOutcome::NotRun,
        ]
    );
    let made = &summary.steps[1].output;
    assert_eq!(made.end - made.start, 5);
    assert!(summary.ran_for >= Duration::from_millis(30));
    Ok(())
}

#[test]
fn missing_program_is_a_failure() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let operation = run_now(&session, sequence(vec![step(&["no-such-program"])]))?;
    let summary = operation.summary();
    assert_eq!(summary.state, OperationState::Failed);
    assert!(summary.reason.is_some_and(|reason| reason.contains("no-such-program")));
    Ok(())
}

#[test]
fn folders_outside_the_scope_are_refused() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    std::os::unix::fs::symlink("/usr", fixture.scope.join("link"))?;
    for folder in ["/usr", "..", "link", "link/bin"] {
        let mut spec = script("pwd");
        spec.work = Work::Shell { script: "pwd".to_owned(), folder: folder.into() };
        let refused = session.start(spec, OperationObserver::None);
        assert!(matches!(refused, Err(Error::OutsideScope { .. })), "{folder}");
    }
    let mut spec = script("pwd");
    spec.work = Work::Shell { script: "pwd".to_owned(), folder: "nowhere".into() };
    assert!(matches!(session.start(spec, OperationObserver::None), Err(Error::NoFolder { .. })));
    Ok(())
}

#[test]
fn timeout_kills_the_program_and_keeps_its_output() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    // The second script closes its output and continues to run.
    for text in ["echo before; sleep 1000", "echo before; exec >&- 2>&-; sleep 1000"] {
        let operation = run_now(&session, script_with_timeout(text, Duration::from_millis(150)))?;
        let summary = operation.summary();
        assert_eq!(summary.state, OperationState::TimedOut, "{text}");
        assert_eq!(
            summary.reason.as_deref(),
            Some("it timed out after 0.15 seconds and was killed")
        );
        assert_eq!(output_text(&operation), "before\n");
    }
    let steps = vec![step(&["echo", "one"]), step(&["sleep", "1000"]), step(&["echo", "three"])];
    let mut spec = sequence(steps);
    spec.timeout = Some(Duration::from_millis(200));
    let operation = run_now(&session, spec)?;
    assert_eq!(
        (operation.state(), output_text(&operation)),
        (OperationState::TimedOut, "one\n".to_owned())
    );
    Ok(())
}

#[test]
fn cancel_ends_running_sleeping_and_waiting_operations() -> TestResult {
    let fixture = Fixture::with(|config| config.max_running = 1)?;
    let session = fixture.open()?;
    let running = session.start(script("echo on; sleep 1000"), OperationObserver::None)?;
    let waiting = session.start(script("echo never > never"), OperationObserver::None)?;
    let mut late = step(&["echo", "late"]);
    late.delay_before = Duration::from_secs(1000);
    let pausing = session.start(sequence(vec![step(&["true"]), late]), OperationObserver::None)?;
    assert!(wait_until(|| running.summary().output_bytes > 0));
    assert_eq!(
        (waiting.state(), pausing.state()),
        (OperationState::Pending, OperationState::Pending)
    );
    assert_eq!(waiting.cancel("not wanted"), CancelOutcome::Cancelled);
    assert_eq!(waiting.summary().reason.as_deref(), Some("not wanted"));
    assert_eq!(running.cancel("enough"), CancelOutcome::Cancelled);
    assert_eq!(
        (running.state(), output_text(&running)),
        (OperationState::Cancelled, "on\n".to_owned())
    );
    assert_eq!(running.cancel("again"), CancelOutcome::AlreadyFinished(OperationState::Cancelled));
    assert!(wait_until(|| pausing.state() == OperationState::Running));
    assert_eq!(pausing.cancel("now"), CancelOutcome::Cancelled);
    assert_eq!(pausing.state(), OperationState::Cancelled);
    assert!(!fixture.scope.join("never").exists());
    Ok(())
}

#[test]
fn operation_in_the_calling_thread_waits_for_its_turn_and_can_be_cancelled() -> TestResult {
    let fixture = Fixture::with(|config| config.max_running = 1)?;
    let session = fixture.open()?;
    let first =
        session.start(script("while [ ! -e go ]; do sleep 0.01; done"), OperationObserver::None)?;
    let cancelled = session.register(script("echo no"), OperationObserver::None)?;
    let run = session.register(script("echo yes"), OperationObserver::None)?;
    let last = std::thread::scope(|threads| {
        let gone = threads.spawn(|| session.run(&cancelled));
        std::thread::sleep(Duration::from_millis(50));
        let served = threads.spawn(|| session.run(&run));
        std::thread::sleep(Duration::from_millis(50));
        let last = session.start(script("echo last"), OperationObserver::None);
        cancelled.cancel("no");
        let ended = gone.join();
        std::fs::write(fixture.scope.join("go"), "").ok();
        assert!(
            ended.is_ok_and(|done| done.is_ok()) && served.join().is_ok_and(|done| done.is_ok())
        );
        last
    })?;
    assert_eq!(last.wait(test_deadline(), NEVER_STOP), OperationState::Completed);
    assert_eq!(
        (first.state(), cancelled.state()),
        (OperationState::Completed, OperationState::Cancelled)
    );
    assert_eq!((output_text(&run), output_text(&last)), ("yes\n".to_owned(), "last\n".to_owned()));
    Ok(())
}

#[test]
fn a_hundred_operations_run_four_at_once() -> TestResult {
    let fixture = Fixture::with(|config| (config.max_running, config.max_history) = (4, 200))?;
    let session = fixture.open()?;
    for index in 0..100 {
        session.start(script(&format!("echo {index}")), OperationObserver::None)?;
    }
    let awaited = session.wait(&OperationFilter::default(), test_deadline(), NEVER_STOP)?;
    assert_eq!((awaited.finished.len(), awaited.running.len()), (100, 0));
    let all: Vec<String> =
        awaited.finished.iter().map(|operation| output_text(operation)).collect();
    let expected: Vec<String> = (0..100).map(|index| format!("{index}\n")).collect();
    assert_eq!(all, expected);
    Ok(())
}

#[test]
fn wait_returns_finished_and_running_operations_by_id_and_tool() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let early = session.start(script("echo early"), OperationObserver::None)?;
    let slow = session.start(sequence(vec![step(&["sleep", "1000"])]), OperationObserver::None)?;
    early.wait(test_deadline(), NEVER_STOP);
    let soon = std::time::Instant::now() + Duration::from_millis(50);
    let all = session.wait(&OperationFilter::default(), soon, NEVER_STOP)?;
    let ids = |all: &[Arc<deskhand_run::operation::Operation>]| -> Vec<String> {
        all.iter().map(|one| one.id().to_owned()).collect()
    };
    assert_eq!(ids(&all.finished), [early.id()]);
    assert_eq!(ids(&all.running), [slow.id()]);
    let again = session.wait(
        &OperationFilter::parse(Some("sandboxed, git"), None),
        test_deadline(),
        NEVER_STOP,
    )?;
    assert!(again.finished.is_empty() && again.running.is_empty(), "reported twice");
    let named = OperationFilter { ids: vec![early.id().to_owned()], ..OperationFilter::default() };
    assert_eq!(ids(&session.wait(&named, test_deadline(), NEVER_STOP)?.finished), [early.id()]);
    let by_tool =
        session.wait(&OperationFilter::parse(Some("cargo"), None), test_deadline(), &|| true)?;
    assert_eq!(ids(&by_tool.running), [slow.id()]);
    let unknown =
        OperationFilter { ids: vec!["op_nobody".to_owned()], ..OperationFilter::default() };
    let refused = session.wait(&unknown, test_deadline(), NEVER_STOP);
    assert!(matches!(refused, Err(Error::UnknownOperation { known, .. }) if known.len() == 2));
    Ok(())
}

#[test]
fn only_the_latest_finished_operations_are_remembered() -> TestResult {
    let fixture = Fixture::with(|config| config.max_history = 3)?;
    let session = fixture.open()?;
    let first = session.start(script("sleep 1000"), OperationObserver::None)?;
    let old = run_now(&session, script("echo 0"))?.id().to_owned();
    for index in 1..6 {
        run_now(&session, script(&format!("echo {index}")))?;
    }
    let all = session.operations(&OperationFilter::default())?;
    let titles: Vec<&str> = all.iter().map(|one| one.title()).collect();
    assert_eq!(titles, ["sleep 1000", "echo 3", "echo 4", "echo 5"]);
    assert!(session.operation(&old).is_err());
    assert_eq!(first.state(), OperationState::Running);
    Ok(())
}

#[test]
fn events_are_limited_in_rate_and_size_and_end_with_finished() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let events: Arc<Mutex<Vec<OperationEvent>>> = Arc::default();
    let into = Arc::clone(&events);
    let observer = OperationObserver::Callback(Arc::new(move |event| {
        if let Ok(mut events) = into.lock() {
            events.push(event);
        }
    }));
    let text = "echo first; sleep 0.3; seq 1 20000; printf 'no newline'";
    let operation = session.start(script(text), observer)?;
    assert_eq!(operation.wait(test_deadline(), NEVER_STOP), OperationState::Completed);
    assert!(wait_until(|| events
        .lock()
        .is_ok_and(|events| matches!(events.last(), Some(OperationEvent::Finished(_))))));
    let events = events.lock().map_err(|_| "an observer failed")?;
    let mut bytes = 0;
    let mut texts = Vec::new();
    for event in events.iter() {
        if let OperationEvent::Output(news) = event {
            bytes += news.text.len() as u64 + news.omitted;
            assert!(news.text.len() <= 4096);
            texts.push(news.text.as_str());
        }
    }
    assert_eq!(texts.first(), Some(&"first\n"));
    assert!(texts.last().is_some_and(|text| text.ends_with("20000\nno newline")), "{texts:?}");
    assert_eq!(bytes, operation.summary().output_bytes);
    assert!(texts.len() < 20, "{}", texts.len());
    Ok(())
}

#[test]
fn sessions_have_their_own_sandbox_and_the_first_takes_over_the_trial_sandbox() -> TestResult {
    let fixture = Fixture::new()?;
    let which = "readlink /proc/self/ns/user";
    let tried = fixture.service.open_trial_session(&fixture.scope, Network::Off)?;
    let (one, other) = (fixture.open()?, fixture.open()?);
    let of_one = output_text(&*run_now(&one, script(which))?);
    assert_eq!(output_text(&*run_now(&tried, script(which))?), of_one);
    assert_ne!(output_text(&*run_now(&other, script(which))?), of_one);
    let leave = "echo left > ~/left; echo left > /tmp/left; echo left > here";
    run_now(&one, script(leave))?;
    let look = "cat ~/left /tmp/left 2>/dev/null; cat here";
    assert_eq!(output_text(&*run_now(&other, script(look))?), "left\n");
    Ok(())
}

#[test]
fn session_end_cancels_its_operations_and_refuses_new_ones() -> TestResult {
    let fixture = Fixture::new()?;
    let (one, other) = (fixture.open()?, fixture.open()?);
    let foreign = one.start(script("sleep 1000"), OperationObserver::None)?;
    let own = other.start(script("sleep 1000"), OperationObserver::None)?;
    assert!(other.operation(foreign.id()).is_err());
    drop(one);
    assert!(foreign.state() == OperationState::Cancelled && !own.state().is_over());
    other.shut_down("enough");
    assert_eq!(own.state(), OperationState::Cancelled);
    assert!(matches!(
        other.start(script("true"), OperationObserver::None),
        Err(Error::SessionEnded)
    ));
    Ok(())
}

#[test]
fn operation_that_is_cancelled_while_it_starts_does_not_run() -> TestResult {
    let fixture = Fixture::with(|config| config.max_history = 1000)?;
    let session = fixture.open()?;
    let mut before = 0;
    for round in 0..150 {
        let text = format!("sleep 0.2; echo ran > ran-{round}");
        let operation = session.start(script(&text), OperationObserver::None)?;
        // Cancel before, during and after the start.
        std::thread::sleep(Duration::from_micros(round * 4));
        before += usize::from(operation.summary().ran_for.is_zero());
        assert_eq!(operation.cancel("at once"), CancelOutcome::Cancelled);
        assert_eq!(operation.state(), OperationState::Cancelled);
    }
    assert!(before < 150, "none had started");
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(std::fs::read_dir(&fixture.scope)?.count(), 0);
    Ok(())
}
