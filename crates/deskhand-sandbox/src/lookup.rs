//! Where a program is that is only named.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

/// The file of a program: the search is along the path it will have itself, not along ours.
pub(crate) fn program(name: &str, variables: &BTreeMap<String, String>) -> io::Result<PathBuf> {
    if name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    let path = variables.get("PATH").map_or("/usr/bin:/bin", String::as_str);
    let mut there = std::env::split_paths(path).map(|folder| folder.join(name));
    there.find(|file| can_run(file)).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("there is no {name} along PATH ({path})"))
    })
}

fn can_run(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}
