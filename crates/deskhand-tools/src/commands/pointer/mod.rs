//! Commands that use the pointer by coordinates.

pub(crate) mod click;
pub(crate) mod drag;
pub(crate) mod gesture;
pub(crate) mod hover;
pub(crate) mod r#move;
pub(crate) mod position;
pub(crate) mod press;
pub(crate) mod scroll;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Int;

/// A duration in milliseconds, up to a minute.
pub(crate) type Millis = Int<0, 60_000>;

/// Returns the duration, or the default if none was given.
pub(crate) fn time(given: Option<Millis>, usual_ms: u64) -> Duration {
    Duration::from_millis(given.map_or(usual_ms, |ms| ms.get().unsigned_abs()))
}

/// A pointer button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Button {
    /// The main button.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The button that opens context menus.
    Right,
    /// The back button.
    Back,
    /// The forward button.
    Forward,
}

impl Button {
    /// Converts to the platform's button.
    pub(crate) fn real(self) -> deskhand_platform::Button {
        match self {
            Self::Left => deskhand_platform::Button::Left,
            Self::Middle => deskhand_platform::Button::Middle,
            Self::Right => deskhand_platform::Button::Right,
            Self::Back => deskhand_platform::Button::Back,
            Self::Forward => deskhand_platform::Button::Forward,
        }
    }
}
