//! What a tool of another server answers, and what it is. All of it is the word of a stranger.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, Tool};
use serde::Serialize;
use serde_json::{Map, Value};

/// A tool of another server, as it is offered here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remote {
    /// The server.
    pub server: String,
    /// What it is called here: prefixed, fit for every client, unique.
    pub name: String,
    /// What the server calls it.
    pub own_name: String,
    /// What the server says it does.
    pub about: String,
    /// What the server calls it for people.
    pub title: Option<String>,
    /// What it takes.
    pub input_schema: Map<String, Value>,
    /// What it does, as far as that is believed.
    pub kind: Kind,
    /// How long a call may take.
    pub patience: std::time::Duration,
}

/// What a tool of another server does, as far as that is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It only reads: the server says so, and the person believes the server.
    Reads,
    /// It may change something.
    Acts,
    /// It may destroy something: the server says so itself.
    Destroys,
}

/// What a tool of another server answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Texts and pictures, in their order.
    pub content: Vec<Piece>,
    /// The same for programs, when the server gave it.
    pub structured: Option<Value>,
    /// Whether the tool failed.
    pub outcome: Outcome,
}

/// Whether a tool did its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It did.
    #[default]
    Done,
    /// It says it failed.
    Failed,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A text.
    Text(String),
    /// A picture.
    Picture {
        /// Its bytes in base64.
        base64: String,
        /// Its type, such as `image/png`.
        mime_type: String,
    },
    /// Something that is not handed on, in words.
    LeftOut(String),
}

impl Kind {
    pub(crate) fn of(tool: &Tool, trust: crate::config::Trust) -> Self {
        let hints = tool.annotations.as_ref();
        let reads = hints.and_then(|hints| hints.read_only_hint) == Some(true);
        let destroys = hints.and_then(|hints| hints.destructive_hint) == Some(true);
        match trust {
            crate::config::Trust::Annotations if reads => Self::Reads,
            // A warning is taken from anybody.
            crate::config::Trust::Annotations | crate::config::Trust::Nothing
                if destroys && !reads =>
            {
                Self::Destroys
            }
            crate::config::Trust::Annotations | crate::config::Trust::Nothing => Self::Acts,
        }
    }
}

impl From<CallToolResult> for Answer {
    fn from(result: CallToolResult) -> Self {
        Self {
            content: result.content.into_iter().map(Piece::from).collect(),
            structured: result.structured_content,
            outcome: match result.is_error {
                Some(true) => Outcome::Failed,
                Some(false) | None => Outcome::Done,
            },
        }
    }
}

impl From<ContentBlock> for Piece {
    fn from(block: ContentBlock) -> Self {
        match block {
            ContentBlock::Text(text) => Self::Text(text.text),
            ContentBlock::Image(picture) => {
                Self::Picture { base64: picture.data, mime_type: picture.mime_type }
            }
            ContentBlock::Resource(held) => match held.resource {
                ResourceContents::TextResourceContents { text, .. } => Self::Text(text),
                ResourceContents::BlobResourceContents { uri, .. } => {
                    Self::LeftOut(format!("a file: {uri}"))
                }
                // rmcp may learn more kinds.
                other => Self::LeftOut(format!("a resource: {other:?}")),
            },
            ContentBlock::ResourceLink(link) => Self::Text(link.uri.clone()),
            ContentBlock::Audio(sound) => Self::LeftOut(format!("a sound: {}", sound.mime_type)),
            other => Self::LeftOut(format!("content of a kind not known here: {other:?}")),
        }
    }
}
