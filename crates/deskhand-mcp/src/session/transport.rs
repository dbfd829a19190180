//! The SDK transport of one session: it reads the client's messages and appends to the event store.

use std::{io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::mpsc;

use super::http_session::HttpSession;

/// The SDK transport of one session.
#[derive(Debug)]
pub(crate) struct SessionTransport {
    /// The session.
    pub(crate) session: Arc<HttpSession>,
    /// Messages of the client.
    pub(super) incoming: mpsc::Receiver<ClientJsonRpcMessage>,
}

impl Transport<RoleServer> for SessionTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.session.append(message);
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        tokio::select! {
            message = self.incoming.recv() => message,
            () = self.session.wait_ended() => None,
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.session.end();
        Ok(())
    }
}
