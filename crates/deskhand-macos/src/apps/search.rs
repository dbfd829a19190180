//! Finds the program that the user means.

use std::{
    fs,
    path::{Path, PathBuf},
};

use deskhand_platform::{LaunchableProgram, ProgramMatch};

use super::{
    WorkspaceApi,
    bundle::AppBundle,
    installed::{file_name, is_executable},
    web_engine,
};

/// Upper limit of suggestions if no program is found.
const MAX_SUGGESTIONS: usize = 6;

/// The folders of apps. The last one contains Finder and apps that users do not start themselves.
const APP_FOLDERS: [&str; 5] = [
    "/Applications",
    "/System/Applications",
    "/System/Cryptexes/App/System/Applications",
    "/System/Library/CoreServices/Applications",
    "/System/Library/CoreServices",
];

/// The depth to which folders are searched for apps.
const MAX_DEPTH: usize = 2;

/// A search for programs by name.
pub(super) struct ProgramSearch {
    bundles: Vec<AppBundle>,
    /// The folders of `PATH`.
    path: Vec<PathBuf>,
    languages: Vec<String>,
}

impl ProgramSearch {
    /// Searches the app folders and the `PATH` of the user.
    pub(super) fn for_user(workspace: &impl WorkspaceApi) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("Applications"));
        let folders: Vec<PathBuf> = APP_FOLDERS.iter().map(PathBuf::from).chain(home).collect();
        let path = std::env::split_paths(&path).collect();
        Self::new(&folders, path, workspace.preferred_languages())
    }

    /// Searches these folders. An app that several links lead to counts once.
    pub(super) fn new(folders: &[PathBuf], path: Vec<PathBuf>, languages: Vec<String>) -> Self {
        let mut apps = Vec::new();
        for folder in folders {
            collect_apps(folder, MAX_DEPTH, &mut apps);
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
        let bundles = apps.iter().filter_map(|app| AppBundle::read(app, &languages)).collect();
        Self { bundles, path, languages }
    }

    /// Finds a program, trying the strictest match first.
    pub(super) fn find(
        &self,
        wanted: &str,
        app_with_bundle_id: impl Fn(&str) -> Option<PathBuf>,
    ) -> ProgramMatch {
        if wanted.contains('/') {
            let found = self.at_path(Path::new(wanted));
            return found.map_or_else(|| self.not_found(wanted), ProgramMatch::One);
        }
        let name = wanted.strip_suffix(".app").unwrap_or(wanted).to_lowercase();
        let has_id = |bundle: &AppBundle, matches: &dyn Fn(&str) -> bool| {
            bundle.id.as_deref().is_some_and(matches)
        };
        let last_part_is =
            |id: &str| id.rsplit('.').next().is_some_and(|part| part.to_lowercase() == name);
        let rules: [&dyn Fn(&AppBundle) -> bool; 4] = [
            &|bundle| has_id(bundle, &|id| id == wanted),
            &|bundle| bundle.names.iter().any(|one| one.to_lowercase() == name),
            &|bundle| has_id(bundle, &|id| id.eq_ignore_ascii_case(wanted) || last_part_is(id)),
            &|bundle| {
                let executable = bundle.executable.as_deref().and_then(file_name);
                executable.is_some_and(|executable| executable.to_lowercase() == name)
            },
        ];
        for rule in rules {
            if let Some(found) = self.matching(rule) {
                return found;
            }
        }
        let elsewhere = || AppBundle::read(&app_with_bundle_id(wanted)?, &self.languages);
        if let Some(program) = elsewhere().and_then(|bundle| app_program(&bundle)) {
            return ProgramMatch::One(program);
        }
        let mut on_path = self.path.iter().map(|folder| folder.join(wanted));
        match on_path.find(|path| is_executable(path)) {
            Some(file) => ProgramMatch::One(plain_program(wanted, &file)),
            None => self.not_found(wanted),
        }
    }

    /// The apps that a rule matches. Background apps count only if there are no others.
    fn matching(&self, rule: &dyn Fn(&AppBundle) -> bool) -> Option<ProgramMatch> {
        let matching: Vec<&AppBundle> = self.bundles.iter().filter(|bundle| rule(bundle)).collect();
        let foreground: Vec<&AppBundle> =
            matching.iter().copied().filter(|bundle| !bundle.is_background).collect();
        let chosen = if foreground.is_empty() { matching } else { foreground };
        let mut found: Vec<LaunchableProgram> =
            chosen.into_iter().filter_map(app_program).collect();
        match found.len() {
            0 => None,
            1 => found.pop().map(ProgramMatch::One),
            _ => Some(ProgramMatch::Several(found)),
        }
    }

    /// The app or program at a path.
    fn at_path(&self, path: &Path) -> Option<LaunchableProgram> {
        let absolute = std::path::absolute(path).ok()?;
        if absolute.is_dir() {
            return AppBundle::read(&absolute, &self.languages).as_ref().and_then(app_program);
        }
        is_executable(&absolute)
            .then(|| Some(plain_program(absolute.file_name()?.to_str()?, &absolute)))?
    }

    /// The result without a match, with suggestions.
    fn not_found(&self, wanted: &str) -> ProgramMatch {
        let lower = wanted.rsplit('/').find(|part| !part.is_empty()).unwrap_or(wanted);
        let lower = lower.strip_suffix(".app").unwrap_or(lower).to_lowercase();
        let is_similar = |text: &str| {
            let text = text.to_lowercase();
            !text.is_empty() && (text.contains(&lower) || lower.contains(&text))
        };
        let similar = self.bundles.iter().filter(|bundle| {
            let mut names = bundle.names.iter().chain(&bundle.id);
            !bundle.is_background && names.any(|name| is_similar(name))
        });
        let mut near: Vec<String> =
            similar.filter_map(|bundle| bundle.names.first().cloned()).collect();
        near.dedup();
        near.truncate(MAX_SUGGESTIONS);
        ProgramMatch::None { suggestions: near }
    }
}

