//! Reads the files of a tools folder.

use std::{fs, io, path::Path, sync::Arc};

use serde_json::Value;

use super::{
    assemble::{LoadedTools, ParsedFile, assemble, compare_positions},
    definition::Definition,
    diagnostic::Diagnostic,
    schema, semantics,
    source::{self, Finding},
    tools_dir::{MAX_FILE_SIZE, OpenToolsDir, ToolsDir},
};

/// Loads the tools of a folder. Tools cannot have a name in `reserved`, such as the server's own tools. A missing
/// folder has no tools.
pub fn load(folder: &Path, reserved: &[&str]) -> LoadedTools {
    let mut opened = match ToolsDir::new(folder).open() {
        Ok(Some(opened)) => opened,
        Ok(None) => return LoadedTools::default(),
        Err(diagnostic) => {
            return LoadedTools { refused: vec![diagnostic], ..LoadedTools::default() };
        }
    };
    let too_many = opened.limit_files(folder);
    let mut loaded =
        assemble_results(opened.files.iter().map(|file| read_file(file, &opened)), reserved);
    loaded.refused.extend(too_many);
    loaded.refused.sort_by(compare_positions);
    loaded
}

/// Validates one file together with the others in its folder, or a whole folder.
pub fn validate(path: &Path, reserved: &[&str]) -> io::Result<LoadedTools> {
    if fs::metadata(path)?.is_dir() {
        fs::read_dir(path)?;
        return Ok(load(path, reserved));
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut opened = match ToolsDir::new(folder).open() {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(LoadedTools::default()),
        Err(diagnostic) => {
            return Ok(LoadedTools { refused: vec![diagnostic], ..LoadedTools::default() });
        }
    };
    // It comes last, so that of two files that define the same tool this one is reported.
    opened.files.retain(|file| file.file_name() != path.file_name());
    opened.files.push(path.to_owned());
    let mut loaded =
        assemble_results(opened.files.iter().map(|file| read_file(file, &opened)), reserved);
    loaded.tools.retain(|tool| tool.file == path);
    loaded.refused.retain(|one| one.file == path);
    loaded.warnings.retain(|one| one.file == path);
    Ok(loaded)
}

/// Parses a text as if it were the only file of a folder.
pub fn parse_text(name: &Path, text: &[u8], reserved: &[&str]) -> LoadedTools {
    assemble_results([parse(name, text)].into_iter(), reserved)
}

/// Builds the tools of parsed files.
fn assemble_results(
    all: impl Iterator<Item = Result<ParsedFile, Vec<Diagnostic>>>,
    reserved: &[&str],
) -> LoadedTools {
    let mut valid = Vec::new();
    let mut refused = Vec::new();
    for one in all {
        match one {
            Ok(parsed) => valid.push(Arc::new(parsed)),
            Err(errors) => refused.extend(errors),
        }
    }
    let mut loaded = assemble(&valid, reserved);
    loaded.refused.extend(refused);
    loaded.refused.sort_by(compare_positions);
    loaded
}

/// Reads one file and checks it on its own.
pub(crate) fn read_file(file: &Path, opened: &OpenToolsDir) -> Result<ParsedFile, Vec<Diagnostic>> {
    let text = opened.read(file).map_err(|diagnostic| vec![diagnostic])?;
    parse(file, &text)
}

fn parse(file: &Path, bytes: &[u8]) -> Result<ParsedFile, Vec<Diagnostic>> {
    if bytes.len() as u64 > MAX_FILE_SIZE {
        let hint = Some("split it into several files");
        return Err(vec![Diagnostic::for_file(file, "the file is larger than 1 MB", hint)]);
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            let line = valid.matches('\n').count() + 1;
            let message = format!("line {line} is not valid UTF-8");
            return Err(vec![Diagnostic::for_file(file, message, Some("save it as UTF-8"))]);
        }
    };
    let (source, (schema_findings, value)) =
        source::read(file, text, |root| (schema::check(root), Value::from(root.clone())))?;
    if !schema_findings.is_empty() {
        return Err(source.diagnostics(schema_findings));
    }
    let definition: Definition = match serde_json::from_value(value) {
        Ok(definition) => definition,
        // Only numbers that are out of range get here. The schema check has found everything else.
        Err(error) => return Err(source.diagnostics(vec![Finding::new("", error.to_string())])),
    };
    let findings = semantics::check(&definition);
    if !findings.errors.is_empty() {
        return Err(source.diagnostics(findings.errors));
    }
    let warnings = source.diagnostics(findings.warnings);
    Ok(ParsedFile { source, definition, warnings })
}
