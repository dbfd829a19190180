//! A cell: the first process of its own namespace, already held to the plan, that waits for one program,
//! runs it, and takes everything with it when it ends.

use std::{
    collections::BTreeMap,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    path::PathBuf,
    process::{Command, Stdio},
};

use rustix::process::{Signal, WaitOptions, set_parent_process_death_signal, setsid, wait};
use serde::{Deserialize, Serialize};

use super::{calls, files, rights, view, wire};
use crate::Plan;

/// A program to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Every variable it gets.
    pub variables: BTreeMap<String, String>,
    /// The folder it begins in.
    pub folder: PathBuf,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It never began, and why.
    NotStarted(String),
}

/// Lives as a cell; never returns.
pub(super) fn live(plan: &Plan, socket: OwnedFd) -> ! {
    let code = match confined(plan) {
        Ok(()) => serve(&socket),
        Err(why) => {
            // Whoever asked for the cell learns why there is none.
            let _ = wire::send(&socket, why.as_bytes().get(..400).unwrap_or(why.as_bytes()), &[]);
            1
        }
    };
    std::process::exit(code)
}

/// Holds this process to the plan, the last right last.
fn confined(plan: &Plan) -> Result<(), String> {
    let told = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|errno| told("the end of its parent")(errno.into()))?;
    view::renew(plan).map_err(told("its view"))?;
    setsid().map_err(|errno| told("its session")(errno.into()))?;
    rights::bound(&plan.bounds).map_err(told("its bounds"))?;
    rights::drop_all().map_err(told("its rights"))?;
    files::hold(plan)?;
    calls::hold(&plan.network)
}

fn serve(socket: &OwnedFd) -> i32 {
    let said = wire::send(socket, READY, &[]);
    let Ok(Some((_, files))) = said.and_then(|()| wire::receive(socket)) else { return 0 };
    let ended = run(files).unwrap_or_else(|error| Ended::NotStarted(error.to_string()));
    let Ok(text) = serde_json::to_vec(&ended) else { return 1 };
    // Nobody may be left to hear it.
    let _ = wire::send(socket, &text, &[]);
    0
}

/// What a cell says when it is held and waits.
pub(super) const READY: &[u8] = b"ready";

fn run(files: Vec<OwnedFd>) -> io::Result<Ended> {
    let [request, input, output, errors]: [OwnedFd; 4] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let Request { words, variables, folder } = wire::read(request)?;
    let Some((program, arguments)) = words.split_first() else {
        return Ok(Ended::NotStarted("there is no program".to_owned()));
    };
    let spawned = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(variables)
        .current_dir(folder)
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(output))
        .stderr(Stdio::from(errors))
        .spawn();
    let child = match spawned {
        Ok(child) => child.id(),
        Err(error) => return Ok(Ended::NotStarted(error.to_string())),
    };
    loop {
        // Orphans come to the first process, too.
        let Some((pid, status)) = wait(WaitOptions::empty())? else { continue };
        if pid.as_raw_nonzero().get().cast_unsigned() == child {
            let status = std::process::ExitStatus::from_raw(status.as_raw());
            return Ok(match (status.code(), status.signal()) {
                (Some(code), _) => Ended::Exit(code),
                (None, signal) => Ended::Signal(signal.unwrap_or_default()),
            });
        }
    }
}

/// Reads how a program ended.
pub(super) fn ended(words: &[u8]) -> Option<Ended> {
    serde_json::from_slice(words).ok()
}

/// Sends a program to a cell.
pub(super) fn begin(
    socket: impl AsFd,
    request: &Request,
    streams: [&dyn AsFd; 3],
) -> io::Result<()> {
    let message = wire::written(request)?;
    let [input, output, errors] = streams.map(|one| one.as_fd());
    wire::send(socket, b"run", &[message.as_fd(), input, output, errors])
}
