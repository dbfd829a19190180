//! Desktop files, as defined by the Desktop Entry Specification.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The keys of a desktop file that are needed to recognize and start its program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DesktopEntry {
    pub(crate) id: String,
    pub(crate) file: PathBuf,
    pub(crate) name: String,
    /// The name in the user's language.
    pub(crate) local_name: Option<String>,
    pub(crate) generic_name: Option<String>,
    pub(crate) local_generic_name: Option<String>,
    pub(crate) exec: String,
    pub(crate) try_exec: Option<String>,
    pub(crate) icon: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) class: Option<String>,
    pub(crate) terminal: bool,
    /// `true` if menus do not show it.
    pub(crate) unlisted: bool,
    /// `true` if it counts as deleted. It then hides a file with the same id in a later folder.
    pub(crate) deleted: bool,
}

impl DesktopEntry {
    /// Parses a desktop file. Returns `None` if it does not describe a program.
    pub(crate) fn parse(id: &str, file: &Path, text: &str, languages: &[String]) -> Option<Self> {
        let mut entry = Self { id: id.to_owned(), file: file.to_owned(), ..Self::default() };
        let mut is_program = true;
        let (mut name_rank, mut generic_rank) = (usize::MAX, usize::MAX);
        for (key, value) in main_group(text) {
            let text = || unescape(value);
            match key {
                "Type" => is_program = value == "Application",
                "Name" => entry.name = text(),
                "GenericName" => entry.generic_name = Some(text()),
                "Exec" => entry.exec = text(),
                "TryExec" => entry.try_exec = Some(text()),
                "Icon" => entry.icon = Some(text()),
                "Path" => entry.folder = Some(text()).filter(|path| !path.is_empty()),
                "StartupWMClass" => entry.class = Some(text()),
                "Terminal" => entry.terminal = value == "true",
                "NoDisplay" => entry.unlisted = value == "true",
                "Hidden" => entry.deleted = value == "true",
                other => {
                    let rank = |name| language_rank(other, name, languages);
                    if let Some(rank) = rank("Name").filter(|rank| *rank < name_rank) {
                        (name_rank, entry.local_name) = (rank, Some(text()));
                    }
                    if let Some(rank) = rank("GenericName").filter(|rank| *rank < generic_rank) {
                        (generic_rank, entry.local_generic_name) = (rank, Some(text()));
                    }
                }
            }
        }
        (is_program && (entry.deleted || !entry.exec.is_empty())).then_some(entry)
    }

    /// Returns the name that the user's menus show.
    pub(crate) fn shown_name(&self) -> &str {
        self.local_name.as_deref().unwrap_or(&self.name)
    }
}

fn main_group(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .map(str::trim)
        .skip_while(|line| *line != "[Desktop Entry]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim_end(), value.trim_start()))
}

/// Returns how well the language of a key such as `Name[de_AT]` matches; 0 is the best match.
fn language_rank(key: &str, name: &str, languages: &[String]) -> Option<usize> {
    let language = key.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
    languages.iter().position(|one| one == language)
}

/// Resolves the escape sequences of a value.
fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('s') => out.push(' '),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\\') => out.push('\\'),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}

/// Returns the languages of a locale such as `de_AT.UTF-8@euro`, the closest first.
pub(crate) fn languages(locale: &str) -> Vec<String> {
    let (rest, modifier) = locale.split_once('@').map_or((locale, None), |(a, b)| (a, Some(b)));
    let rest = rest.split('.').next().unwrap_or(rest);
    let (language, country) = rest.split_once('_').map_or((rest, None), |(a, b)| (a, Some(b)));
    if matches!(language, "" | "C" | "POSIX") {
        return Vec::new();
    }
    let mut all = Vec::new();
    if let (Some(country), Some(modifier)) = (country, modifier) {
        all.push(format!("{language}_{country}@{modifier}"));
    }
    all.extend(country.map(|country| format!("{language}_{country}")));
    all.extend(modifier.map(|modifier| format!("{language}@{modifier}")));
    all.push(language.to_owned());
    all
}

/// Returns the languages of this user.
pub(crate) fn user_languages() -> Vec<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG"));
    languages(&locale.unwrap_or_default())
}

/// Returns the folders with desktop files. Files in an earlier folder hide those in a later one.
pub(crate) fn folders() -> Vec<PathBuf> {
    let home = std::env::var("XDG_DATA_HOME").map(PathBuf::from).unwrap_or_else(|_| {
        Path::new(&std::env::var("HOME").unwrap_or_default()).join(".local/share")
    });
    let system = std::env::var("XDG_DATA_DIRS")
        .ok()
        .filter(|dirs| !dirs.is_empty())
        .unwrap_or_else(|| "/usr/local/share:/usr/share".to_owned());
    std::iter::once(home)
        .chain(system.split(':').map(PathBuf::from))
        .map(|dir| dir.join("applications"))
        .collect()
}

/// Returns all desktop files with their ids, including those hidden by a file with the same id.
pub(crate) fn files_in(folders: &[PathBuf]) -> impl Iterator<Item = (String, PathBuf)> {
    folders.iter().flat_map(|folder| list_files(folder, "", 2))
}

