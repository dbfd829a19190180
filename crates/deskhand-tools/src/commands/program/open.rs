//! `open`: starts a program and waits until it is ready.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledLine, StyledText, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::programs::{self, StartMode},
};

pub(crate) struct OpenCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The program: a name as shown in menus, a desktop-file id, a program on the search path, or
    /// the path of a program or .desktop file.
    name: String,
    /// Arguments of the program, such as files to open.
    #[serde(default)]
    #[schemars(extend("x-trailing" = true))]
    arguments: Vec<String>,
    /// Start the program without waiting for its window.
    #[serde(default)]
    no_wait: bool,
}

/// The result of starting a program.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OpenResult {
    #[serde(flatten)]
    done: CommandOutcome,
    /// Name of the app; pass it as `app`.
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Process id of the app, or of the started process.
    pid: u32,
    /// Window id.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u64>,
    /// `true` if its tree can be read.
    tree: bool,
    /// Arguments that were added to enable accessibility or to make the program run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added: Vec<String>,
}

impl Render for OpenResult {
    fn render(&self) -> StyledText {
        let page = self.done.render();
        if self.added.is_empty() {
            return page;
        }
        let words = format!("started with {}", self.added.join(" "));
        page.line(StyledLine { indent: 1, spans: Vec::new() }.with(Style::Faint, words))
    }

    fn succeeded(&self) -> bool {
        self.done.succeeded()
    }
}

impl Tool for OpenCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "open",
        command: "open",
        about: "Start a program and wait until its window is open and its tree is readable. \
                Reports the reason if that does not happen.",
        effect: Effect::Execute,
        needs: &[Requirement::Tree, Requirement::Programs],
    };
    type Args = Args;
    type Output = OpenResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<OpenResult> {
        let mode = if args.no_wait { StartMode::Detach } else { StartMode::WaitUntilReady };
        let started = programs::start(cx, &args.name, &args.arguments, mode)?;
        Ok(OpenResult {
            done: started.outcome.into(),
            app: started.app,
            pid: started.pid,
            window: started.window,
            tree: started.has_tree,
            added: started.added_arguments,
        })
    }
}
