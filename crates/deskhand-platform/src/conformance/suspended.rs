//! A suspended app does not block any call beyond its deadline.

use std::time::Duration;

use deskhand_model::{Node, Notice};

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, ProcessControl,
    call_deadline, ensure, eventually, timing::SUSPENDED_CALL_TIMEOUT, walk::timed,
};
use crate::{CaptureTarget, Error, NodeAction, NodeFields, WalkOptions};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "reading_a_suspended_app_ends_by_the_deadline",
        covers: &[
            "Tree::apps",
            "Tree::walk",
            "Tree::read",
            "Tree::text",
            "Tree::password_fields",
            "Tree::attributes",
        ],
        requires: &[Capability::ProcessControl],
        app: AppUse::Exclusive,
        run: |fixture| while_suspended(fixture, reads),
    },
    ConformanceCheck {
        name: "acting_on_a_suspended_app_ends_by_the_deadline",
        covers: &["Tree::perform", "Tree::watch"],
        requires: &[Capability::ProcessControl],
        app: AppUse::Exclusive,
        run: |fixture| while_suspended(fixture, acts),
    },
    ConformanceCheck {
        name: "a_suspended_app_blocks_neither_windows_nor_screenshots",
        covers: &["Windows::list", "Windows::visible", "Screen::capture"],
        requires: &[Capability::ProcessControl, Capability::Windows, Capability::Screen],
        app: AppUse::Exclusive,
        run: |fixture| while_suspended(fixture, captures),
    },
];

/// Resumes the app when dropped, even if the check fails.
struct ResumeOnDrop<'a> {
    control: &'a dyn ProcessControl,
    pid: u32,
}

impl Drop for ResumeOnDrop<'_> {
    fn drop(&mut self) {
        // The app is killed afterwards, suspended or not.
        let _ = self.control.resume(self.pid);
    }
}

/// Runs `check` while the app is suspended, then checks that the app responds again.
fn while_suspended(
    fixture: &Fixture<'_>,
    check: fn(&Fixture<'_>, &Node) -> CheckResult,
) -> CheckResult {
    let control = fixture
        .environment
        .process_control
        .ok_or_else(|| CheckError::Failed("the caller provides no process control".to_owned()))?;
    let pattern = fixture.test_app.elements.first().ok_or(CheckError::NotInApp("element"))?;
    let node = fixture.element(pattern)?;
    control.suspend(fixture.app.pid)?;
    let resume = ResumeOnDrop { control, pid: fixture.app.pid };
    let result = check(fixture, &node);
    drop(resume);
    result?;
    eventually(|| {
        let apps = fixture.desktop.tree.apps(call_deadline())?;
        let back = apps.iter().any(|app| app.id == fixture.app.id && app.responding);
        Ok((!back).then(|| "the app was resumed, but is not listed as responding".to_owned()))
    })
}

fn reads(fixture: &Fixture<'_>, node: &Node) -> CheckResult {
    let (tree, app) = (&fixture.desktop.tree, &fixture.app);
    let apps = timed("listing apps", SUSPENDED_CALL_TIMEOUT, |deadline| tree.apps(deadline))?
        .unwrap_or_default();
    let listed = apps.iter().find(|one| one.id == app.id);
    ensure!(
        listed.is_some_and(|one| !one.responding),
        "expected the suspended app to be listed as not responding, got {listed:?}"
    );
    let options = WalkOptions::with_fields(NodeFields::STANDARD);
    if let Some(snapshot) = timed("reading the tree", SUSPENDED_CALL_TIMEOUT, |deadline| {
        tree.walk(app, &app.root, &options, deadline)
    })? {
        let is_marked =
            snapshot.notices().contains(&Notice::NotResponding) || snapshot.cuts().next().is_some();
        ensure!(is_marked, "the tree of a suspended app is not marked as incomplete");
    }
    let ids = std::slice::from_ref(&node.id);
    let read = timed("reading nodes", SUSPENDED_CALL_TIMEOUT, |deadline| {
        tree.read(app, ids, NodeFields::STANDARD, deadline)
    })?;
    ensure!(
        read.as_ref().is_none_or(|read| read.iter().all(Option::is_some)),
        "a node of a suspended app is reported as gone"
    );
    timed("reading text", SUSPENDED_CALL_TIMEOUT, |deadline| tree.text(app, &node.id, deadline))?;
    timed("reading attributes", SUSPENDED_CALL_TIMEOUT, |deadline| {
        tree.attributes(app, &node.id, deadline)
    })?;
    if let Some(found) = timed("finding password fields", SUSPENDED_CALL_TIMEOUT, |deadline| {
        tree.password_fields(app, deadline)
    })? {
        ensure!(
            found.incomplete.is_some(),
            "the search in a suspended app is not marked as incomplete: {found:?}"
        );
    }
    Ok(())
}

fn acts(fixture: &Fixture<'_>, node: &Node) -> CheckResult {
    let (tree, app) = (&fixture.desktop.tree, &fixture.app);
    timed("an action", SUSPENDED_CALL_TIMEOUT, |deadline| {
        tree.perform(app, &node.id, &NodeAction::Focus, deadline)
    })?;
    timed("subscribing", SUSPENDED_CALL_TIMEOUT, |deadline| {
        let kinds = [deskhand_model::EventKind::FocusChanged];
        let mut events = tree.watch(Some(&app.id), &kinds, deadline)?;
        events.next(Duration::from_millis(50))
    })?;
    Ok(())
}

fn captures(fixture: &Fixture<'_>, _: &Node) -> CheckResult {
    let (windows, screen) = (fixture.windows()?, fixture.screen()?);
    let all = timed("listing windows", SUSPENDED_CALL_TIMEOUT, |deadline| windows.list(deadline))?
        .unwrap_or_default();
    let window = all.iter().find(|window| window.pid == fixture.app.pid);
    let Some(window) = window else {
        return Err(CheckError::Failed("the window of a suspended app is not listed".to_owned()));
    };
    timed("listing visible windows", SUSPENDED_CALL_TIMEOUT, |deadline| windows.visible(deadline))?;
    timed("a screenshot", SUSPENDED_CALL_TIMEOUT, |deadline| {
        match screen.capture(CaptureTarget::Window(window.id), deadline) {
            Ok(image) => Ok(Some(image)),
            // A window that is not drawn may have no image.
            Err(Error::Unsupported { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    })?;
    Ok(())
}
