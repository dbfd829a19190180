//! Acting on elements: wait until one is ready, do it the best way there is, and look at what came
//! of it.

mod attempt;
pub mod by_hand;
pub mod caution;
mod front;
mod goal;
pub mod haul;
mod heard;
mod key_risk;
mod names;
mod observe;
pub mod pick;
pub mod press;
mod recent;
pub mod reveal;
mod selection;
pub mod set;
mod sight;
pub mod signs;
pub mod target;
mod warning;
mod wheel;
pub mod write;

pub use heard::Memory;

use schemars::JsonSchema;
use serde::Deserialize;

/// How to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Through accessibility: focus, pointer and windows stay as they are.
    #[default]
    Background,
    /// By real pointer and keyboard, after bringing the window to the front.
    Focus,
}
