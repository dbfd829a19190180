//! The offered tools and their declarations. Tools from files and from other servers can appear and
//! disappear; receivers are notified of changes.

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError, RwLock},
};

use deskhand_engine::{Catalogue, Effect, Entry, Mode, Policy, TaskSupport, Toolset};
use rmcp::model::{ErrorData, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{Error, Selection, server::client::Era, wire::outbound};

/// Whether a tool runs as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    /// Never.
    Never,
    /// If the client supports it.
    Optional,
    /// Always.
    Required,
}

/// Whether a tool is confined to the folder of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is not.
    No,
    /// It is: it is a command-line tool.
    ToFolder,
}

/// The effect of a client's cancellation on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cancelling {
    /// The call stops and gets no response.
    Stops,
    /// The call continues and gets a response.
    NotHeard,
}

/// An offered tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offered {
    /// The declaration.
    pub(crate) tool: Tool,
    /// Whether it runs as a task.
    pub(crate) support: Support,
    /// The effect class.
    pub(crate) effect: Effect,
    /// Whether it is confined to the folder of its session.
    pub(crate) bound: Bound,
    /// The effect of a client's cancellation.
    pub(crate) cancelling: Cancelling,
}

impl Offered {
    /// Creates a read-only tool.
    pub(crate) fn looking(tool: Tool, support: Support) -> Self {
        Self {
            tool,
            support,
            effect: Effect::Observe,
            bound: Bound::No,
            cancelling: Cancelling::Stops,
        }
    }
}

/// The offered tools, subject to policy.
#[derive(Debug)]
pub(crate) struct Tools {
    chosen: RwLock<Chosen>,
    policy: Policy,
    news: watch::Sender<u64>,
}

/// The selected tools, sorted by name.
type Chosen = Arc<Vec<Arc<Offered>>>;

impl Tools {
    /// Creates a list of these tools with the default policy.
    pub(crate) fn new(chosen: Vec<Offered>) -> Self {
        let chosen = Arc::new(chosen.into_iter().map(Arc::new).collect());
        Self {
            chosen: RwLock::new(chosen),
            policy: Policy::default(),
            news: watch::Sender::default(),
        }
    }

    /// Selects tools of a catalogue.
    ///
    /// # Errors
    ///
    /// Returns an error if the selection names a tool that does not exist.
    pub(crate) fn selected(
        catalogue: &Catalogue,
        selection: &Selection,
        policy: Policy,
    ) -> Result<Self, Error> {
        check(catalogue, selection)?;
        Ok(Self { policy, ..Self::new(chosen(catalogue, selection)) })
    }

    /// Selects tools of a catalogue, and follows its changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the selection names a tool that does not exist.
    pub(crate) fn following(
        catalogue: &Arc<Catalogue>,
        selection: &Selection,
        policy: Policy,
    ) -> Result<Arc<Self>, Error> {
        let tools = Arc::new(Self::selected(catalogue, selection, policy)?);
        let (all, follower) = (Arc::downgrade(catalogue), Arc::downgrade(&tools));
        let (wanted, selection) = (selection, selection.clone());
        catalogue.on_change(move || {
            if let (Some(all), Some(tools)) = (all.upgrade(), follower.upgrade()) {
                tools.refresh(|| chosen(&all, &selection));
            }
        });
        // Include changes made before the callback was registered.
        tools.refresh(|| chosen(catalogue, wanted));
        Ok(tools)
    }

    /// Replaces the tools. Receivers are notified if they differ.
    fn refresh(&self, now: impl FnOnce() -> Vec<Offered>) {
        let mut chosen = self.chosen.write().unwrap_or_else(PoisonError::into_inner);
        // Computed under the lock, so that of two concurrent changes the later one wins.
        let now = now();
        if chosen.iter().map(|one| &**one).ne(&now) {
            *chosen = Arc::new(now.into_iter().map(Arc::new).collect());
            self.news.send_modify(|turn| *turn += 1);
        }
    }

    /// Returns a receiver that is notified when the tools change.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn chosen(&self) -> Chosen {
        Arc::clone(&self.chosen.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the tools that policy allows in a mode.
    fn allowed(&self, ceiling: Mode) -> Vec<Arc<Offered>> {
        let may = |one: &&Arc<Offered>| self.policy.check(one.effect, ceiling).is_ok();
        self.chosen().iter().filter(may).cloned().collect()
    }

    /// Returns a tool, even if policy refuses it: the call then says why.
    ///
    /// # Errors
    ///
    /// Returns an error with similar names if there is no such tool.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Offered>, ErrorData> {
        let found = self.chosen().iter().find(|offered| offered.tool.name == name).cloned();
        found.ok_or_else(|| {
            let allowed = self.allowed(Mode::Normal);
            let near = nearest(name, allowed.iter().map(|offered| &*offered.tool.name));
            let mut why = format!("name: unknown tool `{name}`");
            if !near.is_empty() {
                why.push_str("; did you mean: ");
                why.push_str(&near.join(", "));
            }
            ErrorData::invalid_params(why, None)
        })
    }

