//! Programs built on Chromium: they show a tree only when they are told to at their start.

use std::{fs, path::Path};

/// Shows the tree of pages, also of those a person cannot see at the moment.
const FLAGS: [&str; 3] = [
    "--force-renderer-accessibility",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// Chromium refuses to run as root within its sandbox.
const UNCONFINED: &str = "--no-sandbox";

/// How programs of this kind are called, up to a suffix such as `-stable`.
const NAMES: [&str; 12] = [
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

/// What lies beside a program of this kind, whatever it is called.
const MARKS: [&str; 5] = [
    "resources/app.asar",
    "resources/electron.asar",
    "resources/default_app.asar",
    "chrome_100_percent.pak",
    "chrome-sandbox",
];

/// The arguments a program needs to show its tree; none when it is no such program.
pub(crate) fn flags(program: &Path, is_root: bool) -> Vec<String> {
    if !is_web_engine(program) {
        return Vec::new();
    }
    let unconfined = is_root.then_some(UNCONFINED);
    FLAGS.into_iter().chain(unconfined).map(str::to_owned).collect()
}

/// Whether a program is built on Chromium.
pub(crate) fn is_web_engine(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let fits = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| {
            rest.chars().next().is_none_or(|next| next == '-' || next.is_ascii_digit())
        })
    };
    if NAMES.iter().any(|known| fits(known)) {
        return true;
    }
    // What stands on the search path is often a link to the program, or a script one folder below.
    let Ok(real) = fs::canonicalize(program) else { return false };
    let folders = real.ancestors().skip(1).take(2);
    folders
        .filter(|folder| !is_shared(folder))
        .any(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()))
}

/// Folders of many programs say nothing about one of them.
fn is_shared(folder: &Path) -> bool {
    ["/", "/usr", "/usr/bin", "/usr/local", "/usr/local/bin", "/bin", "/opt"]
        .iter()
        .any(|shared| Path::new(shared) == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_known_by_their_names() {
        for name in ["/usr/bin/chromium", "google-chrome-stable", "electron28", "brave-browser"] {
            assert_eq!(flags(Path::new(name), false).len(), 3, "{name}");
        }
        for name in ["/usr/bin/mousepad", "chromatic", "operator", "xterm"] {
            assert!(flags(Path::new(name), false).is_empty(), "{name}");
        }
    }

    #[test]
    fn only_root_goes_without_the_sandbox() {
        let unconfined = |root| flags(Path::new("chromium"), root).contains(&UNCONFINED.to_owned());
        assert!(unconfined(true) && !unconfined(false));
    }

    #[test]
    fn an_app_is_known_by_what_lies_beside_it() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let app = place.path().join("My App");
        fs::create_dir_all(app.join("resources"))?;
        fs::create_dir(app.join("bin"))?;
        fs::write(app.join("resources/app.asar"), "")?;
        for program in ["run", "bin/run"] {
            fs::write(app.join(program), "")?;
            assert_eq!(flags(&app.join(program), false).len(), 3, "{program}");
        }
        let link = place.path().join("link");
        std::os::unix::fs::symlink(app.join("run"), &link)?;
        assert_eq!(flags(&link, false).len(), 3);
        Ok(())
    }
}
