//! What single toolkits get wrong, and how it is put right.

use std::time::Duration;

use deskhand_model::{App, State, States};

use super::{facts::Fact, link::Caution};
use crate::apps::process;

/// The known faults of one app's toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks {
    /// GTK 4 sets neither SHOWING nor ENABLED and counts positions from the window's corner.
    pub(crate) gtk4: bool,
    /// LibreOffice reports positions that are off by its menu bar until the pointer moved.
    pub(crate) libre_office: bool,
    /// Chromium and Electron show windows without content until accessibility is switched on.
    pub(crate) chromium: bool,
    /// Firefox fills its cache once, like Chromium, but counts no siblings.
    pub(crate) gecko: bool,
    /// Whether its cache can be asked for. The bridge of GTK 3 and Java aborts the whole app when
    /// one name in the cache is not UTF-8, unless the app was started to live with such faults, as
    /// apps on a private desktop are. Browsers and LibreOffice make their names from UTF-16, and
    /// GTK 4 has a bridge of its own.
    pub(crate) cache: bool,
    /// Whether all properties can be asked for at once. Qt 5 crashes when asked that, so only
    /// toolkits known to answer are.
    pub(crate) summary: bool,
    /// GTK 3 and Swing bring the whole window forward when one of its elements is given the focus.
    pub(crate) presents: bool,
    /// Swing counts from where its window was before the window manager last moved it.
    pub(crate) swing: bool,
}

impl Quirks {
    /// The faults to expect of an app.
    pub(crate) fn of(app: &App) -> Self {
        let program = app.executable.as_deref().and_then(|path| path.rsplit('/').next());
        let gtk4 = app.toolkit.name == "GTK" && !app.toolkit.version.starts_with(['2', '3']);
        let libre_office = program.is_some_and(|name| name.starts_with("soffice"));
        let name = app.toolkit.name.as_str();
        let (gecko, gtk3) = (name == "Gecko", name == "gtk");
        let swing = name.starts_with("J2SE");
        // While it is busy it does not even tell its toolkit, and that is when care matters most.
        let chromium = name == "Chromium"
            || program.is_some_and(|name| {
                ["chrom", "electron", "msedge", "brave"].iter().any(|kin| name.starts_with(kin))
            });
        let tolerant = process::variable(app.pid, "DBUS_FATAL_WARNINGS").as_deref() == Some("0");
        Self {
            gtk4,
            libre_office,
            chromium,
            gecko,
            cache: gtk4 || libre_office || chromium || gecko || tolerant,
            summary: gtk4 || libre_office || chromium || gecko || gtk3,
            presents: (gtk3 && !libre_office) || swing,
            swing,
        }
    }

    /// How positions are asked for. GTK 4 cannot tell them on the screen, answers as if it could,
    /// and complains on its standard error each time.
    pub(crate) fn extents(self) -> Fact {
        if self.gtk4 { Fact::WindowExtents } else { Fact::Extents }
    }

    /// The name an element really has. GTK 4.8 calls what has no name by its class, and a button
    /// by its text twice.
    pub(crate) fn name(self, told: String) -> String {
        if !self.gtk4 {
            return told;
        }
        if is_class_name(&told) {
            return String::new();
        }
        match told.split_at_checked(told.len() / 2) {
            Some((first, second)) if second.strip_prefix(' ') == Some(first) => first.to_owned(),
            Some(_) | None => told,
        }
    }

    /// Whether a direct connection or a listener could freeze the app, or come too early.
    ///
    /// Chromium's cache is filled once and pages that load later never enter it: connected to in
    /// its first second it takes 500 ms for every look at 5,000 elements, later 70 ms.
    pub(crate) fn caution(self, app: &App) -> Caution {
        const SETTLED: Duration = Duration::from_secs(8);
        let young = process::age(app.pid).is_some_and(|age| age < SETTLED);
        match (self.chromium, self.gecko) {
            (true, _) | (_, true) if young => Caution::Wait,
            (true, _) => Caution::Count,
            (false, _) => Caution::None,
        }
    }

    /// Whether positions need the window's own to be put right.
    pub(crate) fn misplaces(self) -> bool {
        self.gtk4 || self.libre_office || self.swing
    }

    /// The states an element really has.
    pub(crate) fn states(self, told: States) -> States {
        if self.gtk4 && told.has(State::Visible) { told.with(State::Showing) } else { told }
    }
}

/// Whether a text is the name of a GTK or Adwaita class, such as `GtkMenuButton`.
fn is_class_name(text: &str) -> bool {
    let rest = text.strip_prefix("Gtk").or_else(|| text.strip_prefix("Adw"));
    rest.is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase())
            && rest.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gtk4_names_are_what_a_person_reads() {
        let quirks = Quirks { gtk4: true, ..Quirks::default() };
        let name = |told: &str| quirks.name(told.to_owned());
        assert_eq!(name("7 7"), "7");
        assert_eq!(name("mod mod"), "mod");
        assert_eq!(name("÷ ÷"), "÷");
        assert_eq!(name("Save As Save As"), "Save As");
        assert_eq!(name("GtkMenuButton"), "");
        assert_eq!(name("Gtk settings"), "Gtk settings");
        assert_eq!(name("7 8"), "7 8");
        assert_eq!(name("日日"), "日日");
        assert_eq!(name(""), "");
    }

    #[test]
    fn other_toolkits_are_taken_at_their_word() {
        assert_eq!(Quirks::default().name("7 7".to_owned()), "7 7");
    }
}
