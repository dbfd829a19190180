//! Reading what was copied.

use deskhand_platform::{Contents, Item};

use super::{
    Which,
    history::{History, Seen},
};
use crate::{Context, Error, Result};

/// What is there, and one form of it: the one that is wanted, or the one that says most. It is kept
/// in the history.
pub fn take(cx: &Context<'_>, which: Which, wanted: Option<&str>) -> Result<(Contents, Item)> {
    let (contents, item) = look(cx, which, wanted)?;
    // A history that cannot be written takes nothing from what was read.
    let _ = History::of(cx).and_then(|history| {
        history.add(Seen::Read, which, contents.from.clone(), std::slice::from_ref(&item))
    });
    Ok((contents, item))
}

/// What is there, and one form of it. Between the look and the question something else may be
/// copied; then it is looked at again.
fn look(cx: &Context<'_>, which: Which, wanted: Option<&str>) -> Result<(Contents, Item)> {
    let (clipboard, at) = (super::of(cx)?, which.selection());
    let mut attempts = 3;
    loop {
        attempts -= 1;
        let contents = clipboard.look(at, cx.by)?;
        if contents.concealed {
            return Err(Error::Concealed);
        }
        let best = super::best(&contents).ok_or(Error::NothingCopied)?;
        let form = wanted.map_or(best, |word| super::meant(word, &contents.forms));
        match clipboard.read(at, &form, cx.by) {
            // What was asked for may have become a secret after the look.
            Ok(Some(_)) if clipboard.look(at, cx.by)?.concealed => return Err(Error::Concealed),
            Ok(Some(data)) => return Ok((contents, Item { form, data })),
            Ok(None) if contents.forms.contains(&form) && attempts > 0 => {}
            Err(deskhand_platform::Error::Gone { .. }) if attempts > 0 => {}
            Ok(None) => return Err(Error::NoForm { wanted: form, forms: contents.forms }),
            Err(error) => return Err(error.into()),
        }
    }
}
