//! `demo`: a real app on a private desktop, read through Deskhand, checked against the truth.

mod hand;
mod screen;
mod stage;
mod story;

use std::fs;
use std::process::Command;

use crate::error::{Error, Result};
use crate::packages::{self, Group};
use crate::process;

pub(crate) use stage::stage;
use story::Story;

/// The hidden command that plays the part inside the private desktop.
pub(crate) const STAGE: &str = "demo-stage";

/// Gets what is missing, builds the binary and plays the demo.
pub(crate) fn run() -> Result<()> {
    let story = Story::begin();
    packages::want(&[Group::Demo])?;
    process::run(process::cargo().args(["build", "--package", "deskhand-cli"]))?;
    let deskhand = process::built("deskhand")?;
    story.tell("deskhand is built");
    let out = process::root().join("out");
    fs::create_dir_all(&out).map_err(Error::file(&out))?;
    let own = std::env::current_exe().map_err(Error::file("xtask"))?;
    // `desktop run` takes everything down with it, whatever happens on the stage.
    let mut command = Command::new(&deskhand);
    command.args(["desktop", "run", "--size", "1280x800", "--"]);
    command.arg(own).arg(STAGE).arg(&deskhand).arg(&out);
    // Settings of the person must not change the story, nor the story their log.
    for folder in ["config", "data", "state", "runtime"] {
        let name = format!("DESKHAND_{}_DIR", folder.to_uppercase());
        command.env(name, out.join("deskhand").join(folder));
    }
    process::run(&mut command)?;
    story.tell("private desktop is gone");
    Ok(())
}
