//! Text recognition (OCR).

use deskhand_model::Rect;

use crate::{Deadline, Pixels, Result};

/// Recognizes the text in an image.
pub trait TextRecognizer: Send + Sync {
    /// Returns the lines of text in reading order: from top to bottom, then from left to right.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the image is not valid, or none of the requested languages is available.
    fn recognize(
        &self,
        image: &Pixels,
        options: &RecognitionOptions,
        deadline: Deadline,
    ) -> Result<Vec<RecognizedLine>>;

    /// Lists the available languages as codes such as `en-US`.
    fn languages(&self, deadline: Deadline) -> Result<Vec<String>>;
}

/// The options of a text recognition.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognitionOptions {
    /// The expected languages, most likely first; if empty, the recognizer detects them.
    pub languages: Vec<String>,
    /// Lines with a lower confidence are omitted. Between 0 and 1.
    pub min_confidence: f32,
    /// The trade-off between accuracy and speed.
    pub level: RecognitionLevel,
}

/// The trade-off between accuracy and speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecognitionLevel {
    /// Prefer accuracy.
    Accurate,
    /// Prefer speed.
    Fast,
}

/// One line of recognized text.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognizedLine {
    /// The text of the line.
    pub text: String,
    /// Its area on the desktop (not in the image).
    pub rect: Rect,
    /// The confidence of the recognizer, between 0 and 1.
    pub confidence: f32,
}
