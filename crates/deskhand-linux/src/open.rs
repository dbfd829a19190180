//! Opens the desktop the environment names.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{Deadline, Desktop, Result};

use crate::{
    apps::{LocalIdentities, LocalPrograms},
    clipboard::XClipboard,
    input::XInput,
    screen::XScreen,
    tree::AtSpi,
    window::XWindows,
    x11::X11,
};

/// How long the X server may take to let us in.
const X_PATIENCE: Duration = Duration::from_secs(2);

/// Opens the desktop; without an X server there are trees, but no windows and no screen.
///
/// # Errors
///
/// When there is a display and it cannot be reached.
pub fn open() -> Result<Desktop> {
    open_without(Vec::new())
}

/// The same, where programs that are started do not see some variables.
///
/// # Errors
///
/// When there is a display and it cannot be reached.
pub fn open_without(secrets: Vec<String>) -> Result<Desktop> {
    let x11 = match std::env::var_os("DISPLAY") {
        Some(_) => Some(Arc::new(X11::open(Deadline::after(X_PATIENCE))?)),
        None => None,
    };
    Ok(Desktop {
        tree: Box::new(AtSpi::new(x11.clone())),
        windows: x11.clone().map(|x11| Box::new(XWindows::new(x11)) as _),
        screen: x11.clone().map(|x11| Box::new(XScreen::new(x11)) as _),
        input: x11.map(|x11| Box::new(XInput::new(x11)) as _),
        clipboard: std::env::var_os("DISPLAY").map(|_| Box::new(XClipboard) as _),
        programs: Some(Box::new(LocalPrograms::without(secrets))),
        identities: Some(Arc::new(LocalIdentities::default())),
        permissions: None,
        dictionaries: None,
        reader: None,
    })
}
