//! Whether apps can be seen at all, and what to do where they cannot.

use deskhand_model::Explain;
use deskhand_platform::Error as Below;

use crate::{Asked, Context, Error, Result, questions};

/// What to do where apps cannot be seen.
const SWITCH_IT_ON: &str = "Switch accessibility on for this desktop and ask again; a server that is \
                            started without a display has a desktop of its own, where it is on";

/// What to do before anything can be seen; `None` when everything can.
///
/// # Errors
///
/// When it cannot be told, or a person must be asked first.
pub fn lacking(cx: &Context<'_>) -> Result<Option<String>> {
    let why = match cx.desktop.tree.apps(cx.by) {
        Ok(_) => return Ok(None),
        Err(error @ (Below::NoAccessibility { .. } | Below::NotAllowed { .. })) => error,
        Err(error) => return Err(error.into()),
    };
    let advice = match (&why, why.hint()) {
        (Below::NotAllowed { .. }, Some(hint)) => format!("{why}: {hint}"),
        _ => format!("{why}. {SWITCH_IT_ON}"),
    };
    match cx.ask.ask(&questions::permission()) {
        Asked::Later => Err(Error::Asks { question: Box::new(questions::permission()) }),
        // It may have been switched on while the question stood.
        Asked::Given(_) if cx.desktop.tree.apps(cx.by).is_ok() => Ok(None),
        Asked::Given(_) | Asked::Declined | Asked::Cancelled | Asked::Nobody => Ok(Some(advice)),
    }
}

/// The name of the program a person finds in the settings: the one the system holds responsible, where it
/// asks people at all, else this one.
pub fn process_name(cx: &Context<'_>) -> String {
    let asked = cx.desktop.permissions.as_ref();
    // A system that cannot tell whom it asks about does not keep the answer from being given.
    let responsible =
        asked.and_then(|it| it.all(cx.by).ok()?.into_iter().next().map(|one| one.who));
    responsible.unwrap_or_else(|| {
        let path = std::env::current_exe().ok();
        let name = path.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        name.unwrap_or("deskhand").to_owned()
    })
}
