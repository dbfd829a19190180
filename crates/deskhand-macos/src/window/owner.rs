//! The owner of a point, of the keyboard or of a window.

use std::collections::HashSet;

use deskhand_platform::{Deadline, Owner, OwnerQuery, Result};

use super::{
    ax_window::{self, AxWindow, WindowAxApi},
    state,
    window_info::{NORMAL_LAYER, WindowInfo, WindowListApi, WindowScope, owners_at},
};
use crate::{
    screen::{Displays, pointer},
    timing::HIT_TEST_TIMEOUT,
    tree::AxError,
};

/// The possible owners of a target.
pub(super) fn owners<S: WindowAxApi + WindowListApi + Displays>(
    system: &S,
    of: OwnerQuery,
    deadline: Deadline,
) -> Result<Vec<Owner>> {
    match of {
        OwnerQuery::Point(x, y) => at(system, x, y, deadline),
        OwnerQuery::Pointer => match pointer(system) {
            Some((x, y)) => owners(system, OwnerQuery::Point(x, y), deadline),
            None => Ok(Vec::new()),
        },
        OwnerQuery::Keyboard => {
            let pids = keyboard(system, deadline)?;
            Ok(pids.into_iter().map(|pid| owner_of_pid(system, pid)).collect())
        }
        OwnerQuery::Window(window) => {
            Ok(state::find_info(system, window)?.iter().map(WindowInfo::owner).collect())
        }
        // The pasteboard server does not report which app wrote to it.
        OwnerQuery::Clipboard(_) => Ok(Vec::new()),
    }
}

/// The possible receivers of a click at a point: by the window order, and by an accessibility hit test, since
/// some apps cover the screen with windows that pass clicks through.
fn at<S: WindowAxApi + WindowListApi>(
    system: &S,
    x: i32,
    y: i32,
    deadline: Deadline,
) -> Result<Vec<Owner>> {
    let mut owners = owners_at(x, y, &system.windows(WindowScope::OnScreen)?);
    let hit = system.element_at(x.into(), y.into(), deadline.at_most(HIT_TEST_TIMEOUT));
    // If the hit test fails or is late, only the window order counts.
    if let Ok(pid) = hit.and_then(|element| system.pid_of(&element))
        && owners.iter().all(|owner| owner.pid != pid)
    {
        owners.push(owner_of_pid(system, pid));
    }
    Ok(owners)
}

/// The processes that may have the keyboard: the one of the focused element, which may be in a panel above
/// the frontmost app, and the frontmost app.
fn keyboard(system: &(impl WindowAxApi + WindowListApi), deadline: Deadline) -> Result<Vec<u32>> {
    let system_wide = system.system_wide();
    let mut pids: Vec<u32> = Vec::new();
    let mut failure = None;
    for name in ["AXFocusedUIElement", "AXFocusedApplication"] {
        let pid = system.attribute(&system_wide, name, deadline).and_then(|value| {
            value.element().map_or(Err(AxError::NoValue), |element| system.pid_of(element))
        });
        match pid {
            Ok(pid) => pids.push(pid),
            Err(error) if error.is_absent() => {}
            Err(error) => failure = Some(error),
        }
    }
    if pids.is_empty() {
        // `NSWorkspace` is updated only by an event loop, so its answer may be old. The owner of the first
        // window may have the keyboard too. Naming one owner too many is the safe side.
        pids.extend(system.frontmost_pid());
        if failure.is_none() || !pids.is_empty() {
            let shown = system.windows(WindowScope::OnScreen)?;
            pids.extend(
                shown.iter().find(|info| info.layer == NORMAL_LAYER).map(WindowInfo::process_id),
            );
        }
    }
    let mut seen = HashSet::new();
    pids.retain(|pid| *pid != 0 && seen.insert(*pid));
    match failure {
        Some(error) if pids.is_empty() => Err(error.into_platform_error("the keyboard focus")),
        Some(_) | None => Ok(pids),
    }
}

/// Returns `true` if the app of a window has made another one of its windows the key window.
pub(super) fn is_other_window_key<S: WindowAxApi + WindowListApi>(
    system: &S,
    window: u64,
    deadline: Deadline,
) -> Result<bool> {
    let info = state::find_info(system, window)?.ok_or_else(|| state::gone(window))?;
    let app = match ax_window::read_app_windows(system, info.process_id(), deadline) {
        Ok(app) => app,
        Err(error @ (AxError::CannotComplete | AxError::ApiDisabled)) => {
            return Err(error.into_platform_error(&state::owner_name(&info)));
        }
        // An app without accessibility does not report its key window.
        Err(_) => return Ok(false),
    };
    let is_key = |window: &AxWindow<S::Element>| Some(&window.element) == app.focused.as_ref();
    Ok(app.windows.iter().any(|window| is_key(window) && window.number != info.number))
}

fn owner_of_pid(system: &impl WindowAxApi, pid: u32) -> Owner {
    let names = system.app_names(pid).unwrap_or_default();
    Owner {
        pid,
        claimed_pid: None,
        classes: names.bundle_id.into_iter().chain(names.name).collect(),
    }
}
