//! Lists apps. The registry and the bus report all of them at once; each app then gets a short time
//! to describe itself, so that a frozen one does not delay the list.

use deskhand_model::{App, AppId, Toolkit};
use deskhand_platform::{Deadline, Result};

use super::{
    atspi,
    bus::{BusConnection, daemon_call, platform_error},
    dbus::{CallResult, DbusClient, Peer, body},
    facts,
    timing::DESCRIBE_TIMEOUT,
};
use crate::apps::{DesktopFiles, process};

/// Lists all apps on the bus.
pub(crate) fn list(
    bus: &mut BusConnection,
    desktop_files: &DesktopFiles,
    deadline: Deadline,
) -> Result<Vec<App>> {
    let registered_apps = registered_apps(bus, deadline)?;
    Ok(describe_apps(bus, registered_apps, Some(desktop_files), deadline))
}

/// Lists the apps of some processes. Sends no requests to other apps and does not look up desktop
/// files.
pub(crate) fn list_by_pid(
    bus: &mut BusConnection,
    pids: &[u32],
    deadline: Deadline,
) -> Result<Vec<App>> {
    let mut registered_apps = registered_apps(bus, deadline)?;
    registered_apps.retain(|(_, pid)| pids.contains(pid));
    Ok(describe_apps(bus, registered_apps, None, deadline))
}

/// Returns the registered apps and their process ids.
fn registered_apps(
    bus: &mut BusConnection,
    deadline: Deadline,
) -> Result<Vec<(atspi::ObjectRef, u32)>> {
    let registered_apps = bus.registered_apps(deadline)?;
    let pids = bus.client().call_all(
        registered_apps
            .iter()
            .filter_map(|(name, _)| daemon_call("GetConnectionUnixProcessID", &name.as_str()).ok())
            .collect(),
        deadline,
    );
    let with_pid = registered_apps.into_iter().zip(pids);
    Ok(with_pid.filter_map(|(one, pid)| Some((one, body(&pid.ok()?).ok()?))).collect())
}

/// Returns the process id of an app.
pub(crate) fn process_of(bus: &mut BusConnection, app: &AppId, deadline: Deadline) -> Result<u32> {
    let failed = |error| platform_error("the app", error);
    let call = daemon_call("GetConnectionUnixProcessID", &app.0.as_str()).map_err(failed)?;
    let reply = bus.client().call(call, deadline);
    reply.and_then(|message| body(&message)).map_err(failed)
}

fn describe_apps(
    bus: &mut BusConnection,
    registered_apps: Vec<(atspi::ObjectRef, u32)>,
    desktop_files: Option<&DesktopFiles>,
    deadline: Deadline,
) -> Vec<App> {
    let calls = registered_apps.iter().flat_map(|((name, path), _)| {
        let peer = Peer::Named(name.clone());
        [
            atspi::property_call(&peer, path.as_str(), atspi::ACCESSIBLE, "Name"),
            atspi::property_call(&peer, path.as_str(), atspi::APPLICATION, "ToolkitName"),
            atspi::property_call(&peer, path.as_str(), atspi::APPLICATION, "Version"),
            atspi::property_call(&peer, path.as_str(), atspi::ACCESSIBLE, "ChildCount"),
        ]
        .into_iter()
        .flatten()
    });
    let replies = bus.client().call_all(calls.collect(), deadline.at_most(DESCRIBE_TIMEOUT));
    let mut apps: Vec<App> = registered_apps
        .iter()
        .zip(replies.chunks(4))
        .map(|(((name, path), pid), replies)| {
            describe_app(name, path.as_str(), *pid, replies, desktop_files)
        })
        .collect();
    apps.sort_by(|a, b| a.name.to_lowercase().cmp(&b.name.to_lowercase()).then(a.pid.cmp(&b.pid)));
    apps
}

/// Returns the toolkit of an app that did not report it when it was listed.
pub(crate) fn toolkit(client: &mut DbusClient, peer: &Peer, deadline: Deadline) -> Toolkit {
    let mut text_property = |property| {
        let call = atspi::property_call(peer, atspi::ROOT_PATH, atspi::APPLICATION, property);
        let reply = call.and_then(|call| client.call(call, deadline));
        // An app that does not report its toolkit gets no workarounds.
        reply.ok().and_then(|message| facts::text(&message)).unwrap_or_default()
    };
    Toolkit { name: text_property("ToolkitName"), version: text_property("Version") }
}

fn describe_app(
    bus: &str,
    path: &str,
    pid: u32,
    replies: &[CallResult],
    desktop_files: Option<&DesktopFiles>,
) -> App {
    let text_property =
        |at: usize| replies.get(at).and_then(|reply| reply.as_ref().ok()).and_then(facts::text);
    let windows = replies
        .get(3)
        .and_then(|reply| reply.as_ref().ok())
        .and_then(facts::integer)
        .and_then(|count| u32::try_from(count).ok());
    let executable = process::executable(pid);
    let name = text_property(0)
        .filter(|name| !name.is_empty())
        .or_else(|| process::name(pid))
        .unwrap_or_else(|| format!("pid {pid}"));
    App {
        id: AppId(bus.to_owned()),
        bundle_id: desktop_files
            .and_then(|desktop_files| desktop_files.id_of(pid, executable.as_deref(), &name)),
        name,
        pid,
        started: process::started(pid).unwrap_or(0),
        executable,
        toolkit: Toolkit {
            name: text_property(1).unwrap_or_default(),
            version: text_property(2).unwrap_or_default(),
        },
        root: atspi::node_id(bus, path),
        windows: windows.unwrap_or(0),
        responding: replies.iter().any(|reply| reply.is_ok()),
    }
}
