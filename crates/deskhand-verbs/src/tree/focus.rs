//! The element with the keyboard focus.

use deskhand_model::{App, Index, Role, Snapshot, State};
use deskhand_platform::{NodeFields, WalkOptions};

use super::{
    element::{self, ElementInfo},
    sanitize::HiddenTextPolicy,
    view::{TreeRequest, TreeStart, read_tree},
};
use crate::{Context, Result, app::resolve_app, programs::list_windows};

/// Returns the focused element of an app, or of the app with the focused window. Returns `None` if no
/// element has the focus.
///
/// # Errors
///
/// Fails if the app is not running, has no tree, or does not answer.
pub fn read_focused_element(cx: &Context<'_>, app: Option<&str>) -> Result<Option<ElementInfo>> {
    let app = match app {
        Some(app) => resolve_app(cx, Some(app))?,
        None => match app_with_focus(cx)? {
            Some(app) => app,
            None => return Ok(None),
        },
    };
    let request = TreeRequest {
        app: Some(&app.pid.to_string()),
        start: TreeStart::App,
        walk: WalkOptions::with_fields(NodeFields::STANDARD),
        hidden_text: HiddenTextPolicy::Omit,
    };
    let mut view = read_tree(cx, &request)?;
    let Some(at) = focused_index(&view.tree.snapshot) else { return Ok(None) };
    let mut described = element::describe(cx, &view.app, &mut view.tree, &[at])?;
    view.tree.save_refs()?;
    Ok(described.pop())
}

/// Returns the app that owns the focused window. Without a window list, this is the only running app.
fn app_with_focus(cx: &Context<'_>) -> Result<Option<App>> {
    if cx.desktop.windows.is_none() {
        return resolve_app(cx, None).map(Some);
    }
    let windows = list_windows(cx, cx.deadline)?;
    let focused = windows.iter().find(|window| window.focused && window.pid != 0);
    focused.map(|window| resolve_app(cx, Some(&window.pid.to_string()))).transpose()
}

/// Returns the innermost focused element, preferably of the active window.
pub(crate) fn focused_index(snapshot: &Snapshot) -> Option<Index> {
    let focused = snapshot
        .iter()
        .filter(|(_, node)| node.states.has(State::Focused) && node.role != Role::Application);
    let rank = |at: Index| {
        let ancestors: Vec<Index> = snapshot.ancestors(at).collect();
        let is_active = ancestors.iter().any(|up| snapshot.node(*up).states.has(State::Active));
        (is_active, ancestors.len())
    };
    focused.map(|(at, _)| at).max_by_key(|at| rank(*at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FakeCallEnv, element};

    #[test]
    fn the_focused_element_is_found_and_no_focus_is_no_element() {
        let mut field = element("Name", Role::Entry);
        field.states = field.states.iter().chain([State::Focused]).collect();
        let with_focus = FakeCallEnv::new(vec![element("OK", Role::Button), field]);
        let found = read_focused_element(&with_focus.context(), None).unwrap();
        assert_eq!(found.map(|found| found.title).as_deref(), Some("Name"));
        let without = FakeCallEnv::new(vec![element("OK", Role::Button)]);
        assert!(read_focused_element(&without.context(), Some("sample")).unwrap().is_none());
    }
}
