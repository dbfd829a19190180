//! A compiler for Apple targets: the installed one, or Debian's, unpacked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::packages::archive;
use crate::process;

use super::{cache, library};

/// The oldest compiler that builds this workspace.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Debian's newest compiler, which it uses to build browsers.
const PACKAGE: &str = "rustc-web";

/// A compiler with the standard libraries of the requested targets.
#[derive(Debug)]
pub(super) enum Compiler {
    /// The installed toolchain.
    Installed,
    /// Debian's compiler, with its `usr` folder.
    Unpacked { usr: PathBuf, libraries: PathBuf },
}

impl Compiler {
    /// Returns a cargo command that uses this compiler, in the root of the workspace.
    pub(super) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = match self {
            Self::Installed => return with(process::cargo(), subcommand),
            // cargo-clippy runs cargo with the driver next to it as the compiler.
            Self::Unpacked { usr, .. } if subcommand == "clippy" => {
                let mut command = Command::new(usr.join("bin/cargo-clippy"));
                command.current_dir(process::root()).env("CARGO", process::cargo().get_program());
                command
            }
            Self::Unpacked { .. } => process::cargo(),
        };
        self.configure(&mut command);
        with(command, subcommand)
    }

    /// Sets the variables that make cargo use this compiler and its libraries.
    pub(super) fn configure(&self, command: &mut Command) {
        if let Self::Unpacked { usr, libraries } = self {
            let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let all = [libraries.clone()].into_iter().chain(std::env::split_paths(&old));
            command.env("RUSTC", usr.join("bin/rustc"));
            // Only a path with a colon fails, and these have none.
            command.env("LD_LIBRARY_PATH", std::env::join_paths(all).unwrap_or_default());
        }
    }
}

fn with(mut command: Command, subcommand: &str) -> Command {
    command.arg(subcommand);
    command
}

/// Returns a compiler for these targets, and installs one in the cache if necessary.
pub(super) fn prepare(targets: &[&str], cache: &Path) -> Result<Compiler> {
    let installed = sysroot()?;
    if targets.iter().all(|target| library::exists(&installed, target)) {
        return Ok(Compiler::Installed);
    }
    let usr = match newest_cached(cache) {
        Some(usr) => usr,
        None => unpack(cache).map_err(no_compiler)?,
    };
    let libraries = libraries(&usr)?;
    let compiler = Compiler::Unpacked { usr: usr.clone(), libraries };
    for target in targets.iter().filter(|target| !library::exists(&usr, target)) {
        println!("check-macos: building the standard library for {target} (only once)");
        library::build(&compiler, &usr, target, cache).map_err(no_compiler)?;
    }
    Ok(compiler)
}

/// Converts an error of the installation. Most have no network as their cause, and the advice is the same.
fn no_compiler(error: Error) -> Error {
    if matches!(error, Error::NoApt { .. }) {
        let reason = "the installed toolchain has no standard library for them, and there is no \
                      apt-get to download Debian's compiler";
        return Error::NoAppleCompiler { reason: reason.to_owned() };
    }
    if matches!(error, Error::Failed { .. } | Error::Start { .. }) {
        return Error::NoAppleCompiler { reason: error.to_string() };
    }
    error
}

fn sysroot() -> Result<PathBuf> {
    let output = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(output.trim()))
}

/// Returns the newest compiler in the cache, if it is new enough.
fn newest_cached(cache: &Path) -> Option<PathBuf> {
    let names = fs::read_dir(cache).ok()?.flatten().map(|entry| entry.file_name());
    let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    newest(&names).map(|name| cache.join(name).join("usr"))
}

/// Returns the folder of the newest compiler among these.
fn newest(names: &[String]) -> Option<&String> {
    let versions = names.iter().filter_map(|name| {
        let version = version(name.strip_prefix("rustc-")?)?;
        is_new_enough(version).then_some((version, name))
    });
    versions.max().map(|(_, name)| name)
}

/// Returns the first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn is_new_enough(found: (u32, u32)) -> bool {
    version(OLDEST).is_some_and(|oldest| found >= oldest)
}

