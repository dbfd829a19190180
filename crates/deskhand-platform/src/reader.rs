//! Text in pictures.

use deskhand_model::Rect;

use crate::{Deadline, Pixels, Result};

/// Reads the text in a picture.
pub trait Reader: Send + Sync {
    /// The lines in a picture as a person would read them: from the top, and in a row from the left.
    ///
    /// # Errors
    ///
    /// `Unsupported` when the picture is not one, or none of the languages can be read here.
    fn read(&self, picture: &Pixels, how: &Reading, by: Deadline) -> Result<Vec<TextLine>>;

    /// The languages that can be read, as codes such as `en-US`.
    fn languages(&self, by: Deadline) -> Result<Vec<String>>;
}

/// How a picture is to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The languages to expect, the likeliest first; the reader's own guess when there are none.
    pub languages: Vec<String>,
    /// Lines less sure than this are left out, between 0 and 1.
    pub least_confidence: f32,
    /// What matters more.
    pub pace: ReadingPace,
}

/// What matters more when a picture is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingPace {
    /// That every word is right.
    Careful,
    /// That it is done soon.
    Quick,
}

/// One line of text in a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct TextLine {
    /// What it says.
    pub text: String,
    /// Where it stands on the desktop, not in the picture.
    pub rect: Rect,
    /// How sure the reader is, between 0 and 1.
    pub confidence: f32,
}
