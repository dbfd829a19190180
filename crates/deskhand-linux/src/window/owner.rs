//! Whose a window is. Programs say so themselves, and may say anything; the server knows which
//! process each of its windows belongs to.

use deskhand_platform::{Owner, Selection, Whose};
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
    x11::{Server, Trouble},
};

type Asked<T> = std::result::Result<T, Trouble>;

/// How deep windows are looked into.
const DEEP: usize = 32;

/// Whom something belongs to.
pub(super) fn owners(server: &Server, of: Whose) -> Asked<Vec<Owner>> {
    of_chain(server, &chain(server, of)?)
}

/// The windows something is in, the outermost first; none when it is the desktop itself.
pub(crate) fn chain(server: &Server, of: Whose) -> Asked<Vec<Window>> {
    let Server { connection, root, .. } = server;
    match of {
        Whose::At(x, y) => {
            let (left, top) = screen::origin(server)?;
            below(server, i16::try_from(x + left)?, i16::try_from(y + top)?)
        }
        Whose::Pointer => {
            let at = connection.query_pointer(*root)?.reply()?;
            below(server, at.root_x, at.root_y)
        }
        Whose::Keyboard => match connection.get_input_focus()?.reply()?.focus {
            0 => Ok(Vec::new()),
            // Keys go to what lies under the pointer.
            1 => chain(server, Whose::Pointer),
            // A window that has the keyboard leaves keys to what lies under the pointer inside it; the
            // root leaves them to any window.
            window => match connection.query_pointer(window)?.reply() {
                Ok(at) if at.child != x11rb::NONE => below(server, at.root_x, at.root_y),
                Ok(_) | Err(_) => above(server, window),
            },
        },
        Whose::Window(id) => above(server, u32::try_from(id)?),
        Whose::Copied(selection) => {
            let name = match selection {
                Selection::Clipboard => connection.intern_atom(false, b"CLIPBOARD")?.reply()?.atom,
                Selection::Primary => AtomEnum::PRIMARY.into(),
            };
            match connection.get_selection_owner(name)?.reply()?.owner {
                x11rb::NONE => Ok(Vec::new()),
                window => above(server, window),
            }
        }
    }
}

/// The windows at a point of the root, from its child to the innermost.
fn below(server: &Server, x: i16, y: i16) -> Asked<Vec<Window>> {
    let mut chain = Vec::new();
    let mut at = server.root;
    while chain.len() < DEEP {
        let inside = server.connection.translate_coordinates(server.root, at, x, y)?.reply()?;
        if inside.child == x11rb::NONE {
            break;
        }
        at = inside.child;
        chain.push(at);
    }
    Ok(chain)
}

/// A window and those around it, the outermost first. One that is gone has none around it.
fn above(server: &Server, window: Window) -> Asked<Vec<Window>> {
    let mut chain = Vec::new();
    let mut at = window;
    while at != server.root && at != x11rb::NONE && chain.len() < DEEP {
        let Ok(tree) = server.connection.query_tree(at)?.reply() else { break };
        chain.push(at);
        at = tree.parent;
    }
    chain.reverse();
    Ok(chain)
}

/// Whom a chain of windows belongs to. What a window manager puts around a window does not count.
pub(crate) fn of_chain(server: &Server, chain: &[Window]) -> Asked<Vec<Owner>> {
    let Some(outermost) = chain.first().copied() else { return Ok(Vec::new()) };
    let client = client(server, chain, outermost)?;
    let mut meant: Vec<Window> = match client.map(|one| chain.iter().position(|it| *it == one)) {
        Some(Some(at)) => chain.get(at..).unwrap_or_default().to_vec(),
        // The frame around it was hit: whatever that does, it does to the window inside.
        Some(None) => client.into_iter().collect(),
        None => chain.to_vec(),
    };
    meant.dedup();
    let told = processes(server, &meant)?;
    let mut owners: Vec<Owner> = Vec::new();
    for (window, pid) in meant.into_iter().zip(told) {
        let says = said(server, window)?.filter(|said| *said != pid);
        let known = owners.iter_mut().find(|owner| pid == 0 || owner.pid == pid);
        let classes = classes(server, window)?;
        match known {
            Some(owner) => {
                owner.classes.extend(classes);
                owner.says = owner.says.or(says.filter(|said| *said != owner.pid));
            }
            None => {
                let (pid, says) = if pid == 0 { (says.unwrap_or(0), None) } else { (pid, says) };
                owners.push(Owner { pid, says, classes });
            }
        }
    }
    Ok(owners)
}

/// The window a program gave to the window manager, inside the frame or in the chain.
fn client(server: &Server, chain: &[Window], outermost: Window) -> Asked<Option<Window>> {
    for window in chain {
        let managed = server.numbers(*window, server.atoms.WM_STATE);
        if managed.is_ok_and(|state| !state.is_empty()) {
            return Ok(Some(*window));
        }
    }
    unmanaged::within(server, outermost, unmanaged::FRAMES)
}

/// The processes of windows, as the server knows them; 0 where it does not. A server without the
/// extension knows no more than programs say.
pub(super) fn processes(server: &Server, windows: &[Window]) -> Asked<Vec<u32>> {
    let mut asked = Vec::with_capacity(windows.len());
    for window in windows {
        let spec = ClientIdSpec { client: *window, mask: ClientIdMask::LOCAL_CLIENT_PID };
        asked.push(match server.connection.res_query_client_ids(&[spec]) {
            Ok(asked) => Some(asked),
            Err(ConnectionError::UnsupportedExtension) => None,
            Err(error) => return Err(error.into()),
        });
    }
    let pid =
        |answer: QueryClientIdsReply| answer.ids.iter().find_map(|id| id.value.first().copied());
    let told = asked.into_iter().map(|one| one.and_then(|asked| asked.reply().ok()).and_then(pid));
    Ok(told.map(|pid| pid.unwrap_or(0)).collect())
}

/// The process a program says its window belongs to.
fn said(server: &Server, window: Window) -> Asked<Option<u32>> {
    let said = server.numbers(window, server.atoms._NET_WM_PID);
    Ok(said.ok().and_then(|all| all.first().copied()).filter(|pid| *pid != 0))
}

/// Both names a program gave a window.
fn classes(server: &Server, window: Window) -> Asked<Vec<String>> {
    let property = AtomEnum::WM_CLASS;
    let asked = server.connection.get_property(false, window, property, AtomEnum::ANY, 0, 256)?;
    // A window that is gone meanwhile has no names.
    let value = asked.reply().map(|reply| reply.value).unwrap_or_default();
    let words = value.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    Ok(words.map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}
