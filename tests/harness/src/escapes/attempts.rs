//! What is attempted, as data.

mod privileges;
mod files;
mod secrets;
mod server;
mod sockets;

/// How an escape would be seen, and the act where it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// What lies outside is not as it was.
    FileChanged,
    /// A secret is in what the attempt wrote down.
    SecretLeaked,
    /// Somebody outside heard of it.
    ListenerReached,
    /// The kernel did it.
    Succeeded,
}

/// The same act where it is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The same script, on a folder inside the scope.
    InScope,
    /// The same script, on a child of its own.
    OwnChild,
    /// Another script, which must end well.
    Script(String),
}

/// What of the network commands reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkAccess {
    /// Nothing.
    Off,
    /// Everything.
    On,
    /// One port.
    OnePort,
}

/// One attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// What is attempted.
    pub name: String,
    /// By which script.
    pub script: String,
    /// How it would be seen.
    pub detection: Detection,
    /// Where it is allowed.
    pub control: Control,
    /// With which networks it must fail.
    pub networks: &'static [NetworkAccess],
}

const ALWAYS: &[NetworkAccess] = &[NetworkAccess::Off, NetworkAccess::On, NetworkAccess::OnePort];

/// Everything that is attempted.
pub fn all() -> Vec<Attempt> {
    let mut all = Vec::new();
    let mut add = |group: &str, name: &str, script: &str, detection, control, networks| {
        let name = format!("{group}: {name}");
        all.push(Attempt { name, script: script.to_owned(), detection, control, networks });
    };
    let off: &'static [NetworkAccess] = &[NetworkAccess::Off];
    let control_script = |script: &str| Control::Script(script.to_owned());
    for (name, script) in files::ACTS {
        add("files", name, script, Detection::FileChanged, Control::InScope, off);
    }
    for (name, script) in secrets::OWN {
        add("secrets", name, script, Detection::SecretLeaked, Control::InScope, off);
    }
    for (name, script) in secrets::OF_THE_SERVER {
        add("secrets", name, script, Detection::SecretLeaked, control_script("cat mine /proc/self/cmdline"), off);
    }
    for (name, script) in server::ACTS {
        add("server", name, script, Detection::Succeeded, Control::OwnChild, off);
    }
    for (name, script) in server::ON_OTHERS {
        add("server", name, script, Detection::Succeeded, control_script("cat /proc/self/comm"), off);
    }
    for name in privileges::RAW {
        add(
            "calls",
            name,
            &format!("$C raw {name}"),
            Detection::Succeeded,
            control_script("$C namespace clone 0"),
            off,
        );
    }
    for (name, script, control) in privileges::ACTS {
        add("rights", name, script, Detection::Succeeded, control_script(control), off);
    }
    for (name, script) in sockets::INTERNET {
        let networks: &'static [NetworkAccess] = &[NetworkAccess::Off, NetworkAccess::OnePort];
        add("network", name, script, Detection::ListenerReached, control_script("$C own-socket here"), networks);
    }
    add(
        "network",
        "a port of its own",
        "$C listen",
        Detection::Succeeded,
        control_script("$C own-socket here"),
        &[NetworkAccess::OnePort],
    );
    let (name, script, control) = sockets::OWN_SERVER;
    add("network", name, script, Detection::Succeeded, control_script(control), &[NetworkAccess::On]);
    for (name, script) in sockets::LOCAL {
        add("sockets", name, script, Detection::ListenerReached, control_script("$C own-socket here"), ALWAYS);
    }
    for (name, script) in sockets::KINDS {
        add("network", name, script, Detection::Succeeded, control_script("$C socket 1 1 0"), off);
    }
    all
}
