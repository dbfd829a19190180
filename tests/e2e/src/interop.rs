//! Programs of other projects that the server is tested against; `cargo xtask setup` puts them beside
//! the built programs.

use std::path::PathBuf;
use std::process::Command;

use crate::outcome;

/// The folder they are in.
pub fn folder() -> PathBuf {
    let binary = outcome::binary();
    let target =
        binary.ancestors().nth(2).expect("a built program lies in a folder of its profile");
    target.join("interop")
}

/// The Node they run on.
pub fn node() -> Command {
    Command::new(present(folder().join("node")))
}

/// The Python that has the SDK.
pub fn python() -> Command {
    Command::new(present(folder().join("python/bin/python")))
}

/// A file of an installed package.
pub fn module(path: &str) -> PathBuf {
    present(folder().join("node_modules").join(path))
}

fn present(file: PathBuf) -> PathBuf {
    let help = "run `cargo xtask setup --group interop` once";
    assert!(file.is_file(), "no {}: {help}", file.display());
    file
}
