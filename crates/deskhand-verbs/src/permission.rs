//! The permission to read apps, and the advice if it is missing.

use deskhand_model::Explain;
use deskhand_platform::Error as PlatformError;

use crate::{Context, ElicitResponse, Error, Result, elicitation::questions};

/// The advice if accessibility is off.
const ENABLE_ADVICE: &str = "Enable accessibility for this desktop and try again; a server that is \
                            started without a display opens a private desktop, where it is enabled";

/// Returns the advice to follow before apps can be read; `None` if they can be read.
///
/// # Errors
///
/// Fails if the state is unknown, or the user must be asked first.
pub fn missing_permission(cx: &Context<'_>) -> Result<Option<String>> {
    let why = match cx.desktop.tree.apps(cx.deadline) {
        Ok(_) => return Ok(None),
        Err(
            error
            @ (PlatformError::NoAccessibility { .. } | PlatformError::PermissionDenied { .. }),
        ) => error,
        Err(error) => return Err(error.into()),
    };
    let advice = match (&why, why.hint()) {
        (PlatformError::PermissionDenied { .. }, Some(hint)) => format!("{why}: {hint}"),
        _ => format!("{why}. {ENABLE_ADVICE}"),
    };
    match cx.elicitor.elicit(&questions::enable_accessibility()) {
        ElicitResponse::Deferred => {
            Err(Error::QuestionPending { question: Box::new(questions::enable_accessibility()) })
        }
        // The user may have enabled it while the question was open.
        ElicitResponse::Accepted(_) if cx.desktop.tree.apps(cx.deadline).is_ok() => Ok(None),
        ElicitResponse::Accepted(_)
        | ElicitResponse::Declined
        | ElicitResponse::Cancelled
        | ElicitResponse::Unavailable => Ok(Some(advice)),
    }
}

/// Returns the name of the program that the user finds in the system settings: the one that the
/// system holds responsible, or else this one.
pub fn responsible_program(cx: &Context<'_>) -> String {
    let permissions = cx.desktop.permissions.as_ref();
    // If the system cannot name it, the advice is still given.
    let responsible = permissions
        .and_then(|it| it.list(cx.deadline).ok()?.into_iter().next().map(|one| one.program));
    responsible.unwrap_or_else(|| {
        let path = std::env::current_exe().ok();
        let name = path.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
        name.unwrap_or("deskhand").to_owned()
    })
}
