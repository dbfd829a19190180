//! Which program a person means.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use deskhand_platform::{Program, Sought};

use super::{
    entry::{self, Entry},
    exec::{self, Marks},
    web_engine,
};

/// How many near misses are named.
const NEAR: usize = 6;

/// Where programs are looked for.
pub(crate) struct Places {
    /// The installed desktop files.
    pub(crate) entries: Vec<Entry>,
    /// The search path.
    pub(crate) path: Vec<PathBuf>,
    /// Whether this user is root.
    pub(crate) is_root: bool,
}

impl Places {
    /// The places of this user.
    pub(crate) fn own() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self {
            entries: entry::read_all(&entry::folders()),
            path: std::env::split_paths(&path).collect(),
            is_root: rustix::process::getuid().is_root(),
        }
    }

    /// Finds the program a word means, from the surest reading to the loosest.
    pub(crate) fn find(&self, wanted: &str) -> Sought {
        if wanted.contains('/') {
            return self.at(Path::new(wanted)).map_or_else(|| self.none(wanted), Sought::One);
        }
        let id = wanted.strip_suffix(".desktop").unwrap_or(wanted);
        let same = |text: &str| text.eq_ignore_ascii_case(wanted);
        let lower = wanted.to_lowercase();
        let called = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase() == lower);
        let rules: [&dyn Fn(&Entry) -> bool; 4] = [
            &|entry| entry.id == id,
            &|entry| called(Some(&entry.name)) || called(entry.local_name.as_deref()),
            &|entry| entry.id.eq_ignore_ascii_case(id) || last_part(&entry.id, &same),
            &|entry| self.runs_only(entry, wanted),
        ];
        for rule in rules {
            if let Some(found) = self.by(rule) {
                return found;
            }
        }
        if let Some(file) = self.on_path(wanted) {
            return Sought::One(self.plain(wanted, &file));
        }
        let generic = |entry: &Entry| {
            called(entry.generic_name.as_deref()) || called(entry.local_generic_name.as_deref())
        };
        self.by(&generic).unwrap_or_else(|| self.none(wanted))
    }

    /// The programs a rule fits; those that menus show go before those they do not.
    fn by(&self, rule: &dyn Fn(&Entry) -> bool) -> Option<Sought> {
        let fitting: Vec<&Entry> = self.entries.iter().filter(|entry| rule(entry)).collect();
        let shown: Vec<&Entry> = fitting.iter().copied().filter(|entry| !entry.unlisted).collect();
        let chosen = if shown.is_empty() { fitting } else { shown };
        let mut found: Vec<Program> =
            chosen.into_iter().filter_map(|entry| self.described(entry)).collect();
        match found.len() {
            0 => None,
            1 => found.pop().map(Sought::One),
            _ => Some(Sought::Several(found)),
        }
    }

    /// Whether an entry starts a program of this name with nothing added to it.
    fn runs_only(&self, entry: &Entry, wanted: &str) -> bool {
        let Some(words) = exec::split(&entry.exec) else { return false };
        let mut words = words.into_iter().filter(|word| !word.starts_with('%'));
        let program = words.next();
        program.is_some_and(|program| program.rsplit('/').next() == Some(wanted))
            && words.next().is_none()
    }

    /// A program or a desktop file by its path.
    fn at(&self, path: &Path) -> Option<Program> {
        if path.extension().is_some_and(|ending| ending == "desktop") {
            let text = fs::read_to_string(path).ok()?;
            let id = path.file_stem()?.to_str()?;
            let entry = Entry::parse(id, path, &text, &entry::own_languages())?;
            return self.described(&entry);
        }
        let whole = std::path::absolute(path).ok().filter(|path| is_program(path))?;
        let name = whole.file_name()?.to_str()?;
        Some(self.plain(name, &whole))
    }

    /// The program a desktop file describes; `None` when it is not installed.
    fn described(&self, entry: &Entry) -> Option<Program> {
        if entry.try_exec.as_deref().is_some_and(|program| self.installed(program).is_none()) {
            return None;
        }
        let file = entry.file.to_string_lossy();
        let name = entry.shown_name();
        let marks = Marks { icon: entry.icon.as_deref(), name, file: &file };
        let exec::Command { mut words, mut arguments_at } = exec::parse(&entry.exec, marks)?;
        let at = exec::program_at(&words)?;
        let program = self.installed(words.get(at)?)?;
        let mut added = web_engine::flags(&program, self.is_root);
        added.retain(|flag| !words.contains(flag));
        for (place, flag) in added.iter().enumerate() {
            words.insert(at + 1 + place, flag.clone());
        }
        arguments_at += added.len();
        Some(Program {
            name: name.to_owned(),
            id: Some(entry.id.clone()),
            file: Some(entry.file.clone()),
            command: words,
            arguments_at,
            added,
            folder: entry.folder.as_ref().map(PathBuf::from),
            terminal: entry.terminal,
        })
    }

    /// A program without a desktop file.
    fn plain(&self, name: &str, file: &Path) -> Program {
        let added = web_engine::flags(file, self.is_root);
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

    fn installed(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            Some(PathBuf::from(program)).filter(|path| is_program(path))
        } else {
            self.on_path(program)
        }
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(program)).find(|path| is_program(path))
    }

    fn none(&self, wanted: &str) -> Sought {
        let lower = wanted.rsplit('/').next().unwrap_or(wanted).to_lowercase();
        let fits = |text: &str| {
            let text = text.to_lowercase();
            !text.is_empty() && (text.contains(&lower) || lower.contains(&text))
        };
        let mut near: Vec<String> = self
            .entries
            .iter()
            .filter(|entry| !entry.unlisted && (fits(&entry.id) || fits(entry.shown_name())))
            .map(|entry| entry.shown_name().to_owned())
            .collect();
        near.dedup();
        near.truncate(NEAR);
        Sought::None { near }
    }
}

