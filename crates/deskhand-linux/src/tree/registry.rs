//! Which apps there are. The registry and the bus answer for all of them at once; each app is then
//! asked about itself for a moment only, so that a frozen one delays nobody.

use std::time::Duration;

use deskhand_model::{App, AppId, Toolkit};
use deskhand_platform::{Deadline, Result};

use super::{
    bus::{OpenBus, ask_daemon, trouble},
    facts,
    pipe::{Answer, Peer, Pipe, body},
    spi,
};
use crate::apps::{DesktopFiles, process};

/// How long an app may take to tell its name before it is listed as not responding.
const INTRODUCTION: Duration = Duration::from_millis(200);

/// Lists every app that registered on the bus.
pub(crate) fn list(bus: &mut OpenBus, files: &DesktopFiles, by: Deadline) -> Result<Vec<App>> {
    let registered = registered(bus, by)?;
    Ok(introduced(bus, registered, Some(files), by))
}

/// Lists the apps of some processes; no other is asked anything, and nobody looks for their desktop
/// files.
pub(crate) fn of(bus: &mut OpenBus, pids: &[u32], by: Deadline) -> Result<Vec<App>> {
    let mut registered = registered(bus, by)?;
    registered.retain(|(_, pid)| pids.contains(pid));
    Ok(introduced(bus, registered, None, by))
}

/// Who registered, and in which process it runs.
fn registered(bus: &mut OpenBus, by: Deadline) -> Result<Vec<(spi::Reference, u32)>> {
    let registered = bus.registered(by)?;
    let pids = bus.pipe().ask_all(
        registered
            .iter()
            .filter_map(|(name, _)| ask_daemon("GetConnectionUnixProcessID", &name.as_str()).ok())
            .collect(),
        by,
    );
    let with_pid = registered.into_iter().zip(pids);
    Ok(with_pid.filter_map(|(one, pid)| Some((one, body(&pid.ok()?).ok()?))).collect())
}

/// The process that has a name on the bus.
pub(crate) fn process_of(bus: &mut OpenBus, app: &AppId, by: Deadline) -> Result<u32> {
    let named = |silence| trouble("the app", silence);
    let ask = ask_daemon("GetConnectionUnixProcessID", &app.0.as_str()).map_err(named)?;
    let answer = bus.pipe().ask(ask, by);
    answer.and_then(|message| body(&message)).map_err(named)
}

fn introduced(
    bus: &mut OpenBus,
    registered: Vec<(spi::Reference, u32)>,
    files: Option<&DesktopFiles>,
    by: Deadline,
) -> Vec<App> {
    let questions = registered.iter().flat_map(|((name, path), _)| {
        let peer = Peer::Named(name.clone());
        [
            spi::get(&peer, path.as_str(), spi::ACCESSIBLE, "Name"),
            spi::get(&peer, path.as_str(), spi::APPLICATION, "ToolkitName"),
            spi::get(&peer, path.as_str(), spi::APPLICATION, "Version"),
            spi::get(&peer, path.as_str(), spi::ACCESSIBLE, "ChildCount"),
        ]
        .into_iter()
        .flatten()
    });
    let answers = bus.pipe().ask_all(questions.collect(), by.or_after(INTRODUCTION));
    let mut apps: Vec<App> = registered
        .iter()
        .zip(answers.chunks(4))
        .map(|(((name, path), pid), about)| introduce(name, path.as_str(), *pid, about, files))
        .collect();
    apps.sort_by(|a, b| a.name.to_lowercase().cmp(&b.name.to_lowercase()).then(a.pid.cmp(&b.pid)));
    apps
}

/// The toolkit of an app that was too busy to tell it when it was listed.
pub(crate) fn toolkit(pipe: &mut Pipe, peer: &Peer, by: Deadline) -> Toolkit {
    let mut told = |property| {
        let ask = spi::get(peer, spi::ROOT_PATH, spi::APPLICATION, property);
        let answer = ask.and_then(|ask| pipe.ask(ask, by));
        // An app that knows no toolkit gets no special treatment.
        answer.ok().and_then(|message| facts::text(&message)).unwrap_or_default()
    };
    Toolkit { name: told("ToolkitName"), version: told("Version") }
}

fn introduce(
    bus: &str,
    path: &str,
    pid: u32,
    about: &[Answer],
    files: Option<&DesktopFiles>,
) -> App {
    let told =
        |at: usize| about.get(at).and_then(|answer| answer.as_ref().ok()).and_then(facts::text);
    let windows = about
        .get(3)
        .and_then(|answer| answer.as_ref().ok())
        .and_then(facts::integer)
        .and_then(|count| u32::try_from(count).ok());
    let executable = process::executable(pid);
    let name = told(0)
        .filter(|name| !name.is_empty())
        .or_else(|| process::name(pid))
        .unwrap_or_else(|| format!("pid {pid}"));
    App {
        id: AppId(bus.to_owned()),
        bundle_id: files.and_then(|files| files.id_of(pid, executable.as_deref(), &name)),
        name,
        pid,
        started: process::started(pid).unwrap_or(0),
        executable,
        toolkit: Toolkit {
            name: told(1).unwrap_or_default(),
            version: told(2).unwrap_or_default(),
        },
        root: spi::node_id(bus, path),
        windows: windows.unwrap_or(0),
        responding: about.iter().any(|answer| answer.is_ok()),
    }
}
