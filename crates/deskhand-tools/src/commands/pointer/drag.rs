//! `pointer drag`: presses at one point, moves, and releases at another.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Button, Millis, time};
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        act::{
            real_input,
            risk::{self, ActionDecision},
        },
        effect::{Evidence, EvidenceKind},
        input::keys,
        input::pointer::{self, CoordinateUnits, ScaleFactor},
        windows,
    },
};

/// Time the pointer rests at both ends; drop targets need it.
const REST: Duration = Duration::from_millis(60);

pub(crate) struct PointerDragCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Start: pixels from the left edge of the main display.
    x1: f64,
    /// Start: pixels from the top edge of the main display.
    y1: f64,
    /// End: pixels from the left edge of the main display.
    x2: f64,
    /// End: pixels from the top edge of the main display.
    y2: f64,
    /// Duration of the movement in milliseconds (default: 500).
    duration_ms: Option<Millis>,
    /// The button (default: left).
    #[serde(default)]
    button: Button,
    /// Modifiers to hold: `ctrl`, `shift`, `alt`, `altgr`, `super`.
    #[serde(default)]
    modifiers: Vec<String>,
    /// Interpret all four as pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide all four by this factor first.
    scaling_factor: Option<ScaleFactor>,
}

impl Tool for PointerDragCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "pointer_drag",
        command: "pointer drag",
        about: "Drag with the pointer from one point on the screen to another.",
        effect: Effect::Act { repeatable: false },
        needs: &[Requirement::Input, Requirement::Screen],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let held = keys::parse_modifiers(&args.modifiers)?;
        let units =
            CoordinateUnits { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let from = pointer::resolve_point(cx, args.x1, args.y1, units)?;
        let to = pointer::resolve_point(cx, args.x2, args.y2, units)?;
        let answered;
        let ends = |cx: &Context<'_>| {
            let at = |point| risk::risky_element_at(cx, point);
            Ok([from, to].into_iter().filter_map(at).collect())
        };
        let cx = match risk::check_drag(cx, ends)? {
            ActionDecision::Allowed => cx,
            ActionDecision::Approved => {
                answered = risk::with_new_deadline(cx);
                &answered
            }
            ActionDecision::Refused(done) => return Ok((*done).into()),
        };
        let way = time(args.duration_ms, 500);
        let (input, by) = (real_input::input(cx)?, pointer::input_deadline(way));
        let target = pointer::window_at(cx, from);
        input.move_pointer(from.0, from.1, by).map_err(real_input::input_error)?;
        std::thread::sleep(REST);
        pointer::with_pressed(input, &held, Some(args.button.real()), by, || {
            std::thread::sleep(REST);
            pointer::move_along(input, from, to, way, by)?;
            std::thread::sleep(REST);
            Ok(())
        })?;
        let at = input.pointer_position(by).map_err(windows::sent_error)?;
        let seen = Evidence::change(
            EvidenceKind::Pointer,
            "pointer",
            pointer::format_point(from),
            pointer::format_point(at),
        );
        let mut done = pointer::unverified_at(cx, "pointer", to);
        (done.evidence, done.target) = (vec![seen], target);
        Ok(done.into())
    }
}
