//! Reads the files of a tools folder.

use std::{fs, io, path::Path, sync::Arc};

use serde_json::Value;

use super::{
    assemble::{Document, Loaded, assemble, order},
    definition::Definition,
    place::{MOST_BYTES, Opened, Place},
    refusal::Refusal,
    sense, shape,
    source::{self, Remark},
};

/// The tools of a folder. `taken` are names files cannot have: those of the server's own tools. A
/// folder that is not there has none.
pub fn load(folder: &Path, taken: &[&str]) -> Loaded {
    let mut opened = match Place::new(folder).open() {
        Ok(Some(opened)) => opened,
        Ok(None) => return Loaded::default(),
        Err(refusal) => return Loaded { refused: vec![refusal], ..Loaded::default() },
    };
    let too_many = opened.bounded(folder);
    let mut loaded = gather(opened.files.iter().map(|file| document(file, &opened)), taken);
    loaded.refused.extend(too_many);
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
    let mut opened = match Place::new(folder).open() {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(Loaded::default()),
        Err(refusal) => return Ok(Loaded { refused: vec![refusal], ..Loaded::default() }),
    };
    // It comes last, so that of two files that make the same tool it is the one at fault: what is
    // asked about is this one.
    opened.files.retain(|file| file.file_name() != path.file_name());
    opened.files.push(path.to_owned());
    let mut loaded = gather(opened.files.iter().map(|file| document(file, &opened)), taken);
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

/// One file, as far as it can be judged by itself.
pub(crate) fn document(file: &Path, opened: &Opened) -> Result<Document, Vec<Refusal>> {
    let text = opened.contents(file).map_err(|refusal| vec![refusal])?;
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
