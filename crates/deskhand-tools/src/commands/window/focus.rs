//! `window focus`: gives a window the keyboard focus.

use deskhand_model::Window;
use deskhand_platform::Arrange;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::{
        effect::{Done, Evidence, Sign, Verdict},
        windows::{self, Prefer, SOON, label},
    },
};

pub(crate) struct WindowFocusCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

impl Tool for WindowFocusCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_focus",
        command: "window focus",
        about: "Raise a window and give it the keyboard focus. Restores a minimized window.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
        let had = focused(&windows::list(cx)?.list(cx.by)?);
        let changed = windows::change(cx, &window, Arrange::Focus, SOON, |all| {
            Ok(all.iter().any(|one| one.id == window.id && one.focused && !one.minimized))
        })?;
        changed.present(&window)?;
        let has = changed.all.iter().find(|one| one.focused);
        let seen = Evidence::change(Sign::Focus, "keyboard", had, focused(&changed.all));
        let mut done = changed.answer(&window, seen);
        if window.minimized && changed.after.as_ref().is_some_and(|after| !after.minimized) {
            done.evidence.push(Evidence::change(Sign::State, "minimized", "yes", "no"));
        }
        if changed.there {
            return Ok(done);
        }
        // A dialog that blocks its app takes the keyboard in its place.
        match has.filter(|has| has.pid == window.pid && has.id != window.id) {
            Some(other) => {
                done.effect = Verdict::Partial;
                Ok(done
                    .or_else(format!("{} of the same app took the focus: answer it", label(other))))
            }
            None => Ok(done.or_else("the window manager refused; click into the window instead")),
        }
    }
}

fn focused(all: &[Window]) -> String {
    all.iter().find(|window| window.focused).map_or_else(|| "no window".to_owned(), label)
}
