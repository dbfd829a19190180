//! The clipboard owner process: it owns a selection after the command that filled it has ended. It
//! exits when another program takes the selection or the X server ends.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use deskhand_platform::{ClipboardItem, Deadline, Error, Result, Selection, Sensitivity};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

use super::{forms, owned_selection::OwnedSelection, timing::OWNER_CLAIM_TIMEOUT};
use crate::{
    private::{DESKTOP_ID_VAR, STATE_DIR_VAR},
    session_env::SessionEnv,
};

/// The argument that starts this program as a clipboard owner process.
pub const OWNER_PROCESS_ARG: &str = "clipboard-keeper";

/// The line that the owner process prints when it owns the selection.
const READY: &str = "ready";
/// The variables that the owner process inherits: the display, and the private desktop that it ends
/// with.
const INHERITED_VARIABLES: [&str; 5] =
    ["DISPLAY", "XAUTHORITY", "HOME", DESKTOP_ID_VAR, STATE_DIR_VAR];

/// The first line that the owner process reads. The data of the items follows it.
#[derive(Serialize, Deserialize)]
struct OwnerRequest {
    primary: bool,
    concealed: bool,
    items: Vec<(String, usize)>,
}

/// Starts an owner process and waits until it owns the selection.
pub(super) fn start(
    env: &SessionEnv,
    which: Selection,
    items: Vec<ClipboardItem>,
    mark: Sensitivity,
    deadline: Deadline,
) -> Result<()> {
    let inherited = INHERITED_VARIABLES.iter().filter_map(|name| Some((*name, env.var(name)?)));
    // A lock or pipe that the caller left open by mistake would stay open as long as the owner
    // process runs, and another process may wait for its end.
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    let mut child = Command::new(program()?)
        .arg(OWNER_PROCESS_ARG)
        .env_clear()
        .envs(inherited)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed(&"it has no pipes"));
    };
    // On a thread: an owner process that does not read must not block the caller.
    std::thread::spawn(move || {
        // If the owner process has ended, it sends no answer, which is noticed below.
        let _ = send_request(stdin, which, items, mark);
    });
    match first_line(stdout, deadline) {
        Ok(line) if line == READY => {
            // A long-running server reaps the process here; a short command ends before it.
            std::thread::spawn(move || child.wait());
            Ok(())
        }
        Ok(why) => Err(failed(&kill(child, &why))),
        Err(error) => {
            kill(child, "");
            Err(error)
        }
    }
}

fn failed(why: &dyn std::fmt::Display) -> Error {
    Error::Unexpected { what: "the clipboard owner process".to_owned(), why: why.to_string() }
}

fn kill(mut child: Child, why: &str) -> String {
    // It may have ended already.
    let _ = child.kill();
    let _ = child.wait();
    if why.is_empty() { "it ended".to_owned() } else { why.to_owned() }
}

/// Returns the path of this program. An update may have replaced the file since it was started.
fn program() -> Result<PathBuf> {
    let path = env::current_exe().map_err(|error| failed(&error))?;
    Ok(if path.is_file() { path } else { PathBuf::from("/proc/self/exe") })
}

fn send_request(
    mut to: ChildStdin,
    which: Selection,
    items: Vec<ClipboardItem>,
    mark: Sensitivity,
) -> io::Result<()> {
    let request = OwnerRequest {
        primary: which == Selection::Primary,
        concealed: mark == Sensitivity::Concealed,
        items: items.iter().map(|item| (item.mime_type.clone(), item.data.len())).collect(),
    };
    serde_json::to_writer(&mut to, &request)?;
    to.write_all(b"\n")?;
    for item in items {
        to.write_all(&item.data)?;
    }
    to.flush()
}

fn first_line(mut from: ChildStdout, deadline: Deadline) -> Result<String> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        if deadline.has_passed() {
            return Err(Error::Timeout { what: "the clipboard owner process".to_owned() });
        }
        let wait = Timespec::try_from(deadline.remaining()).ok();
        let mut watched = [PollFd::new(&from, PollFlags::IN)];
        // An interrupted or empty poll is repeated.
        if !poll(&mut watched, wait.as_ref()).is_ok_and(|ready| ready > 0) {
            continue;
        }
        let mut some = [0; 256];
        match from.read(&mut some) {
            Ok(0) => break,
            Ok(count) => line.extend_from_slice(&some[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}

/// Runs the owner process: claims the selection that standard input describes, reports on standard
/// output, and serves requests until another program takes the selection.
///
/// # Errors
///
/// If the selection cannot be claimed, or the X server ends.
pub fn run_owner_process() -> Result<()> {
    // In a separate session the process survives the end of the terminal. This fails if the process
    // already leads its group, which happens only when it is started by hand.
    let _ = rustix::process::setsid();
    let claimed = claim_from_stdin();
    let line = match &claimed {
        Ok(_) => READY.to_owned(),
        Err(error) => error.to_string(),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| failed(&error))?;
    drop(out);
    let selection = claimed?;
    let null = fs::OpenOptions::new().read(true).write(true).open("/dev/null");
    let null = null.map_err(|error| failed(&error))?;
    rustix::stdio::dup2_stdin(&null).map_err(|error| failed(&error))?;
    rustix::stdio::dup2_stdout(&null).map_err(|error| failed(&error))?;
    selection.serve()
}

fn claim_from_stdin() -> Result<OwnedSelection> {
    let invalid =
        |error: &dyn std::fmt::Display| failed(&format!("it received an invalid request: {error}"));
    let mut from = BufReader::new(io::stdin().lock());
    let mut line = String::new();
    from.read_line(&mut line).map_err(|error| invalid(&error))?;
    let request: OwnerRequest = serde_json::from_str(&line).map_err(|error| invalid(&error))?;
    let mut items = Vec::with_capacity(request.items.len());
    for (mime_type, length) in request.items {
        let mut data = vec![0; length];
        from.read_exact(&mut data).map_err(|error| invalid(&error))?;
        items.push(ClipboardItem { mime_type, data });
    }
    let which = if request.primary { Selection::Primary } else { Selection::Clipboard };
    let mark = if request.concealed { Sensitivity::Concealed } else { Sensitivity::Normal };
    OwnedSelection::claim(which, &forms::offers(items, mark), Deadline::after(OWNER_CLAIM_TIMEOUT))
}
