//! The apps and elements that are clicked.

use harness::{App, Element, Program, TestDesktop, Tree};

use super::figures::{ClickRow, Clicks};
use crate::error::{Error, Result};
use crate::timing::CLICKS_TIMEOUT;

/// The place where the effect of a click is visible.
#[derive(Debug, Clone, Copy)]
enum EffectIn {
    /// The states of the element itself.
    OwnStates,
    /// The text of another element.
    Text(fn(&Element) -> bool),
    /// The name of another element.
    Name(fn(&Element) -> bool),
    /// The title of the window.
    Title,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// The name in the table.
    pub(crate) name: &'static str,
    /// A description of the element.
    what: &'static str,
    app: App,
    element: fn(&Element) -> bool,
    effect_in: EffectIn,
    /// A query for the button that clears a full display.
    clear: Option<&'static str>,
}

const TARGETS: [Target; 6] = [
    Target {
        name: "gtk3-widget-factory",
        what: "GTK 3 check box",
        app: App::Gtk3WidgetFactory,
        element: |one| one.kind == "checkbox" && one.is("enabled") && !one.is("mixed"),
        effect_in: EffectIn::OwnStates,
        clear: None,
    },
    Target {
        name: "gnome-calculator",
        what: "GTK 4 button `7`",
        app: App::GnomeCalculator,
        element: |one| one.kind == "button" && one.title == "7",
        effect_in: EffectIn::Text(|one| one.kind == "text" && one.is("editable")),
        clear: Some("Clear Display"),
    },
    Target {
        name: "kcalc",
        what: "Qt 5 button `7`",
        app: App::Kcalc,
        element: |one| one.kind == "button" && one.title == "7",
        effect_in: EffectIn::Name(|one| one.kind == "window" && one.title == "0"),
        clear: Some("role:button title:AC"),
    },
    Target {
        name: "designer",
        what: "Qt 6 check box",
        app: App::Designer,
        element: |one| one.title == "Show this Dialog on Startup",
        effect_in: EffectIn::OwnStates,
        clear: None,
    },
    Target {
        name: "chromium",
        what: "button on a page",
        app: App::Chromium("button.html"),
        element: |one| one.kind == "button" && one.title == "Press",
        effect_in: EffectIn::Title,
        clear: None,
    },
    Target {
        name: "firefox",
        what: "button on a page",
        app: App::Firefox("button.html"),
        element: |one| one.kind == "button" && one.title == "Press",
        effect_in: EffectIn::Title,
        clear: None,
    },
];

/// Returns the entries whose name contains one of `names`, or all entries if `names` is empty.
pub(crate) fn chosen(names: &[String]) -> Vec<Target> {
    let wanted = |target: &Target| names.iter().any(|name| target.name.contains(name.as_str()));
    TARGETS.into_iter().filter(|target| names.is_empty() || wanted(target)).collect()
}

impl Target {
    /// Starts the app and measures `repeat` clicks with each tool.
    pub(crate) fn measure(&self, repeat: usize) -> Result<ClickRow> {
        let desktop = TestDesktop::new();
        let program = desktop.start(self.app);
        let tree = desktop.until(&program, self.name, |tree| {
            tree.find(self.element).is_some_and(|one| one.bounds.is_some())
        });
        let element = tree.find(self.element).ok_or(Error::NoElement(self.what))?;
        let (x, y) = element.bounds.ok_or(Error::NoElement(self.what))?.centre();
        let own = std::env::current_exe().map_err(Error::system("this program"))?;
        let mut command = desktop.command(own);
        command.args(["clicks", "--pid", &program.pid_text(), "--element", &element.reference]);
        command.args(["--x", &x.to_string(), "--y", &y.to_string()]);
        command.args(["--repeat", &repeat.to_string()]);
        if let Some(query) = self.clear {
            let words = ["find", query, "--app", &program.pid_text(), "--format", "json"];
            let found = desktop.deskhand(&words).json();
            command.args(["--clear", found["element_ref"].as_str().unwrap_or_default()]);
        }
        command.args(self.observer_arguments(&desktop, &program, &tree, element)?);
        // Dropping the program kills its process group.
        let process = Program::start(&mut command);
        let line = process.next_line(CLICKS_TIMEOUT).ok_or(Error::NoElement(self.what))?;
        let clicks: Clicks = serde_json::from_str(&line)?;
        Ok(ClickRow { name: self.name.to_owned(), what: self.what.to_owned(), clicks })
    }

    /// Returns the arguments for the observer script.
    fn observer_arguments(
        &self,
        desktop: &TestDesktop,
        program: &Program,
        tree: &Tree,
        element: &Element,
    ) -> Result<Vec<String>> {
        let other = |predicate: fn(&Element) -> bool| {
            tree.find(predicate).ok_or(Error::NoElement(self.what))
        };
        let (kind, shown) = match self.effect_in {
            EffectIn::OwnStates => ("state", element),
            EffectIn::Text(predicate) => ("text", other(predicate)?),
            EffectIn::Name(predicate) => ("name", other(predicate)?),
            EffectIn::Title => {
                let window = desktop.window_inspector().window_of(program.pid());
                return Ok(vec!["title".to_owned(), window.to_string()]);
            }
        };
        // An element id is the bus name followed by the object path.
        let path = shown.id.find('/').unwrap_or(shown.id.len());
        let (bus, path) = shown.id.split_at(path);
        Ok([kind, bus, path].map(str::to_owned).to_vec())
    }
}
