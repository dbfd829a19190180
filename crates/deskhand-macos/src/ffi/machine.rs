//! The machine: folders, and keys and buttons that are still pressed.

use std::{io, path::Path};

use deskhand_platform::Press;
use objc2_core_graphics::CGSessionCopyCurrentDictionary;

use super::{
    event::{self, EventServer},
    folder_watch::KqueueNotifier,
};
use crate::{
    input::{
        InputApi,
        event::{EventTarget, Flags, InputEvent},
    },
    machine::{HeldInput, MachineApi},
};

/// The machine that this process runs on.
pub(crate) struct SystemMachine;

/// Returns `true` if this process belongs to a login session with a screen.
pub fn has_display() -> bool {
    CGSessionCopyCurrentDictionary().is_some()
}

impl MachineApi for SystemMachine {
    type Notifier = KqueueNotifier;

    fn has_display(&self) -> bool {
        has_display()
    }

    fn folder_notifier(&self, folder: &Path) -> io::Result<KqueueNotifier> {
        KqueueNotifier::open(folder)
    }

    fn is_down(&self, input: HeldInput) -> bool {
        match input {
            HeldInput::Key(code) => event::is_key_down(code),
            HeldInput::Button(button) => EventServer.is_down(button),
        }
    }

    fn release(&self, input: HeldInput) {
        let flags = Flags::default();
        let event = match input {
            HeldInput::Key(code) => InputEvent::Key { code, press: Press::Up, flags },
            HeldInput::Button(button) => {
                let at = EventServer.pointer().unwrap_or_default();
                InputEvent::Button { button, press: Press::Up, at, clicks: 1, flags }
            }
        };
        // Without the permission to post events, none was pressed either.
        EventServer.post(&event, EventTarget::WindowServer);
    }
}
