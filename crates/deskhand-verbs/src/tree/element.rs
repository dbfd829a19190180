//! The description of one element.

use deskhand_locate::path;
use deskhand_model::{
    App, Index, NameSource, Names, Node, NodeId, Rect, Role, Snapshot, State, Value,
    outline::{GUESS_MARK, quote},
    visibility::hiding_container,
};
use deskhand_platform::NodeFields;
use schemars::JsonSchema;
use serde::Serialize;

use super::TreeRead;
use crate::{Context, Result, Style, StyledLine};

/// The number of characters of a name or text that one line shows.
const MAX_LINE_CHARS: usize = 80;

/// Roles that can be on or off.
const SWITCHES: &[Role] = &[
    Role::CheckBox,
    Role::RadioButton,
    Role::ToggleButton,
    Role::Switch,
    Role::CheckMenuItem,
    Role::RadioMenuItem,
];

/// The value of an element.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ElementValue {
    /// A text, or the part of it that was read.
    Text(String),
    /// A number.
    Number(f64),
}

/// The description of an element in results.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ElementInfo {
    /// The ref for later calls. It is valid as long as the element exists.
    pub element_ref: String,
    /// The role in macOS notation, such as `AXButton`.
    pub role: &'static str,
    /// The role in short notation, such as `button`.
    pub kind: &'static str,
    /// The name of the element.
    pub title: String,
    /// The name as a person reads it, if the app gives it none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The origin of `name`: `label`, `placeholder`, `content`, `nearby_label` (a guess) or
    /// `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_source: Option<&'static str>,
    /// The value; absent if there is none or it is secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ElementValue>,
    /// `true` if the value is secret. Secrets are never read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// The longer description that some elements have.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The identifier given by the developer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identifier: String,
    /// Left and top in global pixels; absent if the element is not on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
    /// Width and height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[i32; 2]>,
    /// `true` if the element is enabled.
    pub enabled: bool,
    /// `true` if the element has the keyboard focus.
    pub focused: bool,
    /// `true` if the element is visible now.
    pub visible: bool,
    /// The states of the element.
    pub states: Vec<&'static str>,
    /// The available actions, in the names of the platform.
    pub actions: Vec<String>,
    /// The element path, in the notation of accessibility-mcp.
    pub path: String,
    /// The title of the window that contains the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// Describes elements of a snapshot with all facets. An element that no longer exists is described
/// from the snapshot.
pub fn describe(
    cx: &Context<'_>,
    app: &App,
    tree: &mut TreeRead,
    wanted: &[Index],
) -> Result<Vec<ElementInfo>> {
    let ids: Vec<NodeId> = wanted.iter().map(|at| tree.snapshot.node(*at).id.clone()).collect();
    let fresh = cx.desktop.tree.read(app, &ids, NodeFields::ALL, cx.deadline)?;
    let names = derived_names(&tree.snapshot, wanted);
    Ok(wanted
        .iter()
        .zip(fresh)
        .zip(names)
        .map(|((at, node), name)| {
            let reference = tree.assign_ref(*at).to_string();
            let known = tree.snapshot.node(*at);
            let mut node = node.unwrap_or_else(|| known.clone());
            if node.name.is_empty() {
                // Some names come from the content, which only a tree read includes.
                node.name.clone_from(&known.name);
            }
            if tree.sanitized.contains(&node.id) {
                node = Node { bounds: node.bounds, ..known.clone() };
            }
            element_info(&tree.snapshot, *at, node, reference, name)
        })
        .collect())
}

/// Returns the names of elements that the app leaves without one, and the origins of these names.
fn derived_names(snapshot: &Snapshot, wanted: &[Index]) -> Vec<Option<(String, NameSource)>> {
    let names = Names::of(snapshot);
    let derived = |at: &Index| names.name(*at).filter(|name| name.source != NameSource::Own);
    wanted.iter().map(|at| derived(at).map(|name| (name.text.to_owned(), name.source))).collect()
}

/// Reads the complete text of a described element, because its value may be cut; `None` if it has
/// no text or is secret.
pub fn read_full_text(
    cx: &Context<'_>,
    app: &App,
    id: &NodeId,
    described: &ElementInfo,
) -> Result<Option<String>> {
    if described.secret || !matches!(described.value, Some(ElementValue::Text(_))) {
        return Ok(None);
    }
    let text = cx.desktop.tree.text(app, id, cx.deadline)?;
    Ok(text.filter(|text| !text.secret).map(|text| text.text))
}

