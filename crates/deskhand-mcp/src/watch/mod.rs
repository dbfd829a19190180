//! Notifications about changes: `resources/subscribe` in protocol 2025-11-25 and older,
//! `subscriptions/listen` in 2026-07-28.

mod control;
mod happened;
pub(crate) mod hub;
pub(crate) mod offered;
mod outbox;
mod place;
mod ring;
mod settle;
mod source;

use std::sync::Arc;

use deskhand_engine::Failure;
use rmcp::{
    model::{
        ErrorData, ResourceListChangedNotification, ResourceUpdatedNotification,
        ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
    },
    service::SubscriptionContext,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::{
    hub::{Hub, Member, Refused, Wanted},
    offered::News,
    outbox::{Note, Outbox},
    place::Sight,
};
use crate::{
    resource::{
        read::{refused, unknown},
        uri::Uri,
    },
    server::{
        client::{Client, tell},
        failure,
        log::Level,
        state::Connection,
    },
    tool::aside,
};

/// Logger name of subscriptions.
const LOGGER: &str = "deskhand.watch";

/// Starts to notify a client when the list of resources changes.
pub(crate) fn join(connection: &Arc<Connection>, client: &Client) -> Result<(), ErrorData> {
    let joined = connection.state.hub.join(&member(connection, client), true);
    if let Some((outbox, closed)) = joined.map_err(|refused| cannot(&refused))? {
        tokio::spawn(deliver(Arc::clone(connection), client.clone(), outbox, closed));
    }
    Ok(())
}

/// Serves `resources/subscribe`.
///
/// # Errors
///
/// Returns an error if there is no such resource, if it has no change notifications, or if there are
/// too many subscriptions.
pub(crate) async fn subscribe(
    connection: &Arc<Connection>,
    client: &Client,
    given: &str,
) -> Result<(), ErrorData> {
    let (uri, sight) = watchable(given)?;
    let app = match uri {
        Uri::App { name, .. } => {
            let pid = process(connection, client, &name).await;
            let pid = pid.map_err(|failure| refused(given, &failure))?;
            Some((name, Some(pid)))
        }
        Uri::Apps | Uri::Clipboard | Uri::Status | Uri::Result(_) => None,
    };
    join(connection, client)?;
    let wanted = Wanted { given: given.to_owned(), sight, app };
    on_thread(connection, move |hub, id| hub.subscribe(id, wanted), &connection.id)
        .await?
        .map_err(|refused| cannot(&refused))
}

/// Serves `resources/unsubscribe`. A missing subscription is no error.
pub(crate) fn unsubscribe(connection: &Arc<Connection>, given: &str) {
    connection.state.hub.unsubscribe(&connection.id, given);
}

/// Returns the part of a filter that can be served, without resources that have no change
/// notifications.
pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.retain(|uri| watchable(uri).is_ok());
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
    let member = Member { id: id.clone(), ..member(connection, client) };
    let accepted = context.accepted().clone();
    let wants_list = accepted.resources_list_changed == Some(true);
    let uris = accepted.resource_subscriptions.unwrap_or_default();
    let mut offered = accepted
        .tools_list_changed
        .filter(|wanted| *wanted)
        .map(|_| News::of(&connection.state.tools));
    if !wants_list && uris.is_empty() {
        while tools_changed(&context, offered.as_mut()).await {
            if context.sink().notify_tool_list_changed().await.is_err() {
                break;
            }
        }
        return Ok(());
    }
    let joined = connection.state.hub.join(&member, wants_list);
    let Some((outbox, _)) = joined.map_err(|refused| cannot(&refused))? else {
        return Err(ErrorData::invalid_request("id: already used by an open subscription", None));
    };
    let _leaving = Leaving { hub: Arc::clone(&connection.state.hub), id: id.clone() };
    for given in uris {
        let (uri, sight) = watchable(&given)?;
        let app = match uri {
            // Changes of an app that is not running yet are reported once it starts.
            Uri::App { name, .. } => {
                let pid = process(connection, client, &name).await.ok();
                Some((name, pid))
            }
            Uri::Apps | Uri::Clipboard | Uri::Status | Uri::Result(_) => None,
        };
        let wanted = Wanted { given, sight, app };
        on_thread(connection, move |hub, id| hub.subscribe(id, wanted), &id)
            .await?
            .map_err(|refused| cannot(&refused))?;
    }
    loop {
        let note = tokio::select! {
            note = outbox.next() => Some(note),
            more = tools_changed(&context, offered.as_mut()) => match more {
                true => None,
                false => return Ok(()),
            },
        };
        let sink = context.sink();
        let Some(note) = note else {
            if sink.notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
            continue;
        };
        let sent = match note {
            Note::Updated(uri) => sink.notify_resource_updated(uri).await,
            Note::List => sink.notify_resource_list_changed().await,
            Note::Warning(uri) => {
                client.log(Level::Warning, LOGGER, silent(&uri)).await;
                Ok(())
            }
        };
        if sent.is_err() {
            return Ok(());
        }
    }
}

