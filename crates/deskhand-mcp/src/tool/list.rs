//! The offered tools and their declarations. Tools from files and from other servers can appear and
//! disappear; receivers are notified of changes.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

#[cfg(any(test, feature = "conformance"))]
use deskhand_engine::Vocabulary;
use deskhand_engine::{
    Catalogue, CurrentPolicy, Effect, SecurityMode, TaskSupport, ToolEntry, ToolKey, Toolset,
};
use deskhand_model::suggest;
use parking_lot::RwLock;
use rmcp::model::{ErrorData, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{Error, ToolSelection, server::client::Era, wire::outbound};

/// The task support of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMode {
    /// The tool never runs as a task.
    Never,
    /// It runs as a task if the client supports it.
    Optional,
    /// It always runs as a task.
    #[cfg_attr(not(feature = "conformance"), expect(dead_code, reason = "used by fixtures"))]
    Required,
}

/// The confinement of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// The tool is not confined.
    None,
    /// A command-line tool, confined to the folder of its session.
    SessionFolder,
}

/// The effect of a client's cancellation on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CancelMode {
    /// The call stops and gets no response.
    Stops,
    /// The call continues and gets a response.
    Ignored,
}

/// Aliases of tools, which clients can call and select. They are not listed, because listing each
/// tool twice costs tokens and confuses models.
const ALIASES: [(&str, &str); 3] =
    [("operation_await", "await"), ("operation_status", "status"), ("operation_cancel", "cancel")];

/// Returns the listed name of a tool.
pub(crate) fn listed_name(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, listed)| listed)
}

/// An offered tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OfferedTool {
    /// The key of the tool in the catalogue.
    pub(crate) key: ToolKey,
    /// The declaration.
    pub(crate) tool: Tool,
    /// The task support.
    pub(crate) task_mode: TaskMode,
    /// The effect class.
    pub(crate) effect: Effect,
    /// The confinement.
    pub(crate) confinement: Confinement,
    /// The effect of a client's cancellation.
    pub(crate) cancel_mode: CancelMode,
}

impl OfferedTool {
    /// Creates a read-only tool.
    #[cfg(any(test, feature = "conformance"))]
    pub(crate) fn read_only(tool: Tool, task_mode: TaskMode) -> Self {
        Self {
            key: Vocabulary::Dynamic.tool(tool.name.clone()),
            tool,
            task_mode,
            effect: Effect::Observe,
            confinement: Confinement::None,
            cancel_mode: CancelMode::Stops,
        }
    }
}

/// The offered tools, subject to policy.
#[derive(Debug)]
pub(crate) struct ToolList {
    selected_tools: RwLock<SelectedTools>,
    policy: CurrentPolicy,
    /// The time of the latest change.
    changes: watch::Sender<Option<Instant>>,
}

/// The selected tools, sorted by name.
type SelectedTools = Arc<Vec<Arc<OfferedTool>>>;

impl ToolList {
    /// Creates a list of these tools with the default policy.
    pub(crate) fn new(selected_tools: Vec<OfferedTool>) -> Self {
        let selected_tools = Arc::new(selected_tools.into_iter().map(Arc::new).collect());
        Self {
            selected_tools: RwLock::new(selected_tools),
            policy: CurrentPolicy::default(),
            changes: watch::Sender::default(),
        }
    }

    /// Selects tools of a catalogue.
    ///
    /// # Errors
    ///
    /// Returns an error if the selection names a tool that does not exist.
    pub(crate) fn select(
        catalogue: &Catalogue,
        selection: &ToolSelection,
        policy: impl Into<CurrentPolicy>,
    ) -> Result<Self, Error> {
        check_selection(catalogue, selection)?;
        Ok(Self { policy: policy.into(), ..Self::new(select_tools(catalogue, selection)) })
    }

    /// Selects tools of a catalogue, and follows its changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the selection names a tool that does not exist.
    pub(crate) fn live(
        catalogue: &Arc<Catalogue>,
        selection: &ToolSelection,
        policy: CurrentPolicy,
    ) -> Result<Arc<Self>, Error> {
        let tools = Arc::new(Self::select(catalogue, selection, policy)?);
        let (all, weak_tools) = (Arc::downgrade(catalogue), Arc::downgrade(&tools));
        let (wanted, selection) = (selection, selection.clone());
        catalogue.on_change(move || {
            if let (Some(all), Some(tools)) = (all.upgrade(), weak_tools.upgrade()) {
                tools.refresh(|| select_tools(&all, &selection));
            }
        });
        // Include changes made before the callback was registered.
        tools.refresh(|| select_tools(catalogue, wanted));
        Ok(tools)
    }

