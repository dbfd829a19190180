//! The data files of the referee, `tests/soak/unseen/*.toml`: one app with its steps each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

/// The smallest number of steps that makes an app worth measuring.
pub(crate) const MIN_STEPS: usize = 10;

/// An app, the files it starts with, and the steps that are performed in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppScript {
    /// The name in tables and for `--app`.
    pub(crate) name: String,
    /// The toolkit, for `--group`.
    pub(crate) toolkit: String,
    /// The shell command that starts the app in its home folder.
    pub(crate) start: String,
    /// The app's name for Deskhand (default: `name`).
    app: Option<String>,
    /// A regular expression for the title of the window that must open before the first step.
    pub(crate) window: String,
    /// Files in the home folder, by their relative path.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Environment variables of the app. `~/` at the start of a value means the home folder.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// A shell command that prepares the home folder before the app starts.
    pub(crate) prepare: Option<String>,
    /// A shell command that runs once the window is open, for example to close a first-run dialog.
    pub(crate) ready: Option<String>,
    /// The steps, in order.
    #[serde(rename = "step")]
    pub(crate) steps: Vec<ScriptStep>,
}

/// One command and what must be true after it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptStep {
    /// The command line of Deskhand, without the options for app and format.
    #[serde(rename = "do")]
    pub(crate) command: String,
    /// The kind of outcome that the app allows.
    #[serde(default)]
    pub(crate) expect: Expected,
    /// Facts that must all be true afterwards.
    pub(crate) oracle: Vec<OracleSpec>,
    /// Facts without which the step makes no sense, for example an open dialog.
    #[serde(default)]
    pub(crate) needs: Vec<OracleSpec>,
    /// A shell command that reaches the same state without Deskhand, so that later steps can run.
    pub(crate) repair: Option<String>,
}

/// The kind of outcome that an app allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expected {
    /// The step has an effect: its oracle is false before and true afterwards.
    #[default]
    Effect,
    /// The app does not do what the step asks for. The oracle describes what stays true.
    Nothing,
    /// Deskhand must not send anything. The oracle describes what stays true.
    Refused,
}

/// A fact about the desktop that is read without Deskhand. Exactly one source is given.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OracleSpec {
    /// A file in the home folder.
    pub(crate) file: Option<String>,
    /// A shell command; its standard output is compared.
    pub(crate) run: Option<String>,
    /// A regular expression that the title of a window matches.
    pub(crate) window: Option<String>,
    /// A regular expression that no window's title matches.
    pub(crate) no_window: Option<String>,
    /// A regular expression that a line of the independent reader matches.
    pub(crate) tree: Option<String>,
    /// A regular expression that no line of the independent reader matches.
    pub(crate) no_tree: Option<String>,
    /// A region of the screen: `x,y,width,height`, or a regular expression for a window's title.
    pub(crate) picture: Option<String>,
    /// A regular expression that the content of a file or the output of a command matches.
    pub(crate) has: Option<String>,
    /// A regular expression that the content does not match.
    pub(crate) lacks: Option<String>,
    /// The content, without surrounding white space.
    pub(crate) is: Option<String>,
    /// The content or picture differs from the one before the step, or is the same.
    pub(crate) changed: Option<bool>,
    /// The file exists, or does not.
    pub(crate) exists: Option<bool>,
}

impl AppScript {
    /// Returns the app's name for Deskhand.
    pub(crate) fn app(&self) -> &str {
        self.app.as_deref().unwrap_or(&self.name)
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.steps.len() < MIN_STEPS {
            problems.push(format!("{} steps, {MIN_STEPS} are required", self.steps.len()));
        }
        if let Err(error) = Regex::new(&self.window) {
            problems.push(error.to_string());
        }
        for step in &self.steps {
            if shlex::split(&step.command).is_none_or(|words| words.is_empty()) {
                problems.push(format!("`{}` is not a command line", step.command));
            }
            if step.oracle.is_empty() {
                problems.push(format!("`{}` has no oracle", step.command));
            }
            let specs = step.oracle.iter().chain(&step.needs);
            problems.extend(
                specs
                    .filter_map(OracleSpec::problem)
                    .map(|problem| format!("`{}`: {problem}", step.command)),
            );
        }
        problems
    }
}

impl OracleSpec {
    /// Returns what is wrong with the fact, or `None`.
    fn problem(&self) -> Option<String> {
        let expressions =
            [&self.window, &self.no_window, &self.tree, &self.no_tree, &self.has, &self.lacks];
        if let Some(error) =
            expressions.into_iter().flatten().find_map(|text| Regex::new(text).err())
        {
            return Some(error.to_string());
        }
        let content = self.file.is_some() || self.run.is_some();
        let sources = [
            content,
            self.window.is_some(),
            self.no_window.is_some(),
            self.tree.is_some(),
            self.no_tree.is_some(),
            self.picture.is_some(),
        ];
        if sources.into_iter().filter(|one| *one).count() != 1 {
            return Some("an oracle has exactly one source".to_owned());
        }
        let matchers = self.has.is_some()
            || self.lacks.is_some()
            || self.is.is_some()
            || self.exists.is_some();
        let compares = self.changed.is_some();
        let fits = if content { matchers || compares } else { !matchers };
        let fits = fits && (self.picture.is_none() || compares);
        (!fits).then(|| "this comparison cannot be used with this source".to_owned())
    }
}

/// Returns the folder of the data files.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("unseen")
}

/// Reads all data files, sorted by toolkit and name.
pub(crate) fn load() -> Result<Vec<AppScript>, String> {
    let entries = std::fs::read_dir(folder()).map_err(|error| error.to_string())?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let mut scripts = Vec::new();
    for path in paths {
        let name = path.display();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let script: AppScript =
            toml_edit::de::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
        if let Some(problem) = script.problems().first() {
            return Err(format!("{name}: {problem}"));
        }
        scripts.push(script);
    }
    scripts.sort_by(|a, b| (&a.toolkit, &a.name).cmp(&(&b.toolkit, &b.name)));
    Ok(scripts)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_data_file_is_valid() {
        let scripts = load().unwrap();
        let names: BTreeSet<_> = scripts.iter().map(|script| &script.name).collect();
        assert_eq!(names.len(), scripts.len(), "two files have the same name");
    }

    #[test]
    fn an_oracle_without_a_comparison_is_refused() {
        let file = OracleSpec { file: Some("a".to_owned()), ..OracleSpec::default() };
        assert!(file.problem().is_some());
        let compared = OracleSpec { changed: Some(true), ..file };
        assert_eq!(compared.problem(), None);
        let two = OracleSpec { tree: Some("b".to_owned()), ..compared };
        assert!(two.problem().is_some());
    }

    #[test]
    fn a_tree_line_needs_no_comparison() {
        let tree = OracleSpec { tree: Some("check box".to_owned()), ..OracleSpec::default() };
        assert_eq!(tree.problem(), None);
        assert!(OracleSpec { has: Some("x".to_owned()), ..tree }.problem().is_some());
    }
}
