//! `display list`, `display get` and `display cursor`: show the displays and the pointer position.

use deskhand_model::Rect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Render, Requirement, Result, Style, StyledLine, StyledText, Tool, ToolSpec,
    styled_text::{StyledSpan, span},
    verbs::displays::{self, DisplayInfo},
};

pub(crate) struct DisplayListCommand;
pub(crate) struct DisplayGetCommand;
pub(crate) struct DisplayCursorCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArguments {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisplayArgs {
    /// The display: its number from `display list`, or its name.
    display: String,
}

/// One display.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DisplayRow {
    /// Number, counted from 1; the main display is 1.
    number: usize,
    /// Name of its connector.
    name: String,
    /// Frame in global pixels; the main display starts at 0,0.
    frame: Rect,
    /// The part of the frame that panels leave free.
    visible: Rect,
    /// Scale factor of the display.
    scale: f64,
    /// `true` for the main display.
    main: bool,
}

impl From<DisplayInfo> for DisplayRow {
    fn from(DisplayInfo { number, display }: DisplayInfo) -> Self {
        Self {
            number,
            name: display.name,
            frame: display.frame,
            visible: display.work_area,
            scale: display.scale,
            main: display.main,
        }
    }
}

impl DisplayRow {
    fn row(&self) -> Vec<StyledSpan> {
        let place = |r: Rect| format!("{},{} {}x{}", r.x, r.y, r.width, r.height);
        vec![
            span(Style::Handle, self.number.to_string()),
            span(Style::Strong, &self.name),
            span(Style::Plain, place(self.frame)),
            span(Style::Plain, place(self.visible)),
            span(Style::Plain, self.scale.to_string()),
            span(Style::Value, if self.main { "main" } else { "" }),
        ]
    }
}

fn table(displays: &[DisplayRow]) -> StyledText {
    let titles = vec!["DISPLAY", "NAME", "FRAME", "VISIBLE", "SCALE", "STATE"];
    StyledText::default().table(titles, displays.iter().map(DisplayRow::row).collect())
}

/// The displays, main display first.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct DisplayList(Vec<DisplayRow>);

impl Render for DisplayList {
    fn render(&self) -> StyledText {
        table(&self.0)
    }
}

impl Render for DisplayRow {
    fn render(&self) -> StyledText {
        table(std::slice::from_ref(self))
    }
}

/// The pointer position.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CursorPosition {
    /// Pixels from the left edge of the main display.
    x: i32,
    /// Pixels from the top edge of the main display.
    y: i32,
    /// The display that contains the pointer, if any.
    display: Option<DisplayRow>,
}

impl Render for CursorPosition {
    fn render(&self) -> StyledText {
        let on = match &self.display {
            Some(display) => format!("on display {} ({})", display.number, display.name),
            None => "on no display".to_owned(),
        };
        let at = format!("{},{}", self.x, self.y);
        StyledText::default().line(StyledLine::new().with(Style::Value, at).with(Style::Plain, on))
    }
}

impl Tool for DisplayListCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "display_list",
        command: "display list",
        about: "List the displays: frame, visible area, scale, which is the main one.",
        effect: Effect::Observe,
        needs: &[Requirement::Screen],
    };
    type Args = NoArguments;
    type Output = DisplayList;

    fn run(cx: &Context<'_>, NoArguments {}: NoArguments) -> Result<DisplayList> {
        Ok(DisplayList(displays::list(cx)?.into_iter().map(DisplayRow::from).collect()))
    }
}

impl Tool for DisplayGetCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "display_get",
        command: "display get",
        about: "Show one display: frame, visible area, scale.",
        effect: Effect::Observe,
        needs: &[Requirement::Screen],
    };
    type Args = DisplayArgs;
    type Output = DisplayRow;

    fn run(cx: &Context<'_>, args: DisplayArgs) -> Result<DisplayRow> {
        displays::get(cx, &args.display).map(DisplayRow::from)
    }
}

impl Tool for DisplayCursorCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "display_cursor",
        command: "display cursor",
        about: "Show the pointer position and its display.",
        effect: Effect::Observe,
        needs: &[Requirement::Screen],
    };
    type Args = NoArguments;
    type Output = CursorPosition;

    fn run(cx: &Context<'_>, NoArguments {}: NoArguments) -> Result<CursorPosition> {
        let at = displays::pointer(cx)?;
        Ok(CursorPosition { x: at.x, y: at.y, display: at.display.map(DisplayRow::from) })
    }
}
