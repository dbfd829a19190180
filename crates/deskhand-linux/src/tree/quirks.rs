//! Faults of individual toolkits and their workarounds.

use deskhand_model::{App, State, States};

use super::{app_connection::ConnectPolicy, facts::Fact, timing::BROWSER_STARTUP};
use crate::apps::process;

/// The known faults of one app's toolkit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Quirks {
    /// GTK 4 sets neither SHOWING nor ENABLED and reports positions relative to the window's
    /// corner.
    pub(crate) gtk4: bool,
    /// LibreOffice reports positions that are off by its menu bar until the pointer has moved.
    pub(crate) libre_office: bool,
    /// Chromium and Electron show windows without content until accessibility is switched on.
    pub(crate) chromium: bool,
    /// Firefox fills its cache once, like Chromium, but does not count siblings.
    pub(crate) gecko: bool,
    /// `true` if requesting the app's cache is safe. The bridge of GTK 3 and Java aborts the app if
    /// a name in the cache is not UTF-8, unless `DBUS_FATAL_WARNINGS=0` is set, as on private
    /// desktops. Browsers and LibreOffice create their names from UTF-16, and GTK 4 has a separate
    /// bridge.
    pub(crate) cache_is_safe: bool,
    /// `true` if all properties can be requested with `GetAll`. Qt 5 crashes on that call, so only
    /// toolkits known to support it are sent one.
    pub(crate) supports_get_all: bool,
    /// GTK 3 and Swing raise the window when one of its elements gets the focus.
    pub(crate) raises_window_on_focus: bool,
    /// Swing reports positions relative to where its window was before the window manager last
    /// moved it.
    pub(crate) swing: bool,
}

impl Quirks {
    /// Returns the faults to expect from an app.
    pub(crate) fn of(app: &App) -> Self {
        let program = app.executable.as_deref().and_then(|path| path.rsplit('/').next());
        let gtk4 = app.toolkit.name == "GTK" && !app.toolkit.version.starts_with(['2', '3']);
        let libre_office = program.is_some_and(|name| name.starts_with("soffice"));
        let name = app.toolkit.name.as_str();
        let (gecko, gtk3) = (name == "Gecko", name == "gtk");
        let swing = name.starts_with("J2SE");
        // A busy Chromium does not even report its toolkit, so it is also recognized by its program
        // name.
        let chromium = name == "Chromium"
            || program.is_some_and(|name| {
                ["chrom", "electron", "msedge", "brave"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
            });
        let survives_invalid_utf8 =
            process::variable(app.pid, "DBUS_FATAL_WARNINGS").as_deref() == Some("0");
        Self {
            gtk4,
            libre_office,
            chromium,
            gecko,
            cache_is_safe: gtk4 || libre_office || chromium || gecko || survives_invalid_utf8,
            supports_get_all: gtk4 || libre_office || chromium || gecko || gtk3,
            raises_window_on_focus: (gtk3 && !libre_office) || swing,
            swing,
        }
    }

    /// Returns the fact that provides positions. GTK 4 does not know screen positions, but replies
    /// as if it did and writes a warning to standard error each time.
    pub(crate) fn extents(self) -> Fact {
        if self.gtk4 { Fact::WindowExtents } else { Fact::Extents }
    }

    /// Corrects an element's name. GTK 4.8 uses the class as the name of unnamed elements, and
    /// repeats a button's text.
    pub(crate) fn name(self, reported: String) -> String {
        if !self.gtk4 {
            return reported;
        }
        if is_class_name(&reported) {
            return String::new();
        }
        match reported.split_at_checked(reported.len() / 2) {
            Some((first, second)) if second.strip_prefix(' ') == Some(first) => first.to_owned(),
            Some(_) | None => reported,
        }
    }

    /// Returns the condition for connecting to the app directly or listening to its events.
    ///
    /// Chromium fills its cache once, and pages that load later never enter it. If connected during
    /// its first second, each read of 5,000 elements takes 500 ms; later it takes 70 ms.
    pub(crate) fn connect_policy(self, app: &App) -> ConnectPolicy {
        let is_starting = process::age(app.pid).is_some_and(|age| age < BROWSER_STARTUP);
        match (self.chromium, self.gecko) {
            (true, _) | (_, true) if is_starting => ConnectPolicy::IfCached,
            (true, _) => ConnectPolicy::IfSmall,
            (false, _) => ConnectPolicy::Always,
        }
    }

    /// Returns `true` if positions must be corrected with the position of the window.
    pub(crate) fn needs_position_fix(self) -> bool {
        self.gtk4 || self.libre_office || self.swing
    }

    /// Corrects an element's states.
    pub(crate) fn states(self, reported: States) -> States {
        if self.gtk4 && reported.has(State::Visible) {
            reported.with(State::Showing)
        } else {
            reported
        }
    }
}

/// Returns `true` if the text is the name of a GTK or Adwaita class, such as `GtkMenuButton`.
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
    fn gtk4_names_match_the_visible_text() {
        let quirks = Quirks { gtk4: true, ..Quirks::default() };
        let name = |reported: &str| quirks.name(reported.to_owned());
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
    fn names_of_other_toolkits_are_not_changed() {
        assert_eq!(Quirks::default().name("7 7".to_owned()), "7 7");
    }
}
