//! What happens in apps is reported while it happens.

use std::time::{Duration, Instant};

use deskhand_model::EventKind;

use super::{AppUse, Check, Fault, Outcome, Part, Scene, acting::act, ensure, soon};
use crate::{Act, Deadline, End, Events};

const PATIENCE: Duration = Duration::from_secs(8);
const MOMENT: Duration = Duration::from_millis(200);
/// By how much waiting may take longer than asked on a busy machine.
const LEEWAY: Duration = Duration::from_millis(500);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_change_of_a_text_is_reported",
        covers: &["Tree::watch", "Events::next"],
        needs: &[],
        app: AppUse::Shared,
        run: change,
    },
    Check {
        name: "waiting_for_an_event_ends_in_time",
        covers: &["Tree::watch", "Events::next"],
        needs: &[],
        app: AppUse::Shared,
        run: quiet,
    },
    Check {
        name: "the_end_of_an_app_is_reported",
        covers: &["Tree::watch", "Events::next"],
        needs: &[Part::Programs],
        app: AppUse::Own,
        run: quit,
    },
];

/// Waits for an event of the app of one kind.
fn hears(scene: &Scene<'_>, events: &mut dyn Events, kind: EventKind) -> Outcome {
    let end = Deadline::after(PATIENCE);
    let mut others = 0;
    while !end.passed() {
        match events.next(end.left())? {
            Some(event) if event.kind == kind && event.app == scene.app.id => return Ok(()),
            Some(_) => others += 1,
            None => {}
        }
    }
    Err(Fault::Failed(format!("no {} came; {others} other events did", kind.word())))
}

fn change(scene: &Scene<'_>) -> Outcome {
    let field = scene.text_field()?;
    act(scene, &field, &Act::SetText("before".to_owned()))?;
    scene.awaits_text(&field.id, "before")?;
    let kinds = [EventKind::ValueChanged];
    let mut events = scene.desktop.tree.watch(Some(&scene.app.id), &kinds, soon())?;
    act(scene, &field, &Act::SetText("after".to_owned()))?;
    hears(scene, events.as_mut(), EventKind::ValueChanged)
}

fn quiet(scene: &Scene<'_>) -> Outcome {
    let kinds = [EventKind::WindowCreated];
    let mut events = scene.desktop.tree.watch(Some(&scene.app.id), &kinds, soon())?;
    let begun = Instant::now();
    let event = events.next(MOMENT)?;
    let took = begun.elapsed();
    ensure!(took <= MOMENT + LEEWAY, "waiting {MOMENT:?} took {took:?}");
    ensure!(event.is_none(), "no window was opened, and {event:?} came");
    Ok(())
}

fn quit(scene: &Scene<'_>) -> Outcome {
    let mut events = scene.desktop.tree.watch(None, &[EventKind::AppQuit], soon())?;
    let programs = scene.programs()?;
    if let Some(process) = programs.process(scene.app.pid) {
        programs.end(&process, End::Kill)?;
    }
    hears(scene, events.as_mut(), EventKind::AppQuit)
}
