//! What is attempted, as data.

mod calls;
mod files;
mod secrets;
mod server;
mod sockets;

/// How an escape would be seen, and the act where it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// What lies outside is not as it was.
    Changed,
    /// A secret is in what the attempt wrote down.
    Told,
    /// Somebody outside heard of it.
    Heard,
    /// The kernel did it.
    Done,
}

/// The same act where it is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The same script, on a folder inside the scope.
    Inside,
    /// The same script, on a child of its own.
    Child,
    /// Another script, which must end well.
    By(String),
}

/// What of the network commands reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Net {
    /// Nothing.
    Off,
    /// Everything.
    On,
    /// One port.
    Port,
}

/// One attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// What is attempted.
    pub name: String,
    /// By which script.
    pub script: String,
    /// How it would be seen.
    pub seen: Seen,
    /// Where it is allowed.
    pub control: Control,
    /// With which networks it must fail.
    pub under: &'static [Net],
}

const ALWAYS: &[Net] = &[Net::Off, Net::On, Net::Port];

/// Everything that is attempted.
pub fn all() -> Vec<Attempt> {
    let mut all = Vec::new();
    let mut add = |group: &str, name: &str, script: &str, seen, control, under| {
        let name = format!("{group}: {name}");
        all.push(Attempt { name, script: script.to_owned(), seen, control, under });
    };
    let off: &'static [Net] = &[Net::Off];
    let runs = |script: &str| Control::By(script.to_owned());
    for (name, script) in files::ACTS {
        add("files", name, script, Seen::Changed, Control::Inside, off);
    }
    for (name, script) in secrets::OWN {
        add("secrets", name, script, Seen::Told, Control::Inside, off);
    }
    for (name, script) in secrets::OF_THE_SERVER {
        add("secrets", name, script, Seen::Told, runs("cat mine /proc/self/cmdline"), off);
    }
    for (name, script) in server::ACTS {
        add("server", name, script, Seen::Done, Control::Child, off);
    }
    for (name, script) in server::ON_OTHERS {
        add("server", name, script, Seen::Done, runs("cat /proc/self/comm"), off);
    }
    for name in calls::RAW {
        add(
            "calls",
            name,
            &format!("$C raw {name}"),
            Seen::Done,
            runs("$C namespace clone 0"),
            off,
        );
    }
    for (name, script, control) in calls::ACTS {
        add("rights", name, script, Seen::Done, runs(control), off);
    }
    for (name, script) in sockets::INTERNET {
        let under: &'static [Net] = &[Net::Off, Net::Port];
        add("network", name, script, Seen::Heard, runs("$C own-socket here"), under);
    }
    add(
        "network",
        "a port of its own",
        "$C listen",
        Seen::Done,
        runs("$C own-socket here"),
        &[Net::Port],
    );
    let (name, script, control) = sockets::OWN_DOOR;
    add("network", name, script, Seen::Done, runs(control), &[Net::On]);
    for (name, script) in sockets::LOCAL {
        add("sockets", name, script, Seen::Heard, runs("$C own-socket here"), ALWAYS);
    }
    for (name, script) in sockets::KINDS {
        add("network", name, script, Seen::Done, runs("$C socket 1 1 0"), off);
    }
    all
}
