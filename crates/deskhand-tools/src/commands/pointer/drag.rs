//! `pointer drag`: presses at one point, moves, and releases at another.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Button, Millis, time};
use crate::{
    Context, Effect, Requirement, Result, Tool, ToolSpec,
    verbs::{
        act::{
            by_hand,
            caution::{self, Leave},
        },
        effect::{Done, Evidence, Sign},
        keys,
        point::{self, Factor, Units},
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
    scaling_factor: Option<Factor>,
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let held = keys::modifiers(&args.modifiers)?;
        let units = Units { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let from = point::meant(cx, args.x1, args.y1, units)?;
        let to = point::meant(cx, args.x2, args.y2, units)?;
        let answered;
        let ends = |cx: &Context<'_>| {
            let at = |point| caution::under_the_pointer(cx, point);
            Ok([from, to].into_iter().filter_map(at).collect())
        };
        let cx = match caution::before_drag(cx, ends)? {
            Leave::Free => cx,
            Leave::Given => {
                answered = caution::later(cx);
                &answered
            }
            Leave::Refused(done) => return Ok(*done),
        };
        let way = time(args.duration_ms, 500);
        let (input, by) = (by_hand::input(cx)?, point::deadline(way));
        let target = point::under(cx, from);
        input.move_to(from.0, from.1, by).map_err(by_hand::lost)?;
        std::thread::sleep(REST);
        point::while_down(input, &held, Some(args.button.real()), by, || {
            std::thread::sleep(REST);
            point::travel(input, from, to, way, by)?;
            std::thread::sleep(REST);
            Ok(())
        })?;
        let at = input.pointer(by).map_err(windows::sent)?;
        let seen = Evidence::change(Sign::Pointer, "pointer", point::words(from), point::words(at));
        let mut done = point::sent_to(cx, "pointer", to);
        (done.evidence, done.target) = (vec![seen], target);
        Ok(done)
    }
}
