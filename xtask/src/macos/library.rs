//! The standard library of a target, built from the compiler's own sources.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process;

use super::cache;
use super::compiler::Compiler;

/// A package with nothing in it: what it is checked with is what is wanted.
const NAME: &str = "nothing";

/// What the crates of the workspace, their tests and their macros are checked against.
const PARTS: &str = "-Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test";

/// Whether a compiler has the standard library of a target.
pub(super) fn is_there(sysroot: &Path, target: &str) -> bool {
    files(&folder(sysroot, target)).iter().any(|name| name.starts_with("libstd-"))
}

fn folder(sysroot: &Path, target: &str) -> PathBuf {
    sysroot.join("lib/rustlib").join(target).join("lib")
}

fn files(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Builds it where the compiler looks for it.
pub(super) fn build(compiler: &Compiler, usr: &Path, target: &str, cache: &Path) -> Result<()> {
    let work = cache.join(format!(".std-{target}-{}", std::process::id()));
    let built = made(compiler, target, &work).and_then(|files| {
        let home = folder(usr, target);
        let parent = home.parent().unwrap_or(&home);
        fs::create_dir_all(parent).map_err(Error::file(parent))?;
        cache::whole(&home, |draft| {
            for file in &files {
                let to = draft.join(file.file_name().unwrap_or_default());
                fs::copy(file, to).map_err(Error::file(file))?;
            }
            Ok(())
        })
    });
    // What is left of it is only in the way.
    let _ = fs::remove_dir_all(&work);
    built?;
    if is_there(usr, target) {
        return Ok(());
    }
    Err(Error::Answer {
        command: format!("cargo check {PARTS}"),
        problem: "it made no standard library".to_owned(),
    })
}

/// Checks a package with nothing in it, and the standard library with it; the files that came of it.
fn made(compiler: &Compiler, target: &str, work: &Path) -> Result<Vec<PathBuf>> {
    let source = work.join("src");
    fs::create_dir_all(&source).map_err(Error::file(&source))?;
    let manifest = format!("[package]\nname = \"{NAME}\"\nedition = \"2024\"\n\n[workspace]\n");
    for (path, text) in [(work.join("Cargo.toml"), manifest.as_str()), (source.join("lib.rs"), "")]
    {
        fs::write(&path, text).map_err(Error::file(&path))?;
    }
    let mut command = process::quiet_cargo("check");
    compiler.lead(&mut command);
    command
        .current_dir(work)
        .args([PARTS, "--target", target, "--target-dir"])
        .arg(work.join("target"))
        // What is not promised to stay is wanted of a compiler that promises.
        .env("RUSTC_BOOTSTRAP", "1")
        .envs(super::SPARING);
    process::run(&mut command)?;
    let folder = work.join("target").join(target).join("debug/deps");
    let files = files(&folder).into_iter().filter(|name| is_of_std(name));
    Ok(files.map(|name| folder.join(name)).collect())
}

/// Whether a file is a part of the library, and not of the package it was built with.
fn is_of_std(name: &str) -> bool {
    let stem = name.strip_suffix(".rmeta").or_else(|| name.strip_suffix(".rlib"));
    stem.is_some_and(|stem| !stem.starts_with(&format!("lib{NAME}-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_there_when_its_std_is() {
        let place = tempfile::tempdir().unwrap();
        let lib = place.path().join("lib/rustlib/aarch64-apple-darwin/lib");
        fs::create_dir_all(&lib).unwrap();
        assert!(!is_there(place.path(), "aarch64-apple-darwin"));
        fs::write(lib.join("libstd-0123.rmeta"), "").unwrap();
        assert!(is_there(place.path(), "aarch64-apple-darwin"));
        assert!(!is_there(place.path(), "x86_64-apple-darwin"));
    }

    #[test]
    fn what_it_was_built_with_is_no_part_of_it() {
        assert!(is_of_std("libcore-1a.rmeta") && is_of_std("libcompiler_builtins-1a.rlib"));
        assert!(!is_of_std("libnothing-1a.rmeta") && !is_of_std("core-1a.d"));
    }
}
