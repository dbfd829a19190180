//! The matrix windows and the programs that show them.

use crate::actions::oracle::Oracle;
use crate::actions::page_server::PageServer;
use crate::app::fixtures;
use crate::{App, Program, TestDesktop};

/// A toolkit with a window in `tests/apps/matrix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolkit {
    /// GTK 3.
    Gtk3,
    /// GTK 4.
    Gtk4,
    /// Qt 5.
    Qt5,
    /// Qt 6.
    Qt6,
    /// A Java Swing form.
    Swing,
    /// A web page in Chromium.
    Chromium,
    /// A web page in Firefox.
    Firefox,
}

impl Toolkit {
    /// Every value.
    pub const ALL: [Self; 7] =
        [Self::Gtk3, Self::Gtk4, Self::Qt5, Self::Qt6, Self::Swing, Self::Chromium, Self::Firefox];

    /// Returns the name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gtk3 => "GTK 3",
            Self::Gtk4 => "GTK 4",
            Self::Qt5 => "Qt 5",
            Self::Qt6 => "Qt 6",
            Self::Swing => "Swing",
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
        }
    }

    /// Starts the window and waits until its tree is complete.
    pub(crate) fn start(self, desktop: &TestDesktop) -> (Program, Oracle) {
        match self {
            Self::Gtk3 => python(desktop, "matrix/gtk3_window.py", &[]),
            Self::Gtk4 => python(desktop, "matrix/gtk4_window.py", &[]),
            Self::Qt5 => python(desktop, "matrix/qt_window.py", &["5"]),
            Self::Qt6 => python(desktop, "matrix/qt_window.py", &["6"]),
            Self::Swing => swing(desktop),
            Self::Chromium => web(desktop, App::Chromium),
            Self::Firefox => web(desktop, App::Firefox),
        }
    }
}

fn log(desktop: &TestDesktop) -> &'static str {
    // App arguments are `'static`. A test leaks only a few.
    desktop.info().home.join("matrix.log").display().to_string().leak()
}

fn python(
    desktop: &TestDesktop,
    program: &'static str,
    arguments: &[&'static str],
) -> (Program, Oracle) {
    let log = log(desktop);
    let arguments = [arguments, &[log]].concat().leak();
    let program = desktop.start_with(App::Fixture(program, arguments), |command| {
        command.env("PYTHONDONTWRITEBYTECODE", "1");
    });
    desktop.settle(&program, 200);
    (program, Oracle::file(log))
}

fn swing(desktop: &TestDesktop) -> (Program, Oracle) {
    let log = log(desktop);
    let program = desktop.start_with(App::SwingForm, |command| {
        *command = desktop.command(fixtures().join("matrix/swing_window.sh"));
        command.arg(log);
    });
    desktop.settle(&program, 200);
    (program, Oracle::file(log))
}

fn web(desktop: &TestDesktop, browser: fn(&'static str) -> App) -> (Program, Oracle) {
    let server = PageServer::start();
    let program = desktop.start_unread(browser(server.url().leak()));
    let oracle = Oracle::page(server);
    desktop.settle(&program, 300);
    (program, oracle)
}
