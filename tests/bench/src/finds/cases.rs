//! The lists that are searched.

use harness::App;

/// One list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    /// The toolkit and the kind of list.
    pub(super) list: &'static str,
    /// The number of items.
    pub(super) items: usize,
    /// The app with the list.
    pub(super) app: App,
    /// The word in front of the number of each item.
    pub(super) word: &'static str,
    /// `true` if the app opens a spreadsheet with the items.
    pub(super) sheet: bool,
}

const fn case(list: &'static str, items: usize, word: &'static str, app: App) -> Case {
    Case { list, items, app, word, sheet: false }
}

const fn sheet(items: usize) -> Case {
    Case { list: "LibreOffice Calc, sheet", items, app: App::Calc, word: "Item", sheet: true }
}

const GTK3_LIST: &str = "GTK 3, list with 2 columns";
const GTK3_BUTTONS: &str = "GTK 3, buttons";
const GTK4_BUTTONS: &str = "GTK 4, buttons";
const QT6_TABLE: &str = "Qt 6, table with 2 columns";
const QT6_BUTTONS: &str = "Qt 6, buttons";
const CHROMIUM: &str = "Chromium, table of a page";
const FIREFOX: &str = "Firefox, table of a page";

// Windows with 30,000 buttons take minutes to appear.
const ALL: [Case; 19] = [
    case(GTK3_LIST, 3_000, "Row", App::Fixture("gtk3_long_list.py", &["3000"])),
    case(GTK3_LIST, 30_000, "Row", App::Fixture("gtk3_long_list.py", &["30000"])),
    case(GTK3_LIST, 100_000, "Row", App::Fixture("gtk3_long_list.py", &["100000"])),
    case(GTK3_BUTTONS, 3_000, "Button", App::Fixture("many_buttons.py", &["gtk3", "3000"])),
    case(GTK4_BUTTONS, 3_000, "Button", App::Fixture("many_buttons.py", &["gtk4", "3000"])),
    case(QT6_TABLE, 3_000, "Row", App::Fixture("qt6_dialog.py", &["3000"])),
    case(QT6_TABLE, 30_000, "Row", App::Fixture("qt6_dialog.py", &["30000"])),
    case(QT6_TABLE, 100_000, "Row", App::Fixture("qt6_dialog.py", &["100000"])),
    case(QT6_BUTTONS, 3_000, "Button", App::Fixture("many_buttons.py", &["qt6", "3000"])),
    case(QT6_BUTTONS, 10_000, "Button", App::Fixture("many_buttons.py", &["qt6", "10000"])),
    case(CHROMIUM, 3_000, "Row", App::Chromium("hundred_thousand.html?rows=3000")),
    case(CHROMIUM, 30_000, "Row", App::Chromium("hundred_thousand.html?rows=30000")),
    case(CHROMIUM, 100_000, "Row", App::Chromium("hundred_thousand.html?rows=100000")),
    case(FIREFOX, 3_000, "Row", App::Firefox("hundred_thousand.html?rows=3000")),
    case(FIREFOX, 30_000, "Row", App::Firefox("hundred_thousand.html?rows=30000")),
    case(FIREFOX, 100_000, "Row", App::Firefox("hundred_thousand.html?rows=100000")),
    sheet(3_000),
    sheet(30_000),
    sheet(100_000),
];

/// Returns the lists whose name with its number of items contains one of `names`, or all.
pub(super) fn chosen(names: &[String]) -> Vec<Case> {
    let name = |case: &Case| format!("{} {}", case.list, case.items);
    let wanted = |case: &Case| names.iter().any(|wanted| name(case).contains(wanted.as_str()));
    ALL.into_iter().filter(|case| names.is_empty() || wanted(case)).collect()
}
