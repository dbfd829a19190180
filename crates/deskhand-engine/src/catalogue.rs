//! The catalogue of tools: the built-in ones, and dynamic ones from files and other MCP servers.

use std::sync::Arc;

use deskhand_tools::{ToolEntry, ToolKey};
use parking_lot::{Mutex, RwLock};

/// All tools, in the order in which help and documentation list them. A tool is identified by its
/// vocabulary and its name, so two vocabularies may use one name for different tools.
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
        Self::of(deskhand_tools::all())
    }

    /// Creates a catalogue of these tools.
    fn of(builtin: Vec<ToolEntry>) -> Self {
        Self {
            builtin: builtin.into_iter().map(Arc::new).collect(),
            dynamic: RwLock::default(),
            watchers: Mutex::default(),
        }
    }

    /// Returns the tool with this key.
    pub fn get(&self, key: &ToolKey) -> Option<Arc<ToolEntry>> {
        let has_key = |entry: &&Arc<ToolEntry>| {
            entry.vocabulary() == key.vocabulary() && entry.name() == key.name()
        };
        if let Some(entry) = self.builtin.iter().find(has_key) {
            return Some(Arc::clone(entry));
        }
        let dynamic = self.dynamic.read();
        dynamic.iter().flat_map(|source| &source.tools).find(has_key).map(Arc::clone)
    }

    /// Returns the first tool with this name: commands before other built-in tools, and those before
    /// tools that were created at run time.
    pub fn find(&self, name: &str) -> Option<Arc<ToolEntry>> {
        let has_name = |entry: &&Arc<ToolEntry>| entry.name() == name;
        if let Some(entry) = self.builtin.iter().find(has_name) {
            return Some(Arc::clone(entry));
        }
        let dynamic = self.dynamic.read();
        dynamic.iter().flat_map(|source| &source.tools).find(has_name).map(Arc::clone)
    }

    /// Returns the tools that have a CLI command.
    pub fn commands(&self) -> impl Iterator<Item = &ToolEntry> {
        self.iter().filter(|entry| !entry.command().is_empty())
    }

    /// Returns the tools that MCP clients can call, sorted by name. Two vocabularies can contain the
    /// same name.
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
    use deskhand_tools::{
        Effect, Offer, TaskSupport, Tool, ToolSpec, Toolset,
        Vocabulary::{self, Desktop, Inspect},
    };
    use deskhand_verbs::{Context, Render, Result, StyledText};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;

    #[test]
    fn names_are_unique_in_a_vocabulary_and_schemas_have_no_references() {
        let all = Catalogue::all();
        let mut keys: Vec<ToolKey> = all.iter().map(ToolEntry::key).collect();
        keys.sort_unstable();
        let count = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), count);
        for entry in all.iter() {
            let schema = entry.full_input_schema();
            assert_eq!(schema["type"], "object", "{}", entry.name());
            assert!(!schema.to_string().contains("$ref"), "{}: {schema}", entry.name());
        }
    }

    #[derive(Serialize, JsonSchema)]
    struct Nothing {}

    impl Render for Nothing {
        fn render(&self) -> StyledText {
            StyledText::default()
        }
    }

    #[derive(Deserialize, JsonSchema)]
    struct ByName {
        #[expect(dead_code, reason = "only its schema is used")]
        name: String,
    }

    #[derive(Deserialize, JsonSchema)]
    struct ByApp {
        #[expect(dead_code, reason = "only its schema is used")]
        app: Option<String>,
    }

    const fn spec() -> ToolSpec {
        let about = "List windows.";
        ToolSpec { name: "list_windows", command: "", about, effect: Effect::Observe, needs: &[] }
    }

    struct DesktopTool;

    impl Tool for DesktopTool {
        const SPEC: ToolSpec = spec();
        const OFFER: Option<Offer> = Some(Offer {
            title: "List windows",
            toolsets: &[Toolset::Desktop],
            task: TaskSupport::Never,
        });
        type Args = ByName;
        type Output = Nothing;

        fn run(_: &Context<'_>, _: ByName) -> Result<Nothing> {
            Ok(Nothing {})
        }
    }

    struct InspectTool;

    impl Tool for InspectTool {
        const SPEC: ToolSpec = spec();
        const OFFER: Option<Offer> = Some(Offer {
            title: "List windows",
            toolsets: &[Toolset::Inspect],
            task: TaskSupport::Never,
        });
        type Args = ByApp;
        type Output = Nothing;

        fn run(_: &Context<'_>, _: ByApp) -> Result<Nothing> {
            Ok(Nothing {})
        }
    }

    #[test]
    fn two_vocabularies_use_one_name_for_different_tools() {
        let catalogue = Catalogue::of(vec![
            ToolEntry::builtin::<DesktopTool>().in_vocabulary(Desktop),
            ToolEntry::builtin::<InspectTool>().in_vocabulary(Inspect),
        ]);
        let argument = |vocabulary: Vocabulary| {
            let entry = catalogue.get(&vocabulary.tool("list_windows"))?;
            let schema = entry.input_schema();
            schema["properties"].as_object()?.keys().next().cloned()
        };
        assert_eq!(argument(Desktop).as_deref(), Some("name"));
        assert_eq!(argument(Inspect).as_deref(), Some("app"));
        assert_eq!(argument(Vocabulary::Commands), None);
        assert_eq!(catalogue.offered().len(), 2);
    }
}
