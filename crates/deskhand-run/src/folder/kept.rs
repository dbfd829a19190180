//! What is known of each file: its last good version stands while it is broken.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use crate::mtdf::{Document, Loaded, Place, Refusal, assemble, document, order};

/// The files of a folder, as they were when they were last good.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    place: Place,
    taken: Vec<String>,
    good: BTreeMap<PathBuf, Known>,
}

#[derive(Debug)]
struct Known {
    document: Arc<Document>,
    /// Since when the file has been broken.
    broken: Option<Instant>,
}

/// What a look at the folder came to.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) loaded: Loaded,
    /// When to look again although nothing changes.
    pub(super) again: Option<Instant>,
}

impl Kept {
    pub(super) fn new(folder: &Path, taken: &[&str]) -> Self {
        let taken = taken.iter().map(|&name| name.to_owned()).collect();
        let place = Place::new(folder);
        Self { folder: folder.to_owned(), place, taken, good: BTreeMap::new() }
    }

    /// Reads the folder. A file that was good and is not any more keeps its tools, and is told as
    /// refused once it has been broken for longer than `grace`.
    pub(super) fn read(&mut self, now: Instant, grace: Duration) -> Seen {
        let mut again: Option<Instant> = None;
        let mut refused = Vec::new();
        let mut opened = match self.place.open() {
            Ok(Some(opened)) => opened,
            Ok(None) => {
                self.good.clear();
                return Seen { loaded: Loaded::default(), again };
            }
            Err(refusal) => {
                self.good.clear();
                let loaded = Loaded { refused: vec![refusal], ..Loaded::default() };
                return Seen { loaded, again };
            }
        };
        refused.extend(opened.bounded(&self.folder));
        self.good.retain(|file, _| opened.files.contains(file));
        for file in std::mem::take(&mut opened.files) {
            match (document(&file, &opened), self.good.get_mut(&file)) {
                (Ok(document), _) => {
                    let document = Arc::new(document);
                    self.good.insert(file, Known { document, broken: None });
                }
                (Err(faults), None) => refused.extend(faults),
                (Err(faults), Some(known)) => {
                    let until = *known.broken.get_or_insert(now) + grace;
                    if now >= until {
                        refused.extend(faults.into_iter().map(still_the_old_one));
                    } else {
                        again = Some(again.map_or(until, |other| other.min(until)));
                    }
                }
            }
        }
        let documents: Vec<Arc<Document>> =
            self.good.values().map(|known| Arc::clone(&known.document)).collect();
        let taken: Vec<&str> = self.taken.iter().map(String::as_str).collect();
        let mut loaded = assemble(&documents, &taken);
        loaded.refused.extend(refused);
        loaded.refused.sort_by(order);
        Seen { loaded, again }
    }
}

fn still_the_old_one(mut refusal: Refusal) -> Refusal {
    refusal.why = format!("{}; its tools stay as they were", refusal.why);
    refusal
}
