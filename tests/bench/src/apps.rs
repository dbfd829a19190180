//! Which apps are measured.

use harness::App;
use serde::Serialize;

/// How an app can be reached, which decides how fast it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reach {
    /// It takes connections itself.
    PeerToPeer,
    /// GTK 4, over the bus.
    Gtk4,
    /// Qt, over the bus.
    Qt,
}

impl Reach {
    /// How many times faster than pyatspi the first look should be.
    pub(crate) fn goal(self) -> f64 {
        match self {
            Self::PeerToPeer => 15.0,
            Self::Gtk4 | Self::Qt => 5.0,
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// What it is called in the table.
    pub(crate) name: &'static str,
    /// The app.
    pub(crate) app: App,
    /// How it is reached.
    pub(crate) reach: Reach,
}

/// The row of the page with 5,000 elements in Chromium.
pub(crate) const CHROMIUM: &str = "chromium";
/// The row of LibreOffice Calc.
pub(crate) const CALC: &str = "calc";

// The pages of 100,000 rows and the fixtures with odd names are not here: a pyatspi walk of 20,000
// rows made Chromium silent for 7.5 s, and one of odd names aborted the app.
const ALL: [Entry; 12] = [
    Entry { name: "mousepad", app: App::Mousepad, reach: Reach::PeerToPeer },
    Entry { name: "gtk3-demo", app: App::Gtk3Demo, reach: Reach::PeerToPeer },
    Entry { name: CHROMIUM, app: App::Chromium("five_thousand.html"), reach: Reach::PeerToPeer },
    Entry { name: "firefox", app: App::Firefox("five_thousand.html"), reach: Reach::PeerToPeer },
    Entry { name: "writer", app: App::Writer, reach: Reach::PeerToPeer },
    Entry { name: CALC, app: App::Calc, reach: Reach::PeerToPeer },
    Entry { name: "swing", app: App::SwingForm, reach: Reach::PeerToPeer },
    Entry { name: "gnome-calculator", app: App::GnomeCalculator, reach: Reach::Gtk4 },
    Entry { name: "gtk4-demo", app: App::Gtk4Demo, reach: Reach::Gtk4 },
    Entry { name: "kcalc", app: App::Kcalc, reach: Reach::Qt },
    Entry { name: "featherpad", app: App::Featherpad, reach: Reach::Qt },
    Entry { name: "designer", app: App::Designer, reach: Reach::Qt },
];

/// The rows whose name contains one of these; all when none is given.
pub(crate) fn chosen(names: &[String]) -> Vec<Entry> {
    let wanted = |entry: &Entry| names.iter().any(|name| entry.name.contains(name.as_str()));
    ALL.into_iter().filter(|entry| names.is_empty() || wanted(entry)).collect()
}
