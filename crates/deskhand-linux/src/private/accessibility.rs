//! Variables that switch accessibility on in toolkits that do not follow the setting of the desktop.

use std::path::{Path, PathBuf};

/// Variables with the same value everywhere.
const FIXED_VARIABLES: [(&str, &str); 7] = [
    // GTK 2 loads its accessibility from modules; later versions have it built in.
    ("GTK_MODULES", "gail:atk-bridge"),
    ("QT_ACCESSIBILITY", "1"),
    ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"),
    // Web pages in Qt programs.
    ("QTWEBENGINE_CHROMIUM_FLAGS", "--force-renderer-accessibility"),
    // Chromium and Electron.
    ("ACCESSIBILITY_ENABLED", "1"),
    // Firefox.
    ("GNOME_ACCESSIBILITY", "1"),
    // Enlightenment.
    ("ELM_ATSPI_MODE", "1"),
];

/// The bridge from Java to the accessibility bus.
#[derive(Debug, Clone, PartialEq, Eq)]
struct JavaBridge {
    classes: PathBuf,
    library_folder: PathBuf,
}

impl JavaBridge {
    const LIBRARY: &str = "libatk-wrapper.so";

    /// Finds the bridge where Debian and Fedora install it, below a root folder.
    fn find(root: &Path) -> Option<Self> {
        let debian = (
            "usr/share/java/java-atk-wrapper.jar".to_owned(),
            format!("usr/lib/{}-linux-gnu/jni", std::env::consts::ARCH),
        );
        let fedora = (
            "usr/lib64/java-atk-wrapper/java-atk-wrapper.jar".to_owned(),
            "usr/lib64/java-atk-wrapper".to_owned(),
        );
        [debian, fedora].into_iter().find_map(|(classes, folder)| {
            let (classes, library_folder) = (root.join(classes), root.join(folder));
            let is_complete = classes.exists() && library_folder.join(Self::LIBRARY).exists();
            is_complete.then_some(Self { classes, library_folder })
        })
    }

    /// Returns the options that load the bridge into any Java program. A Java runtime that cannot
    /// find the library ends the program, so its folder is added to the path of the runtime itself,
    /// which also applies to runtimes that programs bring along.
    fn options(&self) -> String {
        format!(
            "-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper \
             -Xbootclasspath/a:{} -Dsun.boot.library.path={}",
            self.classes.display(),
            self.library_folder.display()
        )
    }
}

/// Returns the variables for programs on a private desktop.
pub(super) fn variables() -> Vec<(String, String)> {
    variables_for(Path::new("/"), rustix::process::getuid().is_root())
}

fn variables_for(root: &Path, is_root: bool) -> Vec<(String, String)> {
    let fixed = FIXED_VARIABLES.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    let java = JavaBridge::find(root).map(|bridge| ("JAVA_TOOL_OPTIONS".into(), bridge.options()));
    // Chromium refuses to run as root with its sandbox.
    let no_sandbox = is_root.then(|| ("QTWEBENGINE_DISABLE_SANDBOX".into(), "1".into()));
    fixed.chain(java).chain(no_sandbox).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(all: &'a [(String, String)], name: &str) -> Option<&'a str> {
        all.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn java_programs_get_the_bridge_only_if_it_is_complete() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let classes = root.path().join("usr/share/java");
        std::fs::create_dir_all(&classes)?;
        std::fs::write(classes.join("java-atk-wrapper.jar"), "")?;
        assert_eq!(value(&variables_for(root.path(), false), "JAVA_TOOL_OPTIONS"), None);
        let library = root.path().join(format!("usr/lib/{}-linux-gnu/jni", std::env::consts::ARCH));
        std::fs::create_dir_all(&library)?;
        std::fs::write(library.join(JavaBridge::LIBRARY), "")?;
        let all = variables_for(root.path(), false);
        let options = value(&all, "JAVA_TOOL_OPTIONS").unwrap_or_default();
        assert!(options.contains("AtkWrapper") && options.contains("/jni"), "{options}");
        Ok(())
    }

    #[test]
    fn web_pages_in_qt_programs_show_their_elements() {
        let root = Path::new("/nonexistent");
        let sandboxed = variables_for(root, false);
        let flags = value(&sandboxed, "QTWEBENGINE_CHROMIUM_FLAGS");
        assert_eq!(flags, Some("--force-renderer-accessibility"));
        assert_eq!(value(&sandboxed, "QTWEBENGINE_DISABLE_SANDBOX"), None);
        let all = variables_for(root, true);
        assert_eq!(value(&all, "QTWEBENGINE_DISABLE_SANDBOX"), Some("1"));
    }
}
