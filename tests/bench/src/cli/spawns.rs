//! Starts plain shells from a small process. This is the baseline for the sandbox.

use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::ECHO_COMMAND;
use crate::error::{Error, Result};

/// The number of shells.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Number of threads.
    #[arg(long)]
    threads: usize,
    /// Number of shells per thread.
    #[arg(long)]
    each: usize,
}

/// The times of shell starts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spawns {
    /// The time of each start, in milliseconds.
    pub(crate) ms: Vec<f64>,
    /// Every value.
    pub(crate) seconds: f64,
}

/// Starts shells in this process and prints the figures.
#[allow(clippy::print_stdout, reason = "the parent process reads the figures")]
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    // The first start reads the program from disk.
    start()?;
    let started = Instant::now();
    let one = || (0..arguments.each).map(|_| start()).collect::<Result<Vec<f64>>>();
    let all: Vec<Result<Vec<f64>>> = std::thread::scope(|threads| {
        let started: Vec<_> = (0..arguments.threads).map(|_| threads.spawn(one)).collect();
        started.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let ms = all.into_iter().collect::<Result<Vec<_>>>()?.concat();
    println!("{}", serde_json::to_string(&Spawns { ms, seconds })?);
    Ok(())
}

/// Returns the time from before the start until the output is read and the process has exited.
fn start() -> Result<f64> {
    let started = Instant::now();
    let output = Command::new("/bin/sh").args(["-c", ECHO_COMMAND]).stdin(Stdio::null()).output();
    let output = output.map_err(Error::system("sh"))?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    if output.stdout != b"hi\n" {
        return Err(Error::Server(format!("sh printed {:?}", output.stdout)));
    }
    Ok(ms)
}

/// Starts shells from a separate process.
pub(super) fn measure(threads: usize, each: usize) -> Result<Spawns> {
    let own = std::env::current_exe().map_err(Error::system("this program"))?;
    let mut command = Command::new(own);
    command.arg("spawns").args(["--threads", &threads.to_string(), "--each", &each.to_string()]);
    let output = command.stderr(Stdio::inherit()).output().map_err(Error::system("spawns"))?;
    Ok(serde_json::from_slice(&output.stdout)?)
}
