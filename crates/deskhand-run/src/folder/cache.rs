//! Caches tool definitions: the last valid version of a file stays in use while the file is broken.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use crate::mtdf::{
    Diagnostic, LoadedTools, ParsedFile, ToolsDir, assemble, compare_positions, read_file,
};

/// The last valid version of each file in a folder.
#[derive(Debug)]
pub(super) struct DefinitionCache {
    folder: PathBuf,
    tools_dir: ToolsDir,
    reserved: Vec<String>,
    files: BTreeMap<PathBuf, CachedFile>,
}

#[derive(Debug)]
struct CachedFile {
    document: Arc<ParsedFile>,
    /// The time since which the file has been broken.
    broken_since: Option<Instant>,
}

/// The result of reading the folder.
#[derive(Debug)]
pub(super) struct Reload {
    pub(super) loaded: LoadedTools,
    /// The time to read again even if nothing changes.
    pub(super) retry_at: Option<Instant>,
}

impl DefinitionCache {
    pub(super) fn new(folder: &Path, reserved: &[&str]) -> Self {
        let reserved = reserved.iter().map(|&name| name.to_owned()).collect();
        let tools_dir = ToolsDir::new(folder);
        Self { folder: folder.to_owned(), tools_dir, reserved, files: BTreeMap::new() }
    }

    /// Reads the folder. A file that was valid and is broken now keeps its tools. It is reported after it has been
    /// broken for longer than `grace`.
    pub(super) fn read(&mut self, now: Instant, grace: Duration) -> Reload {
        let mut retry_at: Option<Instant> = None;
        let mut refused = Vec::new();
        let mut open_dir = match self.tools_dir.open() {
            Ok(Some(open_dir)) => open_dir,
            Ok(None) => {
                self.files.clear();
                return Reload { loaded: LoadedTools::default(), retry_at };
            }
            Err(diagnostic) => {
                self.files.clear();
                let loaded = LoadedTools { refused: vec![diagnostic], ..LoadedTools::default() };
                return Reload { loaded, retry_at };
            }
        };
        refused.extend(open_dir.limit_files(&self.folder));
        self.files.retain(|file, _| open_dir.files.contains(file));
        for file in std::mem::take(&mut open_dir.files) {
            match (read_file(&file, &open_dir), self.files.get_mut(&file)) {
                (Ok(document), _) => {
                    let document = Arc::new(document);
                    self.files.insert(file, CachedFile { document, broken_since: None });
                }
                (Err(faults), None) => refused.extend(faults),
                (Err(faults), Some(cached)) => {
                    let deadline = *cached.broken_since.get_or_insert(now) + grace;
                    if now >= deadline {
                        refused.extend(faults.into_iter().map(note_old_tools_stay));
                    } else {
                        retry_at = Some(retry_at.map_or(deadline, |other| other.min(deadline)));
                    }
                }
            }
        }
        let documents: Vec<Arc<ParsedFile>> =
            self.files.values().map(|cached| Arc::clone(&cached.document)).collect();
        let reserved: Vec<&str> = self.reserved.iter().map(String::as_str).collect();
        let mut loaded = assemble(&documents, &reserved);
        loaded.refused.extend(refused);
        loaded.refused.sort_by(compare_positions);
        Reload { loaded, retry_at }
    }
}

fn note_old_tools_stay(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.message = format!("{}; its tools stay as they were", diagnostic.message);
    diagnostic
}
