//! The machine: its processes and its folders.

mod folder;

use std::path::Path;

use deskhand_platform::{
    Button, Deadline, Error, FolderChanges, Machine, ProcessId, ProcessStatus, Programs, Result,
    Termination,
};

use crate::timing::{KILL_POLL_INTERVAL, KILL_TIMEOUT};

pub(crate) use folder::{FolderNotifier, FolderWatcher};

/// A key or button that a killed process may leave pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeldInput {
    /// A modifier key, by its virtual key code.
    Key(u16),
    Button(Button),
}

/// Left and right Command, Shift, Option and Control, Fn, and the buttons. Other keys do
/// not change the user's next input.
const RELEASABLE: [HeldInput; 14] = [
    HeldInput::Key(54),
    HeldInput::Key(55),
    HeldInput::Key(56),
    HeldInput::Key(58),
    HeldInput::Key(59),
    HeldInput::Key(60),
    HeldInput::Key(61),
    HeldInput::Key(62),
    HeldInput::Key(63),
    HeldInput::Button(Button::Left),
    HeldInput::Button(Button::Right),
    HeldInput::Button(Button::Middle),
    HeldInput::Button(Button::Back),
    HeldInput::Button(Button::Forward),
];

/// The system calls of the machine, apart from processes.
pub(crate) trait MachineApi: Send + Sync {
    type Notifier: FolderNotifier + 'static;

    /// Returns `true` if this process belongs to a login session with a screen.
    fn has_display(&self) -> bool;

    /// Creates a notifier for changes in a folder.
    fn folder_notifier(&self, folder: &Path) -> std::io::Result<Self::Notifier>;

    /// Returns `true` if a key or button is pressed, by any program or by the user.
    fn is_down(&self, input: HeldInput) -> bool;

    /// Releases a key or button.
    fn release(&self, input: HeldInput);
}

/// A Mac.
pub(crate) struct MacMachine<P, S> {
    programs: P,
    system: S,
}

impl<P, S> MacMachine<P, S> {
    pub(crate) fn new(programs: P, system: S) -> Self {
        Self { programs, system }
    }
}

impl<P, S: MachineApi> MacMachine<P, S> {
    /// Releases all pressed keys and buttons. A key that the user holds at this moment is released
    /// too and has to be pressed again.
    fn release_pressed(&self) {
        for input in RELEASABLE.into_iter().filter(|input| self.system.is_down(*input)) {
            self.system.release(input);
        }
    }
}

impl<P: Programs, S: MachineApi> Machine for MacMachine<P, S> {
    fn current_process(&self) -> Result<ProcessId> {
        let found = self.programs.process(std::process::id());
        found.ok_or_else(|| Error::Unexpected {
            what: "the kernel".to_owned(),
            why: "it does not know this process".to_owned(),
        })
    }

    fn is_running(&self, process: &ProcessId) -> bool {
        match self.programs.status(process) {
            ProcessStatus::Running => true,
            ProcessStatus::Exited { .. } => false,
        }
    }

    // Each user who is logged in has one desktop, and desktops have no names.
    fn desktop_id(&self) -> Option<String> {
        self.system.has_display().then(|| "the screen of this Mac".to_owned())
    }

    fn kill(&self, process: &ProcessId, desktop: Option<&str>) -> Result<()> {
        self.programs.terminate(process, Termination::Kill)?;
        if desktop.is_none() {
            return Ok(());
        }
        // Until the process has ended it may still send input.
        let deadline = Deadline::after(KILL_TIMEOUT);
        while self.is_running(process) && !deadline.has_passed() {
            std::thread::sleep(KILL_POLL_INTERVAL);
        }
        self.release_pressed();
        Ok(())
    }

    fn release_input(&self, _: &str) -> Result<()> {
        self.release_pressed();
        Ok(())
    }

    fn watch_folder(&self, folder: &Path) -> Result<Box<dyn FolderChanges>> {
        let notifier =
            self.system.folder_notifier(folder).map_err(|error| folder::broken(folder, &error))?;
        Ok(Box::new(FolderWatcher::new(folder, notifier)?))
    }
}

#[cfg(test)]
mod tests;
