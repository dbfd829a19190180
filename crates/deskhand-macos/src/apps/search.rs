//! Which program a person means.

use std::{
    fs,
    path::{Path, PathBuf},
};

use deskhand_platform::{Program, Sought};

use super::{
    Workspace,
    bundle::Bundle,
    installed::{base, is_program},
    web_engine,
};

/// How many near misses are named.
const NEAR: usize = 6;

/// Where macOS and people put apps; the last holds Finder and others that nobody starts by hand.
const FOLDERS: [&str; 5] = [
    "/Applications",
    "/System/Applications",
    "/System/Cryptexes/App/System/Applications",
    "/System/Library/CoreServices/Applications",
    "/System/Library/CoreServices",
];

/// How deep folders of apps lie in others.
const DEPTH: usize = 2;

/// Where programs are looked for.
pub(super) struct Places {
    pub(super) bundles: Vec<Bundle>,
    /// The search path.
    pub(super) path: Vec<PathBuf>,
    languages: Vec<String>,
}

impl Places {
    /// The places of this user.
    pub(super) fn own(workspace: &impl Workspace) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("Applications"));
        let folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).chain(home).collect();
        Self::of(&folders, std::env::split_paths(&path).collect(), workspace.languages())
    }

    /// The apps in some folders, each once however many links lead there.
    pub(super) fn of(folders: &[PathBuf], path: Vec<PathBuf>, languages: Vec<String>) -> Self {
        let mut apps = Vec::new();
        for folder in folders {
            collect(folder, DEPTH, &mut apps);
        }
        let mut seen = Vec::new();
        apps.retain(|app| match fs::canonicalize(app) {
            Ok(real) if seen.contains(&real) => false,
            Ok(real) => {
                seen.push(real);
                true
            }
            Err(_) => false,
        });
        let bundles = apps.iter().filter_map(|app| Bundle::read(app, &languages)).collect();
        Self { bundles, path, languages }
    }

    /// Finds the program a word means, from the surest reading to the loosest.
    pub(super) fn find(&self, wanted: &str, with_id: impl Fn(&str) -> Option<PathBuf>) -> Sought {
        if wanted.contains('/') {
            return self.at(Path::new(wanted)).map_or_else(|| self.none(wanted), Sought::One);
        }
        let name = wanted.strip_suffix(".app").unwrap_or(wanted).to_lowercase();
        let has_id =
            |bundle: &Bundle, fits: &dyn Fn(&str) -> bool| bundle.id.as_deref().is_some_and(fits);
        let last = |id: &str| id.rsplit('.').next().is_some_and(|part| part.to_lowercase() == name);
        let rules: [&dyn Fn(&Bundle) -> bool; 4] = [
            &|bundle| has_id(bundle, &|id| id == wanted),
            &|bundle| bundle.names.iter().any(|one| one.to_lowercase() == name),
            &|bundle| has_id(bundle, &|id| id.eq_ignore_ascii_case(wanted) || last(id)),
            &|bundle| {
                let program = bundle.program.as_deref().and_then(base);
                program.is_some_and(|program| program.to_lowercase() == name)
            },
        ];
        for rule in rules {
            if let Some(found) = self.by(rule) {
                return found;
            }
        }
        let elsewhere = || Bundle::read(&with_id(wanted)?, &self.languages);
        if let Some(program) = elsewhere().and_then(|bundle| described(&bundle)) {
            return Sought::One(program);
        }
        match self.path.iter().map(|folder| folder.join(wanted)).find(|path| is_program(path)) {
            Some(file) => Sought::One(plain(wanted, &file)),
            None => self.none(wanted),
        }
    }

    /// The apps a rule fits; those that are seen go before those that work unseen.
    fn by(&self, rule: &dyn Fn(&Bundle) -> bool) -> Option<Sought> {
        let fitting: Vec<&Bundle> = self.bundles.iter().filter(|bundle| rule(bundle)).collect();
        let seen: Vec<&Bundle> = fitting.iter().copied().filter(|bundle| !bundle.unseen).collect();
        let chosen = if seen.is_empty() { fitting } else { seen };
        let mut found: Vec<Program> = chosen.into_iter().filter_map(described).collect();
        match found.len() {
            0 => None,
            1 => found.pop().map(Sought::One),
            _ => Some(Sought::Several(found)),
        }
    }

    /// The app or program at a path.
    fn at(&self, path: &Path) -> Option<Program> {
        let whole = std::path::absolute(path).ok()?;
        if whole.is_dir() {
            return Bundle::read(&whole, &self.languages).as_ref().and_then(described);
        }
        is_program(&whole).then(|| Some(plain(whole.file_name()?.to_str()?, &whole)))?
    }

    fn none(&self, wanted: &str) -> Sought {
        let lower = wanted.rsplit('/').find(|part| !part.is_empty()).unwrap_or(wanted);
        let lower = lower.strip_suffix(".app").unwrap_or(lower).to_lowercase();
        let fits = |text: &str| {
            let text = text.to_lowercase();
            !text.is_empty() && (text.contains(&lower) || lower.contains(&text))
        };
        let near = self.bundles.iter().filter(|bundle| {
            let mut words = bundle.names.iter().chain(&bundle.id);
            !bundle.unseen && words.any(|word| fits(word))
        });
        let mut near: Vec<String> =
            near.filter_map(|bundle| bundle.names.first().cloned()).collect();
        near.dedup();
        near.truncate(NEAR);
        Sought::None { near }
    }
}

