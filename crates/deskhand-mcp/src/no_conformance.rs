//! Stands in for [`crate::conformance`] in builds without that feature. [`Fixtures`] has no values,
//! so none of its methods can be called.

use rmcp::{
    ErrorData,
    model::{
        CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse,
        JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ReadResourceResponse,
    },
    service::SubscriptionContext,
};

use crate::{
    ServerOptions,
    input::{ClientPrompt, StateSigner},
    server::client::Client,
    tool::{
        call::{CallOutcome, ToolCall},
        list::ToolList,
    },
};

/// The fixtures of the conformance suite, which this build does not contain.
#[derive(Debug)]
pub(crate) enum Fixtures {}

impl Fixtures {
    /// Returns `None`: this build contains no fixtures.
    pub(crate) fn from_options(_: &ServerOptions) -> Option<Self> {
        None
    }

    /// Cannot be called.
    pub(crate) fn tools(&self) -> ToolList {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) async fn listen(&self, _: SubscriptionContext) {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) fn resources(&self) -> ListResourcesResult {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) fn templates(&self) -> ListResourceTemplatesResult {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) fn read(&self, _: &str) -> Result<ReadResourceResponse, ErrorData> {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) fn prompts(&self) -> ListPromptsResult {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) async fn prompt(
        &self,
        _: &StateSigner,
        _: Client,
        _: GetPromptRequestParams,
    ) -> Result<GetPromptResponse, ErrorData> {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) fn complete(&self, _: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) async fn call(
        &self,
        _: &ToolCall,
        _: &ClientPrompt,
    ) -> Result<CallOutcome, ErrorData> {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) fn requests_input_first(&self, _: &str) -> bool {
        match *self {}
    }

    /// Cannot be called.
    pub(crate) async fn request_first_input(
        &self,
        _: &ClientPrompt,
    ) -> Result<JsonObject, ErrorData> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_fixtures() {
        assert!(Fixtures::from_options(&ServerOptions::default()).is_none());
    }
}
