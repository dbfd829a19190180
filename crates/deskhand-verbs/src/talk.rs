//! A conversation with the model behind a call, where the caller has one to lend. Like every
//! question it is plain data: the door puts it in its own way.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Image;

/// A conversation, up to what the model is to say next.
#[derive(Debug, Clone, PartialEq)]
pub struct Talk {
    /// What the model is told about its part.
    pub part: &'static str,
    /// What was said so far, the first first.
    pub turns: Vec<Turn>,
    /// How many tokens it may answer with.
    pub most_tokens: u32,
    /// Which kind of model is wanted, where that matters.
    pub weighs: Option<Weighs>,
    /// What it may use before it answers.
    pub tools: Vec<Lent>,
}

/// What matters in a model, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighs {
    /// That it is clever.
    pub intelligence: f32,
    /// That it is cheap.
    pub cost: f32,
    /// That it is quick.
    pub speed: f32,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// What the model was asked.
    Asked(Vec<Piece>),
    /// What it said.
    Said(Spoken),
    /// What came of the tools it used.
    Came(Vec<Came>),
}

/// A piece of what a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Words.
    Words(String),
    /// A picture.
    Picture(Image),
}

/// What a model said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Spoken {
    /// Its words.
    pub words: String,
    /// The tools it wants to use.
    pub uses: Vec<Use>,
}

/// A tool a model wants to use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Use {
    /// Names this use, so that its result is known by it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is given.
    pub input: Value,
}

/// What came of a use.
#[derive(Debug, Clone, PartialEq)]
pub struct Came {
    /// The use.
    pub id: String,
    /// In words.
    pub words: String,
}

/// A tool lent to a model for the time of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Lent {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The one text it takes.
    pub takes: &'static str,
}

impl Spoken {
    /// What a door passes on of what a model said.
    pub fn read(answer: &Value) -> Option<Self> {
        serde_json::from_value(answer.clone()).ok()
    }
}
