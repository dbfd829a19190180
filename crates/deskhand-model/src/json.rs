//! The JSON form of a tree. Field names and their meanings are stable.

mod build;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::{Notice, Rect};

/// The maximum nesting of `children`. JSON parsers refuse deep nesting (serde_json stops at 128
/// brackets, and each level takes two), so deeper elements are counted instead of written.
pub const MAX_NESTING: usize = 60;

/// The content of an element: text or a number.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ValueJson {
    /// Text, or the beginning of a long text.
    Text(String),
    /// A number.
    Number(f64),
}

/// The range of a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RangeJson {
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The smallest step; absent if the app does not report one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// A relation from one element to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RelationJson {
    /// The kind of the relation, such as `labelled_by`.
    pub kind: &'static str,
    /// Refs of the targets that are in this tree.
    pub refs: Vec<String>,
    /// The total number of targets.
    pub targets: usize,
}

/// One element.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NodeJson {
    /// The ref to address it by, such as `e12`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The platform's identifier. Use it only to compare elements.
    pub id: String,
    /// The role by its macOS name, such as `AXButton`.
    pub role: &'static str,
    /// The role by its short name, such as `button`; finer than `role`.
    pub kind: &'static str,
    /// The name; absent if the element has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The name as a person reads it, if the app gives it none: from its label, its
    /// placeholder, the text inside it, a label nearby, or its description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The origin of `name`: `label`, `placeholder`, `content`, `nearby_label` (a guess) or
    /// `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_source: Option<&'static str>,
    /// The content; absent if there is none, if it was not requested, or if it is secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueJson>,
    /// The length of the whole text in characters, if `value` is only its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_length: Option<usize>,
    /// The range of the number in `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeJson>,
    /// True if the content is secret. It is never read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// A longer description.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The identifier set by the app's developer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identifier: String,
    /// The states it is in, such as `enabled` and `checked`, in a fixed order.
    pub states: Vec<&'static str>,
    /// The position and size in global pixels; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// The supported actions, by their platform names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// The relations to other elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<RelationJson>,
    /// The number of children the app reports; may be higher than the length of `children`.
    pub child_count: u32,
    /// The reason why `children` is incomplete: `depth`, `many`, `budget`, `deadline`, `silent`,
    /// `gone`, or `nesting` if they were read but lie too deep to be nested here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<&'static str>,
    /// The number of levels below the first element of this result.
    pub depth: usize,
    /// The ref of the parent; absent for the first element. Only in the flat form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The child elements, in order. Always empty in the flat form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<NodeJson>,
}

/// A notice about a snapshot as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NoticeJson {
    /// A stable code: `accessibility_off`, `blank_area`, `not_responding` or `unplaced_window`.
    pub code: &'static str,
    /// A sentence that says what it means and what to do.
    pub message: String,
}

impl From<&Notice> for NoticeJson {
    fn from(notice: &Notice) -> Self {
        Self { code: notice.code(), message: notice.message() }
    }
}
