//! Commands for windows.

pub(crate) mod close;
pub(crate) mod fill;
pub(crate) mod focus;
pub(crate) mod get;
pub(crate) mod minimize;
pub(crate) mod place;
pub(crate) mod state;

use deskhand_model::Window;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Result,
    verbs::windows::{self, WindowPreference},
};

// No doc comment: it would become a part of the schema.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

impl Args {
    /// Returns the window that the parameters name.
    fn window(&self, cx: &Context<'_>, preference: WindowPreference) -> Result<Window> {
        windows::resolve_window(cx, &self.target, self.title.as_deref(), preference)
    }
}

/// Returns the window that the parameters of a command name, a shown one rather than a minimized one.
fn shown_window(cx: &Context<'_>, target: &str, title: Option<&str>) -> Result<Window> {
    windows::resolve_window(cx, target, title, WindowPreference::Shown)
}
