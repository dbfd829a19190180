//! Faults of individual toolkits and their workarounds.

use deskhand_model::{App, Role, State, States};

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
    /// repeats a button's text: first as the developer wrote it, then as it is drawn.
    pub(crate) fn name(self, reported: String, role: Role) -> String {
        if !self.gtk4 {
            return reported;
        }
        if is_toolkit_class(&reported) || role != Role::Label && is_class_name(&reported) {
            return String::new();
        }
        match drawn_half(&reported) {
            Some(drawn) => drawn.to_owned(),
            // The tabs of a stack switcher are named by their title with the mnemonic marked.
            None if role == Role::Tab => reported.replacen('_', "", 1),
            None => reported,
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

/// Returns the second half of a name that repeats itself, such as `7 7` or `_Add Add`. An underscore
/// marks the mnemonic and is not drawn.
fn drawn_half(name: &str) -> Option<&str> {
    const MAX_MNEMONICS: usize = 2;
    (0..=MAX_MNEMONICS).find_map(|marks| {
        let drawn = name.len().checked_sub(marks + 1).filter(|both| both.is_multiple_of(2))? / 2;
        let (first, second) = name.split_at_checked(name.len() - drawn)?;
        let first = first.strip_suffix(' ')?;
        let is_same =
            first.chars().filter(|c| *c != '_').eq(second.chars()) || marks == 0 && first == second;
        (is_same && !second.is_empty()).then_some(second)
    })
}

/// Returns `true` if the text looks like the name of an app's own class, such as `ClocksWindow`: one
/// word of several capitalized parts. JavaScript and Python classes have a prefix: `Gjs_SidebarRow`,
/// `main+SidebarRow`.
fn is_class_name(text: &str) -> bool {
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if let Some(class) = text.strip_prefix("Gjs_") {
        return is_name(class);
    }
    if let Some((module, class)) = text.split_once('+') {
        return !module.is_empty() && is_name(module) && is_class_name(class);
    }
    let starts = text.as_bytes().windows(2);
    let parts =
        starts.filter(|two| two[0].is_ascii_uppercase() && two[1].is_ascii_lowercase()).count();
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word && parts >= 2 && text.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns `true` if the text is the name of a GTK or Adwaita class, such as `GtkMenuButton`.
fn is_toolkit_class(text: &str) -> bool {
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
        let name = |reported: &str| quirks.name(reported.to_owned(), Role::Button);
        assert_eq!(name("7 7"), "7");
        assert_eq!(name("mod mod"), "mod");
        assert_eq!(name("÷ ÷"), "÷");
        assert_eq!(name("Save As Save As"), "Save As");
        assert_eq!(name("GtkMenuButton"), "");
        assert_eq!(name("Gtk settings"), "Gtk settings");
        assert_eq!(name("7 8"), "7 8");
        assert_eq!(name("_Add World Clock Add World Clock"), "Add World Clock");
        assert_eq!(name("Save _As… Save As…"), "Save As…");
        assert_eq!(name("snake_case"), "snake_case");
        assert_eq!(name("日日"), "日日");
        assert_eq!(name(""), "");
    }

    #[test]
    fn class_names_are_no_names() {
        let quirks = Quirks { gtk4: true, ..Quirks::default() };
        let name = |reported: &str, role| quirks.name(reported.to_owned(), role);
        assert_eq!(name("ClocksWindow", Role::Window), "");
        assert_eq!(name("GcalDateChooserDay", Role::Button), "");
        assert_eq!(name("GitHub", Role::Label), "GitHub", "a label's name is its text");
        assert_eq!(name("Gjs_SidebarRow", Role::TableRow), "");
        assert_eq!(name("main+SidebarRow", Role::Panel), "");
        assert_eq!(name("C+Plus", Role::Button), "C+Plus");
        assert_eq!(name("Clocks", Role::Window), "Clocks");
        assert_eq!(name("OK", Role::Button), "OK");
        assert_eq!(name("Page _1", Role::Tab), "Page 1");
    }

    #[test]
    fn names_of_other_toolkits_are_not_changed() {
        assert_eq!(Quirks::default().name("7 7".to_owned(), Role::Button), "7 7");
    }
}
