//! Finds the names and ids that lead to a program: desktop files and the search path, with all
//! links resolved.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use deskhand_platform::is_admin_owned;
use parking_lot::Mutex;

use super::{
    entry::{self, DesktopEntry},
    exec,
};

/// The desktop files of this machine by program. They are read again when a folder changes.
#[derive(Default)]
pub(crate) struct InstalledPrograms {
    index: Mutex<Option<Arc<ProgramIndex>>>,
}

/// The index of desktop files by program.
pub(crate) struct ProgramIndex {
    modified: Vec<Option<SystemTime>>,
    by_program: HashMap<PathBuf, Vec<DesktopFileRef>>,
    /// Scripts that start a program next to them.
    launchers: Vec<(PathBuf, DesktopFileRef)>,
}

/// A desktop file that leads to a program. Its other keys are read on demand.
#[derive(Debug, Clone)]
struct DesktopFileRef {
    id: String,
    file: PathBuf,
}

/// The names that one desktop file gives its program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramNames {
    pub(crate) names: Vec<String>,
    /// `true` if only an administrator of this machine can have put the file there.
    pub(crate) installed: bool,
}

impl DesktopFileRef {
    fn read_names(&self) -> Option<ProgramNames> {
        let text = fs::read_to_string(&self.file).ok()?;
        let entry = DesktopEntry::parse(&self.id, &self.file, &text, &entry::user_languages())?;
        let mut names = vec![entry.id, entry.name];
        names.extend(entry.local_name);
        names.extend(entry.class);
        names.retain(|name| !name.is_empty());
        Some(ProgramNames { names, installed: is_admin_owned(&self.file) })
    }
}

impl InstalledPrograms {
    /// Returns the current index.
    pub(crate) fn index(&self) -> Arc<ProgramIndex> {
        let folders = entry::folders();
        let modified: Vec<Option<SystemTime>> =
            folders.iter().map(|one| modified_time(one)).collect();
        let mut cached = self.index.lock();
        match cached.as_ref().filter(|index| index.modified == modified) {
            Some(index) => Arc::clone(index),
            None => Arc::clone(cached.insert(Arc::new(ProgramIndex::read(&folders, modified)))),
        }
    }
}

fn modified_time(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).and_then(|meta| meta.modified()).ok()
}

impl ProgramIndex {
    fn read(folders: &[PathBuf], modified: Vec<Option<SystemTime>>) -> Self {
        let mut index = Self { modified, by_program: HashMap::new(), launchers: Vec::new() };
        // A file with the same id in the user's folder hides the system's file from menus, but not
        // here.
        for (id, file) in entry::files_in(folders) {
            let command = fs::read_to_string(&file).ok().and_then(|text| entry::command(&text));
            let words = command.and_then(|exec| exec::split(&exec)).unwrap_or_default();
            let program = exec::program_index(&words).and_then(|at| words.get(at));
            let Some(program) = program.and_then(|word| resolve_program(Path::new(word))) else {
                continue;
            };
            let file_ref = DesktopFileRef { id, file };
            if is_script(&program) {
                index.launchers.push((program.clone(), file_ref.clone()));
            }
            index.by_program.entry(program).or_default().push(file_ref);
        }
        index
    }

    /// Returns the names that lead to a program file.
    pub(crate) fn names_of(&self, program: &Path) -> Vec<ProgramNames> {
        let direct = self.by_program.get(program).into_iter().flatten();
        let via_launcher =
            self.launchers.iter().filter(|(script, _)| is_launcher_of(script, program));
        let all = direct.chain(via_launcher.map(|(_, file_ref)| file_ref));
        let mut found: Vec<ProgramNames> = all.filter_map(DesktopFileRef::read_names).collect();
        if let Some(name) = file_stem(program)
            && let Some(resolved) = resolve_program(Path::new(name))
            && (resolved == program || (is_script(&resolved) && is_launcher_of(&resolved, program)))
        {
            let installed = is_admin_owned(&resolved);
            found.push(ProgramNames { names: vec![name.to_owned()], installed });
        }
        found
    }
}

/// Resolves a path, or the name of a program on the search path, to a file without links.
pub(crate) fn resolve_program(word: &Path) -> Option<PathBuf> {
    if word.components().count() > 1 {
        return fs::canonicalize(word).ok();
    }
    let path = std::env::var_os("PATH")?;
    // Canonicalizing a path that does not exist takes several times as long as one metadata call.
    let existing = |file: PathBuf| fs::symlink_metadata(&file).ok().map(|_| file);
    let mut files = std::env::split_paths(&path).filter_map(|folder| existing(folder.join(word)));
    files.find_map(|file| fs::canonicalize(file).ok())
}

/// Returns the name of a program file. LibreOffice's is `soffice.bin`, started by the script
/// `soffice`.
pub(crate) fn file_stem(program: &Path) -> Option<&str> {
    let name = program.file_name()?.to_str()?;
    Some(name.strip_suffix(".bin").unwrap_or(name))
}

fn is_script(file: &Path) -> bool {
    let mut first = [0; 2];
    let read = fs::File::open(file).and_then(|mut file| {
        std::io::Read::read_exact(&mut file, &mut first)?;
        Ok(first)
    });
    read.is_ok_and(|first| first == *b"#!")
}

/// Returns `true` if a script is the launcher of a program: both have the same name and were
/// installed together. Chromium and LibreOffice use such launchers.
fn is_launcher_of(script: &Path, program: &Path) -> bool {
    let folder = script.parent().unwrap_or(script);
    let in_bin = folder.file_name().is_some_and(|name| name == "bin");
    let install_dir = if in_bin { folder.parent().unwrap_or(folder) } else { folder };
    file_stem(script) == file_stem(program)
        && install_dir != Path::new("/")
        && program.starts_with(install_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_leads_only_to_programs_installed_with_it() {
        let leads =
            |script: &str, program: &str| is_launcher_of(Path::new(script), Path::new(program));
        assert!(leads("/usr/bin/chromium", "/usr/lib/chromium/chromium"));
        assert!(leads("/usr/lib/office/program/soffice", "/usr/lib/office/program/soffice.bin"));
        assert!(!leads("/usr/bin/chromium", "/opt/evil/chromium"));
        assert!(!leads("/usr/bin/chromium", "/usr/lib/other/other"));
        assert!(
            !leads("/bin/chromium", "/opt/evil/chromium"),
            "the root is not an installation folder"
        );
    }

    #[test]
    fn every_desktop_file_counts_even_a_hidden_one() -> std::io::Result<()> {
        let (own, system) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::write(own.path().join("a.desktop"), "[Desktop Entry]\nName=Mine\nExec=true")?;
        fs::write(system.path().join("a.desktop"), "[Desktop Entry]\nName=Theirs\nExec=ls -l")?;
        let index = ProgramIndex::read(&[own.path().into(), system.path().into()], Vec::new());
        let ls = fs::canonicalize("/bin/ls")?;
        let names: Vec<Vec<String>> =
            index.names_of(&ls).into_iter().map(|found| found.names).collect();
        assert_eq!(names, [vec!["a".to_owned(), "Theirs".to_owned()], vec!["ls".to_owned()]]);
        Ok(())
    }
}
