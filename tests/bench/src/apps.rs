//! The apps that are measured.

use harness::App;
use serde::Serialize;

/// The kind of connection to an app. It decides how fast the app can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reach {
    /// The app accepts direct connections.
    PeerToPeer,
    /// GTK 4, over the accessibility bus.
    Gtk4,
    /// Qt, over the accessibility bus.
    Qt,
}

impl Reach {
    /// Returns the target speedup of the first read over pyatspi.
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
    /// The name in the table.
    pub(crate) name: &'static str,
    /// The app.
    pub(crate) app: App,
    /// The kind of connection.
    pub(crate) reach: Reach,
}

/// The name of the app with a 5,000-element page in Chromium.
pub(crate) const CHROMIUM: &str = "chromium";
/// The name of LibreOffice Calc.
pub(crate) const CALC: &str = "calc";

// Pages with 100,000 rows and fixtures with odd names are left out: a pyatspi walk of 20,000 rows
// made Chromium unresponsive for 7.5 s, and a walk of odd names aborted the app.
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

/// Returns the entries whose name contains one of `names`, or all entries if `names` is empty.
pub(crate) fn chosen(names: &[String]) -> Vec<Entry> {
    let wanted = |entry: &Entry| names.iter().any(|name| entry.name.contains(name.as_str()));
    ALL.into_iter().filter(|entry| names.is_empty() || wanted(entry)).collect()
}
