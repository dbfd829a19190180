//! Tools of other servers, and the results of calls. All of their content is untrusted.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, Tool};
use serde::Serialize;
use serde_json::{Map, Value};

/// A tool of another server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemoteTool {
    /// The server.
    pub server: String,
    /// The name under which it is offered: with a prefix, valid for every client, unique.
    pub name: String,
    /// The server's name of the tool.
    #[serde(rename = "own_name")]
    pub remote_name: String,
    /// The server's description.
    #[serde(rename = "about")]
    pub description: String,
    /// The server's title for display.
    pub title: Option<String>,
    /// The schema of its arguments.
    pub input_schema: Map<String, Value>,
    /// The effect of a call, as far as the server is trusted.
    #[serde(rename = "kind")]
    pub effect: RemoteEffect,
    /// The timeout of a call.
    #[serde(rename = "patience")]
    pub timeout: std::time::Duration,
}

/// The effect of a tool of another server, as far as the server is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemoteEffect {
    /// The tool only reads: it is annotated as read-only, and the user trusts the server's annotations.
    #[serde(rename = "reads")]
    ReadOnly,
    /// The tool may change something.
    #[serde(rename = "acts")]
    Modifies,
    /// The tool may destroy something: it is annotated as destructive.
    Destroys,
}

/// The result of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoteResult {
    /// Texts and images, in their order.
    pub content: Vec<RemoteContent>,
    /// The structured content, if the server sent any.
    pub structured: Option<Value>,
    /// Success or failure.
    pub status: RemoteStatus,
}

/// Success or failure of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RemoteStatus {
    /// The tool succeeded.
    #[default]
    Succeeded,
    /// The tool reported a failure.
    Failed,
}

/// A piece of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteContent {
    /// A text.
    Text(String),
    /// An image.
    Image {
        /// The bytes in base64.
        base64: String,
        /// The media type, such as `image/png`.
        mime_type: String,
    },
    /// A description of content that is not supported.
    Omitted(String),
}

impl RemoteEffect {
    pub(crate) fn of(tool: &Tool, trust: crate::config::Trust) -> Self {
        let hints = tool.annotations.as_ref();
        let reads = hints.and_then(|hints| hints.read_only_hint) == Some(true);
        let destroys = hints.and_then(|hints| hints.destructive_hint) == Some(true);
        match trust {
            crate::config::Trust::Annotations if reads => Self::ReadOnly,
            // A warning is believed without trust.
            crate::config::Trust::Annotations | crate::config::Trust::Nothing
                if destroys && !reads =>
            {
                Self::Destroys
            }
            crate::config::Trust::Annotations | crate::config::Trust::Nothing => Self::Modifies,
        }
    }
}

impl From<CallToolResult> for RemoteResult {
    fn from(result: CallToolResult) -> Self {
        Self {
            content: result.content.into_iter().map(RemoteContent::from).collect(),
            structured: result.structured_content,
            status: match result.is_error {
                Some(true) => RemoteStatus::Failed,
                Some(false) | None => RemoteStatus::Succeeded,
            },
        }
    }
}

impl From<ContentBlock> for RemoteContent {
    fn from(block: ContentBlock) -> Self {
        match block {
            ContentBlock::Text(text) => Self::Text(text.text),
            ContentBlock::Image(image) => {
                Self::Image { base64: image.data, mime_type: image.mime_type }
            }
            ContentBlock::Resource(embedded) => match embedded.resource {
                ResourceContents::TextResourceContents { text, .. } => Self::Text(text),
                ResourceContents::BlobResourceContents { uri, .. } => {
                    Self::Omitted(format!("a file: {uri}"))
                }
                // The enum is non-exhaustive.
                other => Self::Omitted(format!("a resource: {other:?}")),
            },
            ContentBlock::ResourceLink(link) => Self::Text(link.uri.clone()),
            ContentBlock::Audio(audio) => Self::Omitted(format!("audio: {}", audio.mime_type)),
            other => Self::Omitted(format!("unsupported content: {other:?}")),
        }
    }
}
