//! How one app is reached: straight where it offers that, else over a bus connection of its own.
//!
//! Each app has its own connection so that a frozen one holds up nobody else.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_platform::Deadline;

use super::{
    bus::trouble,
    pipe::{Peer, Pipe, Silence, body, call},
    probe, spi,
    veil::Veil,
};

/// How long an app may take to take up a direct connection before the bus is used instead.
const HANDSHAKE: Duration = Duration::from_millis(800);

/// How long an app that was kept off stays so before it is judged anew.
const SECOND_TRY: Duration = Duration::from_secs(5);

/// Whether an app may be connected to directly without a second thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caution {
    /// It may.
    None,
    /// Only when its tree is small enough.
    Count,
    /// Not yet, unless somebody else has made it fill its cache: what comes later never gets in.
    Wait,
}

/// A connection to one app.
pub(crate) struct Link {
    pipe: Pipe,
    direct: bool,
    name: String,
    bus_address: String,
    caution: Caution,
    opened: Instant,
    /// A way to objects of other processes, opened when one turns up.
    bus: Option<Pipe>,
    veil: Arc<Veil>,
}

impl Link {
    /// Connects to an app by its bus name.
    pub(crate) fn open(
        bus_address: &str,
        name: &str,
        caution: Caution,
        veil: Arc<Veil>,
        by: Deadline,
    ) -> deskhand_platform::Result<Self> {
        let failed = |silence| trouble("the app", silence);
        let mut bus = Pipe::to_bus(bus_address, by).map_err(failed)?;
        // Even to ask for the address makes the app fill its cache.
        let keep_off = match caution {
            Caution::None => false,
            Caution::Count => !probe::is_harmless(&mut bus, name, by),
            Caution::Wait => !probe::has_cache(&mut bus, name, by),
        };
        let direct = if keep_off {
            None
        } else {
            let offered = offered_address(&mut bus, name, by).map_err(failed)?;
            // An address that cannot be used (another user's app, a stale socket) is no loss: the
            // bus reaches the app as well, only slower.
            offered.and_then(|address| Pipe::to_app(&address, by.or_after(HANDSHAKE)).ok())
        };
        let is_direct = direct.is_some();
        Ok(Self {
            pipe: direct.unwrap_or(bus),
            direct: is_direct,
            name: name.to_owned(),
            bus_address: bus_address.to_owned(),
            caution,
            opened: Instant::now(),
            bus: None,
            veil,
        })
    }

    /// Connects anew after the other end hung up.
    pub(crate) fn reopen(&mut self, by: Deadline) -> deskhand_platform::Result<()> {
        let veil = self.veil();
        *self = Self::open(&self.bus_address, &self.name, self.caution, veil, by)?;
        Ok(())
    }

    /// Whether a new connection would serve better: the other end hung up, or the app was kept
    /// off for a reason that may be over.
    pub(crate) fn is_outdated(&self) -> bool {
        let kept_off = !self.direct && self.caution != Caution::None;
        self.pipe.is_broken() || (kept_off && self.opened.elapsed() > SECOND_TRY)
    }

    /// Whether the app's cache may be asked for; on the bus a cautious link keeps off it.
    pub(crate) fn has_cache(&self) -> bool {
        self.direct || self.caution == Caution::None
    }

    /// Where calls to the app's objects go.
    pub(crate) fn peer(&self) -> Peer {
        if self.direct { Peer::Direct } else { Peer::Named(self.name.clone()) }
    }

    /// The fields known to hold secrets.
    pub(crate) fn veil(&self) -> Arc<Veil> {
        Arc::clone(&self.veil)
    }

    /// The bus name of the app.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The connection.
    pub(crate) fn pipe(&mut self) -> &mut Pipe {
        &mut self.pipe
    }

    /// A connection that also reaches objects of other processes.
    pub(crate) fn bus(&mut self, by: Deadline) -> deskhand_platform::Result<&mut Pipe> {
        match self.bus.take().filter(|pipe| !pipe.is_broken()) {
            Some(open) => Ok(self.bus.insert(open)),
            None => {
                let open = Pipe::to_bus(&self.bus_address, by)
                    .map_err(|silence| trouble("the accessibility bus", silence))?;
                Ok(self.bus.insert(open))
            }
        }
    }
}

/// Where an app takes direct connections, if it does.
fn offered_address(bus: &mut Pipe, name: &str, by: Deadline) -> Result<Option<String>, Silence> {
    let peer = Peer::Named(name.to_owned());
    let ask = call(&peer, spi::ROOT_PATH, spi::APPLICATION, "GetApplicationBusAddress", &())?;
    match bus.ask(ask, by).and_then(|answer| body::<String>(&answer)) {
        Ok(address) => Ok(Some(address).filter(|address| !address.is_empty())),
        // GTK 4 and Qt do not know the question.
        Err(Silence::Refused(error)) if !error.ends_with("ServiceUnknown") => Ok(None),
        Err(silence) => Err(silence),
    }
}
