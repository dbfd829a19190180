//! Which tools are offered, and how they are declared.

use std::{collections::BTreeSet, sync::Arc};

use deskhand_engine::{Catalogue, Entry, TaskSupport, Toolset};
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
}

/// The tools that are offered.
#[derive(Debug)]
pub(crate) struct Tools(Vec<Offered>);

impl Tools {
    /// These tools.
    pub(crate) fn new(tools: Vec<Offered>) -> Self {
        Self(tools)
    }

    /// The tools of a catalogue that are asked for, sorted by name.
    ///
    /// # Errors
    ///
    /// When a name means no tool.
    pub(crate) fn selected(catalogue: &Catalogue, selection: &Selection) -> Result<Self, Error> {
        let chosen = chosen(catalogue, selection)?;
        Ok(Self::new(chosen.into_iter().map(declared).collect()))
    }

    /// The tool of a name.
    ///
    /// # Errors
    ///
    /// When there is none; the error tells which names are near.
    pub(crate) fn get(&self, name: &str) -> Result<&Offered, ErrorData> {
        let found = self.0.iter().find(|offered| offered.tool.name == name);
        found.ok_or_else(|| {
            let near = nearest(name, self.0.iter().map(|offered| &*offered.tool.name));
            let mut why = format!("name: there is no tool `{name}`");
            if !near.is_empty() {
                why.push_str("; nearest: ");
                why.push_str(&near.join(", "));
            }
            ErrorData::invalid_params(why, None)
        })
    }

    /// Whether a tool is offered.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|offered| offered.tool.name == name)
    }

    /// Whether every tool some words name in backquotes is offered.
    pub(crate) fn cover(&self, words: &str) -> bool {
        let quoted = words.split('`').skip(1).step_by(2);
        quoted.filter(|name| name.starts_with("ax_")).all(|name| self.has(name))
    }

    /// Whether a tool is offered that changes something.
    pub(crate) fn act(&self) -> bool {
        let hints = |offered: &Offered| {
            offered.tool.annotations.as_ref().and_then(|it| it.destructive_hint)
        };
        self.0.iter().any(|offered| hints(offered) == Some(true))
    }

    /// The declarations, as a client of this era reads them.
    pub(crate) fn declared(&self, era: &Era) -> Vec<Tool> {
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
        self.0.iter().map(one).collect()
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Offered> {
        self.0.iter()
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
        named
            && !selection.without.iter().any(|without| without == name)
            && (!selection.read_only || entry.spec.effect.hints().read_only)
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
    Offered { tool, support }
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
    use super::*;

    fn names(selection: &Selection) -> Vec<String> {
        let tools = Tools::selected(&Catalogue::all(), selection).unwrap();
        tools.iter().map(|offered| offered.tool.name.to_string()).collect()
    }

    #[test]
    fn tools_are_sorted_and_whole_schemas_of_objects() {
        let tools = Tools::selected(&Catalogue::all(), &Selection::default()).unwrap();
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
        let read_only = Selection { read_only: true, ..Selection::default() };
        let tools = Tools::selected(&Catalogue::all(), &read_only).unwrap();
        let harmless = |offered: &Offered| {
            offered.tool.annotations.as_ref().and_then(|it| it.read_only_hint) == Some(true)
        };
        assert!(tools.iter().count() < all.len() && tools.iter().all(harmless));
        let core = Selection { toolsets: vec![Toolset::Core], ..Selection::default() };
        assert!(names(&core).len() < all.len());
    }

    #[test]
    fn a_name_that_means_nothing_is_told_with_its_neighbours() {
        let wrong = Selection { only: vec!["ax_clik".to_owned()], ..Selection::default() };
        let Err(Error::UnknownTool { near, .. }) = Tools::selected(&Catalogue::all(), &wrong)
        else {
            panic!()
        };
        assert!(near.iter().any(|name| name == "ax_click"), "{near:?}");
        let tools = Tools::selected(&Catalogue::all(), &Selection::default()).unwrap();
        let error = tools.get("ax_clik").unwrap_err();
        assert_eq!(error.code.0, -32602);
        assert!(error.message.contains("ax_click"), "{error:?}");
    }

    #[test]
    fn only_a_client_that_asks_for_tasks_reads_of_them() {
        use rmcp::model::ProtocolVersion;
        let tools = Tools::selected(&Catalogue::all(), &Selection::default()).unwrap();
        let marked = |era: &Era| {
            let with_meta = |tool: &Tool| tool.meta.is_some();
            tools.declared(era).iter().filter(|tool| with_meta(tool)).count()
        };
        assert!(marked(&Era::Handshake(ProtocolVersion::V_2025_11_25)) > 0);
        assert_eq!(marked(&Era::Handshake(ProtocolVersion::V_2025_06_18)), 0);
        assert_eq!(marked(&Era::Modern), 0);
    }
}
