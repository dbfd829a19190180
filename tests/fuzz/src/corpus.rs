//! The corpus: one file per input, including inputs that once caused a crash.

use std::path::PathBuf;

use crate::Target;

/// Returns the corpus folder.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"))
}

/// Returns the inputs of a target with their file names, sorted by name.
pub fn inputs(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join(target.name);
    let found = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut inputs: Vec<(String, Vec<u8>)> = found
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}")))
        })
        .collect();
    inputs.sort();
    inputs
}
