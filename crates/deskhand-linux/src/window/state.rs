//! Everything about one window.

use deskhand_platform::WindowState;
use x11rb::{
    properties::WmSizeHints,
    protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, Window},
};

use super::{fault::Fault, list, names::Names};
use crate::x11::Server;

/// The number that stands for all workspaces.
const EVERY_WORKSPACE: u32 = u32::MAX;

/// Reads everything about a window beside what the list shows.
pub(super) fn state(server: &Server, window: Window) -> Result<WindowState, Fault> {
    let connection = &server.connection;
    list::ensure(server, window)?;
    let names = Names::new(connection)?.reply()?;
    let states = spelled(server, "_NET_WM_STATE_", states(server, window)?)?;
    let kinds = server.numbers(window, names._NET_WM_WINDOW_TYPE)?;
    let kind = spelled(server, "_NET_WM_WINDOW_TYPE_", kinds)?.into_iter().next();
    let parent = server.numbers(window, AtomEnum::WM_TRANSIENT_FOR.into())?.first().copied();
    let parent = parent.filter(|parent| *parent != x11rb::NONE && *parent != server.root);
    let workspace = server.numbers(window, names._NET_WM_DESKTOP)?.first().copied();
    let hints = WmSizeHints::get_normal_hints(connection, window)?.reply()?;
    let size = |size: Option<(i32, i32)>| {
        size.and_then(|(w, h)| Some((u32::try_from(w).ok()?, u32::try_from(h).ok()?)))
    };
    Ok(WindowState {
        states: joined(states),
        // A window that does not say is a dialog when it belongs to another.
        kind: kind.unwrap_or_else(|| {
            if parent.is_some() { "dialog".to_owned() } else { "normal".to_owned() }
        }),
        parent: parent.map(u64::from),
        workspace: workspace.filter(|workspace| *workspace != EVERY_WORKSPACE),
        closable: protocols(server, &names, window)?.contains(&names.WM_DELETE_WINDOW),
        smallest: size(hints.and_then(|hints| hints.min_size)),
        largest: size(hints.and_then(|hints| hints.max_size)),
        step: size(hints.and_then(|hints| hints.size_increment)).filter(|step| *step > (1, 1)),
    })
}

/// The states a window is in, as their names' numbers.
pub(super) fn states(server: &Server, window: Window) -> Result<Vec<Atom>, Fault> {
    Ok(server.numbers(window, server.atoms._NET_WM_STATE)?)
}

/// The protocols a window's program takes part in.
pub(super) fn protocols(
    server: &Server,
    names: &Names,
    window: Window,
) -> Result<Vec<Atom>, Fault> {
    Ok(server.numbers(window, names.WM_PROTOCOLS)?)
}

fn spelled(server: &Server, prefix: &str, atoms: Vec<Atom>) -> Result<Vec<String>, Fault> {
    let asked: Result<Vec<_>, _> =
        atoms.into_iter().map(|atom| server.connection.get_atom_name(atom)).collect();
    let mut words = Vec::new();
    for name in asked? {
        let name = String::from_utf8_lossy(&name.reply()?.name).into_owned();
        words.push(name.strip_prefix(prefix).unwrap_or(&name).to_lowercase());
    }
    Ok(words)
}

/// A window is maximized when it is so both ways.
fn joined(mut states: Vec<String>) -> Vec<String> {
    let halves = ["maximized_horz", "maximized_vert"];
    if halves.iter().all(|half| states.iter().any(|state| state == half)) {
        states.retain(|state| !halves.contains(&state.as_str()));
        states.push("maximized".to_owned());
    }
    states.sort();
    states
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn maximized_means_both_ways() {
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let both = words(&["maximized_vert", "focused", "maximized_horz"]);
        assert_eq!(joined(both), words(&["focused", "maximized"]));
        assert_eq!(joined(words(&["maximized_vert"])), words(&["maximized_vert"]));
    }
}
