//! The gates. Each is a module that checks the workspace and returns a list of faults.

mod cfg;
mod deny;
mod deps;
mod fault;
pub(crate) mod files;
mod goldens;
mod macos;
mod names;
mod package;
mod proofs;
mod prose;
mod size;
pub(crate) mod source;
mod toolchain;
pub(crate) mod type_names;
pub(crate) mod unsafety;
mod words;
pub(crate) mod workspace;

use std::time::Instant;

use crate::error::{Error, Result};
use crate::packages::{self, Group};
use crate::process;

use fault::Verdict;
use files::Files;

/// A rule that is checked automatically.
struct Gate {
    name: &'static str,
    run: fn(&Files) -> Result<Verdict>,
}

/// All gates, the fastest first.
const GATES: [Gate; 15] = [
    Gate { name: "fmt", run: toolchain::fmt },
    Gate { name: "size", run: size::gate },
    Gate { name: "names", run: names::gate },
    Gate { name: "cfg", run: cfg::gate },
    Gate { name: "words", run: words::gate },
    Gate { name: "prose", run: prose::gate },
    Gate { name: "deps", run: deps::gate },
    Gate { name: "proofs", run: proofs::gate },
    Gate { name: "unsafe", run: unsafety::gate },
    Gate { name: "package", run: package::gate },
    Gate { name: "deny", run: deny::gate },
    Gate { name: "clippy", run: toolchain::clippy },
    Gate { name: "doc", run: toolchain::doc },
    Gate { name: "macos", run: macos::gate },
    Gate { name: "goldens", run: goldens::gate },
];

/// Returns the names of the gates, in the order in which they run.
pub(crate) fn names() -> Vec<&'static str> {
    GATES.iter().map(|gate| gate.name).collect()
}

/// Runs the named gates, or all gates if none is named. A failed gate does not stop the others.
pub(crate) fn run(names: &[String]) -> Result<()> {
    packages::ensure_if_possible(&[Group::Check])?;
    let files = Files::list(&process::root())?;
    let chosen = |gate: &&Gate| names.is_empty() || names.iter().any(|name| name == gate.name);
    let mut failed = Vec::new();
    for gate in GATES.iter().filter(chosen) {
        let start = Instant::now();
        let verdict = (gate.run)(&files).unwrap_or_else(Verdict::broken);
        let mark = if verdict.passed() { '✓' } else { '✗' };
        let seconds = start.elapsed().as_secs_f32();
        println!("{mark} {:8} {seconds:6.1} s  {}", gate.name, verdict.summary());
        for fault in &verdict.faults {
            println!("    {fault}");
        }
        if !verdict.passed() {
            failed.push(gate.name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Gates { failed }) }
}
