//! Which tools are offered, and how they are declared.

use std::{collections::BTreeSet, sync::Arc};

use deskhand_engine::{Catalogue, Effect, Entry, Mode, Policy, TaskSupport, Toolset};
use rmcp::model::{ErrorData, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::{Error, Selection, server::client::Era, wire::outbound};

/// Whether a tool runs as a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    /// It does not.
    Never,
    /// It may.
    Optional,
    /// It does nothing else.
    Required,
}

/// One tool that is offered.
#[derive(Debug, Clone)]
pub(crate) struct Offered {
    /// Its declaration.
    pub(crate) tool: Tool,
    /// Whether it runs as a task.
    pub(crate) support: Support,
    /// What it does to the world.
    pub(crate) effect: Effect,
}

/// The tools that are offered, as far as the gate lets them be called.
#[derive(Debug)]
pub(crate) struct Tools {
    chosen: Vec<Offered>,
    policy: Policy,
}

impl Tools {
    /// These tools, whatever they do.
    pub(crate) fn new(chosen: Vec<Offered>) -> Self {
        Self { chosen, policy: Policy::default() }
    }

    /// The tools of a catalogue that are asked for, sorted by name.
    ///
    /// # Errors
    ///
    /// When a name means no tool.
    pub(crate) fn selected(
        catalogue: &Catalogue,
        selection: &Selection,
        policy: Policy,
    ) -> Result<Self, Error> {
        let chosen = chosen(catalogue, selection)?;
        Ok(Self { chosen: chosen.into_iter().map(declared).collect(), policy })
    }

    /// The tools somebody may call who is bound to a mode.
    fn allowed(&self, ceiling: Mode) -> impl Iterator<Item = &Offered> {
        let may = move |one: &&Offered| self.policy.check(one.effect, ceiling).is_ok();
        self.chosen.iter().filter(may)
    }

    /// The tool of a name, also one the gate refuses: it says why.
    ///
    /// # Errors
    ///
    /// When there is none; the error tells which names are near.
    pub(crate) fn get(&self, name: &str) -> Result<&Offered, ErrorData> {
        let found = self.chosen.iter().find(|offered| offered.tool.name == name);
        found.ok_or_else(|| {
            let allowed = self.allowed(Mode::Normal);
            let near = nearest(name, allowed.map(|offered| &*offered.tool.name));
            let mut why = format!("name: there is no tool `{name}`");
            if !near.is_empty() {
                why.push_str("; nearest: ");
                why.push_str(&near.join(", "));
            }
            ErrorData::invalid_params(why, None)
        })
    }

    /// The mode somebody would have to be bound to at most for a tool that is more than they may call;
    /// none when nothing would do.
    pub(crate) fn beyond(&self, name: &str, ceiling: Mode) -> Option<Mode> {
        let effect = self.chosen.iter().find(|offered| offered.tool.name == name)?.effect;
        let may = |mode: &Mode| self.policy.check(effect, *mode).is_ok();
        let wider = Mode::ALL.iter().rev().copied().filter(|mode| *mode < ceiling).find(may);
        wider.filter(|_| !may(&ceiling))
    }

    /// Whether a tool is offered.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.allowed(Mode::Normal).any(|offered| offered.tool.name == name)
    }

    /// Whether every tool some words name in backquotes is offered.
    pub(crate) fn cover(&self, words: &str) -> bool {
        let quoted = words.split('`').skip(1).step_by(2);
        quoted.filter(|name| name.starts_with("ax_")).all(|name| self.has(name))
    }

    /// Whether a tool is offered that changes something.
    pub(crate) fn act(&self) -> bool {
        self.allowed(Mode::Normal).any(|offered| offered.effect.hints().destructive)
    }

    /// The declarations, as a client of this era reads them who is bound to a mode.
    pub(crate) fn declared(&self, era: &Era, ceiling: Mode) -> Vec<Tool> {
        let one = |offered: &Offered| {
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
        self.allowed(ceiling).map(one).collect()
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Offered> {
        self.allowed(Mode::Normal)
    }
}

fn chosen<'a>(catalogue: &'a Catalogue, selection: &Selection) -> Result<Vec<&'a Entry>, Error> {
    let offered: Vec<&Entry> = catalogue.offered();
    let names: BTreeSet<&str> = offered.iter().map(|entry| entry.spec.name).collect();
    for name in selection.only.iter().chain(&selection.without) {
        if !names.contains(name.as_str()) {
            let near = nearest(name, names.iter().copied());
            return Err(Error::UnknownTool { name: name.clone(), near });
        }
    }
    let sets: &[Toolset] =
        if selection.toolsets.is_empty() { &[Toolset::Ax] } else { &selection.toolsets };
    let is_wanted = |entry: &&Entry| {
        let name = entry.spec.name;
        let named = if selection.only.is_empty() {
            entry.offer.is_some_and(|offer| offer.toolsets.iter().any(|set| sets.contains(set)))
        } else {
            selection.only.iter().any(|only| only == name)
        };
        named && !selection.without.iter().any(|without| without == name)
    };
    Ok(offered.into_iter().filter(is_wanted).collect())
}

