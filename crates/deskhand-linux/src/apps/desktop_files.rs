//! Which desktop file a running program belongs to; its id is what macOS calls a bundle id.

use std::{collections::HashMap, path::Path, sync::OnceLock};

use super::{
    entry::{self, Entry},
    exec, installed, process,
};

/// The installed desktop files, read when first asked for.
#[derive(Default)]
pub(crate) struct DesktopFiles {
    by_program: OnceLock<HashMap<String, Vec<Known>>>,
}

#[derive(Debug)]
struct Known {
    id: String,
    arguments: Vec<String>,
    hidden: bool,
}

impl DesktopFiles {
    /// The id of the desktop file a process belongs to.
    pub(crate) fn id_of(&self, pid: u32, executable: Option<&str>, name: &str) -> Option<String> {
        if let Some(id) = launched_by(pid) {
            return Some(id);
        }
        let files = self.by_program.get_or_init(read_all);
        let arguments = process::arguments(pid);
        let called = arguments.first().map(|first| base(first).to_owned());
        // A script's executable is its interpreter, so what was typed comes first.
        let words = [called.as_deref(), executable.map(base), Some(name)];
        words.into_iter().flatten().find_map(|word| {
            // LibreOffice's programs are called `soffice.bin` behind a script called `soffice`.
            let word = word.strip_suffix(".bin").unwrap_or(word).to_lowercase();
            best(files.get(&word)?, &arguments).map(|entry| entry.id.clone())
        })
    }
}

/// Launchers tell the program they start which desktop file it came from, by this pair.
fn launched_by(pid: u32) -> Option<String> {
    let meant_for: u32 = process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE_PID")?.parse().ok()?;
    let file = process::variable(pid, "GIO_LAUNCHED_DESKTOP_FILE")?;
    (meant_for == pid).then(|| base(&file).trim_end_matches(".desktop").to_owned())
}

/// Several files may name one program (LibreOffice has one a component): the one whose arguments
/// the process has wins, then the plainest.
fn best<'a>(entries: &'a [Known], arguments: &[String]) -> Option<&'a Known> {
    entries.iter().filter(|entry| entry.arguments.iter().all(|a| arguments.contains(a))).min_by_key(
        |entry| (std::cmp::Reverse(entry.arguments.len()), entry.hidden, entry.id.len()),
    )
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn read_all() -> HashMap<String, Vec<Known>> {
    let mut by_program: HashMap<String, Vec<Known>> = HashMap::new();
    for entry in entry::read_all(&entry::folders()) {
        for (program, known) in known_as(&entry, &real_name) {
            by_program.entry(program).or_default().push(known);
        }
    }
    by_program
}

/// What a program on the search path is called behind its links.
fn real_name(program: &str) -> Option<String> {
    let found = installed::program_of(Path::new(program))?;
    found.file_name()?.to_str().map(str::to_owned)
}

/// The words a desktop file's program may be known by; `real` tells the name behind its links.
fn known_as(entry: &Entry, real: &dyn Fn(&str) -> Option<String>) -> Vec<(String, Known)> {
    let words = exec::split(&entry.exec).unwrap_or_default();
    let Some(at) = exec::program_at(&words) else { return Vec::new() };
    let mut words = words.into_iter().skip(at);
    let Some(program) = words.next() else { return Vec::new() };
    let program = program.as_str();
    let arguments: Vec<String> = words.filter(|word| !word.starts_with('%')).collect();
    let known = |program: &str| {
        let arguments = arguments.clone();
        let known = Known { id: entry.id.clone(), arguments, hidden: entry.unlisted };
        (program.to_lowercase(), known)
    };
    let mut all = vec![known(base(program))];
    let behind = real(program).filter(|name| name != base(program));
    all.extend(behind.as_deref().map(known));
    all.extend(entry.class.as_deref().filter(|class| *class != base(program)).map(known));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(id: &str, text: &str) -> Entry {
        Entry::parse(id, Path::new("x.desktop"), text, &[]).unwrap_or_default()
    }

    fn id(files: &[(&str, &str)], command: &[&str]) -> Option<String> {
        let mut entries = Vec::new();
        for (id, text) in files {
            entries.extend(
                known_as(&read(id, text), &|_| None)
                    .into_iter()
                    .filter(|(p, _)| p == "app")
                    .map(|(_, entry)| entry),
            );
        }
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        best(&entries, &command).map(|entry| entry.id.clone())
    }

    #[test]
    fn the_file_whose_arguments_the_process_has_wins() {
        let files = [
            ("app", "[Desktop Entry]\nExec=app %U"),
            ("app-calc", "[Desktop Entry]\nExec=app --calc %U"),
            ("app-draw", "[Desktop Entry]\nExec=app --draw %U"),
        ];
        assert_eq!(id(&files, &["app", "--calc", "x.ods"]).as_deref(), Some("app-calc"));
        assert_eq!(id(&files, &["app"]).as_deref(), Some("app"));
    }

    #[test]
    fn variables_before_the_program_are_not_the_program() {
        let files = [("app", "[Desktop Entry]\nExec=env A=b \"/usr/bin/app\" %f\nName=App")];
        assert_eq!(id(&files, &["/usr/bin/app"]).as_deref(), Some("app"));
    }

    #[test]
    fn a_program_behind_a_link_is_known_by_its_real_name() {
        let file = "[Desktop Entry]\nExec=office --calc %U";
        let known = known_as(&read("office-calc", file), &|program| {
            (program == "office").then(|| "soffice".to_owned())
        });
        let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["office", "soffice"]);
    }

    #[test]
    fn keys_of_other_groups_do_not_count() {
        let files = [("app", "[Desktop Entry]\nName=x\n[Desktop Action new]\nExec=app --new")];
        assert_eq!(id(&files, &["app", "--new"]), None);
    }
}
