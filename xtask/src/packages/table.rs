//! The table of packages, each with its reason.

/// A Debian package and the reason it is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    /// A program that makes the package unnecessary.
    pub(crate) unless: Option<&'static str>,
}

/// Packages that are installed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// The parts of a private desktop.
    Desktop,
    /// A private desktop, two apps, and a terminal and key events for the simulated user.
    Demo,
    /// The apps that the tests control, and independent readers to compare with.
    Fleet,
    /// Installers of the MCP clients of other projects.
    Interop,
    /// Programs that the gates need, in addition to the Rust toolchain.
    Check,
    /// The apps of `cargo xtask soak unseen`.
    Unseen,
}

impl Group {
    pub(crate) const ALL: [Self; 6] =
        [Self::Desktop, Self::Demo, Self::Fleet, Self::Interop, Self::Check, Self::Unseen];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Demo => "demo",
            Self::Fleet => "fleet",
            Self::Interop => "interop",
            Self::Check => "check",
            Self::Unseen => "unseen",
        }
    }

    fn packages(self) -> Vec<Package> {
        match self {
            Self::Desktop => DESKTOP.to_vec(),
            Self::Demo => [DESKTOP, DEMO].concat(),
            Self::Fleet => [DEMO, FLEET].concat(),
            Self::Interop => INTEROP.to_vec(),
            Self::Check => CHECK.to_vec(),
            Self::Unseen => UNSEEN.to_vec(),
        }
    }
}

/// Returns the packages of the groups without duplicates, in the order of the table.
pub(crate) fn union(groups: &[Group]) -> Vec<Package> {
    let mut all: Vec<Package> = Vec::new();
    for package in groups.iter().flat_map(|group| group.packages()) {
        if !all.contains(&package) {
            all.push(package);
        }
    }
    all
}

const fn package(name: &'static str, why: &'static str) -> Package {
    Package { name, why, unless: None }
}

const DESKTOP: &[Package] = &[
    package("xvfb", "private desktop: the X server"),
    package("dbus-daemon", "private desktop: the session bus"),
    package("at-spi2-core", "private desktop: the accessibility bus and registry"),
    package("openbox", "private desktop: the window manager"),
    package("fonts-dejavu-core", "private desktop: fonts"),
];

const DEMO: &[Package] = &[
    package("mousepad", "app: small GTK 3 editor"),
    package("librsvg2-common", "GTK: draws the icons of its theme"),
    package("gnome-calculator", "app: GTK 4"),
    package("xterm", "app: no accessibility tree at all"),
    package("xdotool", "input: key events of a user, and a reference for the benchmark"),
];

const FLEET: &[Package] = &[
    package("libatk-adaptor", "GTK 3: bridge from its widgets to the accessibility bus"),
    package("gtk-3-examples", "app: GTK 3 widget factory and demo"),
    package("gtk-4-examples", "app: GTK 4 widget factory and demo"),
    package("gnome-text-editor", "app: GTK 4 text editor"),
    package("kcalc", "app: Qt 5 calculator"),
    package("featherpad", "app: Qt 5 editor"),
    package("qt6-tools-dev-tools", "app: Qt 6 designer"),
    package("chromium", "app: browser"),
    package("firefox-esr", "app: browser"),
    package("libreoffice-writer", "app: word processor"),
    package("libreoffice-calc", "app: spreadsheet with an endless sheet"),
    package("libreoffice-gtk3", "LibreOffice: the front end that speaks accessibility"),
    package("gjs", "scripts: runs JavaScript"),
    package("default-jre", "Swing: windows need more than the headless runtime"),
    package("default-jdk-headless", "Swing fixture: runs from its source file"),
    package("libatk-wrapper-java", "Swing: bridge to the accessibility bus"),
    package("libatk-wrapper-java-jni", "Swing: the native half of that bridge"),
    package("less", "terminals: a pager for the tests"),
    package("curl", "documentation: the HTTP request that a page shows"),
    package("openssl", "documentation: the token that a page creates"),
    package("make", "commands: builds in the sandbox"),
    package("python3-gi", "GTK fixtures: Python bindings"),
    package("gir1.2-gtk-3.0", "GTK 3 fixtures"),
    package("gir1.2-gtk-4.0", "GTK 4 fixtures"),
    package("python3-pyqt5", "Qt 5 fixtures"),
    package("python3-pyqt6", "Qt 6 fixtures"),
    package("gir1.2-atspi-2.0", "independent reader: accessibility bindings"),
    package("python3-pil", "independent reader: opens written images"),
    package("python3-prometheus-client", "independent reader: the metrics of the MCP server"),
    package("python3-pyatspi", "independent reader: reference for the benchmark"),
    package("python3-dogtail", "independent reader: reference for the benchmark"),
    package("wmctrl", "windows: an independent list of them, and a reference for the benchmark"),
    package("scrot", "images: reference for the benchmark"),
    package("maim", "images: reference for the benchmark"),
    package("imagemagick", "images: `import`, a reference for the benchmark"),
    package("i3lock", "failure tests: locks the screen"),
    package("tesseract-ocr", "secrets: reads text in images"),
    package("x11-utils", "windows: an independent reader of their properties"),
    package("x11-xkb-utils", "keyboard: other layouts for the tests"),
    package("x11-xserver-utils", "displays: other sizes for the tests"),
    package("xclip", "clipboard: another program to exchange data with"),
    package("xsel", "clipboard: a second program to exchange data with"),
];

