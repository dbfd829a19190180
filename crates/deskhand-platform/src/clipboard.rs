//! The clipboards.

use std::time::Duration;

use crate::{Deadline, Result};

/// The clipboards of the desktop.
///
/// Formats are media types. The text formats [`mime::TEXT`], [`mime::HTML`], [`mime::FILES`] and
/// [`mime::URL`] are always UTF-8 here, whatever encoding the app uses. All other formats are
/// passed on unchanged.
pub trait Clipboard: Send + Sync {
    /// Returns an id that distinguishes this desktop's clipboards from those of the same user's
    /// other desktops.
    fn desktop_id(&self) -> String;

    /// Describes the content without reading its data.
    fn contents(&self, selection: Selection, deadline: Deadline) -> Result<ClipboardContents>;

    /// Reads the content in one format; `None` if it is not available in that format.
    fn read(
        &self,
        selection: Selection,
        mime_type: &str,
        deadline: Deadline,
    ) -> Result<Option<Vec<u8>>>;

    /// Replaces the content. All items are the same content in different formats. When this
    /// returns, other programs can read the content, and it stays available after this program
    /// exits.
    fn write(
        &self,
        selection: Selection,
        items: Vec<ClipboardItem>,
        sensitivity: Sensitivity,
        deadline: Deadline,
    ) -> Result<()>;

    /// Clears the clipboard.
    fn clear(&self, selection: Selection, deadline: Deadline) -> Result<()>;

    /// Subscribes to changes.
    fn watch(&self, selection: Selection, deadline: Deadline) -> Result<Box<dyn ClipboardChanges>>;
}

/// A subscription to the changes of a clipboard. Dropping it unsubscribes.
pub trait ClipboardChanges: Send {
    /// Waits for the next change; `false` if there is none within `timeout`.
    fn next(&mut self, timeout: Duration) -> Result<bool>;
}

/// The media types that programs exchange most often.
pub mod mime {
    /// Plain text.
    pub const TEXT: &str = "text/plain";
    /// A fragment of HTML.
    pub const HTML: &str = "text/html";
    /// Rich text, as word processors write it.
    pub const RTF: &str = "text/rtf";
    /// A list of files, one URI per line.
    pub const FILES: &str = "text/uri-list";
    /// A link: its address, and optionally its title on the next line.
    pub const URL: &str = "text/x-moz-url";
    /// An image in the format that every app accepts.
    pub const PNG: &str = "image/png";
}

/// One of the desktop's clipboards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The clipboard of the copy and paste commands.
    Clipboard,
    /// The most recent text selection, which the middle button pastes. Only on X11 and Wayland.
    Primary,
}

/// A description of the content of a clipboard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClipboardContents {
    /// The available formats, in the order the owner offers them; empty if the clipboard is empty.
    pub mime_types: Vec<String>,
    /// The owner marked the content as a secret.
    pub concealed: bool,
    /// The program that owns the content, if the desktop reports it.
    pub source: Option<String>,
}

/// The content of a clipboard in one format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClipboardItem {
    /// Its media type.
    pub mime_type: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Tells if other programs may show and store the written content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// Other programs may show and store it.
    Normal,
    /// It is a secret: clipboard histories are requested not to store it.
    Concealed,
}
