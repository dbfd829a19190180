//! Calls that are answered although their client cancels them: what they tell is how things stand with
//! what goes on in the background, and a client that cancels in haste must still learn of it.

use std::sync::Arc;

use rmcp::model::ClientRequest;

use crate::tool::list::Tools;

/// Tells which calls are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Steadfast(Option<Arc<Tools>>);

impl Steadfast {
    /// As these tools are declared.
    pub(crate) fn of(tools: &Arc<Tools>) -> Self {
        Self(Some(Arc::clone(tools)))
    }

    /// Whether a request is such a call.
    pub(crate) fn has(&self, request: &ClientRequest) -> bool {
        match (request, &self.0) {
            (ClientRequest::CallToolRequest(call), Some(tools)) => {
                tools.is_steadfast(&call.params.name)
            }
            (_, _) => false,
        }
    }
}
