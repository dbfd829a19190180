//! Typed results, read from the structured output of tools.

use std::fmt;

use deskhand_engine::{EventKind, ToolOutput};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::Error;

/// The observed effect of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The requested change was observed.
    Confirmed,
    /// A part of the requested change was observed.
    Partial,
    /// The action was sent, and its effect cannot be observed.
    Unverified,
    /// The action was sent, and nothing changed.
    NoEffect,
    /// The action was not sent, because it would have done something else or disturbed the user.
    Refused,
}

impl fmt::Display for Effect {
    /// Writes the name used in JSON, such as `no_effect`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Confirmed => "confirmed",
            Self::Partial => "partial",
            Self::Unverified => "unverified",
            Self::NoEffect => "no_effect",
            Self::Refused => "refused",
        })
    }
}

/// The result of an action: its verified effect and the evidence for it.
///
/// An action that could be attempted returns an `Outcome`, whatever its effect is. Use
/// [`confirmed`](Self::confirmed) to turn every other effect into an error.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The observed effect.
    pub effect: Effect,
    /// The strategy that was used, such as `action:click`, `text`, `pointer` or `keyboard`.
    #[serde(rename = "way", alias = "strategy")]
    pub strategy: String,
    /// The target of the action, in words.
    pub target: Option<String>,
    /// The ref of the target, for later calls.
    pub element_ref: Option<String>,
    /// The observed changes that prove the effect.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Other changes in the app, one per line, within a size budget.
    #[serde(default)]
    pub changes: Vec<String>,
    /// Strategies that were tried before without effect.
    #[serde(default, rename = "tried")]
    pub failed_attempts: Vec<FailedAttempt>,
    /// The next step to try, if the effect is not certain.
    #[serde(rename = "escalation")]
    pub next_step: Option<String>,
    /// Warnings, such as a delay by a rate limit.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

impl Outcome {
    /// Returns `true` if the effect is [`Effect::Confirmed`].
    pub fn is_confirmed(&self) -> bool {
        self.effect == Effect::Confirmed
    }

    /// Returns the outcome if the effect is confirmed.
    ///
    /// # Errors
    ///
    /// `not_confirmed` if the effect is another one. The message names the effect and the target.
    pub fn confirmed(self) -> Result<Self, Error> {
        if self.is_confirmed() {
            return Ok(self);
        }
        let target = self.target.as_deref().unwrap_or("the action");
        let message = format!("{target}: the effect is {}, by {}", self.effect, self.strategy);
        let advice = self.next_step.unwrap_or_else(|| "read the app again".to_owned());
        let delivery = match self.effect {
            Effect::Refused => deskhand_model::Delivery::NotSent,
            Effect::Confirmed | Effect::Partial | Effect::Unverified | Effect::NoEffect => {
                deskhand_model::Delivery::Sent
            }
        };
        Err(Error::new("not_confirmed", message, advice).with_delivery(delivery))
    }
}

/// One observed change.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The kind of change, such as `text`, `value`, `state`, `window` or `process`.
    #[serde(rename = "sign")]
    pub kind: String,
    /// The thing that changed, in words.
    #[serde(rename = "what")]
    pub subject: String,
    /// Its value before the action.
    pub before: Option<String>,
    /// Its value after the action.
    pub after: Option<String>,
}

/// A strategy that was tried without effect before another one was used.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct FailedAttempt {
    /// The name of the strategy.
    #[serde(rename = "way", alias = "strategy")]
    pub strategy: String,
    /// The reason why it had no effect.
    pub why: String,
}

/// A running app, as [`Session::apps`](crate::Session::apps) lists it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct AppInfo {
    /// The name.
    pub name: String,
    /// The process id.
    pub pid: u32,
    /// The desktop-file id on Linux, the bundle id on macOS.
    pub bundle_id: Option<String>,
    /// The toolkit and its version, such as `gtk 3.24.38`.
    #[serde(default)]
    pub toolkit: String,
    /// The number of windows in its accessibility tree.
    #[serde(default)]
    pub windows: u32,
    /// `true` if the app responds. A frozen app is listed but cannot be read.
    #[serde(default)]
    pub accessible: bool,
}

