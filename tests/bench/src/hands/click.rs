//! One app on a desktop of its own, and the element that is clicked in it.

use std::time::Duration;

use harness::{App, Program, Seen, Stage, Tree};

use super::figures::{ClickRow, Clicks};
use crate::error::{Error, Result};

/// How long all clicks on one element may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Where an independent reader sees what a click did.
#[derive(Debug, Clone, Copy)]
enum Shows {
    /// In the states of the element itself.
    Itself,
    /// In the text of another element.
    Text(fn(&Seen) -> bool),
    /// In the name of another element.
    Name(fn(&Seen) -> bool),
    /// In the title of the window.
    Title,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// What it is called in the table.
    pub(crate) name: &'static str,
    /// What is clicked, in words.
    what: &'static str,
    app: App,
    element: fn(&Seen) -> bool,
    shows: Shows,
    /// A query for what empties a display that fills up.
    clear: Option<&'static str>,
}

const ALL: [Target; 6] = [
    Target {
        name: "gtk3-widget-factory",
        what: "GTK 3 check box",
        app: App::Gtk3WidgetFactory,
        element: |one| one.kind == "checkbox" && one.is("enabled") && !one.is("mixed"),
        shows: Shows::Itself,
        clear: None,
    },
    Target {
        name: "gnome-calculator",
        what: "GTK 4 button `7`",
        app: App::GnomeCalculator,
        element: |one| one.kind == "button" && one.title == "7",
        shows: Shows::Text(|one| one.kind == "text" && one.is("editable")),
        clear: Some("Clear Display"),
    },
    Target {
        name: "kcalc",
        what: "Qt 5 button `7`",
        app: App::Kcalc,
        element: |one| one.kind == "button" && one.title == "7",
        shows: Shows::Name(|one| one.kind == "window" && one.title == "0"),
        clear: Some("role:button title:AC"),
    },
    Target {
        name: "designer",
        what: "Qt 6 check box",
        app: App::Designer,
        element: |one| one.title == "Show this Dialog on Startup",
        shows: Shows::Itself,
        clear: None,
    },
    Target {
        name: "chromium",
        what: "button of a page",
        app: App::Chromium("button.html"),
        element: |one| one.kind == "button" && one.title == "Press",
        shows: Shows::Title,
        clear: None,
    },
    Target {
        name: "firefox",
        what: "button of a page",
        app: App::Firefox("button.html"),
        element: |one| one.kind == "button" && one.title == "Press",
        shows: Shows::Title,
        clear: None,
    },
];

/// The rows whose name contains one of these; all when none is given.
pub(crate) fn chosen(names: &[String]) -> Vec<Target> {
    let wanted = |target: &Target| names.iter().any(|name| target.name.contains(name.as_str()));
    ALL.into_iter().filter(|target| names.is_empty() || wanted(target)).collect()
}

impl Target {
    /// Starts the app and has everyone click, so many times each.
    pub(crate) fn measure(&self, repeat: usize) -> Result<ClickRow> {
        let stage = Stage::new();
        let program = stage.start(self.app);
        let tree = stage.until(&program, self.name, |tree| {
            tree.find(self.element).is_some_and(|one| one.bounds.is_some())
        });
        let element = tree.find(self.element).ok_or(Error::NoElement(self.what))?;
        let (x, y) = element.bounds.ok_or(Error::NoElement(self.what))?.centre();
        let own = std::env::current_exe().map_err(Error::system("this program"))?;
        let mut command = stage.command(own);
        command.args(["clicks", "--pid", &program.pid_text(), "--element", &element.reference]);
        command.args(["--x", &x.to_string(), "--y", &y.to_string()]);
        command.args(["--repeat", &repeat.to_string()]);
        if let Some(query) = self.clear {
            let words = ["find", query, "--app", &program.pid_text(), "--format", "json"];
            let found = stage.deskhand(&words).json();
            command.args(["--clear", found["element_ref"].as_str().unwrap_or_default()]);
        }
        command.args(self.witness(&stage, &program, &tree, element)?);
        // Ended with its whole process group when dropped.
        let part = Program::start(&mut command);
        let line = part.line(PATIENCE).ok_or(Error::NoElement(self.what))?;
        let clicks: Clicks = serde_json::from_str(&line)?;
        Ok(ClickRow { name: self.name.to_owned(), what: self.what.to_owned(), clicks })
    }

    /// The words that tell the witness where to look.
    fn witness(
        &self,
        stage: &Stage,
        program: &Program,
        tree: &Tree,
        element: &Seen,
    ) -> Result<Vec<String>> {
        let other = |fits: fn(&Seen) -> bool| tree.find(fits).ok_or(Error::NoElement(self.what));
        let (kind, shown) = match self.shows {
            Shows::Itself => ("state", element),
            Shows::Text(fits) => ("text", other(fits)?),
            Shows::Name(fits) => ("name", other(fits)?),
            Shows::Title => {
                let window = stage.desk().window_of(program.pid());
                return Ok(vec!["title".to_owned(), window.to_string()]);
            }
        };
        // The bus name and the object path, written as one.
        let path = shown.id.find('/').unwrap_or(shown.id.len());
        let (bus, path) = shown.id.split_at(path);
        Ok([kind, bus, path].map(str::to_owned).to_vec())
    }
}
