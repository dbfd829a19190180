//! The clipboard: formats, reading, writing and history.

pub mod files;
pub mod history;
pub mod read;
pub mod write;

use deskhand_model::outline::quote;
use deskhand_platform::{Clipboard, ClipboardContents, Selection, mime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Error, Result};

/// The number of characters of a text that a summary shows.
const MAX_SUMMARY_CHARS: usize = 80;

/// One of the desktop's clipboards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClipboardSelection {
    /// The clipboard of explicit copies.
    #[default]
    Clipboard,
    /// The primary selection: the text selected last, which the middle button pastes.
    Primary,
}

impl ClipboardSelection {
    /// Returns the corresponding type of the platform.
    pub fn selection(self) -> Selection {
        match self {
            Self::Clipboard => Selection::Clipboard,
            Self::Primary => Selection::Primary,
        }
    }
}

/// Returns the clipboards of the desktop.
pub fn clipboard<'a>(cx: &Context<'a>) -> Result<&'a dyn Clipboard> {
    cx.desktop.clipboard.as_deref().ok_or(Error::MissingCapability { part: "clipboard" })
}

/// Returns the media type that a caller's word stands for, given the available ones.
pub(crate) fn resolve_format(word: &str, there: &[String]) -> String {
    let wanted = match word {
        "text" => mime::TEXT,
        "html" => mime::HTML,
        "rtf" => mime::RTF,
        "files" => mime::FILES,
        "url" => mime::URL,
        "image" => {
            let pictures = || there.iter().filter(|form| form.starts_with("image/"));
            let best = pictures().find(|one| *one == mime::PNG).or_else(|| pictures().next());
            return best.map_or(mime::PNG, |one| one).to_owned();
        }
        other => other,
    };
    wanted.to_owned()
}

/// Returns the format that is most useful to a reader.
pub fn most_readable_format(contents: &ClipboardContents) -> Option<String> {
    let forms = &contents.mime_types;
    let known = [mime::TEXT, mime::HTML, mime::URL, mime::FILES, mime::RTF, mime::PNG];
    let found = known.into_iter().find(|form| forms.iter().any(|one| one == form));
    found.map(str::to_owned).or_else(|| forms.first().cloned())
}

/// Returns `true` if a format can be shown as text.
pub fn is_text_format(form: &str) -> bool {
    form.starts_with("text/") || matches!(form, "application/json" | "application/xml")
}

/// Summarizes content in one line: its size and its beginning.
pub fn summarize(form: &str, data: &[u8]) -> String {
    if !is_text_format(form) {
        return match png_size(data) {
            Some((width, height)) => format!("{width}x{height} pixels, {} bytes", data.len()),
            None => format!("{} bytes", data.len()),
        };
    }
    let text = String::from_utf8_lossy(data);
    let count = text.chars().count();
    let unit = if count == 1 { "character" } else { "characters" };
    let beginning: String = text.chars().take(MAX_SUMMARY_CHARS).collect();
    format!("{count} {unit}: {}", quote(&beginning, MAX_SUMMARY_CHARS))
}

/// Reads the width and height from a PNG header.
fn png_size(data: &[u8]) -> Option<(u32, u32)> {
    let rest = data.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
    let (width, height) = rest.split_at(4);
    Some((u32::from_be_bytes(width.try_into().ok()?), u32::from_be_bytes(height.try_into().ok()?)))
}

/// Returns the image format that the first bytes indicate.
pub fn detect_image_format(data: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 7] = [
        (b"\x89PNG\r\n\x1a\n", mime::PNG),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"BM", "image/bmp"),
        (b"II*\0", "image/tiff"),
        (b"MM\0*", "image/tiff"),
        (b"RIFF", "image/webp"),
    ];
    SIGNATURES.iter().find(|(begin, _)| data.starts_with(begin)).map(|(_, form)| *form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_short_and_states_the_size() {
        let long = "x".repeat(5000);
        let summary = summarize("text/plain", long.as_bytes());
        assert!(summary.starts_with("5000 characters: \"xxx") && summary.len() < 120, "{summary}");
        assert_eq!(summarize("text/plain", b"\x1b[31mred"), "8 characters: \"red\"");
        assert_eq!(summarize("image/jpeg", &[0; 9]), "9 bytes");
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03";
        assert_eq!(summarize("image/png", png), "2x3 pixels, 24 bytes");
    }

    #[test]
    fn format_words_resolve_to_available_formats() {
        let there = ["image/bmp".to_owned(), "image/png".to_owned()];
        assert_eq!(resolve_format("image", &there), "image/png");
        assert_eq!(resolve_format("image", &there[..1]), "image/bmp");
        assert_eq!(resolve_format("html", &there), "text/html");
        assert_eq!(resolve_format("application/x-own", &there), "application/x-own");
    }

    #[test]
    fn text_is_preferred_to_images() {
        let forms = ["image/png", "text/html", "text/plain"].map(str::to_owned).to_vec();
        let contents = ClipboardContents { mime_types: forms, ..ClipboardContents::default() };
        assert_eq!(most_readable_format(&contents).as_deref(), Some("text/plain"));
        assert_eq!(most_readable_format(&ClipboardContents::default()), None);
    }
}