/// An element of an app, as it was when it was read.
///
/// An element can be passed to the methods of [`App`](crate::App) in place of a query.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Element {
    /// The ref, such as `e12`. It is valid as long as the element exists.
    pub element_ref: String,
    /// The role in macOS notation, such as `AXButton`.
    pub role: String,
    /// The role in short notation, such as `button`.
    pub kind: String,
    /// The name of the element.
    pub title: String,
    /// The value: a text or a number. Absent if there is none or it is secret.
    #[serde(default)]
    pub value: Value,
    /// `true` if the value is secret. Secrets are never read.
    #[serde(default)]
    pub secret: bool,
    /// The longer description that some elements have.
    #[serde(default)]
    pub description: String,
    /// The identifier given by the developer.
    #[serde(default)]
    pub identifier: String,
    /// Left and top in global pixels; absent if the element is not on the screen.
    pub position: Option<[i32; 2]>,
    /// Width and height in pixels.
    pub size: Option<[i32; 2]>,
    /// `true` if the element is enabled.
    pub enabled: bool,
    /// `true` if the element has the keyboard focus.
    pub focused: bool,
    /// `true` if the element is visible now.
    pub visible: bool,
    /// The states, such as `checked`.
    pub states: Vec<String>,
    /// The available actions, in the names of the platform.
    pub actions: Vec<String>,
    /// The title of the window that contains the element.
    pub window: Option<String>,
}

impl Element {
    /// Returns the value as text; empty if the element has none.
    pub fn text(&self) -> String {
        match &self.value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                other.to_string()
            }
        }
    }

    /// Returns `true` if the element has this state, such as `checked`.
    pub fn has_state(&self, state: &str) -> bool {
        self.states.iter().any(|one| one == state)
    }
}

impl AsRef<str> for Element {
    /// Returns the ref, so that an element can be used as a query.
    fn as_ref(&self) -> &str {
        &self.element_ref
    }
}

/// An event of an app.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Milliseconds since the start of the watch.
    pub at_ms: u64,
    /// The kind of event.
    #[serde(rename = "event")]
    pub kind: EventKind,
    /// The name of the app.
    pub app: String,
    /// The role of the element in macOS notation.
    pub role: Option<String>,
    /// The name of the element.
    pub title: Option<String>,
    /// Details, such as the name of a state.
    #[serde(default)]
    pub detail: String,
    /// `true` if a state was set or an element added, `false` if it was cleared or removed.
    pub on: bool,
}

/// An encoded image.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The encoded image.
    pub bytes: Vec<u8>,
    /// The media type, such as `image/png`.
    pub mime_type: String,
}

impl From<deskhand_engine::Image> for Image {
    fn from(image: deskhand_engine::Image) -> Self {
        Self { bytes: image.bytes, mime_type: image.mime.to_owned() }
    }
}

/// The result of a command that ran in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct CommandOutput {
    /// The exit code, if the command exited by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended the command.
    pub signal: Option<i32>,
    /// The output of both streams in order. The middle of a very long output is omitted.
    #[serde(default)]
    pub output: String,
    /// The number of omitted bytes.
    #[serde(default, rename = "output_left_out")]
    pub omitted_bytes: u64,
    /// The run time in milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
    /// The reason why the command did not succeed, such as a timeout.
    pub why: Option<String>,
}

impl CommandOutput {
    /// Returns `true` if the command exited with code 0.
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }
}

/// The answer of a tool, as [`Session::call`](crate::Session::call) returns it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The structured output.
    pub data: Value,
    /// The output as text.
    pub text: String,
    /// The image, if the output is one.
    pub image: Option<Image>,
    /// `true` if the tool achieved what was requested, as far as it could verify.
    pub succeeded: bool,
    /// Warnings beside the output.
    pub warnings: Vec<String>,
}

impl From<ToolOutput> for Reply {
    fn from(output: ToolOutput) -> Self {
        Self {
            data: output.data,
            text: output.text.to_string(),
            image: output.image.map(Image::from),
            succeeded: output.succeeded,
            warnings: output.warnings,
        }
    }
}

impl Reply {
    /// Converts the structured output to a type.
    pub(crate) fn parse<T: DeserializeOwned>(self, tool: &str) -> Result<T, Error> {
        serde_json::from_value(self.data).map_err(|error| Error::unexpected_result(tool, error))
    }

    /// Converts the structured output to the outcome of an action.
    pub(crate) fn outcome(mut self, tool: &str) -> Result<Outcome, Error> {
        let warnings = std::mem::take(&mut self.warnings);
        Ok(Outcome { warnings, ..self.parse(tool)? })
    }
}

#[cfg(test)]
mod tests;
