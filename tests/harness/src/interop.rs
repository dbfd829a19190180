//! Programs of other projects that the server is tested against; `cargo xtask setup` puts them beside
//! the built programs.

use std::path::{Path, PathBuf};
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

/// The folder of our own programs for them.
pub fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../e2e/interop")
}

/// A copy of our programs in JavaScript where they find the packages: beside them, not beside us.
pub fn beside_packages() -> tempfile::TempDir {
    let copy = tempfile::tempdir_in(folder()).expect("programs can be written beside the packages");
    for entry in std::fs::read_dir(scripts()).expect("they are there") {
        let file = entry.expect("they can be listed").path();
        if file.extension().is_some_and(|ending| ending == "mjs") {
            let name = file.file_name().expect("a file has a name");
            std::fs::copy(&file, copy.path().join(name)).expect("they can be copied");
        }
    }
    copy
}

fn present(file: PathBuf) -> PathBuf {
    let help = "run `cargo xtask setup --group interop` once";
    assert!(file.is_file(), "no {}: {help}", file.display());
    file
}