    /// Returns the least permissive mode that allows a tool which `ceiling` does not allow. Returns
    /// `None` if `ceiling` allows it, or if no mode does.
    pub(crate) fn beyond(&self, name: &str, ceiling: Mode) -> Option<Mode> {
        let effect = self.chosen().iter().find(|offered| offered.tool.name == name)?.effect;
        let may = |mode: &Mode| self.policy.check(effect, *mode).is_ok();
        let wider = Mode::ALL.iter().rev().copied().filter(|mode| *mode < ceiling).find(may);
        wider.filter(|_| !may(&ceiling))
    }

    /// Returns `true` if calls of a tool are answered even if the client cancels them.
    pub(crate) fn is_steadfast(&self, name: &str) -> bool {
        let chosen = self.chosen();
        let found = chosen.iter().find(|offered| offered.tool.name == name);
        found.is_some_and(|offered| offered.cancelling == Cancelling::NotHeard)
    }

    /// Returns `true` if a tool is offered.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.allowed(Mode::Normal).iter().any(|offered| offered.tool.name == name)
    }

    /// Returns `true` if every `ax_` tool that a text names in backquotes is offered.
    pub(crate) fn cover(&self, words: &str) -> bool {
        let quoted = words.split('`').skip(1).step_by(2);
        quoted.filter(|name| name.starts_with("ax_")).all(|name| self.has(name))
    }

    /// Returns `true` if a tool that changes something is offered.
    pub(crate) fn act(&self) -> bool {
        self.allowed(Mode::Normal).iter().any(|offered| offered.effect.hints().destructive)
    }

    /// Returns the declarations for a client of this era and mode.
    pub(crate) fn declared(&self, era: &Era, ceiling: Mode) -> Vec<Tool> {
        let one = |offered: &Arc<Offered>| {
            let mut tool = offered.tool.clone();
            let word = match offered.support {
                Support::Never => None,
                Support::Optional => Some("optional"),
                Support::Required => Some("required"),
            };
            if let Some(word) = word.filter(|_| era.has_asked_tasks()) {
                let meta = tool.meta.get_or_insert_with(MetaObject::new);
                meta.0.insert(outbound::EXECUTION.to_owned(), json!({ "taskSupport": word }));
            }
            tool
        };
        self.allowed(ceiling).iter().map(one).collect()
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = Arc<Offered>> {
        self.allowed(Mode::Normal).into_iter()
    }
}

/// Checks that every name of a selection exists.
fn check(catalogue: &Catalogue, selection: &Selection) -> Result<(), Error> {
    let offered = catalogue.offered();
    let names: BTreeSet<&str> = offered.iter().map(|entry| entry.name()).collect();
    for name in selection.only.iter().chain(&selection.without) {
        if !names.contains(name.as_str()) {
            let near = nearest(name, names.iter().copied());
            return Err(Error::UnknownTool { name: name.clone(), near });
        }
    }
    Ok(())
}

fn chosen(catalogue: &Catalogue, selection: &Selection) -> Vec<Offered> {
    let sets: &[Toolset] =
        if selection.toolsets.is_empty() { &[Toolset::Ax] } else { &selection.toolsets };
    let is_wanted = |entry: &Arc<Entry>| {
        let name = entry.name();
        let named = if selection.only.is_empty() {
            entry.toolsets().iter().any(|set| sets.contains(set))
        } else {
            selection.only.iter().any(|only| only == name)
        };
        named && !selection.without.iter().any(|without| without == name)
    };
    let offered = catalogue.offered();
    offered.iter().filter(|entry| is_wanted(entry)).map(|entry| declared(entry)).collect()
}

fn declared(entry: &Entry) -> Offered {
    let hints = entry.effect().hints();
    let mut tool =
        Tool::new(entry.name().to_owned(), entry.about().to_owned(), object(entry.input_schema()))
            .with_raw_output_schema(Arc::new(object(entry.output_schema())))
            .with_annotations(
                ToolAnnotations::new()
                    .read_only(hints.read_only)
                    .destructive(hints.destructive)
                    .idempotent(hints.idempotent)
                    .open_world(hints.open_world),
            );
    tool.title = entry.title().map(str::to_owned);
    let support = match entry.task() {
        TaskSupport::Optional => Support::Optional,
        TaskSupport::Never => Support::Never,
    };
    let bound = match entry.toolsets().contains(&Toolset::Cli) {
        true => Bound::ToFolder,
        false => Bound::No,
    };
    let cancelling = match bound == Bound::ToFolder && !entry.effect().mutates() {
        true => Cancelling::NotHeard,
        false => Cancelling::Stops,
    };
    Offered { tool, support, effect: entry.effect(), bound, cancelling }
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
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<(f64, &str)> =
        names.map(|other| (strsim::jaro_winkler(name, other), other)).collect();
    all.retain(|(likeness, _)| *likeness > 0.75);
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests;
