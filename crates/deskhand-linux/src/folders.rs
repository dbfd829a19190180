//! The user's Deskhand folders, located by the XDG base directory specification.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use deskhand_platform::Folders;

/// Returns the folders that the environment of this process names.
pub fn folders() -> Folders {
    resolve(&|name| std::env::var_os(name), &std::env::home_dir().unwrap_or_default())
}

/// Returns the folders of a private desktop with this home and runtime folder.
pub(crate) fn inside(home: &Path, runtime: &Path) -> Folders {
    Folders {
        config: home.join(".config/deskhand"),
        data: home.join(".local/share/deskhand"),
        state: home.join(".local/state/deskhand"),
        cache: home.join(".cache/deskhand"),
        runtime: runtime.join("deskhand"),
    }
}

fn resolve(variable: &dyn Fn(&str) -> Option<OsString>, home: &Path) -> Folders {
    // The specification requires relative paths to be ignored.
    let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = |base: &str, defaults: &str| {
        set(base).unwrap_or_else(|| home.join(defaults)).join("deskhand")
    };
    let defaults = Folders {
        config: folder("XDG_CONFIG_HOME", ".config"),
        data: folder("XDG_DATA_HOME", ".local/share"),
        state: folder("XDG_STATE_HOME", ".local/state"),
        cache: folder("XDG_CACHE_HOME", ".cache"),
        runtime: runtime_folder(),
    };
    defaults.with_overrides(variable)
}

/// Returns the runtime folder. It does not depend on `XDG_RUNTIME_DIR`, which ssh and cron sessions
/// lack, so that all processes of a user agree on it.
fn runtime_folder() -> PathBuf {
    let uid = rustix::process::getuid().as_raw();
    let own = PathBuf::from(format!("/run/user/{uid}"));
    match fs::symlink_metadata(&own) {
        Ok(found) if found.is_dir() && found.uid() == uid => own.join("deskhand-gate"),
        Ok(_) | Err(_) => PathBuf::from(format!("/tmp/deskhand-gate-{uid}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(set: &[(&str, &str)]) -> Folders {
        let value = |name: &str| set.iter().find(|it| it.0 == name).map(|it| it.1.into());
        super::resolve(&value, Path::new("/home/me"))
    }

    #[test]
    fn folders_follow_the_xdg_specification() {
        let defaults = resolve(&[]);
        assert_eq!(defaults.config, Path::new("/home/me/.config/deskhand"));
        assert_eq!(defaults.data, Path::new("/home/me/.local/share/deskhand"));
        assert_eq!(defaults.state, Path::new("/home/me/.local/state/deskhand"));
        assert_eq!(defaults.cache, Path::new("/home/me/.cache/deskhand"));
        assert_eq!(resolve(&[("XDG_CACHE_HOME", "/k")]).cache, Path::new("/k/deskhand"));
        let moved =
            resolve(&[("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "")]);
        assert_eq!(moved.config, Path::new("/c/deskhand"));
        assert_eq!((moved.data, moved.state), (defaults.data, defaults.state));
    }

    #[test]
    fn the_runtime_folder_does_not_depend_on_how_a_process_was_started() {
        assert_eq!(resolve(&[]).runtime, resolve(&[("XDG_RUNTIME_DIR", "/elsewhere")]).runtime);
    }

    #[test]
    fn deskhand_variables_lead_to_the_same_folders_from_anywhere() {
        let first = resolve(&[("XDG_CONFIG_HOME", "/c")]);
        let handed: Vec<(&str, String)> = first
            .variables()
            .map(|(name, path)| (name, path.display().to_string()))
            .into_iter()
            .chain([("XDG_CONFIG_HOME", "/private".to_owned())])
            .collect();
        let handed: Vec<(&str, &str)> = handed.iter().map(|it| (it.0, it.1.as_str())).collect();
        assert_eq!(resolve(&handed), first);
    }
}
