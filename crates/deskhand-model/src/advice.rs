//! Advice on what to do next, independent of how a caller is addressed.

use std::borrow::Cow;

/// A sentence that tells the caller what to do next.
///
/// It consists of text and of [`Step`]s. A CLI command, a tool name or a flag never stands in the
/// text: it is a step, and each origin of calls spells the steps in its own vocabulary.
///
/// # Examples
///
/// ```
/// use deskhand_model::{Advice, Step};
///
/// let advice = Advice::new().text("try again, or ").step(Step::RaiseTimeout);
/// let spelled = advice.spell(|step| match step {
///     Step::RaiseTimeout => "wait longer".into(),
///     other => format!("{other:?}").into(),
/// });
/// assert_eq!(spelled, "try again, or wait longer");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    parts: Vec<Part>,
}

/// A part of an [`Advice`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text that is the same for all callers.
    Text(Cow<'static, str>),
    /// A step that each origin spells in its own vocabulary.
    Step(Step),
}

/// Something that the caller can do or use.
///
/// Steps that are a tool, a server option or an argument are spelled as a name, so that "run …" or
/// "with …" may stand before them. The others, from [`RaiseTimeout`](Self::RaiseTimeout) on, are
/// spelled as a clause in the imperative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The tool that reads the tree of an app; of the focused app if none is named.
    ReadTree {
        /// The process id of the app.
        pid: Option<u32>,
    },
    /// The tool that lists the attributes and actions of an element.
    ReadAttributes,
    /// The tool that takes a screenshot.
    Screenshot,
    /// The tool that lists the running apps.
    ListApps,
    /// The tool that waits until an app is ready.
    WaitForApp {
        /// The process id of the app.
        pid: u32,
    },
    /// The tool that lists the windows.
    ListWindows,
    /// The tool that shows the state of a window.
    WindowState,
    /// The tool that restores a minimized or maximized window.
    RestoreWindow {
        /// The window, if it is known.
        id: Option<u64>,
    },
    /// The tool that reads the clipboard.
    ReadClipboard,
    /// The tool that clicks an element.
    Click,
    /// The tool that types text.
    TypeText,
    /// The tool that presses keys.
    PressKey,
    /// The tool that clicks at a point of the screen.
    ClickPoint,
    /// The tools that choose an item of a list or a combo box.
    ChooseItem,
    /// The tool that checks if this system is set up correctly.
    Check,
    /// The list of all tools.
    ListTools,
    /// The description of the arguments of a tool.
    ToolHelp {
        /// The name of the tool, or the words of its command.
        tool: String,
    },
    /// The mode of an action that brings the window to the front.
    FocusMode,
    /// The mode of an action that leaves focus, pointer and windows unchanged.
    BackgroundMode,
    /// The argument that includes invisible elements and text.
    IncludeInvisible,
    /// An argument of the tool that was called, such as `scaling_factor`.
    Argument(&'static str),
    /// Give the call more time.
    RaiseTimeout,
    /// Name one of several windows.
    NameWindow,
    /// Look up the displays.
    ListDisplays,
    /// Move and resize a window.
    PlaceWindow,
    /// Start a program.
    StartProgram,
    /// Open the page of the system settings on which permissions are granted.
    OpenPermissionSettings,
    /// Resume after a halt, which only the user can do.
    Resume,
    /// End a program of Deskhand that hangs, which only the user can do.
    EndHangingProgram,
    /// Remove all stored approvals.
    RevokeApprovals,
    /// Start the server with a folder to which commands are confined.
    SetSandboxScope,
    /// Start the server with commands enabled.
    EnableCommands,
    /// Run commands without a sandbox.
    DisableSandbox,
    /// Look up the configured MCP servers.
    ListServers,
    /// Log in to an MCP server.
    LogIn {
        /// The name of the server.
        server: String,
    },
    /// Start a private desktop.
    StartDesktop,
    /// Stop a private desktop.
    StopDesktop {
        /// The name of the desktop.
        name: String,
    },
}

impl Advice {
    /// Creates empty advice.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends text.
    #[must_use]
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        let text = text.into();
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            last.to_mut().push_str(&text);
        } else if !text.is_empty() {
            self.parts.push(Part::Text(text));
        }
        self
    }

    /// Appends a step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.parts.push(Part::Step(step));
        self
    }

    /// Appends other advice.
    #[must_use]
    pub fn then(self, other: Self) -> Self {
        other.parts.into_iter().fold(self, |advice, part| match part {
            Part::Text(text) => advice.text(text),
            Part::Step(step) => advice.step(step),
        })
    }

    /// Returns the parts in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the sentence, with each step as `spell_step` spells it.
    pub fn spell(&self, spell_step: impl Fn(&Step) -> Cow<'static, str>) -> String {
        let spell_part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Step(step) => spell_step(step),
        };
        self.parts.iter().map(spell_part).collect()
    }
}

impl From<&'static str> for Advice {
    fn from(text: &'static str) -> Self {
        Self::new().text(text)
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_spelled_between_the_texts() {
        let advice = Advice::from("run ").step(Step::Check).text(", or use ");
        let advice = advice.step(Step::Argument("format")).text(" png");
        let spelled = advice.spell(|step| format!("<{step:?}>").into());
        assert_eq!(spelled, "run <Check>, or use <Argument(\"format\")> png");
    }

    #[test]
    fn equal_sentences_are_equal_however_they_were_built() {
        assert_eq!(Advice::from("a ").text("b"), Advice::new().text("").text("a b"));
        assert_eq!(Advice::new().text("").parts(), []);
    }
}
