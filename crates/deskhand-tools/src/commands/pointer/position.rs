//! `pointer position`: shows the pointer position.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Line, Need, Page, Result, Shown, Spec, Style, Tool,
    verbs::{act::by_hand, point},
};

pub(crate) struct Position;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// The pointer position.
#[derive(Serialize, JsonSchema)]
pub(crate) struct At {
    /// Pixels from the left edge of the main display.
    x: i32,
    /// Pixels from the top edge of the main display.
    y: i32,
    /// The frontmost window at that point.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
}

impl Shown for At {
    fn page(&self) -> Page {
        let line = Line::new().with(Style::Value, point::words((self.x, self.y)));
        Page::default().line(line.with(Style::Plain, self.over.as_deref().unwrap_or_default()))
    }
}

impl Tool for Position {
    const SPEC: Spec = Spec {
        name: "pointer_position",
        command: "pointer position",
        about: "Show the pointer position and the window below it.",
        effect: Effect::Observe,
        needs: &[Need::Input],
    };
    type Args = Args;
    type Output = At;

    fn run(cx: &Context<'_>, Args {}: Args) -> Result<At> {
        let (x, y) = by_hand::input(cx)?.pointer(cx.by)?;
        Ok(At { x, y, over: point::under(cx, (x, y)) })
    }
}