/// The apps in a folder, and in folders in it that are no apps.
fn collect(folder: &Path, depth: usize, apps: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|ending| ending == "app") {
            apps.push(path);
        } else if depth > 1 && path.extension().is_none() && path.is_dir() {
            collect(&path, depth - 1, apps);
        }
    }
}

/// The program an app is; `None` when it has none.
fn described(bundle: &Bundle) -> Option<Program> {
    let added = web_engine::flags(&bundle.path);
    let program = bundle.program.as_ref()?.to_string_lossy().into_owned();
    let command: Vec<String> = std::iter::once(program).chain(added.clone()).collect();
    Some(Program {
        name: bundle.names.first()?.clone(),
        id: bundle.id.clone(),
        file: Some(bundle.path.clone()),
        arguments_at: command.len(),
        command,
        added,
        folder: None,
        terminal: false,
    })
}

/// A program that is started as it is, be it within an app or not.
fn plain(name: &str, file: &Path) -> Program {
    let app = Bundle::around(file);
    let added = app.map(|app| web_engine::flags(&app.path)).unwrap_or_default();
    let command: Vec<String> =
        std::iter::once(file.to_string_lossy().into_owned()).chain(added.clone()).collect();
    Program {
        name: name.to_owned(),
        id: None,
        file: None,
        arguments_at: command.len(),
        command,
        added,
        folder: None,
        terminal: false,
    }
}

#[cfg(test)]
mod tests {
    use plist::Value;

    use super::*;
    use crate::apps::bundle::tests::app;

    fn id(found: Sought) -> String {
        match found {
            Sought::One(program) => program.id.unwrap_or_else(|| program.command[0].clone()),
            Sought::Several(found) => format!("{} of them", found.len()),
            Sought::None { near } => format!("none, near {near:?}"),
        }
    }

    #[test]
    fn a_word_is_read_from_the_surest_way_to_the_loosest() {
        let place = tempfile::tempdir().unwrap();
        let (apps, other) = (place.path().join("Applications"), place.path().join("other"));
        let code = [("CFBundleDisplayName", Value::from("Code"))];
        app(&apps, "Visual Studio Code", "com.microsoft.VSCode", &code);
        app(&apps.join("Utilities"), "Terminal", "com.apple.Terminal", &[]);
        app(&apps, "Twice", "org.twice", &[]);
        app(&other, "Twice", "org.twice", &[]);
        app(&apps, "Agent", "org.agent", &[("LSUIElement", true.into())]);
        app(&apps, "Agent Two", "org.agent.Agent", &[]);
        let broken = app(&apps, "Broken", "org.broken", &[]);
        fs::remove_file(broken.join("Contents/MacOS/run")).unwrap();
        let far = app(place.path(), "Far", "org.far", &[]);
        std::os::unix::fs::symlink(apps.join("Twice.app"), other.join("Link.app")).unwrap();
        let path = vec!["/usr/bin".into(), "/bin".into()];
        let places = Places::of(&[apps.clone(), other], path, Vec::new());
        let with_id = |id: &str| (id == "org.far").then(|| far.clone());
        let find = |wanted: &str| id(places.find(wanted, with_id));
        assert_eq!(find("com.microsoft.VSCode"), "com.microsoft.VSCode");
        assert_eq!(find("visual studio code"), "com.microsoft.VSCode");
        assert_eq!(find("Code"), "com.microsoft.VSCode");
        assert_eq!(find("VSCode"), "com.microsoft.VSCode");
        assert_eq!(find("Terminal.app"), "com.apple.Terminal");
        assert_eq!(find("twice"), "2 of them", "and not three, as one is a link");
        assert_eq!(find("Agent"), "org.agent", "also one that works unseen");
        assert_eq!(find("org.far"), "org.far");
        assert_eq!(find("ls"), "/usr/bin/ls");
        assert_eq!(find("/bin/ls"), "/bin/ls");
        assert_eq!(find(&far.display().to_string()), "org.far");
        assert_eq!(find("Broken"), "none, near [\"Broken\"]");
        assert_eq!(find("/no/such/Terminal.app/"), "none, near [\"Terminal\"]");
        assert_eq!(find(&apps.display().to_string()), "none, near []");
    }

    #[test]
    fn an_app_on_a_web_engine_is_told_to_show_its_tree() {
        let place = tempfile::tempdir().unwrap();
        let path = app(place.path(), "Chat", "org.chat", &[]);
        fs::create_dir_all(path.join("Contents/Frameworks/Electron Framework.framework")).unwrap();
        let places = Places::of(&[place.path().to_owned()], Vec::new(), Vec::new());
        let Sought::One(found) = places.find("Chat", |_| None) else { panic!() };
        assert_eq!((found.added.len(), found.arguments_at), (3, 4));
        assert_eq!(found.command[1..], found.added);
        assert_eq!(found.file.as_ref(), Some(&path));
        let program = path.join("Contents/MacOS/run");
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let Sought::One(alone) = places.find(program.to_str().unwrap(), |_| None) else { panic!() };
        assert_eq!((alone.added.len(), alone.arguments_at, alone.file), (3, 4, None));
    }
}
