//! Builds the standard library of a target from the compiler's sources.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process;

use super::cache;
use super::compiler::Compiler;

/// The name of an empty package. Checking it builds the standard library.
const NAME: &str = "nothing";

/// The parts of the standard library that the workspace, its tests and its macros need.
const PARTS: &str = "-Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test";

/// Returns `true` if a compiler has the standard library of a target.
pub(super) fn exists(sysroot: &Path, target: &str) -> bool {
    files(&folder(sysroot, target)).iter().any(|name| name.starts_with("libstd-"))
}

fn folder(sysroot: &Path, target: &str) -> PathBuf {
    sysroot.join("lib/rustlib").join(target).join("lib")
}

fn files(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Builds the library and copies it to where the compiler searches.
pub(super) fn build(compiler: &Compiler, usr: &Path, target: &str, cache: &Path) -> Result<()> {
    let work = cache.join(format!(".std-{target}-{}", std::process::id()));
    let result = check_empty_package(compiler, target, &work).and_then(|files| {
        let home = folder(usr, target);
        let parent = home.parent().unwrap_or(&home);
        fs::create_dir_all(parent).map_err(Error::file(parent))?;
        cache::create_atomically(&home, |draft| {
            for file in &files {
                let to = draft.join(file.file_name().unwrap_or_default());
                fs::copy(file, to).map_err(Error::file(file))?;
            }
            Ok(())
        })
    });
    // The build folder is no longer needed.
    let _ = fs::remove_dir_all(&work);
    result?;
    if exists(usr, target) {
        return Ok(());
    }
    Err(Error::UnexpectedOutput {
        command: format!("cargo check {PARTS}"),
        problem: "it built no standard library".to_owned(),
    })
}

/// Checks an empty package together with the standard library; returns the files of the library.
fn check_empty_package(compiler: &Compiler, target: &str, work: &Path) -> Result<Vec<PathBuf>> {
    let source = work.join("src");
    fs::create_dir_all(&source).map_err(Error::file(&source))?;
    let manifest = format!("[package]\nname = \"{NAME}\"\nedition = \"2024\"\n\n[workspace]\n");
    for (path, text) in [(work.join("Cargo.toml"), manifest.as_str()), (source.join("lib.rs"), "")]
    {
        fs::write(&path, text).map_err(Error::file(&path))?;
    }
    let mut command = process::quiet_cargo("check");
    compiler.configure(&mut command);
    command
        .current_dir(work)
        .args([PARTS, "--target", target, "--target-dir"])
        .arg(work.join("target"))
        // This allows unstable options with a stable compiler.
        .env("RUSTC_BOOTSTRAP", "1")
        .envs(super::NO_DEBUG_INFO);
    process::run(&mut command)?;
    let folder = work.join("target").join(target).join("debug/deps");
    let files = files(&folder).into_iter().filter(|name| is_of_std(name));
    Ok(files.map(|name| folder.join(name)).collect())
}

/// Returns `true` if a file belongs to the library, and not to the empty package.
fn is_of_std(name: &str) -> bool {
    let stem = name.strip_suffix(".rmeta").or_else(|| name.strip_suffix(".rlib"));
    stem.is_some_and(|stem| !stem.starts_with(&format!("lib{NAME}-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_exists_if_it_has_std() {
        let place = tempfile::tempdir().unwrap();
        let lib = place.path().join("lib/rustlib/aarch64-apple-darwin/lib");
        fs::create_dir_all(&lib).unwrap();
        assert!(!exists(place.path(), "aarch64-apple-darwin"));
        fs::write(lib.join("libstd-0123.rmeta"), "").unwrap();
        assert!(exists(place.path(), "aarch64-apple-darwin"));
        assert!(!exists(place.path(), "x86_64-apple-darwin"));
    }

    #[test]
    fn the_empty_package_is_no_part_of_the_library() {
        assert!(is_of_std("libcore-1a.rmeta") && is_of_std("libcompiler_builtins-1a.rlib"));
        assert!(!is_of_std("libnothing-1a.rmeta") && !is_of_std("core-1a.d"));
    }
}
