//! The environment variables of a desktop session: those of this process, or those of a private
//! desktop.

use std::{ffi::OsString, process::Command, sync::Arc};

use x11rb::{
    connection::Connection as _, protocol::xproto::Window, rust_connection::RustConnection,
};

use crate::private::DesktopInfo;

/// The environment variables that connect a program to a desktop session.
///
/// A process can work on a private desktop without changing its own environment: it opens the
/// desktop with [`SessionEnv::of_desktop`].
#[derive(Debug, Clone, Default)]
pub struct SessionEnv(Option<Arc<PrivateSession>>);

/// A private desktop and the complete environment of programs on it.
#[derive(Debug)]
struct PrivateSession {
    info: DesktopInfo,
    variables: Vec<(OsString, OsString)>,
}

impl SessionEnv {
    /// Returns the environment of this process. Variables are read when they are needed.
    pub fn of_process() -> Self {
        Self(None)
    }

    /// Returns the environment of programs on a private desktop.
    pub fn of_desktop(info: &DesktopInfo) -> Self {
        Self(Some(Arc::new(PrivateSession { info: info.clone(), variables: info.complete_env() })))
    }

    /// Returns the value of a variable.
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        let Some(session) = &self.0 else { return std::env::var_os(name) };
        // A variable of the desktop comes after the inherited ones and replaces them.
        let found = session.variables.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }

    /// Returns the value of a variable, if it is valid UTF-8.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.var(name)?.into_string().ok()
    }

    /// Makes a command run in this session.
    pub(crate) fn apply(&self, command: &mut Command) {
        if let Some(session) = &self.0 {
            command.env_clear();
            command.envs(session.variables.iter().map(|(name, value)| (name, value)));
        }
    }

    /// Connects to the X server. Returns the connection and the root window of its screen.
    pub(crate) fn connect_x11(&self) -> Result<(RustConnection, Window), String> {
        let display = self.text("DISPLAY").ok_or_else(|| "DISPLAY is not set".to_owned())?;
        let describe = |e: &dyn std::fmt::Display| format!("{display}: {e}");
        let (connection, screen) = match &self.0 {
            None => x11rb::connect(Some(&display)).map_err(|e| describe(&e))?,
            Some(session) => (session.info.connect_x11().map_err(|e| describe(&e))?, 0),
        };
        let root = connection.setup().roots.get(screen).map(|screen| screen.root);
        let root = root.ok_or_else(|| describe(&"no such screen"))?;
        Ok((connection, root))
    }
}

#[cfg(test)]
mod tests {
    use deskhand_platform::Folders;

    use super::*;

    fn info() -> DesktopInfo {
        let [config, data, state, cache, runtime] = ["c", "d", "s", "h", "r"].map(Into::into);
        DesktopInfo {
            name: "d1".to_owned(),
            id: "0011".to_owned(),
            display: ":77".to_owned(),
            displays: Vec::new(),
            session_bus: "unix:path=/nowhere/bus".to_owned(),
            a11y_bus: "unix:path=/nowhere/a11y".to_owned(),
            home: "/nowhere/d1/home".into(),
            runtime_dir: "/nowhere/d1/run".into(),
            xauthority: "/nowhere/d1/Xauthority".into(),
            state_dir: "/nowhere".into(),
            folders: Folders { config, data, state, cache, runtime },
            owner: None,
            created_ms: 0,
            components: Vec::new(),
        }
    }

    #[test]
    fn a_private_desktop_replaces_variables_of_this_process() {
        let env = SessionEnv::of_desktop(&info());
        assert_eq!(env.text("DISPLAY").as_deref(), Some(":77"));
        assert_ne!(env.var("HOME"), std::env::var_os("HOME"));
        assert_eq!(env.var("CARGO_MANIFEST_DIR"), None);
        assert_eq!(SessionEnv::of_process().var("PATH"), std::env::var_os("PATH"));
    }

    #[test]
    fn a_command_gets_the_variables_of_the_desktop_only() {
        let mut command = Command::new("/bin/sh");
        SessionEnv::of_desktop(&info()).apply(&mut command);
        let output = command.args(["-c", "echo $DISPLAY ${CARGO_MANIFEST_DIR:-none}"]).output();
        assert_eq!(output.unwrap().stdout, b":77 none\n");
    }
}
