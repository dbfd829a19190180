//! Events of apps are reported as they happen.

use std::time::Instant;

use deskhand_model::EventKind;

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture,
    actions::perform,
    call_deadline, ensure,
    timing::{DEADLINE_TOLERANCE, EFFECT_TIMEOUT, NO_EVENT_TIMEOUT},
};
use crate::{Deadline, EventStream, NodeAction, Termination};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "a_text_change_is_reported",
        covers: &["Tree::watch", "EventStream::next"],
        requires: &[],
        app: AppUse::Shared,
        run: change,
    },
    ConformanceCheck {
        name: "waiting_for_an_event_ends_in_time",
        covers: &["Tree::watch", "EventStream::next"],
        requires: &[],
        app: AppUse::Shared,
        run: quiet,
    },
    ConformanceCheck {
        name: "the_end_of_an_app_is_reported",
        covers: &["Tree::watch", "EventStream::next"],
        requires: &[Capability::Programs],
        app: AppUse::Exclusive,
        run: quit,
    },
];

/// Waits for an event of this kind from the app.
fn wait_for_event(
    fixture: &Fixture<'_>,
    events: &mut dyn EventStream,
    kind: EventKind,
) -> CheckResult {
    let deadline = Deadline::after(EFFECT_TIMEOUT);
    let mut others = 0;
    while !deadline.has_passed() {
        match events.next(deadline.remaining())? {
            Some(event) if event.kind == kind && event.app == fixture.app.id => return Ok(()),
            Some(_) => others += 1,
            None => {}
        }
    }
    Err(CheckError::Failed(format!("no {} event arrived, but {others} other events", kind.word())))
}

fn change(fixture: &Fixture<'_>) -> CheckResult {
    let field = fixture.text_field()?;
    perform(fixture, &field, &NodeAction::SetText("before".to_owned()))?;
    fixture.wait_for_text(&field.id, "before")?;
    let kinds = [EventKind::ValueChanged];
    let mut events = fixture.desktop.tree.watch(Some(&fixture.app.id), &kinds, call_deadline())?;
    perform(fixture, &field, &NodeAction::SetText("after".to_owned()))?;
    wait_for_event(fixture, events.as_mut(), EventKind::ValueChanged)
}

fn quiet(fixture: &Fixture<'_>) -> CheckResult {
    let kinds = [EventKind::WindowCreated];
    let mut events = fixture.desktop.tree.watch(Some(&fixture.app.id), &kinds, call_deadline())?;
    let start = Instant::now();
    let event = events.next(NO_EVENT_TIMEOUT)?;
    let elapsed = start.elapsed();
    ensure!(
        elapsed <= NO_EVENT_TIMEOUT + DEADLINE_TOLERANCE,
        "waiting {NO_EVENT_TIMEOUT:?} took {elapsed:?}"
    );
    ensure!(event.is_none(), "no window was opened, but {event:?} arrived");
    Ok(())
}

fn quit(fixture: &Fixture<'_>) -> CheckResult {
    let mut events = fixture.desktop.tree.watch(None, &[EventKind::AppQuit], call_deadline())?;
    let programs = fixture.programs()?;
    if let Some(process) = programs.process(fixture.app.pid) {
        programs.terminate(&process, Termination::Kill)?;
    }
    wait_for_event(fixture, events.as_mut(), EventKind::AppQuit)
}
