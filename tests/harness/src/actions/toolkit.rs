//! The windows of the matrix, and how each is started.

use crate::actions::oracle::Oracle;
use crate::actions::server::Server;
use crate::app::fixtures;
use crate::{App, Program, Stage};

/// A toolkit with a window of its own in `tests/apps/matrix`.
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
    /// Java Swing.
    Swing,
    /// A web page in Chromium.
    Chromium,
    /// A web page in Firefox.
    Firefox,
}

impl Toolkit {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Gtk3, Self::Gtk4, Self::Qt5, Self::Qt6, Self::Swing, Self::Chromium, Self::Firefox];

    /// Its name in tables.
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

    /// Starts its window and waits until it is complete.
    pub(crate) fn start(self, stage: &Stage) -> (Program, Oracle) {
        match self {
            Self::Gtk3 => python(stage, "matrix/gtk3_window.py", &[]),
            Self::Gtk4 => python(stage, "matrix/gtk4_window.py", &[]),
            Self::Qt5 => python(stage, "matrix/qt_window.py", &["5"]),
            Self::Qt6 => python(stage, "matrix/qt_window.py", &["6"]),
            Self::Swing => swing(stage),
            Self::Chromium => web(stage, App::Chromium),
            Self::Firefox => web(stage, App::Firefox),
        }
    }
}

fn log(stage: &Stage) -> &'static str {
    // An app's arguments are static; a test starts a handful.
    stage.info().home.join("matrix.log").display().to_string().leak()
}

fn python(stage: &Stage, program: &'static str, arguments: &[&'static str]) -> (Program, Oracle) {
    let log = log(stage);
    let arguments = [arguments, &[log]].concat().leak();
    let program = stage.start_changed(App::Fixture(program, arguments), |command| {
        command.env("PYTHONDONTWRITEBYTECODE", "1");
    });
    stage.settle(&program, 200);
    (program, Oracle::file(log))
}

fn swing(stage: &Stage) -> (Program, Oracle) {
    let log = log(stage);
    let program = stage.start_changed(App::SwingForm, |command| {
        *command = stage.command(fixtures().join("matrix/swing_window.sh"));
        command.arg(log);
    });
    stage.settle(&program, 200);
    (program, Oracle::file(log))
}

fn web(stage: &Stage, browser: fn(&'static str) -> App) -> (Program, Oracle) {
    let server = Server::start();
    let program = stage.start_unseen(browser(server.url().leak()));
    let oracle = Oracle::page(server);
    stage.settle(&program, 300);
    (program, oracle)
}