fn unpack(cache: &Path) -> Result<PathBuf> {
    let offered = |description: &str| archive::field(description, "Version").and_then(version);
    let mut description = archive::describe(PACKAGE)?;
    if !offered(&description).is_some_and(is_new_enough) {
        description = archive::update_and_describe(PACKAGE)?;
    }
    let newest = offered(&description).filter(|found| is_new_enough(*found));
    let (major, minor) = newest.ok_or_else(|| Error::NoAppleCompiler {
        reason: format!(
            "Debian has {PACKAGE} {}, but this workspace needs {OLDEST}",
            archive::field(&description, "Version").unwrap_or("without a version")
        ),
    })?;
    let runtime = format!("libstd-rust-web-{major}.{minor}");
    let llvm = llvm(&archive::describe(&runtime)?)?;
    let packages =
        [PACKAGE, &runtime, "libstd-rust-web-dev", "rust-web-clippy", "rust-web-src", &llvm];
    let folder = cache.join(format!("rustc-{major}.{minor}"));
    println!(
        "check-macos: the installed toolchain has no standard library for macOS; unpacking Debian's \
         {major}.{minor} to {} (only once)",
        folder.display()
    );
    cache::create_atomically(&folder, |draft| archive::unpack(&packages, draft))?;
    Ok(folder.join("usr"))
}

/// Returns the LLVM package that a compiler depends on.
fn llvm(description: &str) -> Result<String> {
    let depends = archive::field(description, "Depends").unwrap_or_default();
    let names = depends.split(',').filter_map(|one| one.split_whitespace().next());
    let found = names.into_iter().find(|name| name.starts_with("libllvm"));
    found.map(str::to_owned).ok_or_else(|| Error::UnexpectedOutput {
        command: "apt-cache show".to_owned(),
        problem: format!("Debian's compiler does not depend on libllvm: {depends}"),
    })
}

/// Returns the folder of the compiler's libraries, whose name depends on the processor.
fn libraries(usr: &Path) -> Result<PathBuf> {
    let parent = usr.join("lib");
    let folders = fs::read_dir(&parent).map_err(Error::file(&parent))?.flatten();
    let has_driver = |folder: &PathBuf| {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        files
            .into_iter()
            .any(|file| file.file_name().to_string_lossy().starts_with("librustc_driver"))
    };
    folders.map(|entry| entry.path()).find(has_driver).ok_or_else(|| Error::NoAppleCompiler {
        reason: format!("the compiler in {} is incomplete; delete the folder", usr.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_compiler_is_used() {
        let names = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let all = names(&["rustc-9.9", "rustc-9.10", ".rustc-9.11.7", "stand-ins", "rustc-1.2"]);
        assert_eq!(newest(&all), Some(&all[1]));
        assert_eq!(newest(&names(&["rustc-1.2", "rustc-"])), None);
    }

    #[test]
    fn without_a_compiler_the_advice_names_one() {
        let offline =
            Error::Failed { command: "apt-get download x".into(), reason: "E: no".into() };
        for error in [offline, Error::NoApt { packages: vec!["rustc-web".into()] }] {
            let error = no_compiler(error);
            assert!(error.hint().is_some_and(|hint| hint.contains("rustup target add")), "{error}");
        }
        let root = no_compiler(Error::NoRoot { packages: Vec::new() });
        assert_eq!(root.hint().as_deref(), Some("run as root: apt-get update"));
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("1.96.0+dfsg1-1~deb12u2"), Some((1, 96)));
        assert_eq!(version("web"), None);
        assert!(version(OLDEST).is_some_and(is_new_enough) && !is_new_enough((1, 9)));
    }

    #[test]
    fn the_llvm_of_a_compiler_is_among_its_dependencies() {
        let description =
            "Package: libstd-rust-web-1.96\nDepends: libc6 (>= 2.34), libllvm22 (>= 1:22), x\n";
        assert_eq!(llvm(description).unwrap(), "libllvm22");
        assert!(llvm("Depends: libc6\n").is_err());
    }

    #[test]
    fn cargo_and_clippy_use_the_unpacked_compiler() {
        let compiler =
            Compiler::Unpacked { usr: "/c/usr".into(), libraries: "/c/usr/lib/x".into() };
        for (subcommand, program) in [("check", None), ("clippy", Some("/c/usr/bin/cargo-clippy"))]
        {
            let command = compiler.cargo(subcommand);
            assert!(program.is_none_or(|program| command.get_program() == program));
            assert!(command.get_args().eq([subcommand]));
            let value = |name: &str| {
                let found = command.get_envs().find(|(key, _)| *key == name);
                found.and_then(|(_, value)| value).unwrap_or_default().to_string_lossy()
            };
            assert_eq!(value("RUSTC"), "/c/usr/bin/rustc");
            assert!(value("LD_LIBRARY_PATH").starts_with("/c/usr/lib/x"));
        }
    }
}
