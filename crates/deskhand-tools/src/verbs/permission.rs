//! Whether apps can be seen at all, and what to do where they cannot.

use deskhand_model::Explain;
use deskhand_platform::Error as Below;

use crate::{Asked, Choice, Context, Error, Field, Question, Result, Takes};

/// What to do before anything can be seen; `None` when everything can.
///
/// # Errors
///
/// When it cannot be told, or a person must be asked first.
pub(crate) fn lacking(cx: &Context<'_>) -> Result<Option<String>> {
    let why = match cx.desktop.tree.apps(cx.by) {
        Ok(_) => return Ok(None),
        Err(error @ Below::NoAccessibility { .. }) => error,
        Err(error) => return Err(error.into()),
    };
    let advice = format!("{why}. {}", why.hint().unwrap_or_default());
    match cx.ask.ask(&question()) {
        Asked::Later => Err(Error::Asks { question: Box::new(question()) }),
        // It may have been switched on while the question stood.
        Asked::Given(_) if cx.desktop.tree.apps(cx.by).is_ok() => Ok(None),
        Asked::Given(_) | Asked::Declined | Asked::Cancelled | Asked::Nobody => Ok(Some(advice)),
    }
}

fn question() -> Question {
    let choices = vec![
        Choice::new("open_settings", "I switch it on now"),
        Choice::new("show_instructions", "Show me how"),
        Choice::new("cancel", "Go on without"),
    ];
    let fields = vec![Field::new("action", "What to do", Takes::One(choices))];
    Question::form("permission", "Apps cannot be seen: accessibility is switched off.", fields)
}

/// The name of this very program, as a person finds it in the settings.
pub(crate) fn process_name() -> String {
    let path = std::env::current_exe().ok();
    let name = path.as_deref().and_then(|path| path.file_name()).and_then(|name| name.to_str());
    name.unwrap_or("deskhand").to_owned()
}
