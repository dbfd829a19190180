//! The folders a person's settings, records and approvals are in, whichever desktop a program of
//! theirs runs on.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// The folders of one person. None of them is made here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// What the person writes: settings, rules, approvals by hand.
    pub config: PathBuf,
    /// What is kept for the person: the log of calls.
    pub data: PathBuf,
    /// What is remembered: approvals.
    pub state: PathBuf,
    /// What can be thrown away: logs, long outputs.
    pub cache: PathBuf,
    /// What ends with the machine: the halt.
    pub runtime: PathBuf,
}

impl Folders {
    /// The variables that name them where the usual ones are not meant.
    pub const VARIABLES: [&str; 5] = [
        "DESKHAND_CONFIG_DIR",
        "DESKHAND_DATA_DIR",
        "DESKHAND_STATE_DIR",
        "DESKHAND_CACHE_DIR",
        "DESKHAND_RUNTIME_DIR",
    ];

    /// Those the variables of this process lead to.
    pub fn found() -> Self {
        Self::by(&|name| std::env::var_os(name), &std::env::home_dir().unwrap_or_default())
    }

    /// Those below the home of a private desktop.
    pub(crate) fn below(home: &Path, runtime: &Path) -> Self {
        Self {
            config: home.join(".config/deskhand"),
            data: home.join(".local/share/deskhand"),
            state: home.join(".local/state/deskhand"),
            cache: home.join(".cache/deskhand"),
            runtime: runtime.join("deskhand"),
        }
    }

    /// The variables that lead other processes to them.
    pub fn variables(&self) -> [(&'static str, &Path); 5] {
        let [config, data, state, cache, runtime] = Self::VARIABLES;
        [
            (config, &self.config),
            (data, &self.data),
            (state, &self.state),
            (cache, &self.cache),
            (runtime, &self.runtime),
        ]
    }

    fn by(variable: &dyn Fn(&str) -> Option<OsString>, home: &Path) -> Self {
        // The XDG base directory specification wants relative paths ignored.
        let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = |own: &str, base: &str, usual: &str| {
            set(own)
                .unwrap_or_else(|| set(base).unwrap_or_else(|| home.join(usual)).join("deskhand"))
        };
        let [config, data, state, cache, runtime] = Self::VARIABLES;
        Self {
            config: folder(config, "XDG_CONFIG_HOME", ".config"),
            data: folder(data, "XDG_DATA_HOME", ".local/share"),
            state: folder(state, "XDG_STATE_HOME", ".local/state"),
            cache: folder(cache, "XDG_CACHE_HOME", ".cache"),
            runtime: set(runtime).unwrap_or_else(usual_runtime),
        }
    }
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
        Folders::by(&value, Path::new("/home/me"))
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