/// Ids are often written backwards like a domain: people know the last word.
fn last_part(id: &str, fits: &dyn Fn(&str) -> bool) -> bool {
    id.contains('.') && id.rsplit('.').next().is_some_and(fits)
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, text: &str) -> Entry {
        let text = format!("[Desktop Entry]\n{text}");
        Entry::parse(id, Path::new("/x.desktop"), &text, &entry::languages("de")).unwrap()
    }

    fn places(entries: Vec<Entry>) -> Places {
        Places { entries, path: vec!["/usr/bin".into(), "/bin".into()], is_root: false }
    }

    fn id(places: &Places, wanted: &str) -> String {
        match places.find(wanted) {
            Sought::One(program) => program.id.unwrap_or_else(|| program.command[0].clone()),
            Sought::Several(found) => format!("{} of them", found.len()),
            Sought::None { near } => format!("none, near {near:?}"),
        }
    }

    #[test]
    fn a_word_is_read_from_the_surest_way_to_the_loosest() {
        let all = places(vec![
            entry("org.gnome.Calc", "Name=Sums\nName[de]=Rechner\nGenericName=Adder\nExec=sh %U"),
            entry("other", "Name=Other\nGenericName=Adder\nExec=sh --other"),
            entry("unlisted", "Name=Sums\nNoDisplay=true\nExec=sh --hidden"),
            entry("absent", "Name=Absent\nExec=no-such-program-anywhere"),
        ]);
        assert_eq!(id(&all, "org.gnome.Calc"), "org.gnome.Calc");
        assert_eq!(id(&all, "org.gnome.Calc.desktop"), "org.gnome.Calc");
        assert_eq!(id(&all, "sums"), "org.gnome.Calc");
        assert_eq!(id(&all, "Rechner"), "org.gnome.Calc");
        assert_eq!(id(&all, "calc"), "org.gnome.Calc");
        assert_eq!(id(&all, "sh"), "org.gnome.Calc");
        assert_eq!(id(&all, "unlisted"), "unlisted");
        assert_eq!(id(&all, "adder"), "2 of them");
        assert_eq!(id(&all, "ls"), "/usr/bin/ls");
        assert_eq!(id(&all, "/bin/ls"), "/bin/ls");
        assert_eq!(id(&all, "absent"), "none, near [\"Absent\"]");
        assert_eq!(id(&all, "/no/such/other"), "none, near [\"Other\"]");
    }

    #[test]
    fn a_web_engine_is_told_to_show_its_tree_in_front_of_the_files() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let browser = place.path().join("chromium");
        fs::write(&browser, "#!/bin/sh\n")?;
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o755))?;
        let exec = format!(
            "Name=Web\nExec=env A=b {} --force-renderer-accessibility %U",
            browser.display()
        );
        let Sought::One(found) = places(vec![entry("web", &exec)]).find("web") else { panic!() };
        assert_eq!(found.added.len(), 2);
        assert_eq!(found.command[2], browser.display().to_string());
        assert_eq!(found.command[3..5], found.added);
        assert_eq!(found.arguments_at, 6);
        Ok(())
    }

    #[test]
    fn a_program_that_wants_a_terminal_says_so() {
        let all = places(vec![entry("top", "Name=Top\nExec=sh\nTerminal=true")]);
        assert!(matches!(all.find("top"), Sought::One(Program { terminal: true, .. })));
    }
}
