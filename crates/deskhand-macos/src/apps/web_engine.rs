//! Apps built on Chromium: they show the tree of pages only when they are told to at their start.

use std::{fs, path::Path};

/// Shows the tree of pages, also of those a person cannot see at the moment.
const FLAGS: [&str; 3] = [
    "--force-renderer-accessibility",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// What each framework made of Chromium carries, whatever it is called.
const MARK: &str = "chrome_100_percent.pak";

/// Frameworks that are made of it and carry their files elsewhere.
const FRAMEWORKS: [&str; 2] =
    ["Electron Framework.framework", "Chromium Embedded Framework.framework"];

/// The arguments an app needs to show its tree; none when it is no such app.
pub(super) fn flags(app: &Path) -> Vec<String> {
    let is = is_web_engine(app);
    FLAGS.into_iter().filter(|_| is).map(str::to_owned).collect()
}

fn is_web_engine(app: &Path) -> bool {
    let folder = app.join("Contents/Frameworks");
    let Ok(frameworks) = fs::read_dir(&folder) else { return false };
    frameworks.flatten().any(|framework| {
        let name = framework.file_name();
        FRAMEWORKS.iter().any(|known| name == *known)
            || (Path::new(&name).extension().is_some_and(|ending| ending == "framework")
                && carries(&framework.path()))
    })
}

/// Whether a framework carries the files of Chromium; they lie below the version in use.
fn carries(framework: &Path) -> bool {
    if framework.join("Resources").join(MARK).exists() {
        return true;
    }
    let Ok(versions) = fs::read_dir(framework.join("Versions")) else { return false };
    versions.flatten().any(|version| version.path().join("Resources").join(MARK).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_known_by_the_frameworks_in_it() {
        let place = tempfile::tempdir().unwrap();
        let with = |name: &str, inside: &str| {
            let app = place.path().join(format!("{name}.app"));
            let file = app.join("Contents/Frameworks").join(inside);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
            flags(&app).len()
        };
        assert_eq!(with("Code", "Electron Framework.framework/x"), 3);
        let chrome = "Google Chrome Framework.framework/Versions/131.0/Resources";
        assert_eq!(with("Chrome", &format!("{chrome}/{MARK}")), 3);
        assert_eq!(with("Brave", &format!("Brave Framework.framework/Resources/{MARK}")), 3);
        assert_eq!(with("Notes", "Sparkle.framework/Resources/Info.plist"), 0);
        assert_eq!(with("Other", &format!("Data/Resources/{MARK}")), 0);
        assert!(flags(&place.path().join("None.app")).is_empty());
    }
}