fn declared(entry: &Entry) -> Offered {
    let hints = entry.spec.effect.hints();
    let mut tool = Tool::new(entry.spec.name, entry.spec.about, object(entry.input_schema()))
        .with_raw_output_schema(Arc::new(object(entry.output_schema())))
        .with_annotations(
            ToolAnnotations::new()
                .read_only(hints.read_only)
                .destructive(hints.destructive)
                .idempotent(hints.idempotent)
                .open_world(hints.open_world),
        );
    tool.title = entry.offer.map(|offer| offer.title.to_owned());
    let support = match entry.offer.map(|offer| offer.task) {
        Some(TaskSupport::Optional) => Support::Optional,
        Some(TaskSupport::Never) | None => Support::Never,
    };
    Offered { tool, support, effect: entry.spec.effect }
}

/// A schema as the object it is.
pub(crate) fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}

/// Up to three names much like one.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<(f64, &str)> =
        names.map(|other| (strsim::jaro_winkler(name, other), other)).collect();
    all.retain(|(likeness, _)| *likeness > 0.75);
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use deskhand_engine::Touch;

    use super::*;

    fn names(selection: &Selection) -> Vec<String> {
        let tools = Tools::selected(&Catalogue::all(), selection, Policy::default()).unwrap();
        tools.iter().map(|offered| offered.tool.name.to_string()).collect()
    }

    #[test]
    fn tools_are_sorted_and_whole_schemas_of_objects() {
        let tools =
            Tools::selected(&Catalogue::all(), &Selection::default(), Policy::default()).unwrap();
        let names = names(&Selection::default());
        assert!(!names.is_empty() && names.is_sorted(), "{names:?}");
        for offered in tools.iter() {
            let tool = &offered.tool;
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            let output = tool.output_schema.as_ref().unwrap();
            assert_eq!(output["type"], "object", "{}", tool.name);
            assert!(tool.title.is_some() && tool.name.len() <= 40, "{}", tool.name);
            let whole = json!(tool).to_string();
            assert!(!whole.contains("$ref"), "{}", tool.name);
        }
    }

    #[test]
    fn a_selection_is_kept_to() {
        let all = names(&Selection::default());
        let one = all[0].clone();
        let only = Selection { only: vec![one.clone()], ..Selection::default() };
        assert_eq!(names(&only), only.only);
        let without = Selection { without: vec![one.clone()], ..Selection::default() };
        assert_eq!(names(&without), all[1..]);
        let core = Selection { toolsets: vec![Toolset::Core], ..Selection::default() };
        assert!(names(&core).len() < all.len());
    }

    /// What a server offers in a mode.
    fn offered(policy: Policy, ceiling: Mode) -> Vec<String> {
        let tools = Tools::selected(&Catalogue::all(), &Selection::default(), policy).unwrap();
        let declared = tools.declared(&Era::Modern, ceiling);
        declared.iter().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn sandboxed_offers_the_tools_that_see_and_no_other() {
        let seeing = [
            "ax_assert",
            "ax_connect",
            "ax_find",
            "ax_get_attributes",
            "ax_get_tree",
            "ax_get_value",
            "ax_is_accessible",
            "ax_list_apps",
            "ax_list_windows",
            "ax_screenshot",
            "ax_session_info",
        ];
        let sandboxed = Policy { mode: Mode::Sandboxed, ..Policy::default() };
        assert_eq!(offered(sandboxed, Mode::Normal), seeing);
        assert_eq!(offered(Policy::default(), Mode::Sandboxed), seeing);
    }

    #[test]
    fn safe_offers_everything_but_scripts_and_read_only_what_changes_nothing() {
        let all = offered(Policy::default(), Mode::Normal);
        let safe = Policy { mode: Mode::Safe, ..Policy::default() };
        assert_eq!(offered(safe, Mode::Normal), all, "there is no tool for scripts yet");
        let read_only = Policy { touch: Touch::ReadOnly, ..Policy::default() };
        let left = offered(read_only, Mode::Normal);
        assert!(left.contains(&"ax_wait_idle".to_owned()) && left.len() < all.len(), "{left:?}");
        for name in ["ax_click", "ax_clipboard", "ax_scroll", "ax_type"] {
            assert!(!left.iter().any(|one| one == name), "{name}");
        }
    }

    #[test]
    fn a_name_that_means_nothing_is_told_with_its_neighbours() {
        let wrong = Selection { only: vec!["ax_clik".to_owned()], ..Selection::default() };
        let Err(Error::UnknownTool { near, .. }) =
            Tools::selected(&Catalogue::all(), &wrong, Policy::default())
        else {
            panic!()
        };
        assert!(near.iter().any(|name| name == "ax_click"), "{near:?}");
        let tools =
            Tools::selected(&Catalogue::all(), &Selection::default(), Policy::default()).unwrap();
        let error = tools.get("ax_clik").unwrap_err();
        assert_eq!(error.code.0, -32602);
        assert!(error.message.contains("ax_click"), "{error:?}");
    }

    #[test]
    fn only_a_client_that_asks_for_tasks_reads_of_them() {
        use rmcp::model::ProtocolVersion;
        let tools =
            Tools::selected(&Catalogue::all(), &Selection::default(), Policy::default()).unwrap();
        let marked = |era: &Era| {
            let with_meta = |tool: &Tool| tool.meta.is_some();
            tools.declared(era, Mode::Normal).iter().filter(|tool| with_meta(tool)).count()
        };
        assert!(marked(&Era::Handshake(ProtocolVersion::V_2025_11_25)) > 0);
        assert_eq!(marked(&Era::Handshake(ProtocolVersion::V_2025_06_18)), 0);
        assert_eq!(marked(&Era::Modern), 0);
    }
}
