//! The way back from the browser: one page on a port of this machine, for one login.

use std::{collections::HashMap, net::Ipv4Addr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::{net::TcpListener, sync::mpsc};

use crate::error::plain;

/// The page's path.
const PATH: &str = "/callback";
/// How long the browser may take to read its page.
const READ: Duration = Duration::from_secs(2);

/// A page that waits for the browser.
pub(crate) struct Callback {
    listener: TcpListener,
    /// Where the browser is sent.
    pub(crate) address: String,
}

/// What the browser brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Brought {
    /// A code, and who it is from when that was said.
    Code {
        /// The code.
        code: String,
        /// The issuer.
        issuer: Option<String>,
    },
    /// A refusal, in words.
    Refusal(String),
}

struct Desk {
    expected: String,
    brought: mpsc::Sender<Brought>,
}

impl Callback {
    /// Takes a port of this machine; any free one when none is named.
    pub(crate) async fn open(port: Option<u16>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let address = format!("http://127.0.0.1:{}{PATH}", listener.local_addr()?.port());
        Ok(Self { listener, address })
    }

    /// Waits for a browser that brings the expected state; others are turned away.
    pub(crate) async fn wait(self, expected: String) -> std::io::Result<Brought> {
        let (sender, mut receiver) = mpsc::channel(1);
        let desk = Arc::new(Desk { expected, brought: sender });
        let pages = Router::new().route(PATH, get(page)).with_state(desk);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = axum::serve(self.listener, pages).with_graceful_shutdown(async {
            // Dropped is as good as told.
            let _ = stopped.await;
        });
        let mut serving = tokio::spawn(serving.into_future());
        let brought = receiver.recv().await;
        let _ = stop.send(());
        // The page is written before the port is given back; a browser that keeps it is left.
        if tokio::time::timeout(READ, &mut serving).await.is_err() {
            serving.abort();
        }
        brought.ok_or_else(|| std::io::Error::other("the page was closed"))
    }
}

async fn page(
    State(desk): State<Arc<Desk>>,
    Query(given): Query<HashMap<String, String>>,
) -> Response {
    // Whoever does not know the state did not come from this login.
    if given.get("state") != Some(&desk.expected) {
        return shown(StatusCode::BAD_REQUEST, "This is not the login that was asked for.");
    }
    let brought =
        match (given.get("code"), given.get("error")) {
            (_, Some(error)) => {
                let more = given.get("error_description");
                Brought::Refusal(more.map_or_else(
                    || plain(error),
                    |more| format!("{} ({})", plain(more), plain(error)),
                ))
            }
            (Some(code), None) => {
                Brought::Code { code: code.clone(), issuer: given.get("iss").cloned() }
            }
            (None, None) => {
                return shown(StatusCode::BAD_REQUEST, "There is no answer in this address.");
            }
        };
    let words = match &brought {
        Brought::Code { .. } => "Thank you. You can close this page and go back.",
        Brought::Refusal(_) => "The login was refused. You can close this page and go back.",
    };
    // A second visit finds the first one's answer there.
    let _ = desk.brought.try_send(brought);
    shown(StatusCode::OK, words)
}

fn shown(status: StatusCode, words: &str) -> Response {
    let page =
        format!("<!doctype html><meta charset=\"utf-8\"><title>Deskhand</title><p>{words}</p>\n");
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONNECTION, "close"),
    ];
    (status, headers, page).into_response()
}
