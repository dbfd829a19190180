//! The window of the window system in which an element is, and what covers the element.

use deskhand_model::{App, Index, Window};
use deskhand_platform::{Deadline, NodeFields, WalkOptions};

use super::{
    action_names, modality,
    target::{ActionTarget, label},
    timing,
    visibility::window_index,
};
use crate::Context;

/// Returns the window of the window system that contains the target.
pub(crate) fn find_window(cx: &Context<'_>, target: &ActionTarget) -> Option<Window> {
    let title = target.window().map(|window| window.name.clone()).unwrap_or_default();
    certain_window(cx, target).or_else(|| find_app_window(cx, &target.app, &title))
}

/// Returns the window that contains the target, if its title or its bounds identify it.
pub(super) fn certain_window(cx: &Context<'_>, target: &ActionTarget) -> Option<Window> {
    let own = app_windows(cx, &target.app);
    let snapshot = &target.tree.snapshot;
    let top = window_index(snapshot, target.index)?;
    let elements = modality::match_elements(cx, &target.app, snapshot, &own);
    let at = elements.iter().position(|element| *element == Some(top))?;
    own.into_iter().nth(at)
}

/// Returns the windows of an app, the frontmost first. Without a window list there are none, and the
/// caller reports that.
fn app_windows(cx: &Context<'_>, app: &App) -> Vec<Window> {
    let deadline = Deadline::after(timing::FOCUS_TIMEOUT);
    let windows = cx.desktop.windows.as_ref();
    let mut all = windows.and_then(|windows| windows.list(deadline).ok()).unwrap_or_default();
    all.retain(|window| window.pid == app.pid);
    all
}

/// Returns the window of an app with this title, or its frontmost window.
pub(crate) fn find_app_window(cx: &Context<'_>, app: &App, title: &str) -> Option<Window> {
    let own = app_windows(cx, app);
    own.iter().find(|window| window.title == title).or(own.first()).cloned()
}

/// Returns the title of the window that covers a point: a window of another app, or one above the
/// app's own window if that is known.
pub(crate) fn covering_window(
    cx: &Context<'_>,
    app: &App,
    own: Option<&Window>,
    x: i32,
    y: i32,
) -> Option<String> {
    // Without a window list no window is known to cover the point.
    let all = cx.desktop.windows.as_ref()?.list(Deadline::after(timing::FOCUS_TIMEOUT)).ok()?;
    let top = all.into_iter().find(|one| !one.minimized && one.frame.contains(x, y))?;
    let is_above = top.pid != app.pid || own.is_some_and(|own| own.id != top.id);
    is_above.then_some(top.title)
}

/// Returns the control that is shown at the place of a target that is not on the screen. Qt reports the
/// elements of hidden pages as showing.
pub(super) fn element_in_place(
    cx: &Context<'_>,
    target: &ActionTarget,
    at: (i32, i32),
) -> Option<String> {
    let within = WalkOptions::with_fields(NodeFields::STANDARD);
    let deadline = Deadline::after(timing::MAX_TREE_READ);
    // An app that cannot be read in time is clicked without this check.
    let now = cx.desktop.tree.walk(&target.app, &target.app.root, &within, deadline).ok()?;
    let now = now.with_ids_from(&target.tree.snapshot);
    let own = now.position(&target.node.id)?;
    let visible = now.visibility();
    if visible.is_on_screen(own) {
        return None;
    }
    let is_related = |other: Index| {
        let is_above = |one: Index, other: Index| now.ancestors(other).any(|up| up == one);
        other == own || is_above(own, other) || is_above(other, own)
    };
    let is_shown_there = |other: &Index| {
        let node = now.node(*other);
        (node.role.is_control() || action_names::is_item(node))
            && node.bounds.is_some_and(|bounds| bounds.contains(at.0, at.1))
            && visible.is_on_screen(*other)
            && !is_related(*other)
    };
    let found = now.iter().map(|(index, _)| index).filter(is_shown_there).last()?;
    Some(label(now.node(found)))
}
