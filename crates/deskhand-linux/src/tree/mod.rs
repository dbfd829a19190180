//! Apps and their elements, over AT-SPI.

mod act;
mod attributes;
mod bus;
mod climb;
mod draft;
mod events;
mod facts;
mod gather;
mod items;
mod link;
mod passwords;
mod pipe;
mod place;
mod probe;
mod quirks;
mod registry;
mod role;
mod slot;
mod spi;
mod state;
mod texts;
mod veil;
mod walk;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use deskhand_model::{App, AppId, EventKind, Node, NodeId, Snapshot};
use deskhand_platform::{
    Act, Deadline, Error, Events, Extent, Facets, Passwords, Reply, Result, Text, Tree,
};

use self::{
    bus::Bus,
    link::{Caution, Link},
    pipe::Pipe,
    place::Ground,
    quirks::Quirks,
    slot::Slot,
    veil::Veil,
};
use crate::{apps::DesktopFiles, screen, window, x11::X11};

/// The accessibility trees of one desktop.
pub(crate) struct AtSpi {
    bus: Bus,
    links: Mutex<HashMap<AppId, Arc<Slot<Option<Link>>>>>,
    files: DesktopFiles,
    x11: Option<Arc<X11>>,
    veil: Arc<Veil>,
}

impl AtSpi {
    /// Trees placed on the screen of an X server, where there is one. Nothing is connected yet.
    pub(crate) fn new(x11: Option<Arc<X11>>) -> Self {
        Self {
            bus: Bus::new(),
            links: Mutex::default(),
            files: DesktopFiles::default(),
            x11,
            veil: Arc::default(),
        }
    }

    /// Runs something on the connection to an app, opened if it is not.
    fn with_link<T>(
        &self,
        app: &App,
        by: Deadline,
        run: impl FnOnce(&mut Link, &App) -> Result<T>,
    ) -> Result<T> {
        let slot = {
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(links.entry(app.id.clone()).or_insert_with(|| Arc::new(Slot::new(None))))
        };
        let named = |error: Error| named(error, app);
        let mut link = slot.borrow(by).ok_or_else(|| Error::Timeout { what: described(app) })?;
        let usable = link.take().filter(|open| !open.is_outdated());
        let open = match usable {
            Some(open) => link.insert(open),
            None => {
                let address = self.bus.with(by, |bus| Ok(bus.address().to_owned()))?;
                let caution = Quirks::of(app).caution(app);
                let veil = Arc::clone(&self.veil);
                link.insert(Link::open(&address, &app.id.0, caution, veil, by).map_err(named)?)
            }
        };
        if !app.toolkit.name.is_empty() {
            return run(open, app).map_err(named);
        }
        let peer = open.peer();
        let toolkit = registry::toolkit(open.pipe(), &peer, by);
        run(open, &App { toolkit, responding: true, ..app.clone() }).map_err(named)
    }

    /// Refuses to listen where that would freeze an app.
    fn check_listeners(&self, address: &str, wanted: Option<&AppId>, by: Deadline) -> Result<()> {
        let apps = self.apps(by)?;
        let heard = apps.iter().filter(|app| wanted.is_none_or(|id| *id == app.id));
        for app in heard.filter(|app| Quirks::of(app).caution(app) != Caution::None) {
            let mut bus = Pipe::to_bus(address, by)
                .map_err(|silence| bus::trouble("the accessibility bus", silence))?;
            if !probe::is_harmless(&mut bus, &app.id.0, by) {
                return Err(Error::TooLarge { what: described(app) });
            }
        }
        Ok(())
    }

    /// The windows of the screen; without a window system positions stay as the apps tell them.
    fn ground(&self, by: Deadline) -> Ground {
        let Some(x11) = &self.x11 else { return Ground::default() };
        x11.run(by, |server| {
            Ok(Ground { windows: window::list(server)?, origin: screen::origin(server)? })
        })
        .unwrap_or_default()
    }
}

fn described(app: &App) -> String {
    format!("{} (pid {})", app.name, app.pid)
}

/// Puts the app's name into an error that only knows of "the app".
fn named(error: Error, app: &App) -> Error {
    let name = |what: String| if what == "the app" { described(app) } else { what };
    match error {
        Error::Timeout { what } => Error::Timeout { what: name(what) },
        Error::Gone { what } => Error::Gone { what: name(what) },
        Error::Broken { what, why } => Error::Broken { what: name(what), why },
        Error::Unexpected { what, why } => Error::Unexpected { what: name(what), why },
        Error::TooLarge { what } => Error::TooLarge { what: name(what) },
        other @ (Error::NoAccessibility { .. }
        | Error::NoDisplay { .. }
        | Error::Unsupported { .. }
        | Error::Locked { .. }
        | Error::NotAllowed { .. }
        | Error::AppBlocked { .. }
        | Error::WriteBlocked { .. }
        | Error::Halted { .. }) => other,
    }
}

impl Tree for AtSpi {
    fn apps(&self, by: Deadline) -> Result<Vec<App>> {
        self.bus.with(by, |bus| registry::list(bus, &self.files, by))
    }

    fn admit(&self, _: &App, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn host(&self, of: &NodeId) -> AppId {
        AppId(spi::parts(of).0.to_owned())
    }

    fn process_of(&self, app: &AppId, by: Deadline) -> Result<u32> {
        self.bus.with(by, |bus| registry::process_of(bus, app, by))
    }

    fn walk(&self, app: &App, from: &NodeId, within: &Extent, by: Deadline) -> Result<Snapshot> {
        self.with_link(app, by, |link, app| {
            walk::walk(link, app, from, within, by, || self.ground(by))
        })
    }

    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>> {
        self.with_link(app, by, |link, app| {
            walk::read(link, app, ids, what, by, || self.ground(by))
        })
    }

    fn apps_of(&self, pids: &[u32], by: Deadline) -> Result<Vec<App>> {
        self.bus.with(by, |bus| registry::of(bus, pids, by))
    }

    fn passwords(&self, app: &App, by: Deadline) -> Result<Passwords> {
        self.with_link(app, by, |link, app| passwords::search(link, app, by))
    }

    fn attributes(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>> {
        self.with_link(app, by, |link, _| attributes::read(link, id, by))
    }

    fn text(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>> {
        self.with_link(app, by, |link, app| texts::read(link, app, id, by))
    }

    fn selected(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Vec<NodeId>>> {
        self.with_link(app, by, |link, app| act::selected(link, app, id, by))
    }

    fn perform(&self, app: &App, on: &NodeId, act: &Act, by: Deadline) -> Result<Reply> {
        self.with_link(app, by, |link, app| act::perform(link, app, on, act, by))
    }

    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Box<dyn Events>> {
        let address = self.bus.with(by, |bus| Ok(bus.address().to_owned()))?;
        if kinds.iter().any(|kind| events::burdens_apps(*kind)) {
            self.check_listeners(&address, app, by)?;
        }
        Ok(Box::new(events::Watch::open(&address, app, kinds, by)?))
    }
}
