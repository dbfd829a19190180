//! Reading the clipboard.

use std::path::PathBuf;

use deskhand_platform::{ClipboardContents, ClipboardItem, Selection, mime};

use super::{
    ClipboardSelection, files,
    history::{History, HistorySource},
};
use crate::{Context, Error, Result};

/// The content of a clipboard in one format.
#[derive(Debug, Clone)]
pub struct ClipboardContent {
    /// The format.
    pub format: String,
    /// All available formats.
    pub formats: Vec<String>,
    /// The program it came from, if known.
    pub source: Option<String>,
    /// The content.
    pub data: Vec<u8>,
}

/// The beginning of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitedText {
    /// The text, up to the limit.
    pub text: String,
    /// `true` if the end of the text was omitted.
    pub is_cut: bool,
}

/// The clipboard as text.
#[derive(Debug, Clone)]
pub struct ClipboardText {
    /// The text, if there is any.
    pub text: Option<LimitedText>,
    /// All available formats; empty if the clipboard is.
    pub formats: Vec<String>,
    /// `true` if the content is marked as secret. It is not read then.
    pub is_concealed: bool,
}

impl LimitedText {
    fn new(data: &[u8], max_chars: usize) -> Self {
        let text = String::from_utf8_lossy(data);
        match text.char_indices().nth(max_chars) {
            Some((end, _)) => Self { text: text[..end].to_owned(), is_cut: true },
            None => Self { text: text.into_owned(), is_cut: false },
        }
    }
}

impl ClipboardContent {
    /// Returns the beginning of the content if its format is text.
    pub fn text(&self, max_chars: usize) -> Option<LimitedText> {
        super::is_text_format(&self.format).then(|| LimitedText::new(&self.data, max_chars))
    }

    /// Returns the files that the content names.
    pub fn files(&self) -> Vec<PathBuf> {
        if self.format != mime::FILES {
            return Vec::new();
        }
        files::from_uri_list(&String::from_utf8_lossy(&self.data))
    }

    /// Returns a summary in one line: size and beginning.
    pub fn summary(&self) -> String {
        super::summarize(&self.format, &self.data)
    }
}

/// Reads the clipboard in the requested format, or in the most useful one. Adds the content to the history.
///
/// # Errors
///
/// Fails if the clipboard is empty, does not have the format, or is marked as secret.
pub fn read(
    cx: &Context<'_>,
    selection: ClipboardSelection,
    wanted: Option<&str>,
) -> Result<ClipboardContent> {
    let (contents, item) = read_consistent(cx, selection, wanted)?;
    // A failure of the history does not affect the read.
    let _ = History::of(cx).and_then(|history| {
        history.add(
            HistorySource::Read,
            selection,
            contents.source.clone(),
            std::slice::from_ref(&item),
        )
    });
    Ok(ClipboardContent {
        format: item.mime_type,
        formats: contents.mime_types,
        source: contents.source,
        data: item.data,
    })
}

/// Reads the text of the clipboard, up to `max_chars` characters. A clipboard that is empty, secret or
/// without text is no error.
///
/// # Errors
///
/// Fails if the owner of the clipboard does not answer.
pub fn read_text(cx: &Context<'_>, max_chars: usize) -> Result<ClipboardText> {
    let contents = super::clipboard(cx)?.contents(Selection::Clipboard, cx.deadline)?;
    let mut found = ClipboardText {
        text: None,
        formats: contents.mime_types,
        is_concealed: contents.concealed,
    };
    if found.is_concealed || !found.formats.iter().any(|one| one == mime::TEXT) {
        return Ok(found);
    }
    match read(cx, ClipboardSelection::Clipboard, Some(mime::TEXT)) {
        Ok(content) => {
            found.text = Some(LimitedText::new(&content.data, max_chars));
            found.formats = content.formats;
        }
        // The clipboard has changed since its formats were read.
        Err(Error::ClipboardEmpty | Error::NoFormat { .. }) => {}
        Err(Error::ClipboardSecret) => found.is_concealed = true,
        Err(error) => return Err(error),
    }
    Ok(found)
}

/// Reads the formats and the content. If the clipboard changes in between, it is read again.
fn read_consistent(
    cx: &Context<'_>,
    selection: ClipboardSelection,
    wanted: Option<&str>,
) -> Result<(ClipboardContents, ClipboardItem)> {
    let (clipboard, at) = (super::clipboard(cx)?, selection.selection());
    let mut attempts = 3;
    loop {
        attempts -= 1;
        let contents = clipboard.contents(at, cx.deadline)?;
        if contents.concealed {
            return Err(Error::ClipboardSecret);
        }
        let best = super::most_readable_format(&contents).ok_or(Error::ClipboardEmpty)?;
        let form = wanted.map_or(best, |word| super::resolve_format(word, &contents.mime_types));
        match clipboard.read(at, &form, cx.deadline) {
            // The content may have been marked as secret in between.
            Ok(Some(_)) if clipboard.contents(at, cx.deadline)?.concealed => {
                return Err(Error::ClipboardSecret);
            }
            Ok(Some(data)) => return Ok((contents, ClipboardItem { mime_type: form, data })),
            Ok(None) if contents.mime_types.contains(&form) && attempts > 0 => {}
            Err(deskhand_platform::Error::Gone { .. }) if attempts > 0 => {}
            Ok(None) => return Err(Error::NoFormat { wanted: form, forms: contents.mime_types }),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let cut = LimitedText::new("Grüße".as_bytes(), 3);
        assert_eq!((cut.text.as_str(), cut.is_cut), ("Grü", true));
        let whole = LimitedText::new("Grüße".as_bytes(), 5);
        assert_eq!((whole.text.as_str(), whole.is_cut), ("Grüße", false));
    }
}