/// Returns the command in a desktop file. If there are several, the last one counts, as when it is
/// started.
pub(crate) fn command(text: &str) -> Option<String> {
    let commands = main_group(text).filter(|(key, _)| *key == "Exec");
    commands.last().map(|(_, value)| unescape(value))
}

/// Reads all installed desktop files, one per id, sorted by id.
pub(crate) fn read_all(folders: &[PathBuf]) -> Vec<DesktopEntry> {
    let languages = user_languages();
    let mut found: std::collections::BTreeMap<String, DesktopEntry> =
        std::collections::BTreeMap::new();
    for folder in folders {
        for (id, path) in list_files(folder, "", 2) {
            if found.contains_key(&id) {
                continue;
            }
            // A file that cannot be read describes no program.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if let Some(entry) = DesktopEntry::parse(&id, &path, &text, &languages) {
                found.insert(id, entry);
            }
        }
    }
    found.into_values().filter(|entry| !entry.deleted).collect()
}

/// Returns the desktop files below a folder with their ids. Subfolder names are part of the id.
fn list_files(folder: &Path, prefix: &str, depth: usize) -> Vec<(String, PathBuf)> {
    let Ok(inside) = fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for one in inside.flatten() {
        let (path, name) = (one.path(), one.file_name());
        let Some(name) = name.to_str() else { continue };
        if let Some(stem) = name.strip_suffix(".desktop") {
            all.push((format!("{prefix}{stem}"), path));
        } else if depth > 0 && path.is_dir() {
            all.extend(list_files(&path, &format!("{prefix}{name}-"), depth - 1));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# a comment\n[Desktop Entry]\nType=Application\nName=Calculator\n\
        Name[de]=Rechner\nName[de_AT]=Rechenmaschine\nGenericName=Adding\\smachine\n\
        Exec=sh -c \"echo \\\\\\\\$HOME\" %U\nNoDisplay=true\nPath=/tmp\n\
        [Desktop Action new]\nName=New\nExec=other";

    fn entry(locale: &str) -> DesktopEntry {
        DesktopEntry::parse("calc", Path::new("/x/calc.desktop"), FILE, &languages(locale)).unwrap()
    }

    #[test]
    fn names_use_the_closest_language() {
        assert_eq!(entry("C").shown_name(), "Calculator");
        assert_eq!(entry("de_DE.UTF-8").shown_name(), "Rechner");
        assert_eq!(entry("de_AT@euro").shown_name(), "Rechenmaschine");
        assert_eq!(entry("fr").shown_name(), "Calculator");
    }

    #[test]
    fn one_layer_of_escapes_is_resolved_and_other_groups_are_ignored() {
        let entry = entry("C");
        assert_eq!(entry.exec, "sh -c \"echo \\\\$HOME\" %U");
        assert_eq!(entry.generic_name.as_deref(), Some("Adding machine"));
        assert!(entry.unlisted && !entry.terminal);
        assert_eq!(entry.folder.as_deref(), Some("/tmp"));
    }

    #[test]
    fn links_and_files_without_a_command_describe_no_program() {
        let parse = |text: &str| DesktopEntry::parse("x", Path::new("x"), text, &[]);
        assert_eq!(parse("[Desktop Entry]\nType=Link\nExec=a"), None);
        assert_eq!(parse("[Desktop Entry]\nType=Application\nName=a"), None);
        assert!(parse("[Desktop Entry]\nHidden=true").is_some_and(|entry| entry.deleted));
    }

    #[test]
    fn of_two_commands_the_last_one_is_checked_and_started() {
        let text = "[Desktop Entry]\nExec=mousepad\nExec=xterm";
        let entry = DesktopEntry::parse("x", Path::new("x"), text, &[]).unwrap();
        assert_eq!((command(text).as_deref(), entry.exec.as_str()), (Some("xterm"), "xterm"));
    }

    #[test]
    fn locales_are_tried_from_the_closest_to_the_most_general() {
        assert_eq!(languages("sr_YU@Latn"), ["sr_YU@Latn", "sr_YU", "sr@Latn", "sr"]);
        assert_eq!(languages("C.UTF-8"), Vec::<String>::new());
    }

    #[test]
    fn an_earlier_folder_hides_a_later_one() -> std::io::Result<()> {
        let (own, system) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let write = |folder: &Path, name: &str, text: &str| fs::write(folder.join(name), text);
        write(own.path(), "a.desktop", "[Desktop Entry]\nName=Mine\nExec=a")?;
        write(own.path(), "b.desktop", "[Desktop Entry]\nHidden=true")?;
        for name in ["a.desktop", "b.desktop"] {
            write(system.path(), name, "[Desktop Entry]\nName=Theirs\nExec=a")?;
        }
        fs::create_dir(system.path().join("kde"))?;
        write(&system.path().join("kde"), "c.desktop", "[Desktop Entry]\nName=C\nExec=c")?;
        let all = read_all(&[own.path().to_owned(), system.path().to_owned()]);
        let found: Vec<_> = all.iter().map(|e| (e.id.as_str(), e.name.as_str())).collect();
        assert_eq!(found, [("a", "Mine"), ("kde-c", "C")]);
        Ok(())
    }
}
