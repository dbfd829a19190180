//! An app that answers nobody holds up nobody.

use std::time::Duration;

use deskhand_model::{Node, Notice};

use super::{
    AppUse, Check, Fault, Outcome, Part, Scene, Stop, ensure, eventually, soon, walking::timed,
};
use crate::{Act, Capture, Error, Extent, Facets};

/// How long each call may take.
const TIME: Duration = Duration::from_millis(1500);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_stopped_app_is_read_no_longer_than_the_deadline",
        covers: &[
            "Tree::apps",
            "Tree::walk",
            "Tree::read",
            "Tree::text",
            "Tree::passwords",
            "Tree::attributes",
        ],
        needs: &[Part::Stopping],
        app: AppUse::Own,
        run: |scene| stopped(scene, reads),
    },
    Check {
        name: "a_stopped_app_is_acted_on_no_longer_than_the_deadline",
        covers: &["Tree::perform", "Tree::watch"],
        needs: &[Part::Stopping],
        app: AppUse::Own,
        run: |scene| stopped(scene, acts),
    },
    Check {
        name: "a_stopped_app_holds_up_neither_windows_nor_pictures",
        covers: &["Windows::list", "Windows::shown", "Screen::capture"],
        needs: &[Part::Stopping, Part::Windows, Part::Screen],
        app: AppUse::Own,
        run: |scene| stopped(scene, looks),
    },
];

/// Lets an app go on whatever becomes of the check.
struct Stopped<'a> {
    stop: &'a dyn Stop,
    pid: u32,
}

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        // It is killed afterwards, stopped or not.
        let _ = self.stop.resume(self.pid);
    }
}

/// Runs something while the app is stopped, and sees that it answers afterwards.
fn stopped(scene: &Scene<'_>, run: fn(&Scene<'_>, &Node) -> Outcome) -> Outcome {
    let stop = scene
        .declared
        .stop
        .ok_or_else(|| Fault::Failed("the caller told no way to stop an app".to_owned()))?;
    let wanted = scene.subject.elements.first().ok_or(Fault::NotInSubject("element"))?;
    let node = scene.element(wanted)?;
    stop.stop(scene.app.pid)?;
    let held = Stopped { stop, pid: scene.app.pid };
    let outcome = run(scene, &node);
    drop(held);
    outcome?;
    eventually(|| {
        let apps = scene.desktop.tree.apps(soon())?;
        let back = apps.iter().any(|app| app.id == scene.app.id && app.responding);
        Ok((!back).then(|| "it goes on, and is not listed as answering".to_owned()))
    })
}

fn reads(scene: &Scene<'_>, node: &Node) -> Outcome {
    let (tree, app) = (&scene.desktop.tree, &scene.app);
    let apps = timed("listing apps", TIME, |by| tree.apps(by))?.unwrap_or_default();
    let listed = apps.iter().find(|one| one.id == app.id);
    ensure!(listed.is_some_and(|one| !one.responding), "the stopped app is listed as {listed:?}");
    let extent = Extent::of(Facets::LOOK);
    if let Some(look) = timed("a look", TIME, |by| tree.walk(app, &app.root, &extent, by))? {
        let says = look.notices().contains(&Notice::NotResponding) || look.cuts().next().is_some();
        ensure!(says, "a look at a stopped app says nothing of it");
    }
    let ids = std::slice::from_ref(&node.id);
    let read = timed("reading", TIME, |by| tree.read(app, ids, Facets::LOOK, by))?;
    ensure!(
        read.as_ref().is_none_or(|read| read.iter().all(Option::is_some)),
        "an element of a stopped app is told to be gone"
    );
    timed("reading a text", TIME, |by| tree.text(app, &node.id, by))?;
    timed("raw facts", TIME, |by| tree.attributes(app, &node.id, by))?;
    if let Some(found) = timed("passwords", TIME, |by| tree.passwords(app, by))? {
        ensure!(found.missed.is_some(), "no password was missed in a stopped app: {found:?}");
    }
    Ok(())
}

fn acts(scene: &Scene<'_>, node: &Node) -> Outcome {
    let (tree, app) = (&scene.desktop.tree, &scene.app);
    timed("an act", TIME, |by| tree.perform(app, &node.id, &Act::Focus, by))?;
    timed("listening", TIME, |by| {
        let kinds = [deskhand_model::EventKind::FocusChanged];
        let mut events = tree.watch(Some(&app.id), &kinds, by)?;
        events.next(Duration::from_millis(50))
    })?;
    Ok(())
}

fn looks(scene: &Scene<'_>, _: &Node) -> Outcome {
    let (windows, screen) = (scene.windows()?, scene.screen()?);
    let all = timed("listing windows", TIME, |by| windows.list(by))?.unwrap_or_default();
    let window = all.iter().find(|window| window.pid == scene.app.pid);
    let Some(window) = window else {
        return Err(Fault::Failed("the window of a stopped app is not listed".to_owned()));
    };
    timed("what is drawn", TIME, |by| windows.shown(by))?;
    timed("a picture", TIME, |by| match screen.capture(Capture::Window(window.id), by) {
        Ok(picture) => Ok(Some(picture)),
        // A window nobody draws may have none.
        Err(Error::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error),
    })?;
    Ok(())
}
