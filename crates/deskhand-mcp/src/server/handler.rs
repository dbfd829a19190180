//! Every method of the protocol, one line each.
#![expect(deprecated, reason = "both eras are served")]

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams,
        GetPromptResponse, GetTaskParams, GetTaskResult, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, SetLevelRequestParams,
        SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
        UpdateTaskParams,
    },
    service::{RequestContext, SubscriptionContext},
};

use super::{
    client::{Client, Era},
    custom, info,
    log::Level,
    paging,
    state::{Connection, Ending, State},
};
use crate::{conformance::Fixtures, task::extension, tool::call, wire::inbound::unknown_method};

/// How long a list may be kept.
const FRESH_MS: u64 = 60_000;

/// How many tools are on a page.
const PAGE: usize = 100;

/// Serves one connection.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    connection: Arc<Connection>,
    _ending: Arc<Ending>,
}

impl Handler {
    /// The handler of a connection.
    pub(crate) fn new(connection: Connection) -> Self {
        let connection = Arc::new(connection);
        let ending = Arc::new(Ending(Arc::clone(&connection)));
        Self { connection, _ending: ending }
    }

    fn state(&self) -> &State {
        &self.connection.state
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        Client::of(context, &self.connection)
    }

    fn fixtures(&self, method: &str) -> Result<&Fixtures, ErrorData> {
        self.state().fixtures.as_ref().ok_or_else(|| unknown_method(method))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> InitializeResult {
        info::info(self.state())
    }

    async fn list_tools(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.state().tools.declared(&self.client(&context).era);
        let page = paging::page(tools, asked, PAGE, |tool: &Tool| tool.name.to_string())?;
        let mut list = ListToolsResult::with_all_items(page.items)
            .with_ttl_ms(FRESH_MS)
            .with_cache_scope(CacheScope::Public);
        list.next_cursor = page.next;
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.state().tools.get(name).ok().map(|offered| offered.tool.clone())
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::call(&self.connection, self.client(&context), params).await
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.client(&context).era == Era::Modern {
            return Err(unknown_method("logging/setLevel"));
        }
        self.connection.level.set(Level::from(params.level));
        Ok(())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.state().tasks.get(&params.task_id)?;
        Ok(GetTaskResult::new(extension::detailed(&task)))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state().tasks.get(&params.task_id)?.answer(params.input_responses);
        Ok(())
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.state().tasks.get(&params.task_id)?.cancel();
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let client = self.client(&context);
        custom::serve(&self.connection, client, request).await.map(CustomResult::new)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(self.fixtures("resources/list")?.resources())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(self.fixtures("resources/templates/list")?.templates())
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.fixtures("resources/read")?.read(&params.uri)
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.fixtures("resources/subscribe").map(|_| ())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.fixtures("resources/unsubscribe").map(|_| ())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.state().fixtures.as_ref().map(|_| requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.fixtures("subscriptions/listen")?.listen(context).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(self.fixtures("prompts/list")?.prompts())
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let client = self.client(&context);
        self.fixtures("prompts/get")?.prompt(&self.state().codec, client, params).await
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.fixtures("completion/complete")?.complete(&params)
    }
}
