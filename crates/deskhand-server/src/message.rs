//! Messages for the user who starts a server.

/// A message for the user who starts a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerMessage<'a> {
    /// The server started or serves at an address.
    Note(&'a str),
    /// Something is not used, or is less safe than it should be.
    Warning(&'a str),
}

/// Shows a message to the user. Threads that watch files and other servers call it as well.
pub type Notify = fn(ServerMessage<'_>);
