//! Real programs of every toolkit, and the commands that start them without first-run dialogs.

use std::path::{Path, PathBuf};
use std::process::Command;

use deskhand_linux::private::DesktopInfo;

/// A program that the tests can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum App {
    /// GTK 3 text editor.
    Mousepad,
    /// GTK 3 with one of each widget.
    Gtk3WidgetFactory,
    /// GTK 3 demo browser.
    Gtk3Demo,
    /// GTK 4 demo browser.
    Gtk4Demo,
    /// GTK 4 with one of each widget.
    Gtk4WidgetFactory,
    /// GTK 4 calculator.
    GnomeCalculator,
    /// Qt 5 calculator.
    Kcalc,
    /// Qt 5 text editor.
    Featherpad,
    /// Qt 6 form designer.
    Designer,
    /// Chromium with a page of `tests/apps/pages` (a `?query` is allowed) or an HTTP address.
    Chromium(&'static str),
    /// Chromium as a user starts it, without the flag that turns accessibility on.
    ChromiumUnaided(&'static str),
    /// Firefox with a page of `tests/apps/pages` or an HTTP address.
    Firefox(&'static str),
    /// LibreOffice Writer with an empty document.
    Writer,
    /// LibreOffice Calc with an empty spreadsheet.
    Calc,
    /// A Java Swing form.
    SwingForm,
    /// A terminal without an accessibility tree.
    Xterm,
    /// A Python program of `tests/apps` with its arguments. It prints `ready` when its window is
    /// open.
    Fixture(&'static str, &'static [&'static str]),
}

/// Every app with an accessibility tree that the tests cover.
pub const FLEET: [App; 15] = [
    App::Mousepad,
    App::Gtk3WidgetFactory,
    App::Gtk3Demo,
    App::Gtk4Demo,
    App::Gtk4WidgetFactory,
    App::GnomeCalculator,
    App::Kcalc,
    App::Featherpad,
    App::Designer,
    App::Chromium("five_thousand.html"),
    App::Chromium("form.html"),
    App::Firefox("five_thousand.html"),
    App::Writer,
    App::Calc,
    App::SwingForm,
];

/// Returns the folder of fixture programs and pages, `tests/apps`.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps").canonicalize().expect("tests/apps exists")
}

impl App {
    /// Returns the smallest number of elements in the app's complete tree.
    pub fn at_least(self) -> usize {
        match self {
            Self::Mousepad => 250,
            Self::Gtk3WidgetFactory => 250,
            Self::Gtk3Demo => 100,
            Self::Gtk4Demo => 100,
            Self::Gtk4WidgetFactory => 200,
            Self::GnomeCalculator => 80,
            Self::Kcalc => 150,
            Self::Featherpad => 150,
            Self::Designer => 250,
            Self::Chromium("five_thousand.html") => 5000,
            Self::Firefox("five_thousand.html") => 2500,
            Self::Chromium("form.html") => 100,
            Self::Firefox(_) | Self::Chromium(_) => 80,
            Self::Writer => 1000,
            Self::Calc => 1000,
            Self::SwingForm => 12,
            Self::ChromiumUnaided(_) | Self::Xterm | Self::Fixture(..) => 1,
        }
    }

    /// Returns a short name for tables and messages.
    pub fn name(self) -> String {
        match self {
            Self::Chromium(page) => format!("chromium {page}"),
            Self::ChromiumUnaided(page) => format!("chromium {page}, no flag"),
            Self::Firefox(page) => format!("firefox {page}"),
            Self::Fixture(program, _) => program.to_owned(),
            Self::Gtk3WidgetFactory => "gtk3-widget-factory".to_owned(),
            Self::Gtk3Demo => "gtk3-demo".to_owned(),
            Self::Gtk4Demo => "gtk4-demo".to_owned(),
            Self::Gtk4WidgetFactory => "gtk4-widget-factory".to_owned(),
            Self::GnomeCalculator => "gnome-calculator".to_owned(),
            Self::Mousepad => "mousepad".to_owned(),
            Self::Kcalc => "kcalc".to_owned(),
            Self::Featherpad => "featherpad".to_owned(),
            Self::Designer => "designer".to_owned(),
            Self::Writer => "writer".to_owned(),
            Self::Calc => "calc".to_owned(),
            Self::SwingForm => "swing".to_owned(),
            Self::Xterm => "xterm".to_owned(),
        }
    }

    /// Returns the command that starts the app on a desktop.
    pub(crate) fn command(self, desktop: &DesktopInfo) -> Command {
        let plain = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        };
        let mut command = match self {
            Self::Mousepad => plain("mousepad", &[]),
            Self::Gtk3WidgetFactory => plain("gtk3-widget-factory", &[]),
            Self::Gtk3Demo => plain("gtk3-demo", &[]),
            Self::Gtk4Demo => plain("gtk4-demo", &[]),
            Self::Gtk4WidgetFactory => plain("gtk4-widget-factory", &[]),
            Self::GnomeCalculator => plain("gnome-calculator", &[]),
            Self::Kcalc => plain("kcalc", &[]),
            Self::Featherpad => plain("featherpad", &["--standalone"]),
            Self::Designer => plain("/usr/lib/qt6/bin/designer", &[]),
            Self::Chromium(page) => {
                let mut command = chromium(desktop, page);
                command.arg("--force-renderer-accessibility");
                command
            }
            Self::ChromiumUnaided(page) => chromium(desktop, page),
            Self::Firefox(page) => firefox(desktop, page),
            Self::Writer => office(desktop, "--writer"),
            Self::Calc => office(desktop, "--calc"),
            Self::SwingForm => Command::new(fixtures().join("swing_form.sh")),
            Self::Xterm => plain("xterm", &["-title", "A terminal"]),
            Self::Fixture(program, arguments) => {
                let mut command = Command::new("/usr/bin/python3");
                command.arg(fixtures().join(program)).args(arguments);
                command
            }
        };
        desktop.apply(&mut command);
        command.current_dir(&desktop.home);
        command
    }
}

fn page_url(page: &str) -> String {
    if page.starts_with("http:") {
        return page.to_owned();
    }
    let (file, query) = page.split_once('?').map_or((page, ""), |(file, query)| (file, query));
    let path = fixtures().join("pages").join(file);
    let question = if query.is_empty() { "" } else { "?" };
    format!("file://{}{question}{query}", path.display())
}

fn chromium(desktop: &DesktopInfo, page: &str) -> Command {
    let mut command = Command::new("chromium");
    command
        .arg(format!("--user-data-dir={}", desktop.home.join("chromium").display()))
        .args([
            "--no-sandbox",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-gpu",
            "--password-store=basic",
            "--disable-component-update",
            "--disable-background-networking",
            "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
        ])
        .arg(page_url(page));
    command
}

/// Firefox preferences that keep the first start from opening extra pages.
const FIREFOX_PREFERENCES: &str = r#"
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("startup.homepage_welcome_url", "");
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("trailhead.firstrun.didSeeAboutWelcome", true);
user_pref("browser.tabs.firefox-view", false);
user_pref("app.normandy.enabled", false);
user_pref("accessibility.force_disabled", -1);
"#;

fn firefox(desktop: &DesktopInfo, page: &str) -> Command {
    let profile = desktop.home.join("firefox");
    std::fs::create_dir_all(&profile).expect("the desktop's home is writable");
    std::fs::write(profile.join("user.js"), FIREFOX_PREFERENCES)
        .expect("the desktop's home is writable");
    let mut command = Command::new("firefox-esr");
    command.args(["--no-remote", "--new-instance", "--profile"]).arg(profile).arg(page_url(page));
    command
}

/// LibreOffice settings that keep the first start from showing tips, news and a welcome dialog.
const OFFICE_SETTINGS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse"><value>false</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="FirstRun" oor:op="fuse"><value>false</value></prop></item>
<item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.9</value></prop></item>
<item oor:path="/org.openoffice.Setup/Product"><prop oor:name="LastTimeGetInvolvedShown" oor:op="fuse"><value>9999999999</value></prop></item>
<item oor:path="/org.openoffice.Setup/Product"><prop oor:name="LastTimeDonateShown" oor:op="fuse"><value>9999999999</value></prop></item>
</oor:items>
"#;

fn office(desktop: &DesktopInfo, kind: &str) -> Command {
    let profile = desktop.home.join("office");
    let user = profile.join("user");
    std::fs::create_dir_all(&user).expect("the desktop's home is writable");
    std::fs::write(user.join("registrymodifications.xcu"), OFFICE_SETTINGS)
        .expect("the desktop's home is writable");
    let mut command = Command::new("libreoffice");
    command.arg(format!("-env:UserInstallation=file://{}", profile.display())).args([
        kind,
        "--norestore",
        "--nologo",
        "--nofirststartwizard",
    ]);
    command
}
