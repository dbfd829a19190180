//! Tools defined by files: loaded into the catalogue, and reloaded when the files change. Tools whose
//! availability checks fail are left out.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use deskhand::commands::CommandTools;
use deskhand_engine::{Catalogue, Origin, WaitMode, spell_advice};
use deskhand_model::Explain;
use deskhand_run::{
    AvailabilityChecks, CheckedTools, CommandSession,
    folder::WatchedFolder,
    mtdf::{self, LoadedTools},
};
use parking_lot::{Mutex, MutexGuard};

use crate::{Notify, ServerMessage};

/// The name of these tools' source in the catalogue.
const SOURCE: &str = "definitions";

/// Watches a folder of definitions until dropped.
pub(crate) struct Definitions {
    _folder: Option<WatchedFolder>,
}

/// Loads definitions into a catalogue.
struct DefinitionLoader {
    catalogue: Arc<Catalogue>,
    wait_mode: WaitMode,
    folder: PathBuf,
    /// The session in which availability checks run; without it all tools count as available.
    session: Option<Arc<CommandSession>>,
    /// Locked while the catalogue is updated, so that updates stay in order.
    checks: Mutex<AvailabilityChecks>,
    /// The number of times the files were reloaded.
    reloads: AtomicU64,
    notify: Notify,
}

impl Definitions {
    /// Loads the definitions, and reloads them when the files change.
    pub(crate) fn watch(
        catalogue: &Arc<Catalogue>,
        tools: &CommandTools,
        wait_mode: WaitMode,
        session: Option<Arc<CommandSession>>,
        notify: Notify,
    ) -> Option<Self> {
        let (loader, names) = DefinitionLoader::new(catalogue, tools, wait_mode, session, notify)?;
        let taken: Vec<&str> = names.iter().map(String::as_str).collect();
        let loader = Arc::new(loader);
        let reloader = Arc::clone(&loader);
        let on_change = move |loaded: LoadedTools| {
            let number = reloader.reloads.fetch_add(1, Ordering::AcqRel) + 1;
            reloader.warn_of_errors(&loaded);
            reloader.check(&loaded, number);
        };
        let (folder, loaded) = match WatchedFolder::watch(&loader.folder, &taken, on_change) {
            Ok((folder, loaded)) => (Some(folder), loaded),
            Err(error) => {
                let advice = error.advice().unwrap_or_default();
                let hint = spell_advice(&advice, Origin::Cli);
                loader.warn(&format!(
                    "cannot watch the tool definitions for changes: {error}; {hint}"
                ));
                (None, mtdf::load(&loader.folder, &taken))
            }
        };
        loader.warn_of_errors(&loaded);
        loader.publish(&loader.checks.lock(), &loaded.tools, 0);
        // In the background, because a check may take seconds.
        std::thread::spawn(move || loader.check(&loaded, 0));
        Some(Self { _folder: folder })
    }

    /// Loads the definitions once, without availability checks.
    pub(crate) fn load(
        catalogue: &Arc<Catalogue>,
        tools: &CommandTools,
        wait_mode: WaitMode,
        notify: Notify,
    ) {
        let loader = DefinitionLoader::new(catalogue, tools, wait_mode, None, notify);
        let Some((loader, names)) = loader else { return };
        let taken: Vec<&str> = names.iter().map(String::as_str).collect();
        let loaded = mtdf::load(&loader.folder, &taken);
        loader.warn_of_errors(&loaded);
        loader.publish(&loader.checks.lock(), &loaded.tools, 0);
    }
}

impl DefinitionLoader {
    /// Creates a loader; returns it with the tool names that are taken. Returns `None` if there is no
    /// folder of definitions.
    fn new(
        catalogue: &Arc<Catalogue>,
        tools: &CommandTools,
        wait_mode: WaitMode,
        session: Option<Arc<CommandSession>>,
        notify: Notify,
    ) -> Option<(Self, Vec<String>)> {
        let CommandTools::Enabled(Some(folder)) = tools else { return None };
        let names = catalogue.iter().map(|entry| entry.name().to_owned()).collect();
        let (catalogue, folder) = (Arc::clone(catalogue), folder.clone());
        let (checks, reloads) = (Mutex::default(), AtomicU64::new(0));
        Some((Self { catalogue, wait_mode, folder, session, checks, reloads, notify }, names))
    }

    /// Runs availability checks and publishes the tools that pass.
    fn check(&self, loaded: &LoadedTools, number: u64) {
        let mut checks = self.checks.lock();
        let Some(session) = &self.session else {
            return self.publish(&checks, &loaded.tools, number);
        };
        // The file may have changed because its program is installed now.
        checks.forget_failures();
        let CheckedTools { available: usable, unavailable: others } =
            checks.partition(&loaded.tools, session);
        for (tool, why) in &others {
            let instructions = tool.install_instructions.as_deref().unwrap_or_default();
            self.warn(&format!("`{}` is not offered: {why}. {instructions}", tool.name));
        }
        self.publish(&checks, &usable, number);
    }

    /// Publishes tools in the catalogue, unless the files were reloaded since.
    fn publish(
        &self,
        _: &MutexGuard<'_, AvailabilityChecks>,
        tools: &[Arc<mtdf::CommandTool>],
        number: u64,
    ) {
        if number < self.reloads.load(Ordering::Acquire) {
            return;
        }
        let entries =
            tools.iter().map(|tool| deskhand_engine::defined(Arc::clone(tool), self.wait_mode));
        for name in self.catalogue.replace(SOURCE, entries.collect()) {
            self.warn(&format!("not loaded: another tool is called {name}"));
        }
        tracing::info!(folder = %self.folder.display(), count = tools.len(), "loaded tool definitions");
    }

    /// Warns of files that were not loaded.
    fn warn_of_errors(&self, loaded: &LoadedTools) {
        for refusal in &loaded.refused {
            let suggestion = refusal.suggestion.as_deref().map(|text| format!("; {text}"));
            self.warn(&format!("not loaded: {refusal}{}", suggestion.unwrap_or_default()));
        }
    }

    fn warn(&self, text: &str) {
        (self.notify)(ServerMessage::Warning(text));
    }
}