/// Collects the apps in a folder and its subfolders.
fn collect_apps(folder: &Path, depth: usize, apps: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|ending| ending == "app") {
            apps.push(path);
        } else if depth > 1 && path.extension().is_none() && path.is_dir() {
            collect_apps(&path, depth - 1, apps);
        }
    }
}

/// The program of an app, or `None` if it has no executable.
fn app_program(bundle: &AppBundle) -> Option<LaunchableProgram> {
    let added = web_engine::accessibility_flags(&bundle.path);
    let program = bundle.executable.as_ref()?.to_string_lossy().into_owned();
    let command: Vec<String> = std::iter::once(program).chain(added.clone()).collect();
    Some(LaunchableProgram {
        name: bundle.names.first()?.clone(),
        id: bundle.id.clone(),
        file: Some(bundle.path.clone()),
        arguments_index: command.len(),
        command,
        added_arguments: added,
        working_dir: None,
        needs_terminal: false,
    })
}

/// A program that is started directly, whether or not it is inside an app.
fn plain_program(name: &str, file: &Path) -> LaunchableProgram {
    let app = AppBundle::of_executable(file);
    let added = app.map(|app| web_engine::accessibility_flags(&app.path)).unwrap_or_default();
    let command: Vec<String> =
        std::iter::once(file.to_string_lossy().into_owned()).chain(added.clone()).collect();
    LaunchableProgram {
        name: name.to_owned(),
        id: None,
        file: None,
        arguments_index: command.len(),
        command,
        added_arguments: added,
        working_dir: None,
        needs_terminal: false,
    }
}

#[cfg(test)]
mod tests {
    use plist::Value;

    use super::*;
    use crate::apps::bundle::tests::app;

    fn id(found: ProgramMatch) -> String {
        match found {
            ProgramMatch::One(program) => program.id.unwrap_or_else(|| program.command[0].clone()),
            ProgramMatch::Several(found) => format!("{} of them", found.len()),
            ProgramMatch::None { suggestions: near } => format!("none, near {near:?}"),
        }
    }

    #[test]
    fn the_strictest_match_wins() {
        let folder = tempfile::tempdir().unwrap();
        let (apps, other) = (folder.path().join("Applications"), folder.path().join("other"));
        let code = [("CFBundleDisplayName", Value::from("Code"))];
        app(&apps, "Visual Studio Code", "com.microsoft.VSCode", &code);
        app(&apps.join("Utilities"), "Terminal", "com.apple.Terminal", &[]);
        app(&apps, "Twice", "org.twice", &[]);
        app(&other, "Twice", "org.twice", &[]);
        app(&apps, "Agent", "org.agent", &[("LSUIElement", true.into())]);
        app(&apps, "Agent Two", "org.agent.Agent", &[]);
        let broken = app(&apps, "Broken", "org.broken", &[]);
        fs::remove_file(broken.join("Contents/MacOS/run")).unwrap();
        let far = app(folder.path(), "Far", "org.far", &[]);
        std::os::unix::fs::symlink(apps.join("Twice.app"), other.join("Link.app")).unwrap();
        let path = vec!["/usr/bin".into(), "/bin".into()];
        let search = ProgramSearch::new(&[apps.clone(), other], path, Vec::new());
        let app_with_bundle_id = |id: &str| (id == "org.far").then(|| far.clone());
        let find = |wanted: &str| id(search.find(wanted, app_with_bundle_id));
        assert_eq!(find("com.microsoft.VSCode"), "com.microsoft.VSCode");
        assert_eq!(find("visual studio code"), "com.microsoft.VSCode");
        assert_eq!(find("Code"), "com.microsoft.VSCode");
        assert_eq!(find("VSCode"), "com.microsoft.VSCode");
        assert_eq!(find("Terminal.app"), "com.apple.Terminal");
        assert_eq!(find("twice"), "2 of them", "the link does not count");
        assert_eq!(find("Agent"), "org.agent", "a background app");
        assert_eq!(find("org.far"), "org.far");
        assert_eq!(find("ls"), "/usr/bin/ls");
        assert_eq!(find("/bin/ls"), "/bin/ls");
        assert_eq!(find(&far.display().to_string()), "org.far");
        assert_eq!(find("Broken"), "none, near [\"Broken\"]");
        assert_eq!(find("/no/such/Terminal.app/"), "none, near [\"Terminal\"]");
        assert_eq!(find(&apps.display().to_string()), "none, near []");
    }

    #[test]
    fn an_app_with_a_web_engine_gets_accessibility_flags() {
        let folder = tempfile::tempdir().unwrap();
        let path = app(folder.path(), "Chat", "org.chat", &[]);
        fs::create_dir_all(path.join("Contents/Frameworks/Electron Framework.framework")).unwrap();
        let search = ProgramSearch::new(&[folder.path().to_owned()], Vec::new(), Vec::new());
        let ProgramMatch::One(found) = search.find("Chat", |_| None) else { panic!("not found") };
        assert_eq!((found.added_arguments.len(), found.arguments_index), (3, 4));
        assert_eq!(found.command[1..], found.added_arguments);
        assert_eq!(found.file.as_ref(), Some(&path));
        let program = path.join("Contents/MacOS/run");
        fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let ProgramMatch::One(alone) = search.find(program.to_str().unwrap(), |_| None) else {
            panic!("not found")
        };
        assert_eq!((alone.added_arguments.len(), alone.arguments_index, alone.file), (3, 4, None));
    }
}
