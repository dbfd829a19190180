//! Apps and their elements, read over AT-SPI.

mod act;
mod app_connection;
mod atspi;
mod attributes;
mod bus;
mod cache;
mod child_names;
mod connection_table;
mod dbus;
mod embedded;
mod events;
mod facts;
mod gtk4_pages;
mod main_loop;
mod partial_node;
mod passwords;
mod position;
mod probe;
mod quirks;
mod reader;
mod registry;
mod role;
mod secret_fields;
mod sheet;
mod state;
mod texts;
mod timing;
mod toplevel;
mod walk;

use std::sync::Arc;

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    ActionReply, ChildNames, ChildPart, Deadline, Error, EventStream, NodeAction, NodeFields,
    PasswordFields, Result, TextContent, Tree, WalkOptions,
};

use self::{
    app_connection::{AppConnection, ConnectPolicy},
    bus::{AccessibilityBus, BusConnection},
    connection_table::ConnectionTable,
    dbus::DbusClient,
    position::ScreenLayout,
    quirks::Quirks,
    secret_fields::SecretFields,
};
use crate::{apps::DesktopFiles, screen, session_env::SessionEnv, window, x11::X11Thread};

/// The accessibility trees of one desktop.
pub(crate) struct AtSpi {
    bus: AccessibilityBus,
    connections: ConnectionTable<AppConnection>,
    desktop_files: DesktopFiles,
    x11: Option<Arc<X11Thread>>,
    secret_fields: Arc<SecretFields>,
}

impl AtSpi {
    /// Creates the trees of a session without connecting. If there is an X server, positions are corrected with
    /// its help.
    pub(crate) fn new(env: SessionEnv, x11: Option<Arc<X11Thread>>) -> Self {
        Self {
            bus: AccessibilityBus::new(env),
            connections: ConnectionTable::default(),
            desktop_files: DesktopFiles::default(),
            x11,
            secret_fields: Arc::default(),
        }
    }

    /// Runs `task` with the connection to an app, and connects first if needed.
    fn with_connection<T>(
        &self,
        app: &App,
        deadline: Deadline,
        task: impl FnOnce(&mut AppConnection, &App) -> Result<T>,
    ) -> Result<T> {
        let slot = self.connections.slot(&app.id);
        let name_app = |error: Error| name_app_in_error(error, app);
        let timed_out = || Error::Timeout { what: describe(app) };
        let mut slot = slot.try_lock_for(deadline.remaining()).ok_or_else(timed_out)?;
        let usable = slot.take().filter(|connection| !connection.is_outdated());
        let usable =
            usable.and_then(|mut open| if open.is_blocked(deadline) { None } else { Some(open) });
        let connection = match usable {
            Some(connection) => slot.insert(connection),
            None => {
                let address = self.bus.with_connection(deadline, |bus| {
                    self.forget_ended_apps(bus, deadline);
                    Ok(bus.address().to_owned())
                })?;
                let policy = Quirks::of(app).connect_policy(app);
                let secret_fields = Arc::clone(&self.secret_fields);
                let opened =
                    AppConnection::open(&address, &app.id.0, policy, secret_fields, deadline);
                slot.insert(opened.map_err(name_app)?)
            }
        };
        if !app.toolkit.name.is_empty() {
            return task(connection, app).map_err(name_app);
        }
        let peer = connection.peer();
        let toolkit = registry::toolkit(connection.client(), &peer, deadline);
        task(connection, &App { toolkit, responding: true, ..app.clone() }).map_err(name_app)
    }

    /// Closes the connections to apps that have left the bus, and drops everything else that is kept
    /// for them.
    fn forget_ended_apps(&self, bus: &mut BusConnection, deadline: Deadline) {
        // If the bus does not answer, the next new connection or list of apps tries again.
        let Ok(names) = bus.names(deadline) else { return };
        self.connections.retain(|app| names.contains(&app.0));
        self.secret_fields.retain(|bus_name| names.contains(bus_name));
    }

    /// Returns an error if listening for events would freeze an app.
    fn check_listening_is_safe(
        &self,
        address: &str,
        wanted: Option<&AppId>,
        deadline: Deadline,
    ) -> Result<()> {
        let apps = self.apps(deadline)?;
        let watched = apps.iter().filter(|app| wanted.is_none_or(|id| *id == app.id));
        for app in
            watched.filter(|app| Quirks::of(app).connect_policy(app) != ConnectPolicy::Always)
        {
            let mut bus = DbusClient::connect_to_bus(address, deadline)
                .map_err(|error| bus::platform_error("the accessibility bus", error))?;
            if !probe::is_cache_safe(&mut bus, &app.id.0, deadline) {
                return Err(Error::TooLarge { what: describe(app) });
            }
        }
        Ok(())
    }

