//! The keeper: a small process that owns a selection after the command that filled it has ended. It
//! ends when another program takes the selection, and with the X server.

use std::{
    env, fs,
    io::{self, BufRead, BufReader, ErrorKind, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use deskhand_platform::{Deadline, Error, Item, Mark, Result, Selection};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

use super::{forms, serve::Holding};
use crate::private::{MARK, STATE_DIR};

/// The word that makes this program a keeper when it is started with it.
pub const KEEPER: &str = "clipboard-keeper";

/// What a keeper says when it owns the selection.
const READY: &str = "ready";
/// How long a keeper may take to be there by its own clock.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a keeper may know of its caller: where the display is, and which desktop ends it.
const INHERITED: [&str; 5] = ["DISPLAY", "XAUTHORITY", "HOME", MARK, STATE_DIR];

/// The first line a keeper reads; the data of the items follows it.
#[derive(Serialize, Deserialize)]
struct Errand {
    primary: bool,
    concealed: bool,
    items: Vec<(String, usize)>,
}

/// Starts a keeper and waits until it owns the selection.
pub(super) fn start(at: Selection, items: Vec<Item>, mark: Mark, by: Deadline) -> Result<()> {
    let inherited = INHERITED.iter().filter_map(|name| Some((*name, env::var_os(name)?)));
    // A lock or a pipe the caller left open by mistake would stay open as long as the keeper lives,
    // and somebody may wait for its end.
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    let mut child = Command::new(program()?)
        .arg(KEEPER)
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
    // On a thread: a keeper that does not read must not hold us up.
    std::thread::spawn(move || {
        // A keeper that ended is noticed by its silence.
        let _ = hand_over(stdin, at, items, mark);
    });
    let told = first_line(stdout, by);
    match told {
        Ok(word) if word == READY => {
            // A server that lives on takes its exit code; a command ends before it.
            std::thread::spawn(move || child.wait());
            Ok(())
        }
        Ok(why) => Err(failed(&end(child, &why))),
        Err(error) => {
            end(child, "");
            Err(error)
        }
    }
}

fn failed(why: &dyn std::fmt::Display) -> Error {
    Error::Unexpected { what: "the clipboard keeper".to_owned(), why: why.to_string() }
}

fn end(mut child: Child, why: &str) -> String {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
    if why.is_empty() { "it ended".to_owned() } else { why.to_owned() }
}

/// This program, which an update may have replaced since it was started.
fn program() -> Result<PathBuf> {
    let path = env::current_exe().map_err(|error| failed(&error))?;
    Ok(if path.is_file() { path } else { PathBuf::from("/proc/self/exe") })
}

fn hand_over(mut to: ChildStdin, at: Selection, items: Vec<Item>, mark: Mark) -> io::Result<()> {
    let errand = Errand {
        primary: at == Selection::Primary,
        concealed: mark == Mark::Concealed,
        items: items.iter().map(|item| (item.form.clone(), item.data.len())).collect(),
    };
    serde_json::to_writer(&mut to, &errand)?;
    to.write_all(b"\n")?;
    for item in items {
        to.write_all(&item.data)?;
    }
    to.flush()
}

fn first_line(mut from: ChildStdout, by: Deadline) -> Result<String> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        if by.passed() {
            return Err(Error::Timeout { what: "the clipboard keeper".to_owned() });
        }
        let wait = Timespec::try_from(by.left()).ok();
        let mut watched = [PollFd::new(&from, PollFlags::IN)];
        // An interrupted or empty wait goes round again.
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

/// Is a keeper: takes the selection as standard input says, reports on standard output, and serves
/// until another program takes the selection.
///
/// # Errors
///
/// When the selection could not be taken, or the X server ended.
pub fn keep() -> Result<()> {
    // Of a session of its own: the end of a terminal is not for a keeper. A process that leads its
    // group already stays where it is, which happens only by hand.
    let _ = rustix::process::setsid();
    let taken = take();
    let word = match &taken {
        Ok(_) => READY.to_owned(),
        Err(error) => error.to_string(),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{word}").and_then(|()| out.flush()).map_err(|error| failed(&error))?;
    drop(out);
    let holding = taken?;
    let nowhere = fs::OpenOptions::new().read(true).write(true).open("/dev/null");
    let nowhere = nowhere.map_err(|error| failed(&error))?;
    rustix::stdio::dup2_stdin(&nowhere).map_err(|error| failed(&error))?;
    rustix::stdio::dup2_stdout(&nowhere).map_err(|error| failed(&error))?;
    holding.serve()
}

fn take() -> Result<Holding> {
    let wrong = |error: &dyn std::fmt::Display| failed(&format!("it was told nonsense: {error}"));
    let mut from = BufReader::new(io::stdin().lock());
    let mut line = String::new();
    from.read_line(&mut line).map_err(|error| wrong(&error))?;
    let errand: Errand = serde_json::from_str(&line).map_err(|error| wrong(&error))?;
    let mut items = Vec::with_capacity(errand.items.len());
    for (form, length) in errand.items {
        let mut data = vec![0; length];
        from.read_exact(&mut data).map_err(|error| wrong(&error))?;
        items.push(Item { form, data });
    }
    let at = if errand.primary { Selection::Primary } else { Selection::Clipboard };
    let mark = if errand.concealed { Mark::Concealed } else { Mark::Open };
    Holding::take(at, &forms::offers(items, mark), Deadline::after(PATIENCE))
}
