//! Acting on elements: wait until the element is ready, try the best strategy first, and verify the
//! effect by reading the app.
//!
//! Each module is one capability. `verify` has the loop they share.

mod action_names;
pub mod click;
mod container_selection;
pub mod drag;
pub mod real_input;
pub mod risk;
pub mod scroll;
pub mod select;
pub mod set_value;
pub(crate) mod target;
pub(crate) mod timing;
pub mod type_text;
pub(crate) mod verify;
mod visibility;
mod wheel;

use schemars::JsonSchema;
use serde::Deserialize;

/// The way to act on an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionMode {
    /// Through accessibility. The focus, the pointer and the order of windows stay as they are.
    #[default]
    Background,
    /// With the real pointer and keyboard, after bringing the window to the front.
    Focus,
}