    /// Replaces the tools. Receivers are notified if they differ.
    fn refresh(&self, now: impl FnOnce() -> Vec<OfferedTool>) {
        let mut selected_tools = self.selected_tools.write();
        // Computed under the lock, so that of two concurrent changes the later one wins.
        let now = now();
        if selected_tools.iter().map(|one| &**one).ne(&now) {
            *selected_tools = Arc::new(now.into_iter().map(Arc::new).collect());
            self.note_change();
        }
    }

    /// Notifies the receivers of a change.
    pub(crate) fn note_change(&self) {
        self.changes.send_replace(Some(Instant::now()));
    }

    /// Returns a receiver that is notified when the tools change, with the time of the latest change.
    pub(crate) fn subscribe_changes(&self) -> watch::Receiver<Option<Instant>> {
        self.changes.subscribe()
    }

    fn selected_tools(&self) -> SelectedTools {
        Arc::clone(&self.selected_tools.read())
    }

    /// Returns the tools that policy allows in a mode.
    fn allowed(&self, ceiling: SecurityMode) -> Vec<Arc<OfferedTool>> {
        let is_allowed =
            |one: &&Arc<OfferedTool>| self.policy.get().check(one.effect, ceiling).is_ok();
        self.selected_tools().iter().filter(is_allowed).cloned().collect()
    }

    /// Returns a tool, even if policy refuses it: the call then says why.
    ///
    /// # Errors
    ///
    /// Returns an error with similar names if there is no such tool.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<OfferedTool>, ErrorData> {
        let listed = listed_name(name);
        let found =
            self.selected_tools().iter().find(|offered| offered.tool.name == listed).cloned();
        found.ok_or_else(|| {
            let allowed = self.allowed(SecurityMode::Normal);
            let similar = similar_names(name, allowed.iter().map(|offered| &*offered.tool.name));
            let mut why = format!("name: unknown tool `{name}`");
            if !similar.is_empty() {
                why.push_str("; did you mean: ");
                why.push_str(&similar.join(", "));
            }
            ErrorData::invalid_params(why, None)
        })
    }

    /// Returns the least permissive mode that allows a tool which `ceiling` does not allow. Returns
    /// `None` if `ceiling` allows it, or if no mode does.
    pub(crate) fn required_mode(&self, name: &str, ceiling: SecurityMode) -> Option<SecurityMode> {
        let listed = listed_name(name);
        let selected_tools = self.selected_tools();
        let effect = selected_tools.iter().find(|offered| offered.tool.name == listed)?.effect;
        let is_allowed = |mode: &SecurityMode| self.policy.get().check(effect, *mode).is_ok();
        let wider =
            SecurityMode::ALL.iter().rev().copied().filter(|mode| *mode < ceiling).find(is_allowed);
        wider.filter(|_| !is_allowed(&ceiling))
    }

    /// Returns `true` if calls of a tool are answered even if the client cancels them.
    pub(crate) fn is_uncancellable(&self, name: &str) -> bool {
        let selected_tools = self.selected_tools();
        let listed = listed_name(name);
        let found = selected_tools.iter().find(|offered| offered.tool.name == listed);
        found.is_some_and(|offered| offered.cancel_mode == CancelMode::Ignored)
    }

    /// Returns `true` if a tool is offered to clients of this mode.
    pub(crate) fn has(&self, name: &str, ceiling: SecurityMode) -> bool {
        self.allowed(ceiling).iter().any(|offered| offered.tool.name == name)
    }

    /// Returns `true` if every `ax_` tool that a text names in backquotes is offered to clients of
    /// this mode.
    pub(crate) fn offers_all_in(&self, words: &str, ceiling: SecurityMode) -> bool {
        let quoted = words.split('`').skip(1).step_by(2);
        quoted.filter(|name| name.starts_with("ax_")).all(|name| self.has(name, ceiling))
    }

    /// Returns `true` if a tool that changes something is offered.
    pub(crate) fn has_acting_tool(&self) -> bool {
        self.allowed(SecurityMode::Normal).iter().any(|offered| offered.effect.hints().destructive)
    }

    /// Returns the declarations for a client of this era and mode.
    pub(crate) fn declarations(&self, era: &Era, ceiling: SecurityMode) -> Vec<Tool> {
        let one = |offered: &Arc<OfferedTool>| {
            let mut tool = offered.tool.clone();
            let word = match offered.task_mode {
                TaskMode::Never => None,
                TaskMode::Optional => Some("optional"),
                TaskMode::Required => Some("required"),
            };
            if let Some(word) = word.filter(|_| era.has_task_requests()) {
                let meta = tool.meta.get_or_insert_with(MetaObject::new);
                meta.0.insert(outbound::EXECUTION.to_owned(), json!({ "taskSupport": word }));
            }
            tool
        };
        self.allowed(ceiling).iter().map(one).collect()
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Arc<OfferedTool>> {
        self.allowed(SecurityMode::Normal).into_iter()
    }
}

