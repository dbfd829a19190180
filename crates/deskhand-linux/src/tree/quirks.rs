//! What single toolkits get wrong, and how it is put right.

use deskhand_model::{App, State, States};

/// The known faults of one app's toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks {
    /// GTK 4 sets neither SHOWING nor ENABLED and counts positions from the window's corner.
    pub(crate) gtk4: bool,
    /// LibreOffice reports positions that are off by its menu bar until the pointer moved.
    pub(crate) libre_office: bool,
    /// Chromium and Electron show windows without content until accessibility is switched on.
    pub(crate) chromium: bool,
}

impl Quirks {
    /// The faults to expect of an app.
    pub(crate) fn of(app: &App) -> Self {
        let program = app.executable.as_deref().and_then(|path| path.rsplit('/').next());
        Self {
            gtk4: app.toolkit.name == "GTK" && !app.toolkit.version.starts_with(['2', '3']),
            libre_office: program.is_some_and(|name| name.starts_with("soffice")),
            chromium: app.toolkit.name == "Chromium",
        }
    }

    /// Whether positions need the window's own to be put right.
    pub(crate) fn misplaces(self) -> bool {
        self.gtk4 || self.libre_office
    }

    /// The states an element really has.
    pub(crate) fn states(self, told: States) -> States {
        if self.gtk4 && told.has(State::Visible) { told.with(State::Showing) } else { told }
    }
}
