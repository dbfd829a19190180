//! The private folders of a sandbox: a home and a folder for temporary files.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::profile::is_hidden;
use crate::{Network, Plan};

/// The private folders of one sandbox. Symbolic links are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrivateFolders {
    /// The home folder of programs.
    pub(crate) home: PathBuf,
    /// The folder for temporary files.
    pub(crate) temporary: PathBuf,
}

/// Returns the environment of every program. Values that point into the user's home point into the private home
/// instead, except `PATH`. In `PATH`, the developer tools come before `/usr/bin`.
pub(crate) fn environment(
    plan: &Plan,
    folders: &PrivateFolders,
    developer_tools: Option<&Path>,
) -> BTreeMap<String, String> {
    let redirect = |value: &String| {
        let inside = plan.home.as_ref().and_then(|home| Path::new(value).strip_prefix(home).ok());
        match inside {
            Some(rest) => folders.home.join(rest).to_string_lossy().into_owned(),
            None => value.clone(),
        }
    };
    let mut all: BTreeMap<String, String> = plan
        .environment
        .iter()
        .map(|(name, value)| {
            (name.clone(), if name == "PATH" { value.clone() } else { redirect(value) })
        })
        .collect();
    let developer_tools = developer_tools.filter(|folder| !is_hidden(plan, folder));
    if let (Some(path), Some(developer_tools)) = (all.get_mut("PATH"), developer_tools) {
        let own = developer_tools.to_string_lossy();
        let folders = path
            .split(':')
            .flat_map(|folder| (folder == "/usr/bin").then_some(&*own).into_iter().chain([folder]));
        *path = folders.collect::<Vec<_>>().join(":");
    }
    let home = folders.home.to_string_lossy().into_owned();
    all.insert("TMPDIR".to_owned(), folders.temporary.to_string_lossy().into_owned());
    // Apple's libraries read the home from the user database otherwise.
    all.insert("CFFIXED_USER_HOME".to_owned(), home.clone());
    all.insert("HOME".to_owned(), home);
    all
}

/// Returns the files to create in the private home, with their content.
pub(crate) fn home_files(plan: &Plan, folders: &PrivateFolders) -> Vec<(PathBuf, String)> {
    let home = plan.home.as_deref();
    let inside = |path: &Path| path.strip_prefix(home?).ok().map(|rest| folders.home.join(rest));
    plan.home_files.iter().filter_map(|(path, text)| Some((inside(path)?, text.clone()))).collect()
}

/// Returns the links to create in the private home, with their targets, so that tools are at their usual paths.
/// Folders below another link need none, and no link may cover a file of [`home_files`].
///
/// macOS has no overlays, so `overlays` folders are read-only. They are linked only without a network: with a
/// network, tools do better with an empty folder that they can write to.
pub(crate) fn links(plan: &Plan, folders: &PrivateFolders) -> Vec<(PathBuf, PathBuf)> {
    let Some(home) = plan.home.as_deref() else { return Vec::new() };
    let overlays = match plan.network {
        Network::Off => plan.overlays.as_slice(),
        Network::On | Network::Ports(_) => &[],
    };
    let mut visible: Vec<&PathBuf> =
        plan.readable.iter().chain(overlays).filter(|path| path.starts_with(home)).collect();
    visible.sort_unstable();
    visible.dedup();
    let mut links: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in visible {
        let covered = links.iter().any(|(_, to)| path.starts_with(to));
        let covers_home_file = plan.home_files.keys().any(|file| file.starts_with(path));
        if let Ok(rest) = path.strip_prefix(home)
            && !covered
            && !covers_home_file
        {
            links.push((folders.home.join(rest), path.clone()));
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Network, ResourceLimits};

    fn plan() -> Plan {
        let text = |words: &[(&str, &str)]| {
            words.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        Plan {
            scope: "/Users/ann/work".into(),
            readable: vec![
                "/Users/ann/.cargo/bin".into(),
                "/Users/ann/.rustup".into(),
                "/Users/ann/.rustup/toolchains".into(),
                "/usr/bin".into(),
            ],
            overlays: vec!["/Users/ann/.cargo/registry".into()],
            home: Some("/Users/ann".into()),
            home_files: [("/Users/ann/.gitconfig".into(), "[user]\n".to_owned())].into(),
            read_only: Vec::new(),
            scope_identity: (0, 0),
            network: Network::Off,
            limits: ResourceLimits::default(),
            environment: text(&[
                ("PATH", "/Users/ann/.cargo/bin:/usr/bin"),
                ("RUSTUP_HOME", "/Users/ann/.rustup"),
                ("HOME", "/Users/ann"),
                ("LANG", "en_GB.UTF-8"),
            ]),
        }
    }

    fn folders() -> PrivateFolders {
        PrivateFolders { home: "/t/home".into(), temporary: "/t/tmp".into() }
    }

    #[test]
    fn variables_point_into_the_private_home() {
        let all = environment(&plan(), &folders(), None);
        let value = |name: &str| all.get(name).map(String::as_str);
        assert_eq!(value("HOME"), Some("/t/home"));
        assert_eq!(value("TMPDIR"), Some("/t/tmp"));
        assert_eq!(value("RUSTUP_HOME"), Some("/t/home/.rustup"));
        assert_eq!(value("PATH"), Some("/Users/ann/.cargo/bin:/usr/bin"));
        assert_eq!(value("LANG"), Some("en_GB.UTF-8"));
    }

    #[test]
    fn developer_tools_come_before_usr_bin() {
        let all = environment(&plan(), &folders(), Some(Path::new("/X/usr/bin")));
        assert_eq!(
            all.get("PATH").map(String::as_str),
            Some("/Users/ann/.cargo/bin:/X/usr/bin:/usr/bin")
        );
        let hidden = Path::new("/Users/ann/Xcode.app/Contents/Developer/usr/bin");
        let all = environment(&plan(), &folders(), Some(hidden));
        let path = all.get("PATH").map(String::as_str);
        assert_eq!(path, Some("/Users/ann/.cargo/bin:/usr/bin"), "hidden tools cannot run");
    }

    #[test]
    fn tools_are_links_and_settings_are_files() {
        let linked = links(&plan(), &folders());
        let wanted = [".cargo/bin", ".cargo/registry", ".rustup"];
        let to =
            |name: &&str| (Path::new("/t/home").join(name), Path::new("/Users/ann").join(name));
        assert_eq!(linked, wanted.iter().map(to).collect::<Vec<_>>());
        assert_eq!(
            home_files(&plan(), &folders()),
            [("/t/home/.gitconfig".into(), "[user]\n".to_owned())]
        );
        let online = links(&Plan { network: Network::On, ..plan() }, &folders());
        assert!(!online.iter().any(|(path, _)| path.ends_with("registry")), "it must be writable");
        let homeless = Plan { home: None, ..plan() };
        assert!(
            links(&homeless, &folders()).is_empty() && home_files(&homeless, &folders()).is_empty()
        );
    }
}
