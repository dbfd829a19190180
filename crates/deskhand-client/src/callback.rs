//! The OAuth callback: a local HTTP server with one page, for one login.

use std::{collections::HashMap, net::Ipv4Addr, sync::Arc};

use axum::{
    Router,
    extract::{Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::{net::TcpListener, sync::mpsc};

use crate::{error::one_line, timing::PAGE_TIMEOUT};

/// The path of the page.
const PATH: &str = "/callback";

/// A callback that waits for the browser.
pub(crate) struct Callback {
    listener: TcpListener,
    /// The redirect URL for the browser.
    pub(crate) address: String,
}

/// The parameters of the callback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallbackResult {
    /// An authorization code.
    Code {
        /// The code.
        code: String,
        /// The issuer, if the authorization server named itself.
        issuer: Option<String>,
    },
    /// The message of a denied login.
    Denied(String),
}

struct CallbackState {
    expected: String,
    result: mpsc::Sender<CallbackResult>,
}

impl Callback {
    /// Listens on a local port; if `None`, on any free port.
    pub(crate) async fn open(port: Option<u16>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let address = format!("http://127.0.0.1:{}{PATH}", listener.local_addr()?.port());
        Ok(Self { listener, address })
    }

    /// Waits for a request with the expected state; others get an error page.
    pub(crate) async fn wait(self, expected: String) -> std::io::Result<CallbackResult> {
        let (sender, mut receiver) = mpsc::channel(1);
        let state = Arc::new(CallbackState { expected, result: sender });
        let pages = Router::new().route(PATH, get(page)).with_state(state);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = axum::serve(self.listener, pages).with_graceful_shutdown(async {
            // A dropped sender ends the server too.
            let _ = stopped.await;
        });
        let mut serving = tokio::spawn(serving.into_future());
        let result = receiver.recv().await;
        let _ = stop.send(());
        // The browser gets time to read the page before the port is closed.
        if tokio::time::timeout(PAGE_TIMEOUT, &mut serving).await.is_err() {
            serving.abort();
        }
        result.ok_or_else(|| std::io::Error::other("the callback server stopped"))
    }
}

async fn page(
    State(state): State<Arc<CallbackState>>,
    Query(parameters): Query<HashMap<String, String>>,
) -> Response {
    // A request without the state does not belong to this login.
    if parameters.get("state") != Some(&state.expected) {
        return page_response(StatusCode::BAD_REQUEST, "This page belongs to another login.");
    }
    let result = match (parameters.get("code"), parameters.get("error")) {
        (_, Some(error)) => {
            let more = parameters.get("error_description");
            CallbackResult::Denied(more.map_or_else(
                || one_line(error),
                |more| format!("{} ({})", one_line(more), one_line(error)),
            ))
        }
        (Some(code), None) => {
            CallbackResult::Code { code: code.clone(), issuer: parameters.get("iss").cloned() }
        }
        (None, None) => {
            return page_response(StatusCode::BAD_REQUEST, "This URL has no login result.");
        }
    };
    let text = match &result {
        CallbackResult::Code { .. } => "You are logged in. You can close this page.",
        CallbackResult::Denied(_) => "The login was denied. You can close this page.",
    };
    // This fails for a second request: the first result is used.
    let _ = state.result.try_send(result);
    page_response(StatusCode::OK, text)
}

fn page_response(status: StatusCode, text: &str) -> Response {
    let page =
        format!("<!doctype html><meta charset=\"utf-8\"><title>Deskhand</title><p>{text}</p>\n");
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONNECTION, "close"),
    ];
    (status, headers, page).into_response()
}
