//! Other processes that use private desktops: this test binary, run again in a role.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use deskhand_linux::private::{self, Guard, Info, Options, Owner, STATE_DIR};
use deskhand_model::Explain;

use crate::look;

const ROLE: &str = "DESKHAND_TEST_ROLE";
const NAME: &str = "DESKHAND_TEST_NAME";

/// What another process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Makes a desktop that belongs to it and waits.
    Own,
    /// Makes a desktop that belongs to nobody and ends.
    Make,
    /// Makes a desktop, as long as it takes to say so.
    Visit,
    Sweep,
    List,
    Down,
    /// Sweeps, and takes down what is still up.
    Clear,
}

const ROLES: [(Role, &str); 7] = [
    (Role::Own, "own"),
    (Role::Make, "make"),
    (Role::Visit, "visit"),
    (Role::Sweep, "sweep"),
    (Role::List, "list"),
    (Role::Down, "down"),
    (Role::Clear, "clear"),
];

/// Not a test of its own: the body of every other process. Without a role it does nothing.
#[test]
fn actor() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let role = ROLES.iter().find(|(_, name)| *name == role).unwrap().0;
    let name = std::env::var(NAME).ok();
    let options = |owner| Options { name: name.clone(), owner, ..Options::default() };
    let answer = match role {
        Role::Own => private::up(&options(Owner::Process)).map(|info| vec![info]),
        Role::Make => private::up(&options(Owner::Nobody)).map(|info| vec![info]),
        Role::Visit => Guard::up(&options(Owner::Process)).map(|guard| vec![guard.clone()]),
        Role::Sweep => private::sweep().map(|_| Vec::new()),
        Role::List => private::list(),
        Role::Down => private::down(&name.clone().unwrap()).map(|()| Vec::new()),
        Role::Clear => private::sweep().and_then(|_| private::down_all()).map(|_| Vec::new()),
    };
    match answer {
        Ok(answer) => println!("ANSWER {}", serde_json::to_string(&answer).unwrap()),
        Err(error) => {
            let hint = error.hint().unwrap_or_default();
            let text = format!("{}\n{error}\n{hint}", error.code());
            println!("FAILED {}", serde_json::to_string(&text).unwrap());
        }
    }
    if role == Role::Own {
        // Until the other end closes or this process is killed.
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    }
}

/// Another process and what it answered.
pub(crate) struct Actor {
    child: Child,
    pub(crate) answer: Result<Vec<Info>, String>,
}

impl Actor {
    /// Runs a role with a state directory of its own, until it has answered.
    pub(crate) fn play(role: Role, state: &Path, change: impl FnOnce(&mut Command)) -> Self {
        let mut child = Self::begin(role, state, change);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let answer = lines.by_ref().map_while(Result::ok).find_map(|line| {
            if let Some((_, json)) = line.split_once("ANSWER ") {
                return Some(Ok(serde_json::from_str(json).unwrap()));
            }
            let (_, json) = line.split_once("FAILED ")?;
            Some(Err(serde_json::from_str(json).unwrap()))
        });
        let answer = answer.unwrap_or_else(|| Err("the process ended without an answer".into()));
        if role != Role::Own {
            lines.for_each(drop);
            child.wait().unwrap();
        }
        Self { child, answer }
    }

    /// Starts a role and does not wait for it.
    pub(crate) fn begin(role: Role, state: &Path, change: impl FnOnce(&mut Command)) -> Child {
        let name = ROLES.iter().find(|(one, _)| *one == role).unwrap().1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "actor::actor", "--nocapture", "--test-threads=1"])
            .env(ROLE, name)
            .env(STATE_DIR, state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        change(&mut command);
        command.spawn().unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn info(&self) -> Info {
        self.answer.as_ref().unwrap()[0].clone()
    }

    /// Kills the process without a warning, and leaves it unreaped like a busy parent does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        look::eventually("the end of the owner", || !look::is_alive(self.child.id()));
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        // It may have been killed by the test already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Gives a role the name of a desktop.
pub(crate) fn named(name: &str) -> impl FnOnce(&mut Command) {
    let name = name.to_owned();
    move |command| {
        command.env(NAME, name);
    }
}
