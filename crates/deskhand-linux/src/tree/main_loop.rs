//! Finds out if the main loop of an app runs while a call to the app is unanswered.
//!
//! A handler that shows a modal dialog runs its own main loop. The reply to the call that started
//! the handler comes only after the dialog is closed, but the nested main loop answers other calls.

use std::time::Duration;

use deskhand_platform::Deadline;

use super::{
    atspi,
    dbus::{CallResult, DbusClient, Peer},
    timing::MAIN_LOOP_INTERVAL,
};

/// A main loop that has answered this many calls since the first call was sent has also received the
/// first one: both may arrive in the same turn, on different connections.
const REQUIRED_ANSWERS: usize = 2;

/// Calls to an app on a separate connection.
pub(crate) struct MainLoopProbe {
    bus_address: String,
    peer: Peer,
    client: Option<DbusClient>,
    answers: usize,
}

impl MainLoopProbe {
    /// Creates a probe of the app with this name on a bus.
    pub(crate) fn new(bus_address: &str, name: &str) -> Self {
        let peer = Peer::Named(name.to_owned());
        Self { bus_address: bus_address.to_owned(), peer, client: None, answers: 0 }
    }

    /// Calls the app and returns `true` once its main loop has provably run since the probe was
    /// created.
    pub(crate) fn has_run(&mut self) -> bool {
        if self.call(MAIN_LOOP_INTERVAL).is_ok() {
            self.answers += 1;
        }
        self.answers >= REQUIRED_ANSWERS
    }

    fn call(&mut self, time: Duration) -> CallResult {
        let deadline = Deadline::after(time);
        let client = match &mut self.client {
            Some(client) => client,
            None => self.client.insert(DbusClient::connect_to_bus(&self.bus_address, deadline)?),
        };
        let call =
            atspi::property_call(&self.peer, atspi::ROOT_PATH, atspi::ACCESSIBLE, "ChildCount")?;
        client.call(call, deadline)
    }
}
