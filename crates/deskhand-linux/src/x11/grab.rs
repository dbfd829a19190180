//! A moment in which the X server serves nobody else.

use x11rb::{connection::Connection as _, protocol::xproto::ConnectionExt as _};

use super::{Server, Trouble};

/// While this lives the server serves nobody else, so what was found out still holds.
pub(crate) struct Grab<'a>(&'a Server);

impl<'a> Grab<'a> {
    pub(crate) fn of(server: &'a Server) -> Result<Self, Trouble> {
        server.connection.grab_server()?;
        Ok(Self(server))
    }
}

impl Drop for Grab<'_> {
    fn drop(&mut self) {
        // A server that cannot be told any more has let go of us, and of the grab with it.
        let told = self.0.connection.ungrab_server();
        let _ = told.map(drop).and_then(|()| self.0.connection.flush());
    }
}
