//! Nothing is left of what was ended: not of programs that ignore every signal they can, fork, and leave
//! their session.

use std::{sync::Arc, time::Duration};

use crate::place::{Outcome, Place, STAY, marked, patience, quick, until};
use deskhand_run::{
    How,
    operation::{Listener, Operation, State},
};

/// Programs that fork, leave, and ignore; each carries the word in its command line.
fn stubborn(word: &str) -> String {
    format!(
        "trap '' TERM INT HUP QUIT\n\
         sh -c 'trap \"\" TERM HUP; while :; do sleep 1000; done' {word} &\n\
         (setsid sh -c 'trap \"\" TERM HUP; (sh -c \"while :; do sleep 1000; done\" {word} &); sleep 1000' {word} &)\n\
         setsid sh -c 'setsid sh -c \"while :; do sleep 1000; done\" {word} & sleep 1000' {word} > /dev/null 2>&1 < /dev/null &\n\
         echo begun\n\
         while :; do sleep 1000; done"
    )
}

fn all_are_ended(how: How, rounds: usize, at_once: usize) -> Outcome {
    let word = format!("marker-{}-{how:?}", std::process::id());
    let place = Place::with(|setup| (setup.at_once, setup.confinement) = (at_once, how))?;
    for round in 0..rounds {
        let workshop = place.open()?;
        let begin = |timeout| workshop.begin(quick(&stubborn(&word), timeout), Listener::Nobody);
        let timeout =
            if round % 3 == 1 { Duration::from_millis(700) } else { Duration::from_mins(1) };
        let all =
            (0..at_once).map(|_| begin(timeout)).collect::<Result<Vec<Arc<Operation>>, _>>()?;
        if round % 3 != 1 {
            // There is something to end.
            assert!(until(|| marked(&word) >= 3 * at_once), "{}", marked(&word));
        }
        match round % 3 {
            0 => all.iter().for_each(|operation| {
                operation.cancel("enough");
            }),
            1 => all.iter().for_each(|operation| {
                assert_eq!(operation.wait(patience(), STAY), State::TimedOut);
            }),
            _ => drop(workshop),
        }
        assert_eq!(marked(&word), 0, "{how:?}, round {round}");
        assert!(all.iter().all(|operation| operation.state().is_over()));
    }
    Ok(())
}

#[test]
fn two_hundred_stubborn_commands_ended_by_cancel_timeout_and_drop_leave_nothing() -> Outcome {
    all_are_ended(How::Kernel, 10, 20)
}

#[test]
fn without_a_sandbox_nothing_is_left_either() -> Outcome {
    all_are_ended(How::None, 3, 5)
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() -> Outcome {
    let word = format!("left-{}", std::process::id());
    let place = Place::new()?;
    let workshop = place.open()?;
    let text = format!("setsid sh -c 'while :; do sleep 1000; done' {word} & echo done");
    let operation = workshop.begin(quick(&text, Duration::from_mins(1)), Listener::Nobody)?;
    assert_eq!(operation.wait(patience(), STAY), State::Completed);
    assert!(until(|| marked(&word) == 0));
    Ok(())
}