    /// Returns the windows on the screen. Without a window system, positions stay as the apps
    /// report them.
    fn screen_layout(&self, deadline: Deadline) -> ScreenLayout {
        let Some(x11) = &self.x11 else { return ScreenLayout::default() };
        x11.run(deadline, |server| {
            Ok(ScreenLayout { windows: window::list(server)?, origin: screen::origin(server)? })
        })
        .unwrap_or_default()
    }
}

fn describe(app: &App) -> String {
    format!("{} (pid {})", app.name, app.pid)
}

/// Replaces "the app" in an error with the app's name.
fn name_app_in_error(error: Error, app: &App) -> Error {
    let name = |what: String| if what == "the app" { describe(app) } else { what };
    match error {
        Error::Timeout { what } => Error::Timeout { what: name(what) },
        Error::Gone { what } => Error::Gone { what: name(what) },
        Error::Disconnected { what, why } => Error::Disconnected { what: name(what), why },
        Error::Unexpected { what, why } => Error::Unexpected { what: name(what), why },
        Error::TooLarge { what } => Error::TooLarge { what: name(what) },
        other @ (Error::NoAccessibility { .. }
        | Error::NoDisplay { .. }
        | Error::Unsupported { .. }
        | Error::ScreenLocked { .. }
        | Error::PermissionDenied { .. }
        | Error::Refused(_)
        | Error::InputCancelled) => other,
    }
}

impl Tree for AtSpi {
    fn apps(&self, deadline: Deadline) -> Result<Vec<App>> {
        self.bus.with_connection(deadline, |bus| {
            let apps = registry::list(bus, &self.desktop_files, deadline)?;
            if self.connections.has_other_than(|id| apps.iter().any(|app| app.id == *id)) {
                self.forget_ended_apps(bus, deadline);
            }
            Ok(apps)
        })
    }

    fn check_access(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn owner_of(&self, of: &NodeId) -> AppId {
        AppId(atspi::split_node_id(of).0.to_owned())
    }

    fn pid_of(&self, app: &AppId, deadline: Deadline) -> Result<u32> {
        self.bus.with_connection(deadline, |bus| registry::process_of(bus, app, deadline))
    }

    fn child_names(
        &self,
        app: &App,
        parent: &NodeId,
        part: ChildPart,
        deadline: Deadline,
    ) -> Result<ChildNames> {
        self.with_connection(app, deadline, |connection, app| {
            let quirks = Quirks::of(app);
            child_names::read_child_names(connection, quirks, parent, part, deadline)
        })
    }

    fn walk(
        &self,
        app: &App,
        from: &NodeId,
        within: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot> {
        self.with_connection(app, deadline, |connection, app| {
            walk::read_subtree(connection, app, from, within, deadline, || {
                self.screen_layout(deadline)
            })
        })
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: NodeFields,
        deadline: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.with_connection(app, deadline, |connection, app| {
            walk::read_elements(connection, app, ids, what, deadline, || {
                self.screen_layout(deadline)
            })
        })
    }

    fn apps_by_pid(&self, pids: &[u32], deadline: Deadline) -> Result<Vec<App>> {
        self.bus.with_connection(deadline, |bus| registry::list_by_pid(bus, pids, deadline))
    }

    fn password_fields(&self, app: &App, deadline: Deadline) -> Result<PasswordFields> {
        self.with_connection(app, deadline, |connection, app| {
            passwords::search(connection, app, deadline)
        })
    }

    fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Vec<(String, String)>> {
        self.with_connection(app, deadline, |connection, _| {
            attributes::read(connection, id, deadline)
        })
    }

    fn text(&self, app: &App, id: &NodeId, deadline: Deadline) -> Result<Option<TextContent>> {
        self.with_connection(app, deadline, |connection, app| {
            texts::read(connection, app, id, deadline)
        })
    }

    fn selected_items(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<Vec<NodeId>>> {
        self.with_connection(app, deadline, |connection, app| {
            act::selected(connection, app, id, deadline)
        })
    }

    fn perform(
        &self,
        app: &App,
        on: &NodeId,
        act: &NodeAction,
        deadline: Deadline,
    ) -> Result<ActionReply> {
        self.with_connection(app, deadline, |connection, app| {
            connection.note_action();
            act::perform(connection, app, on, act, deadline)
        })
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Box<dyn EventStream>> {
        let address = self.bus.with_connection(deadline, |bus| Ok(bus.address().to_owned()))?;
        if kinds.iter().any(|kind| events::requires_registration(*kind)) {
            self.check_listening_is_safe(&address, app, deadline)?;
        }
        Ok(Box::new(events::EventSubscription::open(&address, app, kinds, deadline)?))
    }
}
