//! One desktop file: what it says about a program.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a desktop file says, as far as starting and recognising its program goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Entry {
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
    /// Not shown in menus.
    pub(crate) unlisted: bool,
    /// As good as deleted; it only hides one of the same id in a folder that comes later.
    pub(crate) deleted: bool,
}

impl Entry {
    /// Reads the text of a desktop file; `None` when it describes no program.
    pub(crate) fn parse(id: &str, file: &Path, text: &str, languages: &[String]) -> Option<Self> {
        let mut entry = Self { id: id.to_owned(), file: file.to_owned(), ..Self::default() };
        let mut is_program = true;
        let (mut name_rank, mut generic_rank) = (usize::MAX, usize::MAX);
        for (key, value) in main_group(text) {
            let text = || unescaped(value);
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
                    if let Some(rank) = rank(other, "Name", languages).filter(|r| *r < name_rank) {
                        (name_rank, entry.local_name) = (rank, Some(text()));
                    }
                    let rank = rank(other, "GenericName", languages);
                    if let Some(rank) = rank.filter(|rank| *rank < generic_rank) {
                        (generic_rank, entry.local_generic_name) = (rank, Some(text()));
                    }
                }
            }
        }
        (is_program && (entry.deleted || !entry.exec.is_empty())).then_some(entry)
    }

    /// Its name as this user's menus show it.
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

/// How well the language of a key such as `Name[de_AT]` fits; 0 is best.
fn rank(key: &str, name: &str, languages: &[String]) -> Option<usize> {
    let language = key.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
    languages.iter().position(|one| one == language)
}

/// Values carry blanks, line ends and backslashes behind backslashes.
fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        match letters.next() {
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

/// The languages of a locale such as `de_AT.UTF-8@euro`, the closest first.
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

/// The languages of this user.
pub(crate) fn own_languages() -> Vec<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG"));
    languages(&locale.unwrap_or_default())
}

/// The folders desktop files lie in; what is in an earlier one hides what is in a later.
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

/// Every desktop file there is with its id, also those that are hidden by one of the same id.
pub(crate) fn files_in(folders: &[PathBuf]) -> impl Iterator<Item = (String, PathBuf)> {
    folders.iter().flat_map(|folder| files(folder, "", 2))
}

/// The command in the text of a desktop file: the last one, which is the one that is started.
pub(crate) fn command(text: &str) -> Option<String> {
    let commands = main_group(text).filter(|(key, _)| *key == "Exec");
    commands.last().map(|(_, value)| unescaped(value))
}

/// Every installed desktop file, each id once, sorted by id.
pub(crate) fn read_all(folders: &[PathBuf]) -> Vec<Entry> {
    let languages = own_languages();
    let mut found: std::collections::BTreeMap<String, Entry> = std::collections::BTreeMap::new();
    for folder in folders {
        for (id, path) in files(folder, "", 2) {
            if found.contains_key(&id) {
                continue;
            }
            // A file that cannot be read names no program.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            if let Some(entry) = Entry::parse(&id, &path, &text, &languages) {
                found.insert(id, entry);
            }
        }
    }
    found.into_values().filter(|entry| !entry.deleted).collect()
}

/// The desktop files below a folder with their ids: a folder inside is part of the id.
fn files(folder: &Path, prefix: &str, depth: usize) -> Vec<(String, PathBuf)> {
    let Ok(inside) = fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for one in inside.flatten() {
        let (path, name) = (one.path(), one.file_name());
        let Some(name) = name.to_str() else { continue };
        if let Some(stem) = name.strip_suffix(".desktop") {
            all.push((format!("{prefix}{stem}"), path));
        } else if depth > 0 && path.is_dir() {
            all.extend(files(&path, &format!("{prefix}{name}-"), depth - 1));
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

    fn entry(locale: &str) -> Entry {
        Entry::parse("calc", Path::new("/x/calc.desktop"), FILE, &languages(locale)).unwrap()
    }

    #[test]
    fn names_come_in_the_closest_language() {
        assert_eq!(entry("C").shown_name(), "Calculator");
        assert_eq!(entry("de_DE.UTF-8").shown_name(), "Rechner");
        assert_eq!(entry("de_AT@euro").shown_name(), "Rechenmaschine");
        assert_eq!(entry("fr").shown_name(), "Calculator");
    }

    #[test]
    fn values_lose_one_layer_of_backslashes_and_other_groups_do_not_count() {
        let entry = entry("C");
        assert_eq!(entry.exec, "sh -c \"echo \\\\$HOME\" %U");
        assert_eq!(entry.generic_name.as_deref(), Some("Adding machine"));
        assert!(entry.unlisted && !entry.terminal);
        assert_eq!(entry.folder.as_deref(), Some("/tmp"));
    }

    #[test]
    fn links_and_files_without_a_command_describe_no_program() {
        let parse = |text: &str| Entry::parse("x", Path::new("x"), text, &[]);
        assert_eq!(parse("[Desktop Entry]\nType=Link\nExec=a"), None);
        assert_eq!(parse("[Desktop Entry]\nType=Application\nName=a"), None);
        assert!(parse("[Desktop Entry]\nHidden=true").is_some_and(|entry| entry.deleted));
    }

    #[test]
    fn of_two_commands_the_same_one_is_judged_and_started() {
        let text = "[Desktop Entry]\nExec=mousepad\nExec=xterm";
        let entry = Entry::parse("x", Path::new("x"), text, &[]).unwrap();
        assert_eq!((command(text).as_deref(), entry.exec.as_str()), (Some("xterm"), "xterm"));
    }

    #[test]
    fn locales_are_tried_from_the_closest_to_the_widest() {
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
        let seen: Vec<_> = all.iter().map(|e| (e.id.as_str(), e.name.as_str())).collect();
        assert_eq!(seen, [("a", "Mine"), ("kde-c", "C")]);
        Ok(())
    }
}