/// Waits until the tool list has changed. Returns `false` if the subscription ends.
async fn tools_changed(context: &SubscriptionContext, offered: Option<&mut News>) -> bool {
    let changed = async {
        match offered {
            Some(news) => news.next().await,
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
pub(crate) async fn process(
    connection: &Arc<Connection>,
    client: &Client,
    name: &str,
) -> Result<u32, Failure> {
    let answer = aside::look(connection, client, "view_app", json!({ "app": name })).await?;
    let pid = answer.data["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    Ok(pid.unwrap_or_default())
}

/// Returns the latest events of an app.
pub(crate) async fn recent(connection: &Arc<Connection>, pid: u32) -> Result<Value, ErrorData> {
    on_thread(connection, move |hub, _| hub.recent(pid), "").await
}

/// Removes a client when its subscription ends.
struct Leaving {
    hub: Arc<Hub>,
    id: String,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.hub.leave(&self.id);
    }
}

/// Sends the notifications of a client, until it leaves.
async fn deliver(
    connection: Arc<Connection>,
    client: Client,
    outbox: Arc<Outbox>,
    closed: CancellationToken,
) {
    loop {
        let note = tokio::select! {
            () = closed.cancelled() => return,
            note = outbox.next() => note,
        };
        match note {
            Note::Updated(uri) => {
                let of = ResourceUpdatedNotificationParam::new(uri);
                let note = ResourceUpdatedNotification::new(of);
                client.notify(ServerNotification::ResourceUpdatedNotification(note)).await;
            }
            Note::List => {
                let note = ResourceListChangedNotification::default();
                client.notify(ServerNotification::ResourceListChangedNotification(note)).await;
            }
            Note::Warning(uri) => {
                tell(&connection, &client.peer, Level::Warning, LOGGER, silent(&uri)).await;
            }
        }
    }
}

fn silent(uri: &str) -> Value {
    json!({
        "uri": uri,
        "message": "no events for 5 s; reading every second until an event arrives",
    })
}

fn member(connection: &Connection, client: &Client) -> Member {
    Member {
        id: connection.id.clone(),
        owner: connection.id.clone(),
        key: connection.session(client),
    }
}

/// Returns the view a URI means, if it has change notifications.
fn watchable(given: &str) -> Result<(Uri, Sight), ErrorData> {
    let uri = Uri::parse(given).ok_or_else(|| unknown(given))?;
    let sight = Sight::of(&uri).ok_or_else(|| {
        let why = format!("uri: `{given}` has no change notifications; read it again instead");
        ErrorData::invalid_params(why, Some(json!({ "uri": given })))
    })?;
    Ok((uri, sight))
}

fn cannot(refused: &Refused) -> ErrorData {
    failure::not_now(refused.to_string())
}

/// Runs a blocking function on a thread that may block.
async fn on_thread<T: Send + 'static>(
    connection: &Connection,
    run: impl FnOnce(&Hub, &str) -> T + Send + 'static,
    id: &str,
) -> Result<T, ErrorData> {
    let (hub, id) = (Arc::clone(&connection.state.hub), id.to_owned());
    tokio::task::spawn_blocking(move || run(&hub, &id))
        .await
        .map_err(|error| ErrorData::internal_error(format!("the subscription panicked: {error}"), None))
}
