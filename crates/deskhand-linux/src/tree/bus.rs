//! The accessibility bus: where it is, and one connection to it for questions about apps.

use std::time::Duration;

use deskhand_platform::{Deadline, Error, Result};

use super::{
    pipe::{Answer, Peer, Pipe, Silence, body, call},
    slot::Slot,
    spi,
};

/// How long the bus itself may take to answer; it is a local daemon that does nothing else.
const BUS_PATIENCE: Duration = Duration::from_millis(1_500);

/// A connection to the accessibility bus that is opened when first needed and again when it broke.
pub(crate) struct Bus {
    open: Slot<Option<OpenBus>>,
}

impl Bus {
    /// A bus nobody has connected to yet.
    pub(crate) fn new() -> Self {
        Self { open: Slot::new(None) }
    }

    /// Runs questions on the connection, opened if it is not.
    pub(crate) fn with<T>(
        &self,
        by: Deadline,
        run: impl FnOnce(&mut OpenBus) -> Result<T>,
    ) -> Result<T> {
        let mut slot = self.open.borrow(by).ok_or_else(late)?;
        let usable = slot.take().filter(|open| !open.pipe.is_broken());
        let open = match usable {
            Some(open) => slot.insert(open),
            None => slot.insert(OpenBus::connect(by.or_after(BUS_PATIENCE))?),
        };
        run(open)
    }
}

fn late() -> Error {
    Error::Timeout { what: "the accessibility bus".to_owned() }
}

/// An open connection to the accessibility bus.
pub(crate) struct OpenBus {
    pipe: Pipe,
    address: String,
}

impl OpenBus {
    /// Connects to the bus of this desktop: the session bus knows where it is.
    fn connect(by: Deadline) -> Result<Self> {
        let address = address(by)?;
        let pipe = Pipe::to_bus(&address, by).map_err(|silence| Error::NoAccessibility {
            why: format!("its bus at {address} does not take connections ({})", told(&silence)),
        })?;
        Ok(Self { pipe, address })
    }

    /// Where the bus is, for connections of one's own.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The connection itself.
    pub(crate) fn pipe(&mut self) -> &mut Pipe {
        &mut self.pipe
    }

    /// The apps that registered, as the registry lists them. No app is asked anything.
    pub(crate) fn registered(&mut self, by: Deadline) -> Result<Vec<spi::Reference>> {
        let registry = Peer::Named(spi::REGISTRY.to_owned());
        let ask = call(&registry, spi::ROOT_PATH, spi::ACCESSIBLE, "GetChildren", &())
            .map_err(|silence| trouble("the accessibility registry", silence))?;
        let answer = self.pipe.ask(ask, by.or_after(BUS_PATIENCE));
        answer
            .and_then(|message| body(&message))
            .map_err(|silence| trouble("the accessibility registry", silence))
    }
}

/// A call to the bus daemon itself.
pub(crate) fn ask_daemon<B: serde::Serialize + zbus::DynamicType>(
    method: &str,
    arguments: &B,
) -> std::result::Result<zbus::Message, Silence> {
    let daemon = Peer::Named("org.freedesktop.DBus".to_owned());
    call(&daemon, "/org/freedesktop/DBus", "org.freedesktop.DBus", method, arguments)
}

/// What a failed call means to a caller above the seam.
pub(crate) fn trouble(what: &str, silence: Silence) -> Error {
    let what = what.to_owned();
    match silence {
        Silence::Late => Error::Timeout { what },
        // The bus answers for a name that left it.
        Silence::Refused(name) if name.ends_with("ServiceUnknown") || name.ends_with("NoReply") => {
            Error::Gone { what }
        }
        Silence::Refused(why) => Error::Unexpected { what, why },
        Silence::Broken(why) => Error::Broken { what, why },
    }
}

/// Where the accessibility bus is.
fn address(by: Deadline) -> Result<String> {
    let missing = |why: String| Error::NoAccessibility { why };
    let session = std::env::var("DBUS_SESSION_BUS_ADDRESS").map_err(|_| {
        missing("DBUS_SESSION_BUS_ADDRESS is not set, so there is no desktop".into())
    })?;
    let mut pipe = Pipe::to_bus(&session, by)
        .map_err(|s| missing(format!("the session bus does not answer ({})", told(&s))))?;
    let service = Peer::Named("org.a11y.Bus".to_owned());
    let asked = call(&service, "/org/a11y/bus", "org.a11y.Bus", "GetAddress", &());
    let answer: Answer = asked.and_then(|ask| pipe.ask(ask, by));
    answer.and_then(|message| body(&message)).map_err(|s| {
        missing(format!(
            "org.a11y.Bus is not on the session bus ({}); is at-spi2-core there?",
            told(&s)
        ))
    })
}

fn told(silence: &Silence) -> String {
    match silence {
        Silence::Late => "no answer in time".to_owned(),
        Silence::Refused(why) | Silence::Broken(why) => why.clone(),
    }
}
