//! Determines the process of a window. A program may claim any process id for its windows, but the
//! X server knows the real one.

use deskhand_platform::{Owner, OwnerQuery, Selection};
use x11rb::{
    errors::ConnectionError,
    protocol::{
        res::{ClientIdMask, ClientIdSpec, ConnectionExt as _, QueryClientIdsReply},
        xproto::{AtomEnum, ConnectionExt as _, Window},
    },
};

use super::unmanaged;
use crate::{
    screen,
    x11::{X11Result, XServer},
};
/// Maximum nesting depth of windows.
const MAX_DEPTH: usize = 32;

/// Returns the owners of a target.
pub(super) fn owners(server: &XServer, of: OwnerQuery) -> X11Result<Vec<Owner>> {
    owners_of_chain(server, &window_chain(server, of)?)
}

/// Returns the nested windows of a target, the outermost first. The list is empty for the desktop
/// itself.
pub(crate) fn window_chain(server: &XServer, of: OwnerQuery) -> X11Result<Vec<Window>> {
    let XServer { connection, root, .. } = server;
    match of {
        OwnerQuery::Point(x, y) => {
            let (left, top) = screen::origin(server)?;
            chain_at_point(server, i16::try_from(x + left)?, i16::try_from(y + top)?)
        }
        OwnerQuery::Pointer => {
            let at = connection.query_pointer(*root)?.reply()?;
            chain_at_point(server, at.root_x, at.root_y)
        }
        OwnerQuery::Keyboard => match connection.get_input_focus()?.reply()?.focus {
            0 => Ok(Vec::new()),
            // The focus follows the pointer.
            1 => window_chain(server, OwnerQuery::Pointer),
            // Keys for a focused window go to its child under the pointer; keys for the root window
            // go to any window there.
            window => match connection.query_pointer(window)?.reply() {
                Ok(at) if at.child != x11rb::NONE => chain_at_point(server, at.root_x, at.root_y),
                Ok(_) | Err(_) => chain_of_window(server, window),
            },
        },
        OwnerQuery::Window(id) => chain_of_window(server, u32::try_from(id)?),
        OwnerQuery::Clipboard(selection) => {
            let name = match selection {
                Selection::Clipboard => connection.intern_atom(false, b"CLIPBOARD")?.reply()?.atom,
                Selection::Primary => AtomEnum::PRIMARY.into(),
            };
            match connection.get_selection_owner(name)?.reply()?.owner {
                x11rb::NONE => Ok(Vec::new()),
                window => chain_of_window(server, window),
            }
        }
    }
}

/// Returns the nested windows at a point of the root window, the outermost first.
fn chain_at_point(server: &XServer, x: i16, y: i16) -> X11Result<Vec<Window>> {
    let mut chain = Vec::new();
    let mut at = server.root;
    while chain.len() < MAX_DEPTH {
        let inside = server.connection.translate_coordinates(server.root, at, x, y)?.reply()?;
        if inside.child == x11rb::NONE {
            break;
        }
        at = inside.child;
        chain.push(at);
    }
    Ok(chain)
}

/// Returns a window and its ancestors, the outermost first. The list is empty if the window has
/// closed.
fn chain_of_window(server: &XServer, window: Window) -> X11Result<Vec<Window>> {
    let mut chain = Vec::new();
    let mut at = window;
    while at != server.root && at != x11rb::NONE && chain.len() < MAX_DEPTH {
        let Ok(tree) = server.connection.query_tree(at)?.reply() else { break };
        chain.push(at);
        at = tree.parent;
    }
    chain.reverse();
    Ok(chain)
}

/// Returns the owners of nested windows. Frames that the window manager adds do not count.
pub(crate) fn owners_of_chain(server: &XServer, chain: &[Window]) -> X11Result<Vec<Owner>> {
    let Some(outermost) = chain.first().copied() else { return Ok(Vec::new()) };
    let client = find_client(server, chain, outermost)?;
    let mut relevant: Vec<Window> = match client.map(|one| chain.iter().position(|it| *it == one)) {
        Some(Some(at)) => chain.get(at..).unwrap_or_default().to_vec(),
        // The target is the frame; input there affects the window inside it.
        Some(None) => client.into_iter().collect(),
        None => chain.to_vec(),
    };
    relevant.dedup();
    let pids = pids_of_windows(server, &relevant)?;
    let mut owners: Vec<Owner> = Vec::new();
    for (window, pid) in relevant.into_iter().zip(pids) {
        let says = claimed_pid(server, window)?.filter(|claimed| *claimed != pid);
        let known = owners.iter_mut().find(|owner| pid == 0 || owner.pid == pid);
        let classes = classes(server, window)?;
        match known {
            Some(owner) => {
                owner.classes.extend(classes);
                owner.claimed_pid =
                    owner.claimed_pid.or(says.filter(|claimed| *claimed != owner.pid));
            }
            None => {
                let (pid, says) = if pid == 0 { (says.unwrap_or(0), None) } else { (pid, says) };
                owners.push(Owner { pid, claimed_pid: says, classes });
            }
        }
    }
    Ok(owners)
}

/// Returns the window that a program gave to the window manager, from the chain or inside its
/// frame.
fn find_client(server: &XServer, chain: &[Window], outermost: Window) -> X11Result<Option<Window>> {
    for window in chain {
        let managed = server.read_u32_list(*window, server.atoms.WM_STATE);
        if managed.is_ok_and(|state| !state.is_empty()) {
            return Ok(Some(*window));
        }
    }
    unmanaged::find_client(server, outermost, unmanaged::MAX_FRAME_DEPTH)
}

/// Returns the process ids of windows, or 0 where the server does not know them. A server without
/// the X-Resource extension knows none.
pub(super) fn pids_of_windows(server: &XServer, windows: &[Window]) -> X11Result<Vec<u32>> {
    let mut requests = Vec::with_capacity(windows.len());
    for window in windows {
        let spec = ClientIdSpec { client: *window, mask: ClientIdMask::LOCAL_CLIENT_PID };
        requests.push(match server.connection.res_query_client_ids(&[spec]) {
            Ok(request) => Some(request),
            Err(ConnectionError::UnsupportedExtension) => None,
            Err(error) => return Err(error.into()),
        });
    }
    let pid =
        |reply: QueryClientIdsReply| reply.ids.iter().find_map(|id| id.value.first().copied());
    let replies = requests.into_iter().map(|one| one.and_then(|request| request.reply().ok()));
    Ok(replies.map(|reply| reply.and_then(pid).unwrap_or(0)).collect())
}

/// Returns the process id that a program claims for its window.
fn claimed_pid(server: &XServer, window: Window) -> X11Result<Option<u32>> {
    let claimed = server.read_u32_list(window, server.atoms._NET_WM_PID);
    Ok(claimed.ok().and_then(|all| all.first().copied()).filter(|pid| *pid != 0))
}

/// Returns both strings of a window's `WM_CLASS`.
fn classes(server: &XServer, window: Window) -> X11Result<Vec<String>> {
    let property = AtomEnum::WM_CLASS;
    let request = server.connection.get_property(false, window, property, AtomEnum::ANY, 0, 256)?;
    // If the window has closed, it has no class.
    let value = request.reply().map(|reply| reply.value).unwrap_or_default();
    let words = value.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    Ok(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}