fn element_info(
    snapshot: &Snapshot,
    at: Index,
    node: Node,
    element_ref: String,
    derived_name: Option<(String, NameSource)>,
) -> ElementInfo {
    let (name, name_source) = match derived_name.filter(|_| node.name.is_empty()) {
        Some((name, source)) => (name, Some(source.word())),
        None => (String::new(), None),
    };
    let inside_secret = std::iter::once(at)
        .chain(snapshot.ancestors(at))
        .any(|up| snapshot.node(up).role == Role::Password);
    let (value, secret) = match node.value {
        _ if inside_secret => (None, true),
        Some(Value::Text { text, .. }) => (Some(ElementValue::Text(text)), false),
        Some(Value::Number { now, .. }) => (Some(ElementValue::Number(now)), false),
        Some(Value::Secret) => (None, true),
        None => (None, false),
    };
    ElementInfo {
        element_ref,
        role: node.role.ax(),
        kind: node.role.short(),
        title: node.name,
        name,
        name_source,
        value,
        secret,
        description: node.description,
        identifier: node.identifier,
        position: node.bounds.map(|b| [b.x, b.y]),
        size: node.bounds.map(|b| [b.width, b.height]),
        enabled: node.states.has(State::Enabled),
        focused: node.states.has(State::Focused),
        visible: node.states.has(State::Showing)
            && !node.bounds.is_some_and(Rect::is_empty)
            && hiding_container(snapshot, at).is_none(),
        states: node.states.iter().map(State::word).collect(),
        actions: node.actions,
        path: path::element_path(snapshot, at),
        window: snapshot
            .ancestors(at)
            .map(|up| snapshot.node(up))
            .find(|up| up.role.is_window() && !up.name.is_empty())
            .map(|window| window.name.clone()),
    }
}

impl ElementValue {
    /// Formats the value for a line, with at most `limit` characters.
    pub fn quoted(&self, limit: usize) -> String {
        match self {
            Self::Text(text) => quote(text, limit),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl ElementInfo {
    /// Returns the value as text. For switches this is `true`, `false` or `mixed`.
    pub fn value_text(&self) -> Option<String> {
        let is = |state: State| self.states.contains(&state.word());
        // Some toolkits mark a switch as checkable only while it is on.
        let can_be_on =
            is(State::Checkable) || SWITCHES.iter().any(|role| role.short() == self.kind);
        match &self.value {
            Some(ElementValue::Text(text)) => Some(text.clone()),
            Some(ElementValue::Number(number)) => Some(number.to_string()),
            None if is(State::Mixed) => Some("mixed".to_owned()),
            None if can_be_on => Some((is(State::Checked) || is(State::Pressed)).to_string()),
            None => None,
        }
    }

    /// Formats the element as one line: role, name, ref, value, position.
    pub fn to_line(&self) -> StyledLine {
        let is_guess = self.name_source == Some(NameSource::NearbyLabel.word());
        let title = match (self.title.as_str(), self.name.as_str()) {
            ("", "") => String::new(),
            ("", name) if is_guess => format!("{GUESS_MARK}{}", quote(name, MAX_LINE_CHARS)),
            ("", name) => quote(name, MAX_LINE_CHARS),
            (title, _) => quote(title, MAX_LINE_CHARS),
        };
        let value = self
            .value
            .as_ref()
            .map_or(String::new(), |v| format!("= {}", v.quoted(MAX_LINE_CHARS)));
        let place = match (self.position, self.size) {
            (Some([x, y]), Some([w, h])) => format!("at {x},{y} {w}x{h}"),
            (Some(_), None) | (None, _) => "not on screen".to_owned(),
        };
        StyledLine::new()
            .with(Style::Kind, self.kind)
            .with(Style::Strong, title)
            .with(Style::Handle, &self.element_ref)
            .with(Style::Value, if self.secret { "= (secret)".to_owned() } else { value })
            .with(Style::Warning, if self.enabled { "" } else { "disabled" })
            .with(Style::Faint, place)
            .with(
                Style::Faint,
                self.window
                    .as_ref()
                    .map_or(String::new(), |w| format!("in {}", quote(w, MAX_LINE_CHARS))),
            )
    }
}
