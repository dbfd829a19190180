//! Reads the full state of one window.

use deskhand_platform::WindowState;
use x11rb::{
    properties::WmSizeHints,
    protocol::xproto::{Atom, AtomEnum, ConnectionExt as _, Window},
};

use super::{atoms::WmAtoms, error::WindowError, list};
use crate::x11::XServer;

/// The workspace number that means all workspaces.
const ALL_WORKSPACES: u32 = u32::MAX;

/// Reads the state of a window beyond what the window list contains.
pub(super) fn state(server: &XServer, window: Window) -> Result<WindowState, WindowError> {
    let connection = &server.connection;
    list::ensure_listed(server, window)?;
    let wm_atoms = WmAtoms::new(connection)?.reply()?;
    let states = atom_names(server, "_NET_WM_STATE_", states(server, window)?)?;
    let kinds = u32_list(server, window, wm_atoms._NET_WM_WINDOW_TYPE)?;
    let kind = atom_names(server, "_NET_WM_WINDOW_TYPE_", kinds)?.into_iter().next();
    let parent = u32_list(server, window, AtomEnum::WM_TRANSIENT_FOR.into())?.first().copied();
    let parent = parent.filter(|parent| *parent != x11rb::NONE && *parent != server.root);
    let workspace = u32_list(server, window, wm_atoms._NET_WM_DESKTOP)?.first().copied();
    let hints = WmSizeHints::get_normal_hints(connection, window)?.reply()?;
    let size = |size: Option<(i32, i32)>| {
        size.and_then(|(w, h)| Some((u32::try_from(w).ok()?, u32::try_from(h).ok()?)))
    };
    Ok(WindowState {
        states: join_maximized(states),
        // A window without a type is a dialog if it belongs to another window.
        kind: kind.unwrap_or_else(|| {
            if parent.is_some() { "dialog".to_owned() } else { "normal".to_owned() }
        }),
        parent: parent.map(u64::from),
        workspace: workspace.filter(|workspace| *workspace != ALL_WORKSPACES),
        closable: protocols(server, &wm_atoms, window)?.contains(&wm_atoms.WM_DELETE_WINDOW),
        min_size: size(hints.and_then(|hints| hints.min_size)),
        max_size: size(hints.and_then(|hints| hints.max_size)),
        resize_increment: size(hints.and_then(|hints| hints.size_increment))
            .filter(|step| *step > (1, 1)),
    })
}

/// Returns the atoms of a window's states.
pub(super) fn states(server: &XServer, window: Window) -> Result<Vec<Atom>, WindowError> {
    u32_list(server, window, server.atoms._NET_WM_STATE)
}

/// Returns the protocols that a window's program supports.
pub(super) fn protocols(
    server: &XServer,
    wm_atoms: &WmAtoms,
    window: Window,
) -> Result<Vec<Atom>, WindowError> {
    u32_list(server, window, wm_atoms.WM_PROTOCOLS)
}

/// Returns a property that is a list of 32-bit numbers. A window that has closed is reported as gone.
fn u32_list(server: &XServer, window: Window, property: Atom) -> Result<Vec<u32>, WindowError> {
    let request = server.connection.get_property(false, window, property, AtomEnum::ANY, 0, 65_536);
    Ok(request?.reply()?.value32().map(Iterator::collect).unwrap_or_default())
}

fn atom_names(
    server: &XServer,
    prefix: &str,
    atoms: Vec<Atom>,
) -> Result<Vec<String>, WindowError> {
    let requests: Result<Vec<_>, _> =
        atoms.into_iter().map(|atom| server.connection.get_atom_name(atom)).collect();
    let mut names = Vec::new();
    for name in requests? {
        let name = String::from_utf8_lossy(&name.reply()?.name).into_owned();
        names.push(name.strip_prefix(prefix).unwrap_or(&name).to_lowercase());
    }
    Ok(names)
}

/// Replaces the two maximized states with `maximized` if both are set.
fn join_maximized(mut states: Vec<String>) -> Vec<String> {
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
    use super::join_maximized;

    #[test]
    fn maximized_requires_both_directions() {
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let both = words(&["maximized_vert", "focused", "maximized_horz"]);
        assert_eq!(join_maximized(both), words(&["focused", "maximized"]));
        assert_eq!(join_maximized(words(&["maximized_vert"])), words(&["maximized_vert"]));
    }
}
