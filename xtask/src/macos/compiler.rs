//! A compiler that knows Apple's systems: the installed one, or else Debian's, unpacked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::packages::archive;
use crate::process;

use super::{cache, library};

/// The oldest compiler that builds this workspace.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Debian's newest compiler: what browsers are built with.
const PACKAGE: &str = "rustc-web";

/// A compiler with the standard library of every target that was asked for.
#[derive(Debug)]
pub(super) enum Compiler {
    /// The one that built this program.
    Installed,
    /// Debian's, below its `usr`.
    Unpacked { usr: PathBuf, libraries: PathBuf },
}

impl Compiler {
    /// Cargo with this compiler, at the root of the workspace.
    pub(super) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = match self {
            Self::Installed => return with(process::cargo(), subcommand),
            // It asks cargo to check, with the driver next to it as the compiler.
            Self::Unpacked { usr, .. } if subcommand == "clippy" => {
                let mut command = Command::new(usr.join("bin/cargo-clippy"));
                command.current_dir(process::root()).env("CARGO", process::cargo().get_program());
                command
            }
            Self::Unpacked { .. } => process::cargo(),
        };
        self.lead(&mut command);
        with(command, subcommand)
    }

    /// Leads cargo to this compiler, and the compiler to its own libraries.
    pub(super) fn lead(&self, command: &mut Command) {
        if let Self::Unpacked { usr, libraries } = self {
            let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let all = [libraries.clone()].into_iter().chain(std::env::split_paths(&old));
            command.env("RUSTC", usr.join("bin/rustc"));
            // A path with a colon in it cannot be in the list, and none of ours has one.
            command.env("LD_LIBRARY_PATH", std::env::join_paths(all).unwrap_or_default());
        }
    }
}

fn with(mut command: Command, subcommand: &str) -> Command {
    command.arg(subcommand);
    command
}

/// A compiler that can check for these targets, made ready where there is none yet.
pub(super) fn ready(targets: &[&str], cache: &Path) -> Result<Compiler> {
    let installed = sysroot()?;
    if targets.iter().all(|target| library::is_there(&installed, target)) {
        return Ok(Compiler::Installed);
    }
    let usr = match kept(cache) {
        Some(usr) => usr,
        None => unpacked(cache).map_err(no_compiler)?,
    };
    let libraries = libraries(&usr)?;
    let compiler = Compiler::Unpacked { usr: usr.clone(), libraries };
    for target in targets.iter().filter(|target| !library::is_there(&usr, target)) {
        println!("check-macos: building the standard library for {target}, once");
        library::build(&compiler, &usr, target, cache).map_err(no_compiler)?;
    }
    Ok(compiler)
}

/// Whatever a program said that could not bring one, most of them for want of a network: what to do is the
/// same.
fn no_compiler(error: Error) -> Error {
    if matches!(error, Error::NoApt { .. }) {
        let why = "the installed compiler has no standard library for it, and there is no apt-get \
                   to bring Debian's";
        return Error::NoApple { why: why.to_owned() };
    }
    if matches!(error, Error::Failed { .. } | Error::Start { .. }) {
        return Error::NoApple { why: error.to_string() };
    }
    error
}

fn sysroot() -> Result<PathBuf> {
    let told = process::answer(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(told.trim()))
}

/// The newest compiler that is in the cache already, as far as it is new enough.
fn kept(cache: &Path) -> Option<PathBuf> {
    let names = fs::read_dir(cache).ok()?.flatten().map(|entry| entry.file_name());
    let names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    newest(&names).map(|name| cache.join(name).join("usr"))
}

/// The folder of the newest compiler among these.
fn newest(names: &[String]) -> Option<&String> {
    let versions = names.iter().filter_map(|name| {
        let version = version(name.strip_prefix("rustc-")?)?;
        is_new_enough(version).then_some((version, name))
    });
    versions.max().map(|(_, name)| name)
}

/// The first two numbers of a version.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn is_new_enough(found: (u32, u32)) -> bool {
    version(OLDEST).is_some_and(|oldest| found >= oldest)
}

