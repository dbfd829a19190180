//! Detects apps that are starting. Such an app has read the list of keyboards but answers no pings
//! yet, and it crashes if it queries a keyboard that has been removed.

use std::{fs, path::Path};

use x11rb::{
    connection::Connection as _,
    protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _},
};

use super::timing::MAX_STARTUP_AGE;
use crate::{
    apps::{is_web_engine, process},
    x11::{X11Result, XServer},
};

/// Libraries that keep a list of keyboards: GTK 3, GTK 4, and the XInput library of Qt. `libXi` is
/// not among them: the accessibility registry also loads it and keeps no list.
const DEVICE_LIST_LIBRARIES: [&str; 3] = ["/libgdk-3.so", "/libgtk-4.so", "/libxcb-xinput.so"];

/// Returns the name of an app that is starting.
pub(super) fn find_starting_app(main_server: &XServer) -> X11Result<Option<String>> {
    let XServer { connection, root, atoms, .. } = main_server;
    let owner = |id: u32| id & !connection.setup().resource_id_mask;
    let windows = main_server.read_u32_list(*root, atoms._NET_CLIENT_LIST)?;
    let every = ClientIdSpec { client: 0, mask: ClientIdMask::LOCAL_CLIENT_PID };
    // A server without the X-Resource extension does not report its clients.
    let Ok(clients) = connection.res_query_client_ids(&[every])?.reply() else { return Ok(None) };
    let (mut with_window, mut without_window) = (Vec::new(), Vec::new());
    for client in &clients.ids {
        let Some(pid) = client.value.first().copied() else { continue };
        let has_window = windows.iter().any(|one| owner(*one) == owner(client.spec.client));
        if has_window { with_window.push(pid) } else { without_window.push(pid) }
    }
    without_window.retain(|pid| !with_window.contains(pid) && *pid != std::process::id());
    without_window.dedup();
    let young = |pid: &&u32| process::age(**pid).is_some_and(|age| age < MAX_STARTUP_AGE);
    let found = without_window.iter().filter(young).find(|pid| keeps_device_list(**pid));
    Ok(found.map(|pid| process::program_name(*pid).unwrap_or_else(|| pid.to_string())))
}

/// Returns `true` if the program keeps a list of keyboards. The memory map of another user's
/// program cannot be read; such a program is not waited for.
fn keeps_device_list(pid: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    if DEVICE_LIST_LIBRARIES.iter().any(|library| maps.contains(library)) {
        return true;
    }
    // Chromium has the library built in. Its helper processes receive no keys; their arguments are
    // joined into one string.
    let is_helper = || process::arguments(pid).iter().any(|words| words.contains("--type="));
    process::executable(pid).is_some_and(|path| is_web_engine(Path::new(&path))) && !is_helper()
}
