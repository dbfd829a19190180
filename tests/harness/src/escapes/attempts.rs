//! The escape attempts as data.

mod files;
mod privileges;
mod secrets;
mod server;
mod sockets;

/// The kind of evidence that an attempt succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// A file outside the scope changed.
    FileChanged,
    /// The attempt's output contains a secret.
    SecretLeaked,
    /// A listener outside the sandbox was reached.
    ListenerReached,
    /// The system call succeeded.
    Succeeded,
}

/// A permitted variant of the attempt, which must succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The same script on a folder inside the scope.
    InScope,
    /// The same script on a separate child process.
    OwnChild,
    /// Another script, which must exit with 0.
    Script(String),
}

/// The network access of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkAccess {
    /// No access.
    Off,
    /// Full access.
    On,
    /// Access to one port.
    OnePort,
}

/// One escape attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The name, for messages.
    pub name: String,
    /// The shell script.
    pub script: String,
    /// The evidence of success.
    pub detection: Detection,
    /// The permitted variant.
    pub control: Control,
    /// The network settings under which the attempt must fail.
    pub networks: &'static [NetworkAccess],
}

const ALWAYS: &[NetworkAccess] = &[NetworkAccess::Off, NetworkAccess::On, NetworkAccess::OnePort];

/// Returns all attempts.
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
        add(
            "secrets",
            name,
            script,
            Detection::SecretLeaked,
            control_script("cat mine /proc/self/cmdline"),
            off,
        );
    }
    for (name, script) in server::ACTS {
        add("server", name, script, Detection::Succeeded, Control::OwnChild, off);
    }
    for (name, script) in server::ON_OTHERS {
        add(
            "server",
            name,
            script,
            Detection::Succeeded,
            control_script("cat /proc/self/comm"),
            off,
        );
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
        add(
            "network",
            name,
            script,
            Detection::ListenerReached,
            control_script("$C own-socket here"),
            networks,
        );
    }
    add(
        "network",
        "a listening port",
        "$C listen",
        Detection::Succeeded,
        control_script("$C own-socket here"),
        &[NetworkAccess::OnePort],
    );
    let (name, script, control) = sockets::OWN_SERVER;
    add(
        "network",
        name,
        script,
        Detection::Succeeded,
        control_script(control),
        &[NetworkAccess::On],
    );
    for (name, script) in sockets::LOCAL {
        add(
            "sockets",
            name,
            script,
            Detection::ListenerReached,
            control_script("$C own-socket here"),
            ALWAYS,
        );
    }
    for (name, script) in sockets::KINDS {
        add("network", name, script, Detection::Succeeded, control_script("$C socket 1 1 0"), off);
    }
    all
}
