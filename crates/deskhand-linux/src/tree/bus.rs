//! The accessibility bus: its address, and one shared connection for requests about apps.

use std::collections::HashSet;

use deskhand_platform::{Deadline, Error, Result};

use parking_lot::Mutex;

use super::{
    atspi,
    dbus::{CallError, DbusClient, Peer, body, method_call},
    timing::BUS_TIMEOUT,
};
use crate::session_env::SessionEnv;

/// A shared connection to the accessibility bus. It connects on first use and reconnects when
/// broken.
pub(crate) struct AccessibilityBus {
    connection: Mutex<Option<BusConnection>>,
    env: SessionEnv,
}

impl AccessibilityBus {
    /// Creates the bus of a session without connecting.
    pub(crate) fn new(env: SessionEnv) -> Self {
        Self { connection: Mutex::new(None), env }
    }

    /// Runs `task` with the connection, and connects first if needed.
    pub(crate) fn with_connection<T>(
        &self,
        deadline: Deadline,
        task: impl FnOnce(&mut BusConnection) -> Result<T>,
    ) -> Result<T> {
        let mut slot =
            self.connection.try_lock_for(deadline.remaining()).ok_or_else(bus_timeout)?;
        let usable = slot.take().filter(|connection| !connection.client.is_closed());
        let connection = match usable {
            Some(connection) => slot.insert(connection),
            None => {
                let deadline = deadline.at_most(BUS_TIMEOUT);
                slot.insert(BusConnection::connect(&self.env, deadline)?)
            }
        };
        task(connection)
    }
}

fn bus_timeout() -> Error {
    Error::Timeout { what: "the accessibility bus".to_owned() }
}

/// An open connection to the accessibility bus.
pub(crate) struct BusConnection {
    client: DbusClient,
    address: String,
}

impl BusConnection {
    /// Connects to the accessibility bus of a session, whose address the session bus provides.
    fn connect(env: &SessionEnv, deadline: Deadline) -> Result<Self> {
        let address = find_address(env, deadline)?;
        let client = DbusClient::connect_to_bus(&address, deadline).map_err(|error| {
            Error::NoAccessibility {
                why: format!(
                    "its bus at {address} does not accept connections ({})",
                    describe(&error)
                ),
            }
        })?;
        Ok(Self { client, address })
    }

    /// Returns the address of the bus, for separate connections.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the D-Bus client of this connection.
    pub(crate) fn client(&mut self) -> &mut DbusClient {
        &mut self.client
    }

    /// Returns the names of all connections to the bus.
    pub(crate) fn names(&mut self, deadline: Deadline) -> Result<HashSet<String>> {
        let failed = |error| platform_error("the accessibility bus", error);
        let call = daemon_call("ListNames", &()).map_err(failed)?;
        let reply = self.client.call(call, deadline.at_most(BUS_TIMEOUT));
        let names: Vec<String> = reply.and_then(|message| body(&message)).map_err(failed)?;
        Ok(names.into_iter().collect())
    }

    /// Returns the apps that the registry lists. This sends no request to the apps.
    pub(crate) fn registered_apps(&mut self, deadline: Deadline) -> Result<Vec<atspi::ObjectRef>> {
        let registry = Peer::Named(atspi::REGISTRY.to_owned());
        let failed = |error| platform_error("the accessibility registry", error);
        let call = method_call(&registry, atspi::ROOT_PATH, atspi::ACCESSIBLE, "GetChildren", &())
            .map_err(failed)?;
        let reply = self.client.call(call, deadline.at_most(BUS_TIMEOUT));
        reply.and_then(|message| body(&message)).map_err(failed)
    }
}

/// Builds a call to the bus daemon itself.
pub(crate) fn daemon_call<B: serde::Serialize + zbus::DynamicType>(
    method: &str,
    arguments: &B,
) -> std::result::Result<zbus::Message, CallError> {
    let daemon = Peer::Named("org.freedesktop.DBus".to_owned());
    method_call(&daemon, "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
}

/// Converts the error of a call to `what` into a platform error.
pub(crate) fn platform_error(what: &str, error: CallError) -> Error {
    let what = what.to_owned();
    match error {
        CallError::TimedOut => Error::Timeout { what },
        // The bus sends these errors for a name that has left it.
        CallError::Refused(name)
            if name.ends_with("ServiceUnknown") || name.ends_with("NoReply") =>
        {
            Error::Gone { what }
        }
        CallError::Refused(why) => Error::Unexpected { what, why },
        CallError::Disconnected(why) => Error::Disconnected { what, why },
    }
}

/// Asks the session bus for the address of the accessibility bus.
fn find_address(env: &SessionEnv, deadline: Deadline) -> Result<String> {
    let missing = |why: String| Error::NoAccessibility { why };
    let session = env.text("DBUS_SESSION_BUS_ADDRESS").ok_or_else(|| {
        missing("DBUS_SESSION_BUS_ADDRESS is not set, so there is no desktop session".into())
    })?;
    let mut client = DbusClient::connect_to_bus(&session, deadline).map_err(|error| {
        missing(format!("the session bus does not answer ({})", describe(&error)))
    })?;
    let service = Peer::Named("org.a11y.Bus".to_owned());
    let call = method_call(&service, "/org/a11y/bus", "org.a11y.Bus", "GetAddress", &());
    let reply = call.and_then(|call| client.call(call, deadline));
    reply.and_then(|message| body(&message)).map_err(|error| {
        missing(format!(
            "org.a11y.Bus is not on the session bus ({}); check that at-spi2-core is installed",
            describe(&error)
        ))
    })
}

fn describe(error: &CallError) -> String {
    match error {
        CallError::TimedOut => "no answer in time".to_owned(),
        CallError::Refused(why) | CallError::Disconnected(why) => why.clone(),
    }
}