/// Checks that every name of a selection exists.
fn check_selection(catalogue: &Catalogue, selection: &ToolSelection) -> Result<(), Error> {
    let offered = catalogue.offered();
    let names: BTreeSet<&str> = offered.iter().map(|entry| entry.name()).collect();
    for name in selection.only.iter().chain(&selection.exclude) {
        if !names.contains(listed_name(name)) {
            let similar = similar_names(name, names.iter().copied());
            return Err(Error::UnknownTool { name: name.clone(), suggestions: similar });
        }
    }
    Ok(())
}

fn select_tools(catalogue: &Catalogue, selection: &ToolSelection) -> Vec<OfferedTool> {
    let sets: &[Toolset] = match (selection.only.is_empty(), selection.toolsets.is_empty()) {
        (false, _) => Toolset::ALL,
        (true, true) => &[Toolset::Ax],
        (true, false) => &selection.toolsets,
    };
    let is_named = |entry: &ToolEntry| {
        let is = |name: &String| listed_name(name) == entry.name();
        (selection.only.is_empty() || selection.only.iter().any(is))
            && !selection.exclude.iter().any(is)
    };
    let offered = catalogue.offered();
    let selected = offered.iter().filter(|entry| is_named(entry)).filter_map(|entry| {
        let set = Toolset::ALL
            .iter()
            .position(|set| sets.contains(set) && entry.toolsets().contains(set))?;
        Some((set, declare(entry)))
    });
    first_of_each_name(selected.collect())
}

/// Returns one tool for each name: that of the first toolset in [`Toolset::ALL`]. Each tool comes with
/// the position of its toolset.
fn first_of_each_name(mut tools: Vec<(usize, OfferedTool)>) -> Vec<OfferedTool> {
    tools.sort_by(|(a_set, a), (b_set, b)| (&a.tool.name, a_set).cmp(&(&b.tool.name, b_set)));
    tools.dedup_by(|(_, later), (_, first)| later.tool.name == first.tool.name);
    tools.into_iter().map(|(_, tool)| tool).collect()
}

fn declare(entry: &ToolEntry) -> OfferedTool {
    let mut tool = Tool::new(
        entry.name().to_owned(),
        entry.description().to_owned(),
        object(entry.input_schema()),
    )
    .with_raw_output_schema(Arc::new(object(entry.output_schema())))
    .with_annotations(annotations(entry));
    tool.title = entry.title().map(str::to_owned);
    let task_mode = match entry.task_support() {
        TaskSupport::Optional => TaskMode::Optional,
        TaskSupport::Never => TaskMode::Never,
    };
    let confinement = match entry.toolsets().contains(&Toolset::Cli) {
        true => Confinement::SessionFolder,
        false => Confinement::None,
    };
    let cancel_mode = match confinement == Confinement::SessionFolder && !entry.effect().mutates() {
        true => CancelMode::Ignored,
        false => CancelMode::Stops,
    };
    OfferedTool {
        key: entry.key(),
        tool,
        task_mode,
        effect: entry.effect(),
        confinement,
        cancel_mode,
    }
}

/// Returns the annotations of a tool. They have the title too, because clients up to 2025-03-26 look
/// for it only there.
fn annotations(entry: &ToolEntry) -> ToolAnnotations {
    let hints = entry.effect().hints();
    let annotations = match entry.title() {
        Some(title) => ToolAnnotations::with_title(title),
        None => ToolAnnotations::new(),
    };
    annotations
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world)
}

/// Returns a schema as a JSON object.
pub(crate) fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}

/// Returns up to three similar names.
fn similar_names<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let near = suggest::nearest_by(names, 0.75, 3, |other| suggest::similarity(name, other));
    near.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
