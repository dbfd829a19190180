//! Finds the program that a name or path refers to.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use deskhand_platform::{LaunchableProgram, ProgramMatch};

use super::{
    entry::{self, DesktopEntry},
    exec::{self, FieldCodes},
    web_engine,
};

/// Maximum number of similar names to suggest.
const MAX_SUGGESTIONS: usize = 6;

/// The desktop files and folders to search for programs.
pub(crate) struct ProgramSearch {
    /// The installed desktop files.
    pub(crate) entries: Vec<DesktopEntry>,
    /// The search path.
    pub(crate) path: Vec<PathBuf>,
    /// `true` if this user is root.
    pub(crate) is_root: bool,
}

impl ProgramSearch {
    /// Returns the desktop files and search path of this user.
    pub(crate) fn of_user() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self {
            entries: entry::read_all(&entry::folders()),
            path: std::env::split_paths(&path).collect(),
            is_root: rustix::process::getuid().is_root(),
        }
    }

    /// Finds the program that a name refers to, from the strictest interpretation to the loosest.
    pub(crate) fn find(&self, wanted: &str) -> ProgramMatch {
        if wanted.contains('/') {
            return self
                .at_path(Path::new(wanted))
                .map_or_else(|| self.not_found(wanted), ProgramMatch::One);
        }
        let id = wanted.strip_suffix(".desktop").unwrap_or(wanted);
        let is_same = |text: &str| text.eq_ignore_ascii_case(wanted);
        let lower = wanted.to_lowercase();
        let is_named = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase() == lower);
        let rules: [&dyn Fn(&DesktopEntry) -> bool; 4] = [
            &|entry| entry.id == id,
            &|entry| is_named(Some(&entry.name)) || is_named(entry.local_name.as_deref()),
            &|entry| entry.id.eq_ignore_ascii_case(id) || last_part_matches(&entry.id, &is_same),
            &|entry| self.starts_exactly(entry, wanted),
        ];
        for rule in rules {
            if let Some(found) = self.matching(rule) {
                return found;
            }
        }
        if let Some(file) = self.on_path(wanted) {
            return ProgramMatch::One(self.describe_executable(wanted, &file));
        }
        let generic = |entry: &DesktopEntry| {
            is_named(entry.generic_name.as_deref()) || is_named(entry.local_generic_name.as_deref())
        };
        self.matching(&generic).unwrap_or_else(|| self.not_found(wanted))
    }

    /// Returns the programs that match a rule. Those shown in menus take precedence.
    fn matching(&self, rule: &dyn Fn(&DesktopEntry) -> bool) -> Option<ProgramMatch> {
        let fitting: Vec<&DesktopEntry> = self.entries.iter().filter(|entry| rule(entry)).collect();
        let shown: Vec<&DesktopEntry> =
            fitting.iter().copied().filter(|entry| !entry.unlisted).collect();
        let chosen = if shown.is_empty() { fitting } else { shown };
        let mut found: Vec<LaunchableProgram> =
            chosen.into_iter().filter_map(|entry| self.describe(entry)).collect();
        match found.len() {
            0 => None,
            1 => found.pop().map(ProgramMatch::One),
            _ => Some(ProgramMatch::Several(found)),
        }
    }

    /// Returns `true` if an entry starts a program of this name without further arguments.
    fn starts_exactly(&self, entry: &DesktopEntry, wanted: &str) -> bool {
        let Some(words) = exec::split(&entry.exec) else { return false };
        let mut words = words.into_iter().filter(|word| !word.starts_with('%'));
        let program = words.next();
        program.is_some_and(|program| program.rsplit('/').next() == Some(wanted))
            && words.next().is_none()
    }

    /// Returns the program of an executable or a desktop file.
    fn at_path(&self, path: &Path) -> Option<LaunchableProgram> {
        if path.extension().is_some_and(|ending| ending == "desktop") {
            let text = fs::read_to_string(path).ok()?;
            let id = path.file_stem()?.to_str()?;
            let entry = DesktopEntry::parse(id, path, &text, &entry::user_languages())?;
            return self.describe(&entry);
        }
        let whole = std::path::absolute(path).ok().filter(|path| is_program(path))?;
        let name = whole.file_name()?.to_str()?;
        Some(self.describe_executable(name, &whole))
    }

    /// Returns the program of a desktop file, or `None` if it is not installed.
    fn describe(&self, entry: &DesktopEntry) -> Option<LaunchableProgram> {
        if entry.try_exec.as_deref().is_some_and(|program| self.find_executable(program).is_none())
        {
            return None;
        }
        let file = entry.file.to_string_lossy();
        let name = entry.shown_name();
        let codes = FieldCodes { icon: entry.icon.as_deref(), name, file: &file };
        let exec::ExecCommand { mut words, arguments_at: mut arguments_index } =
            exec::parse(&entry.exec, codes)?;
        let at = exec::program_index(&words)?;
        let program = self.find_executable(words.get(at)?)?;
        let mut added = web_engine::flags(&program, self.is_root);
        added.retain(|flag| !words.contains(flag));
        for (offset, flag) in added.iter().enumerate() {
            words.insert(at + 1 + offset, flag.clone());
        }
        arguments_index += added.len();
        Some(LaunchableProgram {
            name: name.to_owned(),
            id: Some(entry.id.clone()),
            file: Some(entry.file.clone()),
            command: words,
            arguments_index,
            added_arguments: added,
            working_dir: entry.folder.as_ref().map(PathBuf::from),
            needs_terminal: entry.terminal,
        })
    }

    /// Returns the program of an executable without a desktop file.
    fn describe_executable(&self, name: &str, file: &Path) -> LaunchableProgram {
        let added = web_engine::flags(file, self.is_root);
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

    fn find_executable(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            Some(PathBuf::from(program)).filter(|path| is_program(path))
        } else {
            self.on_path(program)
        }
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(program)).find(|path| is_program(path))
    }

    fn not_found(&self, wanted: &str) -> ProgramMatch {
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
        near.truncate(MAX_SUGGESTIONS);
        ProgramMatch::None { suggestions: near }
    }
}

