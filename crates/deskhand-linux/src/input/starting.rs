//! Apps that are starting. They have read which keyboards there are and answer nobody yet; one that
//! asks for a keyboard that is gone by then crashes.

use std::{fs, path::Path, time::Duration};

use x11rb::{
    connection::Connection as _,
    protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _},
};

use crate::{
    apps::{is_web_engine, process},
    x11::{Server, Trouble},
};

/// How long an app may take to show its first window. Programs without a window that have run longer
/// are not waited for.
const STARTS: Duration = Duration::from_secs(6);

/// Libraries that keep a list of keyboards: GTK 3, GTK 4, and what Qt asks by. `libXi` alone says
/// little: the accessibility registry has it as well and keeps none.
const ASKING: [&str; 3] = ["/libgdk-3.so", "/libgtk-4.so", "/libxcb-xinput.so"];

/// The name of an app that is starting.
pub(super) fn starting(desk: &Server) -> Result<Option<String>, Trouble> {
    let Server { connection, root, atoms } = desk;
    let owner = |id: u32| id & !connection.setup().resource_id_mask;
    let windows = desk.numbers(*root, atoms._NET_CLIENT_LIST)?;
    let every = ClientIdSpec { client: 0, mask: ClientIdMask::LOCAL_CLIENT_PID };
    // A server without this extension does not tell who is connected.
    let Ok(clients) = connection.res_query_client_ids(&[every])?.reply() else { return Ok(None) };
    let (mut shown, mut unseen) = (Vec::new(), Vec::new());
    for client in &clients.ids {
        let Some(pid) = client.value.first().copied() else { continue };
        let has_window = windows.iter().any(|one| owner(*one) == owner(client.spec.client));
        if has_window { shown.push(pid) } else { unseen.push(pid) }
    }
    unseen.retain(|pid| !shown.contains(pid) && *pid != std::process::id());
    unseen.dedup();
    let young = |pid: &&u32| process::age(**pid).is_some_and(|age| age < STARTS);
    let found = unseen.iter().filter(young).find(|pid| asks_for_keyboards(**pid));
    Ok(found.map(|pid| process::program_name(*pid).unwrap_or_else(|| pid.to_string())))
}

/// Whether a program is of the kind that keeps a list of keyboards. One of somebody else cannot be
/// looked into, and is not waited for.
fn asks_for_keyboards(pid: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    if ASKING.iter().any(|library| maps.contains(library)) {
        return true;
    }
    // Chromium has it built in; its helpers draw and hear no keys. They write all their arguments
    // into one.
    let is_helper = || process::arguments(pid).iter().any(|words| words.contains("--type="));
    process::executable(pid).is_some_and(|path| is_web_engine(Path::new(&path))) && !is_helper()
}
