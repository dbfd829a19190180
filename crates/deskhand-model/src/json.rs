//! The JSON form of a tree, with everything that is known; field names and meanings are stable.

mod build;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::{Notice, Rect};

/// How many levels of `children` are nested. Readers give up on deep nesting (serde_json at 128
/// brackets, two of which each level takes), so what is below is counted, not written.
pub const MAX_NESTING: usize = 60;

/// What an element holds: text or a number.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum ValueJson {
    /// Text, or as much of its beginning as was read.
    Text(String),
    /// A number.
    Number(f64),
}

/// How far a number can go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RangeJson {
    /// The least it can be.
    pub min: f64,
    /// The most it can be.
    pub max: f64,
    /// The smallest step; absent when the app does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// One relation of an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RelationJson {
    /// How it points, such as `labelled_by`.
    pub kind: &'static str,
    /// Refs of the elements it points at, as far as they are in this tree.
    pub refs: Vec<String>,
    /// How many targets it has in all.
    pub targets: usize,
}

/// One element.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NodeJson {
    /// The ref to call it by, such as `e12`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// How the platform itself knows it; opaque, and only good for comparing.
    pub id: String,
    /// Its role in the macOS spelling, such as `AXButton`.
    pub role: &'static str,
    /// Its role in the short spelling of outlines, such as `button`; finer than `role`.
    pub kind: &'static str,
    /// What it is called; absent when it has no name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What it holds; absent when it holds nothing, was not asked, or holds a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueJson>,
    /// The length of the whole text in characters, when `value` is only its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_length: Option<usize>,
    /// The range of a number that is in `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeJson>,
    /// True when it holds a secret, which is never read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
    /// The longer explanation some elements have.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The name its programmer gave it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identifier: String,
    /// The states it is in, such as `enabled` and `checked`, in a fixed order.
    pub states: Vec<&'static str>,
    /// Where it is, in global pixels; absent when it has no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// What can be done to it, in the platform's own words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// How it points at other elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<RelationJson>,
    /// How many children the app says it has, which may be more than `children` holds.
    pub child_count: u32,
    /// Why `children` does not hold them all: `depth`, `many`, `budget`, `deadline`, `silent`,
    /// `gone`, or `nesting` when they were read but lie too deep to be nested here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<&'static str>,
    /// How many levels it lies below the first element of this answer.
    pub depth: usize,
    /// The ref of its parent; absent on the first element. Only in the flat form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The elements below it, in order. Always empty in the flat form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<NodeJson>,
}

/// What a whole look has to say beside its elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NoticeJson {
    /// A stable word for it: `accessibility_off`, `not_responding`, `unplaced_window`.
    pub code: &'static str,
    /// The same as a sentence that says what to do.
    pub message: String,
}

impl From<&Notice> for NoticeJson {
    fn from(notice: &Notice) -> Self {
        Self { code: notice.code(), message: notice.message() }
    }
}
