//! The machine itself: its processes, and what happens in its folders.

mod folder;

use std::{path::Path, time::Duration};

use deskhand_platform::{
    Button, Deadline, End, Error, Fate, FolderChanges, Machine, Process, Programs, Result,
};

pub(crate) use folder::{Stir, Watch};

/// How long a killed process may take to be gone.
const TO_END: Duration = Duration::from_secs(1);

/// How often it is looked whether it is.
const STEP: Duration = Duration::from_millis(2);

/// What can be left held down: a key that changes others, by the number of its place, or a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Key(u16),
    Button(Button),
}

/// Both of Command, Shift, Option and Control, Fn, and the buttons: whatever else is down types itself to
/// its end, and these change what the person does next.
const PARTS: [Part; 14] = [
    Part::Key(54),
    Part::Key(55),
    Part::Key(56),
    Part::Key(58),
    Part::Key(59),
    Part::Key(60),
    Part::Key(61),
    Part::Key(62),
    Part::Key(63),
    Part::Button(Button::Left),
    Part::Button(Button::Right),
    Part::Button(Button::Middle),
    Part::Button(Button::Back),
    Part::Button(Button::Forward),
];

/// What the machine needs of the system, beside its processes.
pub(crate) trait Ground: Send + Sync {
    /// Tells that something may have happened in a folder.
    type Stir: Stir + 'static;

    /// Whether this process belongs to a session with a screen.
    fn has_display(&self) -> bool;

    /// Begins to listen for what happens in a folder.
    fn stir(&self, folder: &Path) -> std::io::Result<Self::Stir>;

    /// Whether something is held down, by whomever.
    fn is_down(&self, part: Part) -> bool;

    /// Lets go of something.
    fn lift(&self, part: Part);
}

/// A machine, by its programs and what else is known of it.
pub(crate) struct MacMachine<P, G> {
    programs: P,
    ground: G,
}

impl<P, G> MacMachine<P, G> {
    pub(crate) fn new(programs: P, ground: G) -> Self {
        Self { programs, ground }
    }
}

impl<P: Programs, G: Ground> Machine for MacMachine<P, G> {
    fn this(&self) -> Result<Process> {
        let found = self.programs.process(std::process::id());
        found.ok_or_else(|| Error::Unexpected {
            what: "the kernel".to_owned(),
            why: "it does not know this process".to_owned(),
        })
    }

    fn runs(&self, process: &Process) -> bool {
        match self.programs.fate(process) {
            Fate::Runs => true,
            Fate::Ended { .. } => false,
        }
    }

    // There is one for each person who is logged in, and none has a name.
    fn desktop(&self) -> Option<String> {
        self.ground.has_display().then(|| "the screen of this Mac".to_owned())
    }

    fn kill(&self, process: &Process, desktop: Option<&str>) -> Result<()> {
        self.programs.end(process, End::Kill)?;
        if desktop.is_none() {
            return Ok(());
        }
        // Until the system has seen the end of it, it may still do what it was told last.
        let by = Deadline::after(TO_END);
        while self.runs(process) && !by.passed() {
            std::thread::sleep(STEP);
        }
        // Who holds one down himself at this moment has to press it again.
        for part in PARTS.into_iter().filter(|part| self.ground.is_down(*part)) {
            self.ground.lift(part);
        }
        Ok(())
    }

    fn watch(&self, folder: &Path) -> Result<Box<dyn FolderChanges>> {
        let stir = self.ground.stir(folder).map_err(|error| folder::broken(folder, &error))?;
        Ok(Box::new(Watch::new(folder, stir)?))
    }
}

#[cfg(test)]
mod tests;
