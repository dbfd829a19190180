//! Reads the files of a tools folder.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::fs::OFlags;
use serde_json::Value;

use super::{
    assemble::{Document, Loaded, assemble, order},
    definition::Definition,
    refusal::Refusal,
    sense, shape,
    source::{self, Remark},
};

/// The largest file that is read; a tool takes some thousand bytes.
const MOST_BYTES: u64 = 1 << 20;

/// How many files are read.
const MOST_FILES: usize = 1000;

/// The tools of a folder. `taken` are names files cannot have: those of the server's own tools. A
/// folder that is not there has none.
pub fn load(folder: &Path, taken: &[&str]) -> Loaded {
    let (files, refused) = files(folder);
    let mut loaded = gather(files.iter().map(|file| document(file, folder)), taken);
    loaded.refused.extend(refused);
    loaded.refused.sort_by(order);
    loaded
}

/// What one file comes to, beside the others of its folder; or a folder.
pub fn examine(path: &Path, taken: &[&str]) -> io::Result<Loaded> {
    if fs::metadata(path)?.is_dir() {
        fs::read_dir(path)?;
        return Ok(load(path, taken));
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let same = |other: &Path| other.file_name() == path.file_name();
    let (mut files, _) = files(folder);
    files.retain(|file| !same(file));
    // It comes last, so that of two files that make the same tool it is the one at fault: what is
    // asked about is this one.
    files.push(path.to_owned());
    let mut loaded = gather(files.iter().map(|file| document(file, folder)), taken);
    loaded.tools.retain(|tool| tool.file == path);
    loaded.refused.retain(|one| one.file == path);
    loaded.warnings.retain(|one| one.file == path);
    Ok(loaded)
}

/// What a text would come to as the only file of a folder.
pub fn read_text(name: &Path, text: &[u8], taken: &[&str]) -> Loaded {
    gather([parse(name, text)].into_iter(), taken)
}

/// Tools of what was read.
fn gather(all: impl Iterator<Item = Result<Document, Vec<Refusal>>>, taken: &[&str]) -> Loaded {
    let mut sound = Vec::new();
    let mut refused = Vec::new();
    for one in all {
        match one {
            Ok(document) => sound.push(Arc::new(document)),
            Err(faults) => refused.extend(faults),
        }
    }
    let mut loaded = assemble(&sound, taken);
    loaded.refused.extend(refused);
    loaded.refused.sort_by(order);
    loaded
}

/// The files of a folder that define tools, sorted, and what is wrong with the folder.
pub(crate) fn files(folder: &Path) -> (Vec<PathBuf>, Vec<Refusal>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (Vec::new(), Vec::new()),
        Err(error) => {
            let why = format!("the folder cannot be read: {error}");
            return (Vec::new(), vec![Refusal::of_file(folder, why, None)]);
        }
    };
    // Editors put their own files beside those they edit, and hide them.
    let wanted = |path: &Path| {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        path.extension().is_some_and(|ending| ending == "json") && !hidden
    };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| wanted(path)).collect();
    files.sort();
    let mut refused = Vec::new();
    if files.len() > MOST_FILES {
        let why = format!("there are {} files, and {MOST_FILES} are read", files.len());
        refused.push(Refusal::of_file(
            folder,
            why,
            Some("put tools that belong together into one"),
        ));
        files.truncate(MOST_FILES);
    }
    (files, refused)
}

/// One file, as far as it can be judged by itself.
pub(crate) fn document(file: &Path, folder: &Path) -> Result<Document, Vec<Refusal>> {
    let text =
        contents(file, folder).map_err(|(why, hint)| vec![Refusal::of_file(file, why, hint)])?;
    parse(file, &text)
}

fn parse(file: &Path, bytes: &[u8]) -> Result<Document, Vec<Refusal>> {
    if bytes.len() as u64 > MOST_BYTES {
        let hint = Some("make several files of it");
        return Err(vec![Refusal::of_file(file, "the file is larger than 1 MB", hint)]);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            let line = good.matches('\n').count() + 1;
            let why = format!("the text is not UTF-8 in line {line}");
            return Err(vec![Refusal::of_file(file, why, Some("save it as UTF-8"))]);
        }
    };
    let (source, (shape, value)) =
        source::read(file, text, |root| (shape::check(root), Value::from(root.clone())))?;
    if !shape.is_empty() {
        return Err(source.told(shape));
    }
    let definition: Definition = match serde_json::from_value(value) {
        Ok(definition) => definition,
        // Reached by numbers no computer counts to; the schema has seen everything else.
        Err(error) => return Err(source.told(vec![Remark::new("", error.to_string())])),
    };
    let findings = sense::check(&definition);
    if !findings.faults.is_empty() {
        return Err(source.told(findings.faults));
    }
    let warnings = source.told(findings.oddities);
    Ok(Document { source, definition, warnings })
}

/// The bytes of a file. Links are followed inside the folder only: commands in the sandbox may
/// write there, and must not make the server read for them.
fn contents(file: &Path, folder: &Path) -> Result<Vec<u8>, (String, Option<&'static str>)> {
    let failed = |error: io::Error| (format!("the file cannot be read: {error}"), None);
    let place = file.canonicalize().map_err(failed)?;
    let is_link = file.symlink_metadata().map_err(failed)?.is_symlink();
    if is_link && !folder.canonicalize().is_ok_and(|folder| place.starts_with(folder)) {
        let why = "the file is a link that leads out of the folder".to_owned();
        return Err((why, Some("put a copy here")));
    }
    // Opening a pipe waits for a writer unless it is told not to.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(&place);
    let file: File = opened.map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(("this is not a file with text".to_owned(), None));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
