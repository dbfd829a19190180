//! Notifications about changes: `resources/subscribe` in protocol 2025-11-25 and older,
//! `subscriptions/listen` in 2026-07-28.

mod control;
mod event_json;
mod event_source;
mod notifications;
mod recent_events;
pub(crate) mod registry;
mod schedule;
mod table;
pub(crate) mod tool_list;
mod watcher;

use std::sync::Arc;

use deskhand_engine::{CallFailure, Vocabulary};
use rmcp::{
    model::{
        ErrorData, PromptListChangedNotification, ResourceListChangedNotification,
        ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
        SubscriptionFilter,
    },
    service::SubscriptionContext,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::{
    event_source::WatchedView,
    notifications::{NotificationQueue, PendingNotification},
    registry::{ListInterest, SubscriberInfo, SubscriptionTarget, Subscriptions},
    table::SubscribeError,
    tool_list::ToolListChanges,
};
use crate::{
    resource::{
        read::{not_found, read_error},
        uri::Uri,
    },
    server::{
        client::{Client, send_log},
        failure,
        log::LogLevel,
        state::Connection,
    },
    tool::internal_call,
};

/// Logger name of subscriptions.
const LOGGER: &str = "deskhand.watch";

/// Starts to notify a client when these lists change.
pub(crate) fn register(
    connection: &Arc<Connection>,
    client: &Client,
    interest: ListInterest,
) -> Result<(), ErrorData> {
    let subscriber = subscriber(connection, client);
    let registered = connection.state.subscriptions.register(&subscriber, interest);
    if let Some((queue, closed)) = registered.map_err(|error| subscribe_error(&error))? {
        tokio::spawn(send_notifications(Arc::clone(connection), client.clone(), queue, closed));
    }
    Ok(())
}

/// Serves `resources/subscribe`.
///
/// # Errors
///
/// Returns an error if there is no such resource, if it has no change notifications, or if there
/// are too many subscriptions.
pub(crate) async fn subscribe(
    connection: &Arc<Connection>,
    client: &Client,
    uri_text: &str,
) -> Result<(), ErrorData> {
    let (uri, view) = watched_view(uri_text)?;
    let app = match uri {
        Uri::App { name, .. } => {
            let pid = resolve_pid(connection, client, &name).await;
            let pid = pid.map_err(|failure| read_error(uri_text, &failure))?;
            Some((name, Some(pid)))
        }
        Uri::Apps | Uri::Clipboard | Uri::Status | Uri::Result(_) => None,
    };
    register(connection, client, ListInterest::RESOURCES)?;
    let target = SubscriptionTarget { uri: uri_text.to_owned(), view, app };
    run_blocking(
        connection,
        move |subscriptions, id| subscriptions.subscribe(id, target),
        &connection.id,
    )
    .await?
    .map_err(|error| subscribe_error(&error))
}

/// Serves `resources/unsubscribe`. A missing subscription is no error.
pub(crate) fn unsubscribe(connection: &Arc<Connection>, uri_text: &str) {
    connection.state.subscriptions.unsubscribe(&connection.id, uri_text);
}

/// Returns the part of a filter that can be served, without resources that have no change
/// notifications.
pub(crate) fn accepted_filter(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.retain(|uri| watched_view(uri).is_ok());
    }
    accepted
}

/// Serves `subscriptions/listen` until the client closes it.
///
/// # Errors
///
/// Returns an error if there are too many subscriptions.
pub(crate) async fn listen(
    connection: &Arc<Connection>,
    client: &Client,
    context: SubscriptionContext,
) -> Result<(), ErrorData> {
    let id = format!("{}#{:?}", connection.id, client.request);
    let subscriber = SubscriberInfo { id: id.clone(), ..subscriber(connection, client) };
    let accepted = context.accepted().clone();
    let interest = ListInterest {
        resources: accepted.resources_list_changed == Some(true),
        prompts: accepted.prompts_list_changed == Some(true),
    };
    let uris = accepted.resource_subscriptions.unwrap_or_default();
    let mut tool_changes = accepted
        .tools_list_changed
        .filter(|target| *target)
        .map(|_| ToolListChanges::since_acknowledgement(&connection.state.tools));
    if interest == ListInterest::default() && uris.is_empty() {
        while next_tool_change(&context, tool_changes.as_mut()).await {
            if context.sink().notify_tool_list_changed().await.is_err() {
                break;
            }
        }
        return Ok(());
    }
    let registered = connection.state.subscriptions.register(&subscriber, interest);
    let Some((queue, _)) = registered.map_err(|error| subscribe_error(&error))? else {
        return Err(ErrorData::invalid_request("id: already used by an open subscription", None));
    };
    let _remove_on_drop =
        RemoveOnDrop { subscriptions: Arc::clone(&connection.state.subscriptions), id: id.clone() };
    for uri_text in uris {
        let (uri, view) = watched_view(&uri_text)?;
        let app = match uri {
            // Changes of an app that is not running yet are reported once it starts.
            Uri::App { name, .. } => {
                let pid = resolve_pid(connection, client, &name).await.ok();
                Some((name, pid))
            }
            Uri::Apps | Uri::Clipboard | Uri::Status | Uri::Result(_) => None,
        };
        let target = SubscriptionTarget { uri: uri_text, view, app };
        run_blocking(connection, move |subscriptions, id| subscriptions.subscribe(id, target), &id)
            .await?
            .map_err(|error| subscribe_error(&error))?;
    }
    loop {
        let notification = tokio::select! {
            notification = queue.next() => Some(notification),
            more = next_tool_change(&context, tool_changes.as_mut()) => match more {
                true => None,
                false => return Ok(()),
            },
        };
        let sink = context.sink();
        let Some(notification) = notification else {
            if sink.notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
            continue;
        };
        let sent = match notification {
            PendingNotification::ResourceUpdated(uri) => sink.notify_resource_updated(uri).await,
            PendingNotification::ResourceListChanged => sink.notify_resource_list_changed().await,
            PendingNotification::PromptListChanged => sink.notify_prompt_list_changed().await,
            PendingNotification::SilenceWarning(uri) => {
                client.log(LogLevel::Warning, LOGGER, silence_message(&uri)).await;
                Ok(())
            }
        };
        if sent.is_err() {
            return Ok(());
        }
    }
}