fn unpacked(cache: &Path) -> Result<PathBuf> {
    let offered = |said: &str| archive::field(said, "Version").and_then(version);
    let mut said = archive::describe(PACKAGE)?;
    if !offered(&said).is_some_and(is_new_enough) {
        said = archive::describe_anew(PACKAGE)?;
    }
    let newest = offered(&said).filter(|found| is_new_enough(*found));
    let (major, minor) = newest.ok_or_else(|| Error::NoApple {
        why: format!(
            "Debian offers {PACKAGE} {}, and this workspace needs {OLDEST}",
            archive::field(&said, "Version").unwrap_or("of no version")
        ),
    })?;
    let runtime = format!("libstd-rust-web-{major}.{minor}");
    let llvm = llvm(&archive::describe(&runtime)?)?;
    let packages =
        [PACKAGE, &runtime, "libstd-rust-web-dev", "rust-web-clippy", "rust-web-src", &llvm];
    let folder = cache.join(format!("rustc-{major}.{minor}"));
    println!(
        "check-macos: the installed compiler has no standard library for macOS; unpacking Debian's \
         {major}.{minor} to {}, once",
        folder.display()
    );
    cache::whole(&folder, |draft| archive::unpack(&packages, draft))?;
    Ok(folder.join("usr"))
}

/// The package of LLVM that a compiler is linked with.
fn llvm(said: &str) -> Result<String> {
    let depends = archive::field(said, "Depends").unwrap_or_default();
    let names = depends.split(',').filter_map(|one| one.split_whitespace().next());
    let found = names.into_iter().find(|name| name.starts_with("libllvm"));
    found.map(str::to_owned).ok_or_else(|| Error::Answer {
        command: "apt-cache show".to_owned(),
        problem: format!("no libllvm among what Debian's compiler depends on: {depends}"),
    })
}

/// The folder, named after the processor, in which the compiler's own libraries are.
fn libraries(usr: &Path) -> Result<PathBuf> {
    let place = usr.join("lib");
    let folders = fs::read_dir(&place).map_err(Error::file(&place))?.flatten();
    let holds = |folder: &PathBuf| {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        files
            .into_iter()
            .any(|file| file.file_name().to_string_lossy().starts_with("librustc_driver"))
    };
    folders.map(|entry| entry.path()).find(holds).ok_or_else(|| Error::NoApple {
        why: format!("the compiler in {} is incomplete: delete it", usr.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_that_is_new_enough_is_taken() {
        let names = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let all = names(&["rustc-9.9", "rustc-9.10", ".rustc-9.11.7", "stand-ins", "rustc-1.2"]);
        assert_eq!(newest(&all), Some(&all[1]));
        assert_eq!(newest(&names(&["rustc-1.2", "rustc-"])), None);
    }

    #[test]
    fn who_cannot_get_a_compiler_is_told_where_there_is_one() {
        let offline = Error::Failed { command: "apt-get download x".into(), how: "E: no".into() };
        for error in [offline, Error::NoApt { packages: vec!["rustc-web".into()] }] {
            let told = no_compiler(error);
            assert!(told.hint().is_some_and(|hint| hint.contains("rustup target add")), "{told}");
        }
        let root = no_compiler(Error::NoRoot { packages: Vec::new() });
        assert_eq!(root.hint().as_deref(), Some("as root: apt-get update"));
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("1.96.0+dfsg1-1~deb12u2"), Some((1, 96)));
        assert_eq!(version("web"), None);
        assert!(version(OLDEST).is_some_and(is_new_enough) && !is_new_enough((1, 9)));
    }

    #[test]
    fn the_llvm_of_a_compiler_is_among_its_dependencies() {
        let said =
            "Package: libstd-rust-web-1.96\nDepends: libc6 (>= 2.34), libllvm22 (>= 1:22), x\n";
        assert_eq!(llvm(said).unwrap(), "libllvm22");
        assert!(llvm("Depends: libc6\n").is_err());
    }

    #[test]
    fn an_unpacked_compiler_is_what_cargo_and_its_lints_use() {
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