/// Returns `true` if the last part of an id such as `org.gnome.Calculator` matches.
fn last_part_matches(id: &str, fits: &dyn Fn(&str) -> bool) -> bool {
    id.contains('.') && id.rsplit('.').next().is_some_and(fits)
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, text: &str) -> DesktopEntry {
        let text = format!("[Desktop Entry]\n{text}");
        DesktopEntry::parse(id, Path::new("/x.desktop"), &text, &entry::languages("de")).unwrap()
    }

    fn search_in(entries: Vec<DesktopEntry>) -> ProgramSearch {
        ProgramSearch { entries, path: vec!["/usr/bin".into(), "/bin".into()], is_root: false }
    }

    fn id(search_in: &ProgramSearch, wanted: &str) -> String {
        match search_in.find(wanted) {
            ProgramMatch::One(program) => program.id.unwrap_or_else(|| program.command[0].clone()),
            ProgramMatch::Several(found) => format!("{} of them", found.len()),
            ProgramMatch::None { suggestions: near } => format!("none, near {near:?}"),
        }
    }

    #[test]
    fn a_name_is_matched_from_the_strictest_rule_to_the_loosest() {
        let all = search_in(vec![
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
    fn a_web_engine_gets_accessibility_flags_before_its_files() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let browser = folder.path().join("chromium");
        fs::write(&browser, "#!/bin/sh\n")?;
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o755))?;
        let exec = format!(
            "Name=Web\nExec=env A=b {} --force-renderer-accessibility %U",
            browser.display()
        );
        let ProgramMatch::One(found) = search_in(vec![entry("web", &exec)]).find("web") else {
            panic!()
        };
        assert_eq!(found.added_arguments.len(), 2);
        assert_eq!(found.command[2], browser.display().to_string());
        assert_eq!(found.command[3..5], found.added_arguments);
        assert_eq!(found.arguments_index, 6);
        Ok(())
    }

    #[test]
    fn a_terminal_program_is_marked() {
        let all = search_in(vec![entry("top", "Name=Top\nExec=sh\nTerminal=true")]);
        assert!(matches!(
            all.find("top"),
            ProgramMatch::One(LaunchableProgram { needs_terminal: true, .. })
        ));
    }
}
