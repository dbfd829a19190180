//! The catalogue of tools: the built-in ones, and dynamic ones from files and other MCP servers.

use std::sync::Arc;

use deskhand_tools::ToolEntry;
use parking_lot::{Mutex, RwLock};

/// All tools, in the order in which help and documentation list them.
pub struct Catalogue {
    builtin: Vec<Arc<ToolEntry>>,
    dynamic: RwLock<Vec<DynamicSource>>,
    watchers: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
}

/// The dynamic tools of one source.
struct DynamicSource {
    name: String,
    tools: Vec<Arc<ToolEntry>>,
}

impl Catalogue {
    /// Creates a catalogue of the built-in tools.
    pub fn all() -> Self {
        Self {
            builtin: deskhand_tools::all().into_iter().map(Arc::new).collect(),
            dynamic: RwLock::default(),
            watchers: Mutex::default(),
        }
    }

    /// Returns the tool with this name.
    pub fn get(&self, name: &str) -> Option<Arc<ToolEntry>> {
        let named = |entry: &&Arc<ToolEntry>| entry.name() == name;
        if let Some(entry) = self.builtin.iter().find(named) {
            return Some(Arc::clone(entry));
        }
        let dynamic = self.dynamic.read();
        dynamic.iter().flat_map(|source| &source.tools).find(named).map(Arc::clone)
    }

    /// Returns the tools that have a CLI command.
    pub fn commands(&self) -> impl Iterator<Item = &ToolEntry> {
        self.iter().filter(|entry| !entry.command().is_empty())
    }

    /// Returns the tools that MCP clients can call, sorted by name.
    pub fn offered(&self) -> Vec<Arc<ToolEntry>> {
        let offered = self.builtin.iter().filter(|entry| entry.title().is_some());
        let mut all: Vec<Arc<ToolEntry>> = offered.map(Arc::clone).collect();
        let dynamic = self.dynamic.read();
        all.extend(dynamic.iter().flat_map(|source| &source.tools).map(Arc::clone));
        all.sort_by(|a, b| a.name().cmp(b.name()));
        all
    }

    /// Returns the built-in tools.
    pub fn iter(&self) -> impl Iterator<Item = &ToolEntry> {
        self.builtin.iter().map(AsRef::as_ref)
    }

    /// Replaces all tools of a source and calls the watchers. A tool whose name is already taken is
    /// not added; returns the names of these tools.
    pub fn replace(&self, source: &str, tools: Vec<ToolEntry>) -> Vec<String> {
        let mut dynamic = self.dynamic.write();
        let at = dynamic.iter().position(|one| one.name == source);
        let (mut added, mut rejected) = (Vec::<Arc<ToolEntry>>::new(), Vec::new());
        for tool in tools {
            let others = dynamic.iter().filter(|one| one.name != source).flat_map(|one| &one.tools);
            let is_taken = self
                .builtin
                .iter()
                .chain(others)
                .chain(&added)
                .any(|other| other.name() == tool.name());
            if is_taken {
                rejected.push(tool.name().to_owned());
            } else {
                added.push(Arc::new(tool));
            }
        }
        match at {
            Some(at) => dynamic[at].tools = added,
            None => dynamic.push(DynamicSource { name: source.to_owned(), tools: added }),
        }
        drop(dynamic);
        for watcher in &*self.watchers.lock() {
            watcher();
        }
        rejected
    }

    /// Registers a callback for every change of the tools.
    pub fn on_change(&self, watcher: impl Fn() + Send + Sync + 'static) {
        self.watchers.lock().push(Box::new(watcher));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_are_unique_and_schemas_have_no_references() {
        let all = Catalogue::all();
        let mut names: Vec<_> = all.iter().map(|entry| entry.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for entry in all.iter() {
            let schema = entry.full_input_schema();
            assert_eq!(schema["type"], "object", "{}", entry.name());
            assert!(!schema.to_string().contains("$ref"), "{}: {schema}", entry.name());
        }
    }
}
