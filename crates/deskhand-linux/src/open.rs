//! Opens the desktop of a session: that of this process, or a private one.

use std::sync::Arc;

use deskhand_platform::{Deadline, Desktop, Result};

use crate::{
    apps::{LocalIdentities, LocalPrograms},
    clipboard::{OwnerProcess, X11Clipboard},
    input::X11Input,
    screen::X11Screen,
    session_env::SessionEnv,
    timing::X11_CONNECT_TIMEOUT,
    tree::AtSpi,
    window::X11Windows,
    x11::X11Thread,
};

/// Opens the desktop named by `DISPLAY` and the accessibility bus.
///
/// Without `DISPLAY` the desktop has accessibility trees, but no windows, screen, input or
/// clipboard.
///
/// # Errors
///
/// `NoDisplay` or `Timeout` if `DISPLAY` is set and the X server cannot be reached.
pub fn open() -> Result<Desktop> {
    open_hiding_env(Vec::new())
}

/// Opens the desktop like [`open`]. Programs started on it do not inherit `hidden_variables`.
///
/// # Errors
///
/// `NoDisplay` or `Timeout` if `DISPLAY` is set and the X server cannot be reached.
pub fn open_hiding_env(hidden_variables: Vec<String>) -> Result<Desktop> {
    open_with(OpenOptions { hidden_variables, ..OpenOptions::default() })
}

/// The options of [`open_with`]. The default is the desktop of this process.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// The session of the desktop.
    pub env: SessionEnv,
    /// Variables that programs started on the desktop do not inherit.
    pub hidden_variables: Vec<String>,
    /// The program that owns the clipboard after a write.
    pub owner_process: OwnerProcess,
}

/// Opens the desktop of a session, like [`open`] for the session of this process.
///
/// # Errors
///
/// `NoDisplay` or `Timeout` if the session has a display and its X server cannot be reached.
pub fn open_with(options: OpenOptions) -> Result<Desktop> {
    let OpenOptions { env, hidden_variables, owner_process } = options;
    let x11 = match env.var("DISPLAY") {
        Some(_) => Some(Arc::new(X11Thread::open(&env, Deadline::after(X11_CONNECT_TIMEOUT))?)),
        None => None,
    };
    let clipboard = x11.is_some().then(|| X11Clipboard::new(env.clone(), owner_process));
    Ok(Desktop {
        tree: Box::new(AtSpi::new(env.clone(), x11.clone())),
        windows: x11.clone().map(|x11| Box::new(X11Windows::new(x11)) as _),
        screen: x11.clone().map(|x11| Box::new(X11Screen::new(x11)) as _),
        input: x11.map(|x11| Box::new(X11Input::new(x11)) as _),
        clipboard: clipboard.map(|clipboard| Box::new(clipboard) as _),
        programs: Some(Box::new(LocalPrograms::new(env, hidden_variables))),
        identities: Some(Arc::new(LocalIdentities::default())),
        permissions: None,
        dictionaries: None,
        text_recognizer: None,
    })
}
