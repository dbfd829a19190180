//! The connection to one app: direct if the app offers that, and otherwise over the bus.
//!
//! Each app has its own connection, so that a frozen app delays no other.

use std::{sync::Arc, time::Instant};

use deskhand_platform::Deadline;

use super::{
    atspi,
    bus::platform_error,
    dbus::{CallError, DbusClient, Peer, body, method_call},
    main_loop::MainLoopProbe,
    probe,
    secret_fields::SecretFields,
    timing::{
        ACTION_REPLY_TIMEOUT, DIRECT_CONNECT_TIMEOUT, MAIN_LOOP_INTERVAL, POLICY_RETRY_INTERVAL,
    },
};
/// The condition for connecting to an app directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectPolicy {
    /// Always.
    Always,
    /// Only if its tree is small enough.
    IfSmall,
    /// Only if its cache already exists: a cache created now would lack content that loads later.
    IfCached,
}

/// A connection to one app.
pub(crate) struct AppConnection {
    client: DbusClient,
    direct: bool,
    name: String,
    bus_address: String,
    policy: ConnectPolicy,
    opened: Instant,
    /// An action was sent, and the app has not replied to a later call yet.
    has_sent_action: bool,
    /// A bus connection for objects of other processes, opened when needed.
    bus: Option<DbusClient>,
    secret_fields: Arc<SecretFields>,
}

impl AppConnection {
    /// Connects to an app by its bus name.
    pub(crate) fn open(
        bus_address: &str,
        name: &str,
        policy: ConnectPolicy,
        secret_fields: Arc<SecretFields>,
        deadline: Deadline,
    ) -> deskhand_platform::Result<Self> {
        let failed = |error| platform_error("the app", error);
        let mut bus = DbusClient::connect_to_bus(bus_address, deadline).map_err(failed)?;
        // Requesting the app's address already makes it fill its cache.
        let avoid_direct = match policy {
            ConnectPolicy::Always => false,
            ConnectPolicy::IfSmall => !probe::is_cache_safe(&mut bus, name, deadline),
            ConnectPolicy::IfCached => !probe::has_cache(&mut bus, name, deadline),
        };
        let direct = if avoid_direct {
            None
        } else {
            let offered = offered_address(&mut bus, name, deadline).map_err(failed)?;
            // If the address cannot be used (another user's app, a stale socket), the bus is slower
            // but also reaches the app.
            offered.and_then(|address| {
                DbusClient::connect_to_app(&address, deadline.at_most(DIRECT_CONNECT_TIMEOUT)).ok()
            })
        };
        let is_direct = direct.is_some();
        Ok(Self {
            client: direct.unwrap_or(bus),
            direct: is_direct,
            name: name.to_owned(),
            bus_address: bus_address.to_owned(),
            policy,
            opened: Instant::now(),
            has_sent_action: false,
            bus: None,
            secret_fields,
        })
    }

    /// Reconnects after the app closed the connection.
    pub(crate) fn reopen(&mut self, deadline: Deadline) -> deskhand_platform::Result<()> {
        let secret_fields = self.secret_fields();
        *self = Self::open(&self.bus_address, &self.name, self.policy, secret_fields, deadline)?;
        Ok(())
    }

    /// Returns `true` if a new connection could be better: the app closed this one, or the reason
    /// for avoiding a direct connection may no longer apply.
    pub(crate) fn is_outdated(&self) -> bool {
        let avoids_direct = !self.direct && self.policy != ConnectPolicy::Always;
        self.client.is_closed() || (avoids_direct && self.opened.elapsed() > POLICY_RETRY_INTERVAL)
    }

    /// Records that an action was sent.
    pub(crate) fn note_action(&mut self) {
        self.has_sent_action = true;
    }

    /// Returns `true` if the last action blocks this connection. GTK 3 runs a modal dialog inside the
    /// handler of the action that opened it. Until the dialog closes, the app reads nothing more from
    /// that direct connection, but it serves new ones.
    pub(crate) fn is_blocked(&mut self, deadline: Deadline) -> bool {
        if !self.direct || !self.has_sent_action {
            return false;
        }
        let call =
            atspi::property_call(&self.peer(), atspi::ROOT_PATH, atspi::ACCESSIBLE, "ChildCount");
        let deadline = deadline.at_most(ACTION_REPLY_TIMEOUT);
        let mut probe = self.main_loop_probe(&self.name);
        let result = call.and_then(|call| {
            self.client.call_while(call, deadline, MAIN_LOOP_INTERVAL, || !probe.has_run())
        });
        self.has_sent_action = matches!(result, Err(CallError::TimedOut));
        self.has_sent_action
    }

    /// Returns `true` if the app's cache may be requested. Over the bus this is allowed only
    /// without restrictions on direct connections.
    pub(crate) fn may_use_cache(&self) -> bool {
        self.direct || self.policy == ConnectPolicy::Always
    }

    /// Returns the peer for calls to the app's objects.
    pub(crate) fn peer(&self) -> Peer {
        if self.direct { Peer::Direct } else { Peer::Named(self.name.clone()) }
    }

    /// Returns a probe of the main loop of the app with this bus name.
    pub(crate) fn main_loop_probe(&self, name: &str) -> MainLoopProbe {
        MainLoopProbe::new(&self.bus_address, name)
    }

    /// Returns the fields known to hold secrets.
    pub(crate) fn secret_fields(&self) -> Arc<SecretFields> {
        Arc::clone(&self.secret_fields)
    }

    /// Returns the bus name of the app.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the D-Bus client of this connection.
    pub(crate) fn client(&mut self) -> &mut DbusClient {
        &mut self.client
    }

    /// Returns a connection that also reaches objects of other processes.
    pub(crate) fn bus(&mut self, deadline: Deadline) -> deskhand_platform::Result<&mut DbusClient> {
        match self.bus.take().filter(|client| !client.is_closed()) {
            Some(open) => Ok(self.bus.insert(open)),
            None => {
                let open = DbusClient::connect_to_bus(&self.bus_address, deadline)
                    .map_err(|error| platform_error("the accessibility bus", error))?;
                Ok(self.bus.insert(open))
            }
        }
    }
}

/// Returns the address at which an app accepts direct connections, if it does.
fn offered_address(
    bus: &mut DbusClient,
    name: &str,
    deadline: Deadline,
) -> Result<Option<String>, CallError> {
    let peer = Peer::Named(name.to_owned());
    let message =
        method_call(&peer, atspi::ROOT_PATH, atspi::APPLICATION, "GetApplicationBusAddress", &())?;
    match bus.call(message, deadline).and_then(|reply| body::<String>(&reply)) {
        Ok(address) => Ok(Some(address).filter(|address| !address.is_empty())),
        // GTK 4 and Qt do not implement this method.
        Err(CallError::Refused(name)) if !name.ends_with("ServiceUnknown") => Ok(None),
        Err(error) => Err(error),
    }
}
