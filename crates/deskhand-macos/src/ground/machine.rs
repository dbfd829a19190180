//! What a machine is asked beside its processes.

use std::{io, path::Path};

use deskhand_platform::Press;
use objc2_core_graphics::CGSessionCopyCurrentDictionary;

use super::{
    event::{self, Server},
    folder_watch::FolderWatch,
};
use crate::{
    input::{
        Desk,
        event::{Event, Flags, To},
    },
    machine::{Ground, Part},
};

/// The machine this process runs on.
pub(crate) struct Local;

/// Whether this process belongs to a session with a screen.
pub fn has_display() -> bool {
    CGSessionCopyCurrentDictionary().is_some()
}

impl Ground for Local {
    type Stir = FolderWatch;

    fn has_display(&self) -> bool {
        has_display()
    }

    fn stir(&self, folder: &Path) -> io::Result<FolderWatch> {
        FolderWatch::open(folder)
    }

    fn is_down(&self, part: Part) -> bool {
        match part {
            Part::Key(code) => event::is_key_down(code),
            Part::Button(button) => Server.is_down(button),
        }
    }

    fn lift(&self, part: Part) {
        let flags = Flags::default();
        let event = match part {
            Part::Key(code) => Event::Key { code, press: Press::Up, flags },
            Part::Button(button) => {
                let at = Server.pointer().unwrap_or_default();
                Event::Button { button, press: Press::Up, at, clicks: 1, flags }
            }
        };
        // Without leave to send input nothing was held down, either.
        Server.post(&event, To::Desk);
    }
}
