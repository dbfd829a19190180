//! Exclusive access to the X server.

use x11rb::{connection::Connection as _, protocol::xproto::ConnectionExt as _};

use super::{X11Result, XServer};

/// Exclusive access to the X server: while this value lives, the server processes no other client's
/// requests.
pub(crate) struct ServerGrab<'a>(&'a XServer);

impl<'a> ServerGrab<'a> {
    pub(crate) fn acquire(server: &'a XServer) -> X11Result<Self> {
        server.connection.grab_server()?;
        Ok(Self(server))
    }
}

impl Drop for ServerGrab<'_> {
    fn drop(&mut self) {
        // On a lost connection the server has already ended the grab.
        let ungrabbed = self.0.connection.ungrab_server();
        let _ = ungrabbed.map(drop).and_then(|()| self.0.connection.flush());
    }
}
