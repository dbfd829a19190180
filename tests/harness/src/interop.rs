//! MCP programs of other projects for interoperability tests. `cargo xtask setup` installs them
//! next to the build output.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::outcome;

/// Returns the folder they are installed in.
pub fn folder() -> PathBuf {
    let binary = outcome::binary();
    let target = binary.ancestors().nth(2).expect("built programs are in a profile folder");
    target.join("interop")
}

/// Returns a command for the installed Node.
pub fn node() -> Command {
    Command::new(present(folder().join("node")))
}

/// Returns a command for the Python that has the MCP SDK.
pub fn python() -> Command {
    Command::new(present(folder().join("python/bin/python")))
}

/// Returns the path of a file in an installed npm package.
pub fn module(path: &str) -> PathBuf {
    present(folder().join("node_modules").join(path))
}

/// Returns the folder of our test scripts for them.
pub fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../e2e/interop")
}

/// Copies our JavaScript programs into the install folder, because Node resolves packages relative
/// to the script.
pub fn beside_packages() -> tempfile::TempDir {
    let copy = tempfile::tempdir_in(folder()).expect("the package folder is writable");
    for entry in std::fs::read_dir(scripts()).expect("the scripts exist") {
        let file = entry.expect("the folder can be listed").path();
        if file.extension().is_some_and(|ending| ending == "mjs") {
            let name = file.file_name().expect("a file has a name");
            std::fs::copy(&file, copy.path().join(name)).expect("the script can be copied");
        }
    }
    copy
}

fn present(file: PathBuf) -> PathBuf {
    let help = "run `cargo xtask setup --group interop` once";
    assert!(file.is_file(), "{} not found: {help}", file.display());
    file
}
