//! Other processes that use private desktops: this test binary, run again with a role.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use deskhand_linux::private::{
    self, DesktopInfo, DesktopOptions, Owner, STATE_DIR_VAR, ScopedDesktop,
};
use deskhand_model::{Explain, Step};

use crate::observe;

const ROLE: &str = "DESKHAND_TEST_ROLE";
const NAME: &str = "DESKHAND_TEST_NAME";

/// The task of another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Starts a desktop that belongs to it and waits.
    Own,
    /// Starts a desktop without an owner and ends.
    Make,
    /// Starts a desktop, reports it and takes it down.
    Visit,
    RemoveStale,
    List,
    Down,
    /// Removes stale desktops and takes down the running ones.
    Clear,
}

const ROLES: [(Role, &str); 7] = [
    (Role::Own, "own"),
    (Role::Make, "make"),
    (Role::Visit, "visit"),
    (Role::RemoveStale, "remove-stale"),
    (Role::List, "list"),
    (Role::Down, "down"),
    (Role::Clear, "clear"),
];

/// Not a test: the body of every other process. Without a role it does nothing.
#[test]
fn actor() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let role = ROLES.iter().find(|(_, name)| *name == role).unwrap().0;
    let name = std::env::var(NAME).ok();
    let options = |owner| DesktopOptions { name: name.clone(), owner, ..DesktopOptions::default() };
    let answer = match role {
        Role::Own => private::up(&options(Owner::Process)).map(|info| vec![info]),
        Role::Make => private::up(&options(Owner::Unowned)).map(|info| vec![info]),
        Role::Visit => {
            ScopedDesktop::up(&options(Owner::Process)).map(|desktop| vec![desktop.clone()])
        }
        Role::RemoveStale => private::remove_stale().map(|_| Vec::new()),
        Role::List => private::list(),
        Role::Down => private::down(&name.clone().unwrap()).map(|()| Vec::new()),
        Role::Clear => {
            private::remove_stale().and_then(|_| private::down_all()).map(|_| Vec::new())
        }
    };
    match answer {
        Ok(answer) => println!("ANSWER {}", serde_json::to_string(&answer).unwrap()),
        Err(error) => {
            let spell = |step: &Step| format!("{step:?}").into();
            let hint = error.advice().map(|advice| advice.spell(spell)).unwrap_or_default();
            let text = format!("{}\n{error}\n{hint}", error.code());
            println!("FAILED {}", serde_json::to_string(&text).unwrap());
        }
    }
    if role == Role::Own {
        // Until the test closes the pipe or kills this process.
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    }
}

/// Another process and its answer.
pub(crate) struct Actor {
    child: Child,
    pub(crate) answer: Result<Vec<DesktopInfo>, String>,
}

impl Actor {
    /// Runs a role with a separate state directory and waits for its answer.
    pub(crate) fn run(role: Role, state: &Path, configure: impl FnOnce(&mut Command)) -> Self {
        let mut child = Self::spawn(role, state, configure);
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

    /// Starts a role without waiting.
    pub(crate) fn spawn(role: Role, state: &Path, configure: impl FnOnce(&mut Command)) -> Child {
        let name = ROLES.iter().find(|(one, _)| *one == role).unwrap().1;
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "actor::actor", "--nocapture", "--test-threads=1"])
            .env(ROLE, name)
            .env(STATE_DIR_VAR, state)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        configure(&mut command);
        command.spawn().unwrap()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn info(&self) -> DesktopInfo {
        self.answer.as_ref().unwrap()[0].clone()
    }

    /// Kills the process without reaping it, as a busy parent would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        observe::eventually("the end of the owner", || !observe::is_alive(self.child.id()));
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        // The test may have killed it already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sets the name of the desktop for a role.
pub(crate) fn named(name: &str) -> impl FnOnce(&mut Command) {
    let name = name.to_owned();
    move |command| {
        command.env(NAME, name);
    }
}
