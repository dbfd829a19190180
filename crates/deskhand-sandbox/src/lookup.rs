//! Finds a program in `PATH`.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

/// Returns the path of a program. A bare name is looked up in the `PATH` of `variables`, which is the
/// environment the program itself gets, not the server's.
pub(crate) fn find_program(
    name: &str,
    variables: &BTreeMap<String, String>,
) -> io::Result<PathBuf> {
    if name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    let path = variables.get("PATH").map_or("/usr/bin:/bin", String::as_str);
    let mut candidates = std::env::split_paths(path).map(|folder| folder.join(name));
    candidates.find(|file| is_executable(file)).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("{name} was not found in PATH ({path})"))
    })
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
