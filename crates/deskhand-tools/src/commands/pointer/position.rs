//! `pointer position`: shows the pointer position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledLine, StyledText, Tool, ToolSpec,
    verbs::input::pointer,
};

pub(crate) struct PointerPositionCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// The pointer position.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PointerPosition {
    /// Pixels from the left edge of the main display.
    x: i32,
    /// Pixels from the top edge of the main display.
    y: i32,
    /// The frontmost window at that point.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
}

impl Render for PointerPosition {
    fn render(&self) -> StyledText {
        let line = StyledLine::new().with(Style::Value, format!("{},{}", self.x, self.y));
        StyledText::default()
            .line(line.with(Style::Plain, self.over.as_deref().unwrap_or_default()))
    }
}

impl Tool for PointerPositionCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_position",
        command: "pointer position",
        about: "Show the pointer position and the window below it.",
        effect: Effect::Observe,
        needs: &[Requirement::Input],
    };
    type Args = Args;
    type Output = PointerPosition;

    fn run(cx: &Context<'_>, Args {}: Args) -> Result<PointerPosition> {
        let location = pointer::location(cx)?;
        let (x, y) = location.point;
        Ok(PointerPosition { x, y, over: location.window })
    }
}
