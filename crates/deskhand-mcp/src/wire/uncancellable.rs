//! Calls that are answered even if the client cancels them: they report the state of background
//! operations, which a client that cancels early must still learn.

use std::sync::Arc;

use rmcp::model::ClientRequest;

use crate::tool::list::ToolList;

/// Tells which calls cannot be cancelled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uncancellable(Option<Arc<ToolList>>);

impl Uncancellable {
    /// Uses the declarations of these tools.
    pub(crate) fn new(tools: &Arc<ToolList>) -> Self {
        Self(Some(Arc::clone(tools)))
    }

    /// Returns `true` if a request is such a call.
    pub(crate) fn contains(&self, request: &ClientRequest) -> bool {
        match (request, &self.0) {
            (ClientRequest::CallToolRequest(call), Some(tools)) => {
                tools.is_uncancellable(&call.params.name)
            }
            (_, _) => false,
        }
    }
}
