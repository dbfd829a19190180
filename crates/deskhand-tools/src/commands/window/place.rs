//! `window move` and `window resize`: set position and size of a window's frame.

use schemars::JsonSchema;
use serde::Deserialize;

use super::shown_window;
use crate::{
    Context, Effect, Int, Requirement, Result, Tool, ToolSpec, commands::CommandOutcome,
    verbs::windows,
};

pub(crate) struct WindowMoveCommand;
pub(crate) struct WindowResizeCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveArgs {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Left edge of the frame, in pixels from the left edge of the main display; may be negative.
    x: Int<-32_768, 32_767>,
    /// Top edge of the frame, in pixels from the top edge of the main display; may be negative.
    y: Int<-32_768, 32_767>,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResizeArgs {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Width of the frame in pixels.
    width: Int<1, 32_767>,
    /// Height of the frame in pixels.
    height: Int<1, 32_767>,
    /// Only windows whose title contains this text.
    title: Option<String>,
}

impl Tool for WindowMoveCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_move",
        command: "window move",
        about: "Move the top left corner of a window's frame to a point, and report its actual \
                position.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = MoveArgs;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: MoveArgs) -> Result<CommandOutcome> {
        let window = shown_window(cx, &args.target, args.title.as_deref())?;
        windows::move_to(cx, &window, args.x.pixels(), args.y.pixels()).map(Into::into)
    }
}

impl Tool for WindowResizeCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_resize",
        command: "window resize",
        about: "Resize a window's frame, and report its actual size, which programs and window \
                managers may limit.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Windows],
    };
    type Args = ResizeArgs;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: ResizeArgs) -> Result<CommandOutcome> {
        let window = shown_window(cx, &args.target, args.title.as_deref())?;
        let (width, height) = (args.width.pixels(), args.height.pixels());
        windows::resize(cx, &window, width.cast_unsigned(), height.cast_unsigned()).map(Into::into)
    }
}
