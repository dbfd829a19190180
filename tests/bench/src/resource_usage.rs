//! Runs a command and prints its duration and peak memory.
//!
//! This is a separate process because Linux attributes the memory of the spawning process to a
//! program until it starts. A small parent gives correct figures down to its own few megabytes.

use std::process::{Command, Stdio};
use std::time::Instant;

use wait4::Wait4;

use crate::error::{Error, Result};
use crate::figures::Figures;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some((program, rest)) = arguments.command.split_first() else { return Ok(()) };
    let started = Instant::now();
    let child = Command::new(program)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(Error::system(program.as_str()))?;
    let ended = child.wait4().map_err(Error::system(program.as_str()))?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    if !ended.status.success() {
        let why = std::io::Error::other(ended.status.to_string());
        return Err(Error::System { what: arguments.command.join(" "), why });
    }
    let figures =
        Figures { ms: vec![ms], rss_kb: ended.rusage.maxrss / 1024, ..Figures::default() };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}
