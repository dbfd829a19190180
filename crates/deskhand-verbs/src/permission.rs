//! Whether apps can be seen at all, and what to do where they cannot.

use deskhand_model::Explain;
use deskhand_platform::Error as PlatformError;

use crate::{Context, ElicitResponse, Error, Result, elicitation::questions};

/// What to do where apps cannot be seen.
const ENABLE_ADVICE: &str = "Switch accessibility on for this desktop and ask again; a server that is \
                            started without a display has a desktop of its own, where it is on";

/// What to do before anything can be seen; `None` when everything can.
///
/// # Errors
///
/// When it cannot be told, or a person must be asked first.
pub fn missing_permission(cx: &Context<'_>) -> Result<Option<String>> {
    let why = match cx.desktop.tree.apps(cx.deadline) {
        Ok(_) => return Ok(None),
        Err(error @ (PlatformError::NoAccessibility { .. } | PlatformError::NotAllowed { .. })) => {
            error
        }
        Err(error) => return Err(error.into()),
    };
    let advice = match (&why, why.hint()) {
        (PlatformError::NotAllowed { .. }, Some(hint)) => format!("{why}: {hint}"),
        _ => format!("{why}. {ENABLE_ADVICE}"),
    };
    match cx.elicitor.elicit(&questions::enable_accessibility()) {
        ElicitResponse::Deferred => {
            Err(Error::QuestionPending { question: Box::new(questions::enable_accessibility()) })
        }
        // It may have been switched on while the question stood.
        ElicitResponse::Accepted(_) if cx.desktop.tree.apps(cx.deadline).is_ok() => Ok(None),
        ElicitResponse::Accepted(_)
        | ElicitResponse::Declined
        | ElicitResponse::Cancelled
        | ElicitResponse::Unavailable => Ok(Some(advice)),
    }
}

/// The name of the program a person finds in the settings: the one the system holds responsible, where it
/// asks people at all, else this one.
pub fn responsible_program(cx: &Context<'_>) -> String {
    let permissions = cx.desktop.permissions.as_ref();
    // A system that cannot tell whom it asks about does not keep the answer from being given.
    let responsible =
        permissions.and_then(|it| it.all(cx.deadline).ok()?.into_iter().next().map(|one| one.who));
    responsible.unwrap_or_else(|| {
        let path = std::env::current_exe().ok();
        let name = path.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        name.unwrap_or("deskhand").to_owned()
    })
}
