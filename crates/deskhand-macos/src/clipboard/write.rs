//! How things are laid out on a pasteboard: one item with all its forms, and one more for each further file.

use deskhand_platform::{Error, Item, Mark, Result, form};

use super::{
    Board,
    forms::{self, CONCEALED, FILE, URL, URL_NAME},
};

/// One item: types with their data.
pub(crate) type Laid = Vec<(String, Vec<u8>)>;

/// Lays things out; nothing is sent when one of them has no name a pasteboard takes.
pub(super) fn laid_out(board: &impl Board, items: Vec<Item>, mark: Mark) -> Result<Vec<Laid>> {
    let mut first: Laid = Vec::new();
    let mut further: Vec<Laid> = Vec::new();
    let mut add = |kind: &str, data: Vec<u8>| {
        // A type stands once in an item; the first that was given counts.
        if !first.iter().any(|(one, _)| one == kind) {
            first.push((kind.to_owned(), data));
        }
    };
    // An address that is a file's is a file: only where none are given is it a link.
    let (links, others): (Vec<_>, Vec<_>) =
        items.into_iter().partition(|item| item.form == form::URL);
    for Item { form, data } in others.into_iter().chain(links) {
        match form.as_str() {
            form::FILES => {
                let list = String::from_utf8_lossy(&data);
                // Lines that begin so are comments (RFC 2483).
                let mut uris =
                    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
                if let Some(uri) = uris.next() {
                    add(kind_of(uri), uri.as_bytes().to_vec());
                }
                further.extend(uris.map(|uri| vec![(kind_of(uri).to_owned(), uri.into())]));
            }
            form::URL => {
                let text = String::from_utf8_lossy(&data);
                let (address, title) = text.split_once('\n').unwrap_or((&text, ""));
                add(URL, address.trim_end_matches('\r').as_bytes().to_vec());
                if !title.is_empty() {
                    add(URL_NAME, title.as_bytes().to_vec());
                }
            }
            other => {
                let kind = kind_for(board, other)?;
                add(&kind, data);
            }
        }
    }
    match mark {
        Mark::Open => {}
        Mark::Concealed => add(CONCEALED, Vec::new()),
    }
    Ok(std::iter::once(first).chain(further).collect())
}

fn kind_of(uri: &str) -> &'static str {
    if uri.starts_with("file:") { FILE } else { URL }
}

/// The type a form is written as.
fn kind_for(board: &impl Board, form: &str) -> Result<String> {
    if let Some(known) = forms::known_types(form).first() {
        return Ok((*known).to_owned());
    }
    if forms::is_identifier(form) {
        return Ok(form.to_owned());
    }
    board.type_of(form).filter(|kind| forms::is_identifier(kind)).ok_or_else(|| {
        Error::Unsupported {
            what: format!("copying as `{form}`"),
            why: "macOS has no type of that name".to_owned(),
        }
    })
}