/// Waits until the tool list has changed. Returns `false` if the subscription ends.
async fn next_tool_change(
    context: &SubscriptionContext,
    tool_changes: Option<&mut ToolListChanges>,
) -> bool {
    let changed = async {
        match tool_changes {
            Some(changes) => changes.next().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = context.cancelled() => false,
        () = changed => true,
    }
}

/// Returns the pid of an app.
///
/// # Errors
///
/// Returns an error if no app or several apps match.
pub(crate) async fn resolve_pid(
    connection: &Arc<Connection>,
    client: &Client,
    name: &str,
) -> Result<u32, CallFailure> {
    let view = Vocabulary::Resources.tool("view_app");
    let answer =
        internal_call::call_read_tool(connection, client, view, json!({ "app": name })).await?;
    let pid = answer.data["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    Ok(pid.unwrap_or_default())
}

/// Returns the latest events of an app.
pub(crate) async fn recent_events(
    connection: &Arc<Connection>,
    pid: u32,
) -> Result<Value, ErrorData> {
    run_blocking(connection, move |subscriptions, _| subscriptions.recent_events(pid), "").await
}

/// Removes a client when its subscription ends.
struct RemoveOnDrop {
    subscriptions: Arc<Subscriptions>,
    id: String,
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        self.subscriptions.remove_client(&self.id);
    }
}

/// Sends the notifications of a client, until it leaves.
async fn send_notifications(
    connection: Arc<Connection>,
    client: Client,
    queue: Arc<NotificationQueue>,
    closed: CancellationToken,
) {
    loop {
        let notification = tokio::select! {
            () = closed.cancelled() => return,
            notification = queue.next() => notification,
        };
        match notification {
            PendingNotification::ResourceUpdated(uri) => {
                let of = ResourceUpdatedNotificationParam::new(uri);
                let notification = ResourceUpdatedNotification::new(of);
                client.notify(ServerNotification::ResourceUpdatedNotification(notification)).await;
            }
            PendingNotification::ResourceListChanged => {
                let notification = ResourceListChangedNotification::default();
                client
                    .notify(ServerNotification::ResourceListChangedNotification(notification))
                    .await;
            }
            PendingNotification::PromptListChanged => {
                let notification = PromptListChangedNotification::default();
                client
                    .notify(ServerNotification::PromptListChangedNotification(notification))
                    .await;
            }
            PendingNotification::SilenceWarning(uri) => {
                send_log(
                    &connection,
                    &client.peer,
                    LogLevel::Warning,
                    LOGGER,
                    silence_message(&uri),
                )
                .await;
            }
        }
    }
}

fn silence_message(uri: &str) -> Value {
    json!({
        "uri": uri,
        "message": "no events for 5 s; reading every second until an event arrives",
    })
}

fn subscriber(connection: &Connection, client: &Client) -> SubscriberInfo {
    SubscriberInfo {
        id: connection.id.clone(),
        owner: connection.id.clone(),
        key: connection.session(client),
    }
}

/// Returns the view a URI means, if it has change notifications.
fn watched_view(uri_text: &str) -> Result<(Uri, WatchedView), ErrorData> {
    let uri = Uri::parse(uri_text).ok_or_else(|| not_found(uri_text))?;
    let view = WatchedView::from_uri(&uri).ok_or_else(|| {
        let why = format!("uri: `{uri_text}` has no change notifications; read it again instead");
        ErrorData::invalid_params(why, Some(json!({ "uri": uri_text })))
    })?;
    Ok((uri, view))
}

fn subscribe_error(error: &SubscribeError) -> ErrorData {
    failure::unavailable(error.to_string())
}

/// Runs a blocking function on a thread that may block.
async fn run_blocking<T: Send + 'static>(
    connection: &Connection,
    run: impl FnOnce(&Subscriptions, &str) -> T + Send + 'static,
    id: &str,
) -> Result<T, ErrorData> {
    let (subscriptions, id) = (Arc::clone(&connection.state.subscriptions), id.to_owned());
    tokio::task::spawn_blocking(move || run(&subscriptions, &id)).await.map_err(|error| {
        ErrorData::internal_error(format!("the subscription panicked: {error}"), None)
    })
}
