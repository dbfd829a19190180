//! Finds the desktop file of a running program. Its id corresponds to a bundle id on macOS.

use std::{collections::HashMap, path::Path, sync::OnceLock};

use super::{
    entry::{self, DesktopEntry},
    exec, installed, process,
};

/// The installed desktop files, read on first use.
#[derive(Default)]
pub(crate) struct DesktopFiles {
    by_program: OnceLock<HashMap<String, Vec<ProgramEntry>>>,
}

/// A desktop file that starts a program.
#[derive(Debug)]
struct ProgramEntry {
    id: String,
    arguments: Vec<String>,
    hidden: bool,
}

impl DesktopFiles {
    /// Returns the id of the desktop file that a process belongs to.
    pub(crate) fn id_of(&self, pid: u32, executable: Option<&str>, name: &str) -> Option<String> {
        if let Some(id) = launched_from(pid) {
            return Some(id);
        }
        let files = self.by_program.get_or_init(read_all);
        let arguments = process::arguments(pid);
        let own_name = arguments.first().map(|first| file_name(first).to_owned());
        // The executable of a script is its interpreter, so the command line comes first.
        let names = [own_name.as_deref(), executable.map(file_name), Some(name)];
        names.into_iter().flatten().find_map(|name| {
            // LibreOffice's program is `soffice.bin`, started by the script `soffice`.
            let name = name.strip_suffix(".bin").unwrap_or(name).to_lowercase();
            best_match(files.get(&name)?, &arguments).map(|entry| entry.id.clone())
        })
    }
}

/// Returns the desktop file that the launcher passed in the environment of the process.
fn launched_from(pid: u32) -> Option<String> {
    let launched_pid: u32 =
        process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE_PID")?.parse().ok()?;
    let file = process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE")?;
    (launched_pid == pid).then(|| file_name(&file).trim_end_matches(".desktop").to_owned())
}

/// Returns the best of several desktop files that name one program, such as those of LibreOffice's
/// components: the one whose arguments the process has, then the simplest.
fn best_match<'a>(entries: &'a [ProgramEntry], arguments: &[String]) -> Option<&'a ProgramEntry> {
    entries.iter().filter(|entry| entry.arguments.iter().all(|a| arguments.contains(a))).min_by_key(
        |entry| (std::cmp::Reverse(entry.arguments.len()), entry.hidden, entry.id.len()),
    )
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn read_all() -> HashMap<String, Vec<ProgramEntry>> {
    let mut by_program: HashMap<String, Vec<ProgramEntry>> = HashMap::new();
    for entry in entry::read_all(&entry::folders()) {
        for (program, program_entry) in names_of_program(&entry, &resolve_name) {
            by_program.entry(program).or_default().push(program_entry);
        }
    }
    by_program
}

/// Returns the file name of a program on the search path, with links resolved.
fn resolve_name(program: &str) -> Option<String> {
    let found = installed::resolve_program(Path::new(program))?;
    found.file_name()?.to_str().map(str::to_owned)
}

/// Returns the names of a desktop file's program. `resolve` returns the name that its links lead
/// to.
fn names_of_program(
    entry: &DesktopEntry,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> Vec<(String, ProgramEntry)> {
    let words = exec::split(&entry.exec).unwrap_or_default();
    let Some(at) = exec::program_index(&words) else { return Vec::new() };
    let mut words = words.into_iter().skip(at);
    let Some(program) = words.next() else { return Vec::new() };
    let program = program.as_str();
    let arguments: Vec<String> = words.filter(|word| !word.starts_with('%')).collect();
    let program_entry = |program: &str| {
        let arguments = arguments.clone();
        let found = ProgramEntry { id: entry.id.clone(), arguments, hidden: entry.unlisted };
        (program.to_lowercase(), found)
    };
    let mut all = vec![program_entry(file_name(program))];
    let resolved = resolve(program).filter(|name| name != file_name(program));
    all.extend(resolved.as_deref().map(program_entry));
    all.extend(
        entry.class.as_deref().filter(|class| *class != file_name(program)).map(program_entry),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(id: &str, text: &str) -> DesktopEntry {
        DesktopEntry::parse(id, Path::new("x.desktop"), text, &[]).unwrap_or_default()
    }

    fn id(files: &[(&str, &str)], command: &[&str]) -> Option<String> {
        let mut entries = Vec::new();
        for (id, text) in files {
            entries.extend(
                names_of_program(&read(id, text), &|_| None)
                    .into_iter()
                    .filter(|(p, _)| p == "app")
                    .map(|(_, entry)| entry),
            );
        }
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        best_match(&entries, &command).map(|entry| entry.id.clone())
    }

    #[test]
    fn the_file_with_the_arguments_of_the_process_wins() {
        let files = [
            ("app", "[Desktop Entry]\nExec=app %U"),
            ("app-calc", "[Desktop Entry]\nExec=app --calc %U"),
            ("app-draw", "[Desktop Entry]\nExec=app --draw %U"),
        ];
        assert_eq!(id(&files, &["app", "--calc", "x.ods"]).as_deref(), Some("app-calc"));
        assert_eq!(id(&files, &["app"]).as_deref(), Some("app"));
    }

    #[test]
    fn variables_before_the_program_are_skipped() {
        let files = [("app", "[Desktop Entry]\nExec=env A=b \"/usr/bin/app\" %f\nName=App")];
        assert_eq!(id(&files, &["/usr/bin/app"]).as_deref(), Some("app"));
    }

    #[test]
    fn a_program_behind_a_link_has_both_names() {
        let file = "[Desktop Entry]\nExec=office --calc %U";
        let known = names_of_program(&read("office-calc", file), &|program| {
            (program == "office").then(|| "soffice".to_owned())
        });
        let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["office", "soffice"]);
    }

    #[test]
    fn keys_of_other_groups_are_ignored() {
        let files = [("app", "[Desktop Entry]\nName=x\n[Desktop Action new]\nExec=app --new")];
        assert_eq!(id(&files, &["app", "--new"]), None);
    }
}
