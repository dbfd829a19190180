//! The protocol handler: one short function per method.
#![expect(deprecated, reason = "both eras are served")]

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CancelledNotificationParam, CompleteRequestParams, CompleteResult, CustomRequest,
        CustomResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
        UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use super::{
    client::{self, Client, Era},
    custom, info,
    log::LogLevel,
    paging,
    principal::Principal,
    state::{Connection, ConnectionGuard, ServerState},
};
use crate::{
    completion,
    input::roots,
    prompt, resource, subscription,
    task::{extension, store::Task},
    timing,
    tool::{call, run},
    wire::inbound::unknown_method,
};

/// Maximum number of tools per page.
const PAGE_SIZE: usize = 100;

/// Serves one connection.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    connection: Arc<Connection>,
    _guard: Arc<ConnectionGuard>,
}

impl Handler {
    /// Creates the handler of a connection.
    pub(crate) fn new(connection: Connection) -> Self {
        let connection = Arc::new(connection);
        let guard = Arc::new(ConnectionGuard(Arc::clone(&connection)));
        Self { connection, _guard: guard }
    }

    fn state(&self) -> &ServerState {
        &self.connection.state
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        Client::new(context, &self.connection)
    }
}

impl Handler {
    /// Requests the client's roots.
    async fn request_roots(&self, context: &NotificationContext<RoleServer>) {
        let key = self.connection.own_session(client::session_id(&context.extensions));
        roots::request_roots(&self.connection, &context.peer, &key).await;
    }

    /// Returns a task of the calling client.
    fn task(&self, context: &RequestContext<RoleServer>, id: &str) -> Result<Arc<Task>, ErrorData> {
        let client = self.client(context);
        self.state().tasks.get_owned(id, self.connection.task_owner(&client))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> InitializeResult {
        info::server_info(self.state())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(client) = context.peer.peer_info() {
            // The name comes from the client; limit its length in the log.
            let name: String = client.client_info.name.chars().take(80).collect();
            tracing::info!(session = self.connection.id, name, "session started");
        }
        subscription::tool_list::notify_changes(&self.connection, &context.peer);
        self.request_roots(&context).await;
    }

    async fn on_cancelled(
        &self,
        params: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        let operation = params.request_id.and_then(|id| self.connection.operations.take(&id));
        if let Some(operation) = operation {
            run::cancel_operation(&self.connection, operation);
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.request_roots(&context).await;
    }

    async fn list_tools(
        &self,
        page_request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = self.client(&context);
        let tools = self.state().tools.declarations(&client.era, client.principal.ceiling);
        let page =
            paging::paginate(tools, page_request, PAGE_SIZE, |tool: &Tool| tool.name.to_string())?;
        // The list depends on the principal's mode.
        let scope = match client.principal.is_same(&Principal::owner()) {
            true => CacheScope::Public,
            false => CacheScope::Private,
        };
        let mut list = ListToolsResult::with_all_items(page.items)
            .with_ttl_ms(timing::TOOL_LIST_TTL_MS)
            .with_cache_scope(scope);
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
        call::call_tool(&self.connection, self.client(&context), params).await
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.client(&context).era == Era::Stateless {
            return Err(unknown_method("logging/setLevel"));
        }
        self.connection.log_level.set(LogLevel::from(params.level));
        Ok(())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.task(&context, &params.task_id)?;
        Ok(GetTaskResult::new(extension::detailed(&task)))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.task(&context, &params.task_id)?.provide_input(params.input_responses);
        Ok(())
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.task(&context, &params.task_id)?.cancel();
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
        page_request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        match &self.state().fixtures {
            Some(fixtures) => Ok(fixtures.resources()),
            None => {
                resource::list_resources(&self.connection, &self.client(&context), page_request)
                    .await
            }
        }
    }

    async fn list_resource_templates(
        &self,
        page_request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        match &self.state().fixtures {
            Some(fixtures) => Ok(fixtures.templates()),
            None => resource::list::list_templates(page_request),
        }
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match &self.state().fixtures {
            Some(fixtures) => fixtures.read(&params.uri),
            None => {
                let client = self.client(&context);
                resource::read::read_resource(&self.connection, &client, &params.uri).await
            }
        }
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match &self.state().fixtures {
            Some(_) => Ok(()),
            None => {
                subscription::subscribe(&self.connection, &self.client(&context), &params.uri).await
            }
        }
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.state().fixtures.is_none() {
            subscription::unsubscribe(&self.connection, &params.uri);
        }
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(match &self.state().fixtures {
            Some(_) => requested.clone(),
            None => subscription::accepted_filter(requested),
        })
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        match &self.state().fixtures {
            Some(fixtures) => {
                fixtures.listen(context).await;
                Ok(())
            }
            None => {
                let client = self.client(context.request_context());
                subscription::listen(&self.connection, &client, context).await
            }
        }
    }

    async fn list_prompts(
        &self,
        page_request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        match &self.state().fixtures {
            Some(fixtures) => Ok(fixtures.prompts()),
            None => prompt::list(&self.connection, &self.client(&context), page_request).await,
        }
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let client = self.client(&context);
        match &self.state().fixtures {
            Some(fixtures) => fixtures.prompt(&self.state().state_signer, client, params).await,
            None => prompt::get(&self.connection, &client, params).await.map(Into::into),
        }
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match &self.state().fixtures {
            Some(fixtures) => fixtures.complete(&params),
            None => completion::complete(&self.connection, &self.client(&context), &params).await,
        }
    }
}
