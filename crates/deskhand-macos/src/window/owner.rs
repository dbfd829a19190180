//! Whom a place, the keyboard or a window belongs to, as the window server and the system know it.

use std::{collections::HashSet, time::Duration};

use deskhand_platform::{Deadline, Owner, Result, Whose};

use super::{
    elements::{self, Elements, Leaf},
    pane::{NORMAL, Pane, Panes, Reach, owners_at},
    state,
};
use crate::{
    screen::{Displays, pointer},
    tree::AxError,
};

/// Whom something belongs to.
pub(super) fn owners<G: Elements + Panes + Displays>(
    ground: &G,
    of: Whose,
    by: Deadline,
) -> Result<Vec<Owner>> {
    match of {
        Whose::At(x, y) => at(ground, x, y, by),
        Whose::Pointer => match pointer(ground) {
            Some((x, y)) => owners(ground, Whose::At(x, y), by),
            None => Ok(Vec::new()),
        },
        Whose::Keyboard => {
            let pids = keyboard(ground, by)?;
            Ok(pids.into_iter().map(|pid| named(ground, pid)).collect())
        }
        Whose::Window(window) => {
            Ok(state::pane(ground, window)?.iter().map(Pane::owned_by).collect())
        }
        // The pasteboard belongs to its server, which does not say who wrote to it.
        Whose::Copied(_) => Ok(Vec::new()),
    }
}

/// How long an app may take to say what it has at a point.
const GLANCE: Duration = Duration::from_millis(250);

/// Whom a click at a point may go to: by the order of windows, and by what accessibility finds there, as some
/// programs lay windows over everything that let clicks through.
fn at<G: Elements + Panes>(ground: &G, x: i32, y: i32, by: Deadline) -> Result<Vec<Owner>> {
    let mut owners = owners_at(x, y, &ground.panes(Reach::Shown)?);
    let hit = ground.at(x.into(), y.into(), by.or_after(GLANCE));
    // Where accessibility finds nothing, or not in time, the order of windows is all there is to know.
    if let Ok(pid) = hit.and_then(|element| ground.pid(&element))
        && owners.iter().all(|owner| owner.pid != pid)
    {
        owners.push(named(ground, pid));
    }
    Ok(owners)
}

/// The processes that may have the keyboard: that of the focused element, which may be in a panel that lies
/// over the app in front, and the app in front.
fn keyboard(ground: &(impl Elements + Panes), by: Deadline) -> Result<Vec<u32>> {
    let system = ground.system_wide();
    let mut pids: Vec<u32> = Vec::new();
    let mut late = None;
    for name in ["AXFocusedUIElement", "AXFocusedApplication"] {
        let holder = ground.get(&system, name, by).and_then(|value| {
            value.element().map_or(Err(AxError::NoValue), |element| ground.pid(element))
        });
        match holder {
            Ok(pid) => pids.push(pid),
            Err(fault) if fault.is_absence() => {}
            Err(fault) => late = Some(fault),
        }
    }
    if pids.is_empty() {
        // The workspace hears of it only where an app's event loop runs, so what it says may be old: whose
        // window is in front may have it as well. To name one too many is to be careful.
        pids.extend(ground.frontmost());
        if late.is_none() || !pids.is_empty() {
            let shown = ground.panes(Reach::Shown)?;
            pids.extend(shown.iter().find(|pane| pane.layer == NORMAL).map(Pane::process));
        }
    }
    let mut seen = HashSet::new();
    pids.retain(|pid| *pid != 0 && seen.insert(*pid));
    match late {
        Some(fault) if pids.is_empty() => Err(fault.error("what has the keyboard")),
        Some(_) | None => Ok(pids),
    }
}

/// Whether the program of a window has given the keyboard to another window of its own.
pub(super) fn diverts<G: Elements + Panes>(ground: &G, window: u64, by: Deadline) -> Result<bool> {
    let pane = state::pane(ground, window)?.ok_or_else(|| state::gone(window))?;
    let told = match elements::told(ground, pane.process(), by) {
        Ok(told) => told,
        Err(fault @ (AxError::CannotComplete | AxError::ApiDisabled)) => {
            return Err(fault.error(&state::owner(&pane)));
        }
        // A program that shows no windows through accessibility does not tell.
        Err(_) => return Ok(false),
    };
    let holds = |leaf: &Leaf<G::Element>| Some(&leaf.element) == told.focused.as_ref();
    Ok(told.windows.iter().any(|leaf| holds(leaf) && leaf.number != pane.number))
}

fn named(ground: &impl Elements, pid: u32) -> Owner {
    let known = ground.program(pid).unwrap_or_default();
    Owner { pid, says: None, classes: known.bundle.into_iter().chain(known.name).collect() }
}
