//! Stubs for the C compiler and the archiver. Some crates build C sources for their target. Nothing is linked
//! here, so their build scripts only need output files that exist.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Creates the file after `-o`. Build scripts also detect the compiler with `-E`: Apple's is clang.
const COMPILER: &str = "\
#!/bin/sh
out=
for word in \"$@\"; do
    if [ \"$out\" = next ]; then out=$word; fi
    case $word in
        -o) out=next ;;
        -E) echo clang; exit 0 ;;
    esac
done
if [ -n \"$out\" ]; then : >\"$out\"; fi
";

/// Creates an empty archive.
const ARCHIVER: &str = "\
#!/bin/sh
for word in \"$@\"; do
    case $word in *.a) printf '!<arch>\\n' >\"$word\"; exit 0 ;; esac
done
";

/// The paths of the stubs.
pub(super) struct StubTools {
    compiler: PathBuf,
    archiver: PathBuf,
}

/// Writes the stubs into a folder.
pub(super) fn write(folder: &Path) -> Result<StubTools> {
    fs::create_dir_all(folder).map_err(Error::file(folder))?;
    let tools = StubTools { compiler: folder.join("cc"), archiver: folder.join("ar") };
    for (path, text) in [(&tools.compiler, COMPILER), (&tools.archiver, ARCHIVER)] {
        // A running script must not change.
        if fs::read_to_string(path).is_ok_and(|existing| existing == text) {
            continue;
        }
        fs::write(path, text).map_err(Error::file(path))?;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path, mode).map_err(Error::file(path))?;
    }
    Ok(tools)
}

impl StubTools {
    /// Returns the variables that make build scripts use the stubs for these targets. Build scripts
    /// themselves need the real tools.
    pub(super) fn variables(&self, targets: &[&str]) -> Vec<(String, PathBuf)> {
        let named = |target: &&str| {
            let target = target.replace('-', "_");
            [("CC", &self.compiler), ("CXX", &self.compiler), ("AR", &self.archiver)]
                .map(|(what, path)| (format!("{what}_{target}"), path.clone()))
        };
        targets.iter().flat_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::process;

    #[test]
    fn stubs_create_the_output_files() {
        let place = tempfile::tempdir().unwrap();
        let tools = write(place.path()).unwrap();
        let object = place.path().join("a.o");
        let library = place.path().join("liba.a");
        let mut compile = Command::new(&tools.compiler);
        process::run(compile.args(["-c", "a.c", "-o"]).arg(&object)).unwrap();
        process::run(Command::new(&tools.archiver).arg("cqD").args([&library, &object])).unwrap();
        assert_eq!(fs::read(&object).unwrap(), b"");
        assert_eq!(fs::read(&library).unwrap(), b"!<arch>\n");
        let asked = process::output(Command::new(&tools.compiler).args(["-E", "who.c"])).unwrap();
        assert_eq!(asked, "clang\n");
    }

    #[test]
    fn only_the_targets_use_the_stubs() {
        let tools = StubTools { compiler: "/s/cc".into(), archiver: "/s/ar".into() };
        let variables = tools.variables(&["aarch64-apple-darwin"]);
        let names: Vec<&str> = variables.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(
            names,
            ["CC_aarch64_apple_darwin", "CXX_aarch64_apple_darwin", "AR_aarch64_apple_darwin"]
        );
    }
}
