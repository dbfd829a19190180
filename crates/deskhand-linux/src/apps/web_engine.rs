//! Programs based on Chromium, which expose a tree only if started with certain flags.

use std::{fs, path::Path};

/// The flag that exposes the tree of pages.
pub(super) const EXPOSE_PAGES_FLAG: &str = "--force-renderer-accessibility";

/// Flags that expose the tree of pages, including pages that are not visible at the moment.
const ACCESSIBILITY_FLAGS: [&str; 3] = [
    EXPOSE_PAGES_FLAG,
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// The flag that disables the sandbox. Chromium refuses to run as root with its sandbox.
const NO_SANDBOX_FLAG: &str = "--no-sandbox";

/// The names of such programs, up to a suffix such as `-stable`.
const PROGRAM_NAMES: [&str; 12] = [
    "chromium",
    "chrome",
    "google-chrome",
    "microsoft-edge",
    "msedge",
    "brave",
    "vivaldi",
    "opera",
    "electron",
    "thorium-browser",
    "ungoogled-chromium",
    "yandex-browser",
];

/// Files next to such a program, whatever its name.
const NEARBY_FILES: [&str; 5] = [
    "resources/app.asar",
    "resources/electron.asar",
    "resources/default_app.asar",
    "chrome_100_percent.pak",
    "chrome-sandbox",
];

/// Returns the flags that a program needs to expose its tree. The list is empty for other programs.
pub(crate) fn flags(program: &Path, is_root: bool) -> Vec<String> {
    if !is_web_engine(program) {
        return Vec::new();
    }
    let no_sandbox = is_root.then_some(NO_SANDBOX_FLAG);
    ACCESSIBILITY_FLAGS.into_iter().chain(no_sandbox).map(str::to_owned).collect()
}

/// Returns `true` if the program is based on Chromium.
pub(crate) fn is_web_engine(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let matches = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| {
            rest.chars().next().is_none_or(|next| next == '-' || next.is_ascii_digit())
        })
    };
    if PROGRAM_NAMES.iter().any(|known| matches(known)) {
        return true;
    }
    // The file on the search path is often a link to the program, or a script one folder below it.
    let Ok(real) = fs::canonicalize(program) else { return false };
    let folders = real.ancestors().skip(1).take(2);
    folders
        .filter(|folder| !is_shared(folder))
        .any(|folder| NEARBY_FILES.iter().any(|file| folder.join(file).exists()))
}

/// Returns `true` for folders shared by many programs, whose files say nothing about one of them.
fn is_shared(folder: &Path) -> bool {
    ["/", "/usr", "/usr/bin", "/usr/local", "/usr/local/bin", "/bin", "/opt"]
        .iter()
        .any(|shared| Path::new(shared) == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_recognized_by_their_names() {
        for name in ["/usr/bin/chromium", "google-chrome-stable", "electron28", "brave-browser"] {
            assert_eq!(flags(Path::new(name), false).len(), 3, "{name}");
        }
        for name in ["/usr/bin/mousepad", "chromatic", "operator", "xterm"] {
            assert!(flags(Path::new(name), false).is_empty(), "{name}");
        }
    }

    #[test]
    fn only_root_runs_without_the_sandbox() {
        let no_sandbox =
            |root| flags(Path::new("chromium"), root).contains(&NO_SANDBOX_FLAG.to_owned());
        assert!(no_sandbox(true) && !no_sandbox(false));
    }

    #[test]
    fn an_app_is_recognized_by_nearby_files() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let app = folder.path().join("My App");
        fs::create_dir_all(app.join("resources"))?;
        fs::create_dir(app.join("bin"))?;
        fs::write(app.join("resources/app.asar"), "")?;
        for program in ["run", "bin/run"] {
            fs::write(app.join(program), "")?;
            assert_eq!(flags(&app.join(program), false).len(), 3, "{program}");
        }
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(app.join("run"), &link)?;
        assert_eq!(flags(&link, false).len(), 3);
        Ok(())
    }
}
