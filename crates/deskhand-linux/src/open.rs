//! Opens the desktop that the environment variables name.

use std::sync::Arc;

use deskhand_platform::{Deadline, Desktop, Result};

use crate::{
    apps::{LocalIdentities, LocalPrograms},
    clipboard::X11Clipboard,
    input::X11Input,
    screen::X11Screen,
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
    let x11 = match std::env::var_os("DISPLAY") {
        Some(_) => Some(Arc::new(X11Thread::open(Deadline::after(X11_CONNECT_TIMEOUT))?)),
        None => None,
    };
    Ok(Desktop {
        tree: Box::new(AtSpi::new(x11.clone())),
        windows: x11.clone().map(|x11| Box::new(X11Windows::new(x11)) as _),
        screen: x11.clone().map(|x11| Box::new(X11Screen::new(x11)) as _),
        input: x11.map(|x11| Box::new(X11Input::new(x11)) as _),
        clipboard: std::env::var_os("DISPLAY").map(|_| Box::new(X11Clipboard) as _),
        programs: Some(Box::new(LocalPrograms::hiding(hidden_variables))),
        identities: Some(Arc::new(LocalIdentities::default())),
        permissions: None,
        dictionaries: None,
        text_recognizer: None,
    })
}
