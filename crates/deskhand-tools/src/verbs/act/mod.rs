//! Acting on elements: wait until one is ready, do it the best way there is, and look at what came
//! of it.

mod attempt;
pub(crate) mod by_hand;
pub(crate) mod caution;
mod front;
mod goal;
pub(crate) mod haul;
mod heard;
mod key_risk;
mod names;
mod observe;
pub(crate) mod pick;
pub(crate) mod press;
mod recent;
pub(crate) mod reveal;
mod selection;
pub(crate) mod set;
mod sight;
pub(crate) mod signs;
pub(crate) mod target;
mod warning;
mod wheel;
pub(crate) mod write;

pub use heard::Memory;

use schemars::JsonSchema;
use serde::Deserialize;

/// How to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Through accessibility: focus, pointer and windows stay as they are.
    #[default]
    Background,
    /// By real pointer and keyboard, after bringing the window to the front.
    Focus,
}
