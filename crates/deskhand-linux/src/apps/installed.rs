//! Which names and ids lead to a program: desktop files and the search path, every link followed.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use deskhand_platform::is_installed;

use super::{
    entry::{self, Entry},
    exec,
};

/// The desktop files of this machine by what they start; read anew when a folder has changed.
#[derive(Default)]
pub(crate) struct Installed {
    index: Mutex<Option<Arc<Index>>>,
}

/// What leads where.
pub(crate) struct Index {
    changed: Vec<Option<SystemTime>>,
    by_program: HashMap<PathBuf, Vec<Leading>>,
    /// Scripts that start a program beside them.
    launchers: Vec<(PathBuf, Leading)>,
}

/// A desktop file that leads to a program; what it says beside that is read when it is asked for.
#[derive(Debug, Clone)]
struct Leading {
    id: String,
    file: PathBuf,
}

/// What one desktop file calls the program it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) names: Vec<String>,
    /// Whether only who administers this machine can have put the file there.
    pub(crate) installed: bool,
}

impl Leading {
    fn known(&self) -> Option<Known> {
        let text = fs::read_to_string(&self.file).ok()?;
        let entry = Entry::parse(&self.id, &self.file, &text, &entry::own_languages())?;
        let mut names = vec![entry.id, entry.name];
        names.extend(entry.local_name);
        names.extend(entry.class);
        names.retain(|name| !name.is_empty());
        Some(Known { names, installed: is_installed(&self.file) })
    }
}

impl Installed {
    /// What leads where, as it is now.
    pub(crate) fn index(&self) -> Arc<Index> {
        let folders = entry::folders();
        let changed: Vec<Option<SystemTime>> = folders.iter().map(|one| time_of(one)).collect();
        let mut known = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().filter(|index| index.changed == changed) {
            Some(index) => Arc::clone(index),
            None => Arc::clone(known.insert(Arc::new(Index::read(&folders, changed)))),
        }
    }
}

fn time_of(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder).and_then(|meta| meta.modified()).ok()
}

impl Index {
    fn read(folders: &[PathBuf], changed: Vec<Option<SystemTime>>) -> Self {
        let mut index = Self { changed, by_program: HashMap::new(), launchers: Vec::new() };
        // One of the same id in the user's own folder hides the system's from menus, not from here.
        for (id, file) in entry::files_in(folders) {
            let command = fs::read_to_string(&file).ok().and_then(|text| entry::command(&text));
            let words = command.and_then(|exec| exec::split(&exec)).unwrap_or_default();
            let program = exec::program_at(&words).and_then(|at| words.get(at));
            let Some(program) = program.and_then(|word| program_of(Path::new(word))) else {
                continue;
            };
            let leading = Leading { id, file };
            if is_script(&program) {
                index.launchers.push((program.clone(), leading.clone()));
            }
            index.by_program.entry(program).or_default().push(leading);
        }
        index
    }

    /// What leads to a program file.
    pub(crate) fn leading_to(&self, program: &Path) -> Vec<Known> {
        let straight = self.by_program.get(program).into_iter().flatten();
        let launching = self.launchers.iter().filter(|(script, _)| launches(script, program));
        let all = straight.chain(launching.map(|(_, leading)| leading));
        let mut found: Vec<Known> = all.filter_map(Leading::known).collect();
        if let Some(name) = base(program)
            && let Some(meant) = program_of(Path::new(name))
            && (meant == program || (is_script(&meant) && launches(&meant, program)))
        {
            let installed = is_installed(&meant);
            found.push(Known { names: vec![name.to_owned()], installed });
        }
        found
    }
}

/// The file a path, or a program on the search path, leads to without links.
pub(crate) fn program_of(word: &Path) -> Option<PathBuf> {
    if word.components().count() > 1 {
        return fs::canonicalize(word).ok();
    }
    let path = std::env::var_os("PATH")?;
    // To follow every link of a path to find nothing takes several times as long as to look once.
    let there = |file: PathBuf| fs::symlink_metadata(&file).ok().map(|_| file);
    let mut files = std::env::split_paths(&path).filter_map(|folder| there(folder.join(word)));
    files.find_map(|file| fs::canonicalize(file).ok())
}

/// The name of a program file; LibreOffice's are called `soffice.bin` behind a script `soffice`.
pub(crate) fn base(program: &Path) -> Option<&str> {
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

/// Whether a script is there to start a program: it is called the same, and both came together.
/// Chromium and LibreOffice are started so.
fn launches(script: &Path, program: &Path) -> bool {
    let folder = script.parent().unwrap_or(script);
    let bin = folder.file_name().is_some_and(|name| name == "bin");
    let home = if bin { folder.parent().unwrap_or(folder) } else { folder };
    base(script) == base(program) && home != Path::new("/") && program.starts_with(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_leads_only_to_what_came_with_it() {
        let leads = |script: &str, program: &str| launches(Path::new(script), Path::new(program));
        assert!(leads("/usr/bin/chromium", "/usr/lib/chromium/chromium"));
        assert!(leads("/usr/lib/office/program/soffice", "/usr/lib/office/program/soffice.bin"));
        assert!(!leads("/usr/bin/chromium", "/opt/evil/chromium"));
        assert!(!leads("/usr/bin/chromium", "/usr/lib/other/other"));
        assert!(!leads("/bin/chromium", "/opt/evil/chromium"), "the root is no home of anything");
    }

    #[test]
    fn every_desktop_file_counts_also_a_hidden_one() -> std::io::Result<()> {
        let (own, system) = (tempfile::tempdir()?, tempfile::tempdir()?);
        fs::write(own.path().join("a.desktop"), "[Desktop Entry]\nName=Mine\nExec=true")?;
        fs::write(system.path().join("a.desktop"), "[Desktop Entry]\nName=Theirs\nExec=ls -l")?;
        let index = Index::read(&[own.path().into(), system.path().into()], Vec::new());
        let ls = fs::canonicalize("/bin/ls")?;
        let names: Vec<Vec<String>> =
            index.leading_to(&ls).into_iter().map(|known| known.names).collect();
        assert_eq!(names, [vec!["a".to_owned(), "Theirs".to_owned()], vec!["ls".to_owned()]]);
        Ok(())
    }
}
