//! Converts content to pasteboard items: one item with all MIME types, and one more for each further file.

use deskhand_platform::{ClipboardItem, Error, Result, Sensitivity, mime};

use super::{
    PasteboardApi,
    uti::{self, CONCEALED, FILE, URL, URL_NAME},
};

/// The types of an item with their data.
pub(crate) type PasteboardItem = Vec<(String, Vec<u8>)>;

/// Converts content to pasteboard items. Fails if one of its MIME types has no UTI.
pub(super) fn to_pasteboard_items(
    board: &impl PasteboardApi,
    items: Vec<ClipboardItem>,
    mark: Sensitivity,
) -> Result<Vec<PasteboardItem>> {
    let mut first: PasteboardItem = Vec::new();
    let mut further: Vec<PasteboardItem> = Vec::new();
    let mut add = |uti: &str, data: Vec<u8>| {
        // An item has each type once. The first one counts.
        if !first.iter().any(|(one, _)| one == uti) {
            first.push((uti.to_owned(), data));
        }
    };
    // A link is written last, so that a file URL with the same type takes precedence.
    let (links, others): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|item| item.mime_type == mime::URL);
    for ClipboardItem { mime_type: form, data } in others.into_iter().chain(links) {
        match form.as_str() {
            mime::FILES => {
                let list = String::from_utf8_lossy(&data);
                // Lines with `#` are comments (RFC 2483).
                let mut uris =
                    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
                if let Some(uri) = uris.next() {
                    add(url_type(uri), uri.as_bytes().to_vec());
                }
                further.extend(uris.map(|uri| vec![(url_type(uri).to_owned(), uri.into())]));
            }
            mime::URL => {
                let text = String::from_utf8_lossy(&data);
                let (address, title) = text.split_once('\n').unwrap_or((&text, ""));
                add(URL, address.trim_end_matches('\r').as_bytes().to_vec());
                if !title.is_empty() {
                    add(URL_NAME, title.as_bytes().to_vec());
                }
            }
            other => {
                let uti = uti_for(board, other)?;
                add(&uti, data);
            }
        }
    }
    match mark {
        Sensitivity::Normal => {}
        Sensitivity::Concealed => add(CONCEALED, Vec::new()),
    }
    Ok(std::iter::once(first).chain(further).collect())
}

fn url_type(uri: &str) -> &'static str {
    if uri.starts_with("file:") { FILE } else { URL }
}

/// The UTI to write a MIME type as.
fn uti_for(board: &impl PasteboardApi, mime_type: &str) -> Result<String> {
    if let Some(known) = uti::known_utis(mime_type).first() {
        return Ok((*known).to_owned());
    }
    if uti::is_identifier(mime_type) {
        return Ok(mime_type.to_owned());
    }
    board.uti_of(mime_type).filter(|uti| uti::is_identifier(uti)).ok_or_else(|| {
        Error::Unsupported {
            what: format!("copying as `{mime_type}`"),
            why: "macOS has no type for it".to_owned(),
        }
    })
}
