//! No process is left after an operation has ended, even if it ignores signals, forks, and leaves its session.

use std::{sync::Arc, time::Duration};

use crate::fixture::{
    Fixture, NEVER_STOP, TestResult, count_processes, script_with_timeout, test_deadline,
    wait_until,
};
use deskhand_run::{
    Enforcement,
    operation::{Operation, OperationObserver, OperationState},
};

/// A script whose processes fork, leave their session and ignore signals. Each has the word in its command line.
fn stubborn_script(word: &str) -> String {
    format!(
        "trap '' TERM INT HUP QUIT\n\
         sh -c 'trap \"\" TERM HUP; while :; do sleep 1000; done' {word} &\n\
         (setsid sh -c 'trap \"\" TERM HUP; (sh -c \"while :; do sleep 1000; done\" {word} &); sleep 1000' {word} &)\n\
         setsid sh -c 'setsid sh -c \"while :; do sleep 1000; done\" {word} & sleep 1000' {word} > /dev/null 2>&1 < /dev/null &\n\
         echo begun\n\
         while :; do sleep 1000; done"
    )
}

fn check_all_end(enforcement: Enforcement, rounds: usize, max_running: usize) -> TestResult {
    let word = format!("marker-{}-{enforcement:?}", std::process::id());
    let fixture = Fixture::with(|config| {
        (config.max_running, config.enforcement) = (max_running, enforcement)
    })?;
    for round in 0..rounds {
        let session = fixture.open()?;
        let begin = |timeout| {
            session.start(
                script_with_timeout(&stubborn_script(&word), timeout),
                OperationObserver::None,
            )
        };
        let timeout =
            if round % 3 == 1 { Duration::from_millis(700) } else { Duration::from_mins(1) };
        let all =
            (0..max_running).map(|_| begin(timeout)).collect::<Result<Vec<Arc<Operation>>, _>>()?;
        if round % 3 != 1 {
            // All processes run before they are ended.
            assert!(
                wait_until(|| count_processes(&word) >= 3 * max_running),
                "{}",
                count_processes(&word)
            );
        }
        match round % 3 {
            0 => all.iter().for_each(|operation| {
                operation.cancel("enough");
            }),
            1 => all.iter().for_each(|operation| {
                assert_eq!(operation.wait(test_deadline(), NEVER_STOP), OperationState::TimedOut);
            }),
            _ => drop(session),
        }
        assert_eq!(count_processes(&word), 0, "{enforcement:?}, round {round}");
        assert!(all.iter().all(|operation| operation.state().is_over()));
    }
    Ok(())
}

#[test]
fn cancel_timeout_and_drop_leave_no_process() -> TestResult {
    check_all_end(Enforcement::Kernel, 10, 20)
}

#[test]
fn without_a_sandbox_no_process_is_left_either() -> TestResult {
    check_all_end(Enforcement::None, 3, 5)
}

#[test]
fn descendants_end_with_their_program() -> TestResult {
    let word = format!("left-{}", std::process::id());
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let text = format!("setsid sh -c 'while :; do sleep 1000; done' {word} & echo done");
    let operation = session
        .start(script_with_timeout(&text, Duration::from_mins(1)), OperationObserver::None)?;
    assert_eq!(operation.wait(test_deadline(), NEVER_STOP), OperationState::Completed);
    assert!(wait_until(|| count_processes(&word) == 0));
    Ok(())
}
