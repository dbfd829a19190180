//! What a sandbox has of its own: a folder in the place of the home, and one for what is temporary.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::profile::hides;
use crate::{Network, Plan};

/// The folders of one sandbox, without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// What programs take for their home.
    pub(crate) home: PathBuf,
    /// What they take for the place of temporary files.
    pub(crate) temporary: PathBuf,
}

/// Every variable a program gets that asks for none. Those that lead into the home lead into the one that
/// is in its place, except along which programs are looked for; there the tools for developers stand before
/// those of the system.
pub(crate) fn environment(
    plan: &Plan,
    place: &Place,
    developer: Option<&Path>,
) -> BTreeMap<String, String> {
    let led = |value: &String| {
        let inside = plan.home.as_ref().and_then(|home| Path::new(value).strip_prefix(home).ok());
        match inside {
            Some(rest) => place.home.join(rest).to_string_lossy().into_owned(),
            None => value.clone(),
        }
    };
    let mut all: BTreeMap<String, String> = plan
        .environment
        .iter()
        .map(|(name, value)| {
            (name.clone(), if name == "PATH" { value.clone() } else { led(value) })
        })
        .collect();
    let developer = developer.filter(|folder| !hides(plan, folder));
    if let (Some(path), Some(developer)) = (all.get_mut("PATH"), developer) {
        let own = developer.to_string_lossy();
        let folders = path
            .split(':')
            .flat_map(|folder| (folder == "/usr/bin").then_some(&*own).into_iter().chain([folder]));
        *path = folders.collect::<Vec<_>>().join(":");
    }
    let home = place.home.to_string_lossy().into_owned();
    all.insert("TMPDIR".to_owned(), place.temporary.to_string_lossy().into_owned());
    // Apple's libraries ask the list of users otherwise.
    all.insert("CFFIXED_USER_HOME".to_owned(), home.clone());
    all.insert("HOME".to_owned(), home);
    all
}

/// The files in the home, each with what is in it.
pub(crate) fn settings(plan: &Plan, place: &Place) -> Vec<(PathBuf, String)> {
    let home = plan.home.as_deref();
    let inside = |path: &Path| path.strip_prefix(home?).ok().map(|rest| place.home.join(rest));
    plan.settings.iter().filter_map(|(path, text)| Some((inside(path)?, text.clone()))).collect()
}

/// The links in the home, each with what it leads to: tools are where they are looked for. What lies below
/// another link needs none, and none is where a file with settings must be.
///
/// What is layered elsewhere can only be read here. Without a network it is all a tool has; with one, a tool
/// has more of an empty folder it can write to.
pub(crate) fn links(plan: &Plan, place: &Place) -> Vec<(PathBuf, PathBuf)> {
    let Some(home) = plan.home.as_deref() else { return Vec::new() };
    let layered = match plan.network {
        Network::Off => plan.layered.as_slice(),
        Network::On | Network::Ports(_) => &[],
    };
    let mut shown: Vec<&PathBuf> =
        plan.readable.iter().chain(layered).filter(|path| path.starts_with(home)).collect();
    shown.sort_unstable();
    shown.dedup();
    let mut links: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in shown {
        let covered = links.iter().any(|(_, to)| path.starts_with(to));
        let in_the_way = plan.settings.keys().any(|file| file.starts_with(path));
        if let Ok(rest) = path.strip_prefix(home)
            && !covered
            && !in_the_way
        {
            links.push((place.home.join(rest), path.clone()));
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Network};

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
            layered: vec!["/Users/ann/.cargo/registry".into()],
            home: Some("/Users/ann".into()),
            settings: [("/Users/ann/.gitconfig".into(), "[user]\n".to_owned())].into(),
            fixed: Vec::new(),
            identity: (0, 0),
            network: Network::Off,
            bounds: Bounds::default(),
            environment: text(&[
                ("PATH", "/Users/ann/.cargo/bin:/usr/bin"),
                ("RUSTUP_HOME", "/Users/ann/.rustup"),
                ("HOME", "/Users/ann"),
                ("LANG", "en_GB.UTF-8"),
            ]),
        }
    }

    fn place() -> Place {
        Place { home: "/t/home".into(), temporary: "/t/tmp".into() }
    }

    #[test]
    fn variables_lead_into_the_home_that_is_in_the_place_of_the_real_one() {
        let all = environment(&plan(), &place(), None);
        let value = |name: &str| all.get(name).map(String::as_str);
        assert_eq!(value("HOME"), Some("/t/home"));
        assert_eq!(value("TMPDIR"), Some("/t/tmp"));
        assert_eq!(value("RUSTUP_HOME"), Some("/t/home/.rustup"));
        assert_eq!(value("PATH"), Some("/Users/ann/.cargo/bin:/usr/bin"));
        assert_eq!(value("LANG"), Some("en_GB.UTF-8"));
    }

    #[test]
    fn tools_for_developers_stand_before_those_that_look_for_them() {
        let all = environment(&plan(), &place(), Some(Path::new("/X/usr/bin")));
        assert_eq!(
            all.get("PATH").map(String::as_str),
            Some("/Users/ann/.cargo/bin:/X/usr/bin:/usr/bin")
        );
        let hidden = Path::new("/Users/ann/Xcode.app/Contents/Developer/usr/bin");
        let all = environment(&plan(), &place(), Some(hidden));
        let path = all.get("PATH").map(String::as_str);
        assert_eq!(path, Some("/Users/ann/.cargo/bin:/usr/bin"), "nobody could run what is there");
    }

    #[test]
    fn tools_are_linked_and_settings_are_files() {
        let linked = links(&plan(), &place());
        let wanted = [".cargo/bin", ".cargo/registry", ".rustup"];
        let to =
            |name: &&str| (Path::new("/t/home").join(name), Path::new("/Users/ann").join(name));
        assert_eq!(linked, wanted.iter().map(to).collect::<Vec<_>>());
        assert_eq!(
            settings(&plan(), &place()),
            [("/t/home/.gitconfig".into(), "[user]\n".to_owned())]
        );
        let online = links(&Plan { network: Network::On, ..plan() }, &place());
        assert!(!online.iter().any(|(path, _)| path.ends_with("registry")), "it is written to");
        let homeless = Plan { home: None, ..plan() };
        assert!(links(&homeless, &place()).is_empty() && settings(&homeless, &place()).is_empty());
    }
}
