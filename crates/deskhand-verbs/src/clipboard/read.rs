//! Reading the clipboard.

use deskhand_platform::{ClipboardContents, ClipboardItem};

use super::{
    ClipboardSelection,
    history::{History, HistorySource},
};
use crate::{Context, Error, Result};

/// Reads the available formats and the content in one of them: the requested one, or the most
/// useful one. Adds the content to the history.
pub fn read(
    cx: &Context<'_>,
    selection: ClipboardSelection,
    wanted: Option<&str>,
) -> Result<(ClipboardContents, ClipboardItem)> {
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
    Ok((contents, item))
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
