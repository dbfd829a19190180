//! The tools by name: those declared here, and those made from files and other servers, which come
//! and go.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use deskhand_tools::Entry;

/// Every tool there is, in the order people meet them.
pub struct Catalogue {
    declared: Vec<Arc<Entry>>,
    made: RwLock<Vec<Source>>,
    watchers: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
}

/// The tools that were made from one source.
struct Source {
    name: String,
    tools: Vec<Arc<Entry>>,
}

impl Catalogue {
    /// All tools that are declared.
    pub fn all() -> Self {
        Self {
            declared: deskhand_tools::all().into_iter().map(Arc::new).collect(),
            made: RwLock::default(),
            watchers: Mutex::default(),
        }
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<Arc<Entry>> {
        let named = |entry: &&Arc<Entry>| entry.name() == name;
        if let Some(entry) = self.declared.iter().find(named) {
            return Some(Arc::clone(entry));
        }
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner);
        made.iter().flat_map(|source| &source.tools).find(named).map(Arc::clone)
    }

    /// The tools that are commands.
    pub fn commands(&self) -> impl Iterator<Item = &Entry> {
        self.iter().filter(|entry| !entry.command().is_empty())
    }

    /// The tools that are offered to programs, sorted by name.
    pub fn offered(&self) -> Vec<Arc<Entry>> {
        let offered = self.declared.iter().filter(|entry| entry.title().is_some());
        let mut all: Vec<Arc<Entry>> = offered.map(Arc::clone).collect();
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner);
        all.extend(made.iter().flat_map(|source| &source.tools).map(Arc::clone));
        all.sort_by(|a, b| a.name().cmp(b.name()));
        all
    }

    /// The tools that are declared, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.declared.iter().map(AsRef::as_ref)
    }

    /// Puts these in the place of all tools of a source, and tells who watches. A name that is taken
    /// stays with who has it; the names that are left out by this come back.
    pub fn replace(&self, source: &str, tools: Vec<Entry>) -> Vec<String> {
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        let at = made.iter().position(|one| one.name == source);
        let (mut kept, mut left_out) = (Vec::<Arc<Entry>>::new(), Vec::new());
        for tool in tools {
            let others = made.iter().filter(|one| one.name != source).flat_map(|one| &one.tools);
            let is_taken = self
                .declared
                .iter()
                .chain(others)
                .chain(&kept)
                .any(|other| other.name() == tool.name());
            if is_taken {
                left_out.push(tool.name().to_owned());
            } else {
                kept.push(Arc::new(tool));
            }
        }
        match at {
            Some(at) => made[at].tools = kept,
            None => made.push(Source { name: source.to_owned(), tools: kept }),
        }
        drop(made);
        for watcher in &*self.watchers.lock().unwrap_or_else(PoisonError::into_inner) {
            watcher();
        }
        left_out
    }

    /// Has something called whenever tools have come or gone.
    pub fn on_change(&self, watcher: impl Fn() + Send + Sync + 'static) {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(watcher));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tools_share_a_name_and_every_schema_stands_alone() {
        let all = Catalogue::all();
        let mut names: Vec<_> = all.iter().map(|entry| entry.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for entry in all.iter() {
            let schema = entry.arguments();
            assert_eq!(schema["type"], "object", "{}", entry.name());
            assert!(!schema.to_string().contains("$ref"), "{}: {schema}", entry.name());
        }
    }
}
