//! What was copied.

use std::time::Duration;

use crate::{Deadline, Result};

/// The clipboards of the desktop.
///
/// Forms are media types. What is text by nature crosses this seam as UTF-8, whatever the app that
/// copied it speaks: [`form::TEXT`], [`form::HTML`], [`form::FILES`] and [`form::URL`]. Everything
/// else crosses as it is.
pub trait Clipboard: Send + Sync {
    /// What tells the clipboards of this desktop from those of another one of the same user.
    fn desktop(&self) -> String;

    /// What is there, without its data.
    fn look(&self, at: Selection, by: Deadline) -> Result<Contents>;

    /// What is there in one form; `None` when it does not come in that form.
    fn read(&self, at: Selection, form: &str, by: Deadline) -> Result<Option<Vec<u8>>>;

    /// Puts something there in one or several forms. It stays after this program has ended, and
    /// when this returns it is there.
    fn write(&self, at: Selection, items: Vec<Item>, mark: Mark, by: Deadline) -> Result<()>;

    /// Leaves nothing there.
    fn clear(&self, at: Selection, by: Deadline) -> Result<()>;

    /// Begins to listen for changes.
    fn watch(&self, at: Selection, by: Deadline) -> Result<Box<dyn Changes>>;
}

/// Changes of a clipboard as they happen.
pub trait Changes: Send {
    /// Waits for the next change, no longer than this; whether one came.
    fn next(&mut self, wait: Duration) -> Result<bool>;
}

/// The forms programs share most often.
pub mod form {
    /// Plain text.
    pub const TEXT: &str = "text/plain";
    /// A piece of a web page.
    pub const HTML: &str = "text/html";
    /// Formatted text as word processors write it.
    pub const RTF: &str = "text/rtf";
    /// Files: one URI a line.
    pub const FILES: &str = "text/uri-list";
    /// A link: its address, and on the next line its title if it has one.
    pub const URL: &str = "text/x-moz-url";
    /// A picture in the format every app takes.
    pub const PNG: &str = "image/png";
}

/// Which of the desktop's clipboards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// What was copied on purpose.
    Clipboard,
    /// What was selected last, on desktops where the middle button pastes it.
    Primary,
}

/// What lies on a clipboard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contents {
    /// The forms it comes in, in the order its program gave them; empty when there is nothing.
    pub forms: Vec<String>,
    /// Whether its program marked it as a secret.
    pub concealed: bool,
    /// The program it comes from, where the desktop can tell.
    pub from: Option<String>,
}

/// One thing in one form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its media type.
    pub form: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Whether others may show and keep what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// They may.
    Open,
    /// It is a secret: clipboard histories are told not to keep it.
    Concealed,
}
