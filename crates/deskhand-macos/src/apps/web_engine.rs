//! Apps with Chromium inside expose the tree of web pages only if they are started with a flag.

use std::{fs, path::Path};

/// Exposes the tree of all pages, including those in covered windows.
const FLAGS: [&str; 3] = [
    "--force-renderer-accessibility",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
];

/// A resource file of every framework that is based on Chromium.
const CHROMIUM_RESOURCE: &str = "chrome_100_percent.pak";

/// Frameworks that are based on Chromium and have their resources elsewhere.
const FRAMEWORKS: [&str; 2] =
    ["Electron Framework.framework", "Chromium Embedded Framework.framework"];

/// The arguments that make an app expose its tree. Empty if it does not contain Chromium.
pub(super) fn accessibility_flags(app: &Path) -> Vec<String> {
    let has_engine = has_web_engine(app);
    FLAGS.into_iter().filter(|_| has_engine).map(str::to_owned).collect()
}

fn has_web_engine(app: &Path) -> bool {
    let folder = app.join("Contents/Frameworks");
    let Ok(frameworks) = fs::read_dir(&folder) else { return false };
    frameworks.flatten().any(|framework| {
        let name = framework.file_name();
        FRAMEWORKS.iter().any(|known| name == *known)
            || (Path::new(&name).extension().is_some_and(|ending| ending == "framework")
                && is_chromium_framework(&framework.path()))
    })
}

/// Returns `true` if a framework contains Chromium's resources, which are in a subfolder for each version.
fn is_chromium_framework(framework: &Path) -> bool {
    let has_resource = |folder: &Path| folder.join("Resources").join(CHROMIUM_RESOURCE).exists();
    if has_resource(framework) {
        return true;
    }
    let Ok(versions) = fs::read_dir(framework.join("Versions")) else { return false };
    versions.flatten().any(|version| has_resource(&version.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_recognised_by_its_frameworks() {
        let folder = tempfile::tempdir().unwrap();
        let with = |name: &str, inside: &str| {
            let app = folder.path().join(format!("{name}.app"));
            let file = app.join("Contents/Frameworks").join(inside);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
            accessibility_flags(&app).len()
        };
        assert_eq!(with("Code", "Electron Framework.framework/x"), 3);
        let chrome = "Google Chrome Framework.framework/Versions/131.0/Resources";
        assert_eq!(with("Chrome", &format!("{chrome}/{CHROMIUM_RESOURCE}")), 3);
        assert_eq!(
            with("Brave", &format!("Brave Framework.framework/Resources/{CHROMIUM_RESOURCE}")),
            3
        );
        assert_eq!(with("Notes", "Sparkle.framework/Resources/Info.plist"), 0);
        assert_eq!(with("Other", &format!("Data/Resources/{CHROMIUM_RESOURCE}")), 0);
        assert!(accessibility_flags(&folder.path().join("None.app")).is_empty());
    }
}