const INTEROP: &[Package] = &[
    // A Node from another source includes npm, and conflicts with Debian's npm.
    Package { name: "npm", why: "MCP clients in JavaScript: installs them", unless: Some("npm") },
    package("python3-venv", "MCP client in Python: a virtual environment"),
];

const CHECK: &[Package] = &[
    package("git", "gates: the list of tracked files"),
    package("gcc", "cargo-deny: its build has C parts"),
    package("libc6-dev", "cargo-deny: its build has C parts"),
];

const UNSEEN: &[Package] = &[
    package("dia", "referee: GTK 2"),
    package("hexchat", "referee: GTK 2"),
    package("lxappearance", "referee: GTK 2"),
    package("mtpaint", "referee: GTK 2"),
    package("pcmanfm", "referee: GTK 2"),
    package("sylpheed", "referee: GTK 2"),
    package("caja", "referee: GTK 3"),
    package("cherrytree", "referee: GTK 3"),
    package("file-roller", "referee: GTK 3"),
    package("galculator", "referee: GTK 3"),
    package("geany", "referee: GTK 3"),
    package("gnumeric", "referee: GTK 3"),
    package("gucharmap", "referee: GTK 3"),
    package("homebank", "referee: GTK 3"),
    package("meld", "referee: GTK 3"),
    package("pluma", "referee: GTK 3"),
    package("thunar", "referee: GTK 3"),
    package("transmission-gtk", "referee: GTK 3"),
    package("xfce4-terminal", "referee: GTK 3 with a terminal"),
    package("zim", "referee: GTK 3"),
    package("ghex", "referee: GTK 4"),
    package("gnome-calendar", "referee: GTK 4"),
    package("gnome-characters", "referee: GTK 4"),
    package("gnome-clocks", "referee: GTK 4"),
    package("gnome-contacts", "referee: GTK 4"),
    package("kfind", "referee: Qt 5"),
    package("kid3-qt", "referee: Qt 5"),
    package("kolourpaint", "referee: Qt 5"),
    package("keepassxc", "referee: Qt 5"),
    package("kwrite", "referee: Qt 5"),
    package("pcmanfm-qt", "referee: Qt 5"),
    package("qbittorrent", "referee: Qt 5"),
    package("qpdfview", "referee: Qt 5"),
    package("speedcrunch", "referee: Qt 5"),
    package("sqlitebrowser", "referee: Qt 5"),
    package("assistant-qt6", "referee: Qt 6"),
    package("focuswriter", "referee: Qt 6"),
    package("linguist-qt6", "referee: Qt 6"),
    package("qt6ct", "referee: Qt 6"),
    package("retext", "referee: Qt 6"),
    package("falkon", "referee: QtWebEngine"),
    package("epiphany-browser", "referee: WebKit"),
    package("liferea", "referee: WebKit"),
    package("surf", "referee: WebKit"),
    package("thunderbird", "referee: Gecko"),
    package("audacity", "referee: wxWidgets"),
    package("filezilla", "referee: wxWidgets"),
    package("poedit", "referee: wxWidgets"),
    package("treesheets", "referee: wxWidgets"),
    package("jedit", "referee: Java"),
    package("logisim", "referee: Java"),
    package("jmol", "referee: Java"),
    package("idle", "referee: Tk"),
    package("git-gui", "referee: Tk"),
    package("gitk", "referee: Tk"),
    package("dillo", "referee: FLTK"),
    package("libreoffice-draw", "referee: LibreOffice"),
    package("libreoffice-impress", "referee: LibreOffice"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_package_is_listed_twice() {
        let mut names: Vec<_> = [DESKTOP, DEMO, FLEET, INTEROP, CHECK, UNSEEN]
            .concat()
            .iter()
            .map(|package| package.name)
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn union_lists_a_shared_package_once() {
        let both = union(&[Group::Demo, Group::Fleet]);
        assert_eq!(both.iter().filter(|package| package.name == "mousepad").count(), 1);
        assert_eq!(both.len(), DESKTOP.len() + DEMO.len() + FLEET.len());
    }

    #[test]
    fn demo_stays_small() {
        assert!(union(&[Group::Demo]).len() <= 10, "the first command installs all of them");
    }
}
