//! Where a person's folders are: where the XDG base directory specification puts them.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use deskhand_platform::Folders;

/// The folders the variables of this process lead to.
pub fn folders() -> Folders {
    by(&|name| std::env::var_os(name), &std::env::home_dir().unwrap_or_default())
}

/// Those below the home of a private desktop.
pub(crate) fn below(home: &Path, runtime: &Path) -> Folders {
    Folders {
        config: home.join(".config/deskhand"),
        data: home.join(".local/share/deskhand"),
        state: home.join(".local/state/deskhand"),
        cache: home.join(".cache/deskhand"),
        runtime: runtime.join("deskhand"),
    }
}

fn by(variable: &dyn Fn(&str) -> Option<OsString>, home: &Path) -> Folders {
    // The specification wants relative paths ignored.
    let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder =
        |base: &str, usual: &str| set(base).unwrap_or_else(|| home.join(usual)).join("deskhand");
    let usual = Folders {
        config: folder("XDG_CONFIG_HOME", ".config"),
        data: folder("XDG_DATA_HOME", ".local/share"),
        state: folder("XDG_STATE_HOME", ".local/state"),
        cache: folder("XDG_CACHE_HOME", ".cache"),
        runtime: usual_runtime(),
    };
    usual.named(variable)
}

/// The same for every process of a person: one that came by ssh or cron has no XDG_RUNTIME_DIR.
fn usual_runtime() -> PathBuf {
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

    fn by(set: &[(&str, &str)]) -> Folders {
        let value = |name: &str| set.iter().find(|it| it.0 == name).map(|it| it.1.into());
        super::by(&value, Path::new("/home/me"))
    }

    #[test]
    fn they_are_where_the_xdg_specification_puts_them() {
        let usual = by(&[]);
        assert_eq!(usual.config, Path::new("/home/me/.config/deskhand"));
        assert_eq!(usual.data, Path::new("/home/me/.local/share/deskhand"));
        assert_eq!(usual.state, Path::new("/home/me/.local/state/deskhand"));
        assert_eq!(usual.cache, Path::new("/home/me/.cache/deskhand"));
        assert_eq!(by(&[("XDG_CACHE_HOME", "/k")]).cache, Path::new("/k/deskhand"));
        let moved =
            by(&[("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "")]);
        assert_eq!(moved.config, Path::new("/c/deskhand"));
        assert_eq!((moved.data, moved.state), (usual.data, usual.state));
    }

    #[test]
    fn the_runtime_folder_does_not_depend_on_how_a_process_was_started() {
        assert_eq!(by(&[]).runtime, by(&[("XDG_RUNTIME_DIR", "/elsewhere")]).runtime);
    }

    #[test]
    fn variables_of_ours_lead_to_the_same_folders_from_anywhere() {
        let first = by(&[("XDG_CONFIG_HOME", "/c")]);
        let handed: Vec<(&str, String)> = first
            .variables()
            .map(|(name, path)| (name, path.display().to_string()))
            .into_iter()
            .chain([("XDG_CONFIG_HOME", "/private".to_owned())])
            .collect();
        let handed: Vec<(&str, &str)> = handed.iter().map(|it| (it.0, it.1.as_str())).collect();
        assert_eq!(by(&handed), first);
    }
}
