//! One element, read again and put into words.

use deskhand_locate::path;
use deskhand_model::{
    App, Index, Node, NodeId, Rect, Role, Snapshot, State, Value, outline::quote,
};
use deskhand_platform::Facets;
use schemars::JsonSchema;
use serde::Serialize;

use super::TreeRead;
use crate::{Context, Result, Style, StyledLine};

/// How many characters of a name or a text one line shows.
const MAX_LINE_CHARS: usize = 80;

/// What can be on or off.
const SWITCHES: &[Role] = &[
    Role::CheckBox,
    Role::RadioButton,
    Role::ToggleButton,
    Role::Switch,
    Role::CheckMenuItem,
    Role::RadioMenuItem,
];

/// What an element holds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ElementValue {
    /// Text, or as much of its beginning as was read.
    Text(String),
    /// A number.
    Number(f64),
}

/// An element as answers describe it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ElementInfo {
    /// The ref that names it in later calls, for as long as it exists.
    pub element_ref: String,
    /// Its role in the macOS spelling, such as `AXButton`.
    pub role: &'static str,
    /// Its role in the short spelling, such as `button`.
    pub kind: &'static str,
    /// What it is called.
    pub title: String,
    /// What it holds; absent when it holds nothing or a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ElementValue>,
    /// True when it holds a secret, which is never read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// The longer explanation some elements have.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The name its programmer gave it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identifier: String,
    /// Left and top in global pixels; absent when it is nowhere on the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[i32; 2]>,
    /// Width and height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[i32; 2]>,
    /// Whether it can be used.
    pub enabled: bool,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Whether a person could see it now.
    pub visible: bool,
    /// The states it is in.
    pub states: Vec<&'static str>,
    /// What can be done to it, in the platform's own words.
    pub actions: Vec<String>,
    /// Its element path, as accessibility-mcp writes it.
    pub path: String,
    /// The title of the window it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// Describes elements of a look with everything there is to know; one that vanished meanwhile is
/// described as it was seen.
pub fn describe(
    cx: &Context<'_>,
    app: &App,
    tree: &mut TreeRead,
    wanted: &[Index],
) -> Result<Vec<ElementInfo>> {
    let ids: Vec<NodeId> = wanted.iter().map(|at| tree.snapshot.node(*at).id.clone()).collect();
    let fresh = cx.desktop.tree.read(app, &ids, Facets::ALL, cx.deadline)?;
    Ok(wanted
        .iter()
        .zip(fresh)
        .map(|(at, node)| {
            let reference = tree.assign_ref(*at).to_string();
            let known = tree.snapshot.node(*at);
            let mut node = node.unwrap_or_else(|| known.clone());
            if node.name.is_empty() {
                // Some names come from what is inside, which only a look at the whole tells.
                node.name.clone_from(&known.name);
            }
            if tree.sanitized.contains(&node.id) {
                node = Node { bounds: node.bounds, ..known.clone() };
            }
            element_info(&tree.snapshot, *at, node, reference)
        })
        .collect())
}

/// The whole text of an element that was described: its value may be only the beginning. `None`
/// when it holds no text, or a secret.
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

fn element_info(snapshot: &Snapshot, at: Index, node: Node, element_ref: String) -> ElementInfo {
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
        value,
        secret,
        description: node.description,
        identifier: node.identifier,
        position: node.bounds.map(|b| [b.x, b.y]),
        size: node.bounds.map(|b| [b.width, b.height]),
        enabled: node.states.has(State::Enabled),
        focused: node.states.has(State::Focused),
        visible: node.states.has(State::Showing) && !node.bounds.is_some_and(Rect::is_empty),
        states: node.states.iter().map(State::word).collect(),
        actions: node.actions,
        path: path::print(snapshot, at),
        window: snapshot
            .ancestors(at)
            .map(|up| snapshot.node(up))
            .find(|up| up.role.is_window() && !up.name.is_empty())
            .map(|window| window.name.clone()),
    }
}

impl ElementValue {
    /// As it is shown after an equals sign, no longer than a limit.
    pub fn quoted(&self, limit: usize) -> String {
        match self {
            Self::Text(text) => quote(text, limit),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl ElementInfo {
    /// What it holds as text; of what can be switched on, whether it is.
    pub fn value_text(&self) -> Option<String> {
        let is = |state: State| self.states.contains(&state.word());
        // Not every toolkit says of what is off that it could be on.
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

    /// One line: role, name, ref, value, place.
    pub fn to_line(&self) -> StyledLine {
        let title =
            if self.title.is_empty() { String::new() } else { quote(&self.title, MAX_LINE_CHARS) };
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
