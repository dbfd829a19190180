//! Conversations with the client's model, which MCP calls sampling.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Image;

/// A conversation that the model is asked to continue.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingRequest {
    /// The system prompt.
    pub system_prompt: &'static str,
    /// The messages so far, the oldest first.
    pub messages: Vec<SamplingMessage>,
    /// The largest number of tokens of the reply.
    pub max_tokens: u32,
    /// The preferred kind of model, if it matters.
    pub model_preferences: Option<ModelPreferences>,
    /// The tools that the model may use before it replies.
    pub tools: Vec<SamplingTool>,
}

/// The importance of a model's properties, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelPreferences {
    /// The importance of intelligence.
    pub intelligence: f32,
    /// The importance of a low cost.
    pub cost: f32,
    /// The importance of speed.
    pub speed: f32,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum SamplingMessage {
    /// A prompt to the model.
    User(Vec<ContentPart>),
    /// A reply of the model.
    Assistant(ModelReply),
    /// The results of the tools that the model used.
    ToolResults(Vec<ToolResult>),
}

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentPart {
    /// Text.
    Text(String),
    /// An image.
    Image(Image),
}

/// A reply of the model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelReply {
    /// The text of the reply.
    #[serde(rename = "words")]
    pub text: String,
    /// The tools that the model wants to use.
    #[serde(rename = "uses")]
    pub tool_uses: Vec<ToolUse>,
}

/// A request of the model to use a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The id that connects the request with its result.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub input: Value,
}

/// The result of a tool use.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The id of the tool use.
    pub id: String,
    /// The result as text.
    pub text: String,
}

/// A tool that the model may use during a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplingTool {
    /// The name.
    pub name: &'static str,
    /// The description.
    pub description: &'static str,
    /// The name and description of its only parameter, a text.
    pub parameter: &'static str,
}

impl ModelReply {
    /// Reads a reply from an elicitation answer; `None` if it is not a reply.
    pub fn from_value(answer: &Value) -> Option<Self> {
        serde_json::from_value(answer.clone()).ok()
    }
}
