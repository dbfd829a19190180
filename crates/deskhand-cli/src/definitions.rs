//! Tools that files declare, as part of the catalogue: loaded, followed as the files change, and left
//! out where their own checks fail.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use deskhand_engine::{Catalogue, Pace};
use deskhand_model::Explain;
use deskhand_run::{
    Checks, Sorted, Workshop,
    folder::Folder,
    mtdf::{self, Loaded},
};

use crate::{commands::Offered, logging};

/// The name the catalogue knows them by.
const SOURCE: &str = "definitions";

/// Follows a folder of definitions, until it goes.
pub(crate) struct Definitions {
    _folder: Option<Folder>,
}

/// Puts what is loaded into a catalogue.
struct Shelf {
    catalogue: Arc<Catalogue>,
    pace: Pace,
    folder: PathBuf,
    /// Where checks are run; without it everything is taken for usable.
    workshop: Option<Arc<Workshop>>,
    /// Held while something is put, so that what was loaded last stays.
    checks: Mutex<Checks>,
    /// How often the files were loaded.
    loads: AtomicU64,
}

impl Definitions {
    /// Loads what is offered, and does so again whenever the files change.
    pub(crate) fn follow(
        catalogue: &Arc<Catalogue>,
        offered: &Offered,
        pace: Pace,
        workshop: Option<Arc<Workshop>>,
    ) -> Option<Self> {
        let (shelf, names) = Shelf::of(catalogue, offered, pace, workshop)?;
        let taken: Vec<&str> = names.iter().map(String::as_str).collect();
        let shelf = Arc::new(shelf);
        let changing = Arc::clone(&shelf);
        let again = move |loaded: Loaded| {
            let number = changing.loads.fetch_add(1, Ordering::AcqRel) + 1;
            tell(&loaded);
            changing.check(&loaded, number);
        };
        let (folder, loaded) = match Folder::watch(&shelf.folder, &taken, again) {
            Ok((folder, loaded)) => (Some(folder), loaded),
            Err(error) => {
                let hint = error.hint().unwrap_or_default();
                logging::warned(&format!("changes of tools are not noticed: {error}; {hint}"));
                (None, mtdf::load(&shelf.folder, &taken))
            }
        };
        tell(&loaded);
        shelf.put(&shelf.lock(), &loaded.tools, 0);
        // Clients are served meanwhile: a check may take seconds.
        std::thread::spawn(move || shelf.check(&loaded, 0));
        Some(Self { _folder: folder })
    }

    /// Loads what is offered once, without looking whether it can be used.
    pub(crate) fn load(catalogue: &Arc<Catalogue>, offered: &Offered, pace: Pace) {
        let Some((shelf, names)) = Shelf::of(catalogue, offered, pace, None) else { return };
        let taken: Vec<&str> = names.iter().map(String::as_str).collect();
        let loaded = mtdf::load(&shelf.folder, &taken);
        tell(&loaded);
        shelf.put(&shelf.lock(), &loaded.tools, 0);
    }
}

impl Shelf {
    /// A shelf for what is offered, and the names that are taken.
    fn of(
        catalogue: &Arc<Catalogue>,
        offered: &Offered,
        pace: Pace,
        workshop: Option<Arc<Workshop>>,
    ) -> Option<(Self, Vec<String>)> {
        let Offered::Tools(Some(folder)) = offered else { return None };
        let names = catalogue.iter().map(|entry| entry.name().to_owned()).collect();
        let (catalogue, folder) = (Arc::clone(catalogue), folder.clone());
        let (checks, loads) = (Mutex::default(), AtomicU64::new(0));
        Some((Self { catalogue, pace, folder, workshop, checks, loads }, names))
    }

    /// Offers what can be used of what was loaded.
    fn check(&self, loaded: &Loaded, number: u64) {
        let mut checks = self.lock();
        let Some(workshop) = &self.workshop else {
            return self.put(&checks, &loaded.tools, number);
        };
        // A file may have been touched because its program is there by now.
        checks.forget_faults();
        let Sorted { usable, others } = checks.sort(&loaded.tools, workshop);
        for (tool, why) in &others {
            let instructions = tool.install_instructions.as_deref().unwrap_or_default();
            logging::warned(&format!("`{}` is not offered: {why}. {instructions}", tool.name));
        }
        self.put(&checks, &usable, number);
    }

    fn lock(&self) -> MutexGuard<'_, Checks> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers these, unless the files were loaded again since.
    fn put(&self, _turn: &MutexGuard<'_, Checks>, tools: &[Arc<mtdf::Callable>], number: u64) {
        if number < self.loads.load(Ordering::Acquire) {
            return;
        }
        let entries =
            tools.iter().map(|tool| deskhand_engine::defined(Arc::clone(tool), self.pace));
        for name in self.catalogue.replace(SOURCE, entries.collect()) {
            logging::warned(&format!("not loaded: another tool is called {name}"));
        }
        offered(&self.folder, tools.len());
    }
}

fn offered(folder: &Path, count: usize) {
    tracing::info!(folder = %folder.display(), count, "command-line tools are defined");
}

/// Says what is wrong with files.
fn tell(loaded: &Loaded) {
    for refusal in &loaded.refused {
        let suggestion = refusal.suggestion.as_deref().map(|words| format!("; {words}"));
        logging::warned(&format!("not loaded: {refusal}{}", suggestion.unwrap_or_default()));
    }
}
