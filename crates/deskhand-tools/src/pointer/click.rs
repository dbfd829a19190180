//! `pointer click`: click at a point.

use std::time::Duration;

use deskhand_platform::Key;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Button;
use crate::{
    Context, Effect, Int, Need, Result, Spec, Tool,
    verbs::{
        act::by_hand,
        effect::Done,
        keys,
        point::{self, Factor, Units},
    },
};

/// How long the pointer rests before the button goes down: some toolkits must have seen it come.
const REST: Duration = Duration::from_millis(15);

/// The time between the clicks of a double click.
const BETWEEN: Duration = Duration::from_millis(20);

pub(crate) struct Click;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// How far right, in pixels from the left edge of the main display.
    x: f64,
    /// How far down, in pixels from the top edge of the main display.
    y: f64,
    /// How many clicks: 2 is a double click; 1 when absent.
    count: Option<Int<1, 3>>,
    /// Which button; the left one when absent.
    #[serde(default)]
    button: Button,
    /// Keys to hold down meanwhile: `ctrl`, `shift`, `alt`, `altgr`, `super`.
    #[serde(default)]
    modifiers: Vec<String>,
    /// Count x and y in the pixels of this screenshot, by its id.
    screenshot: Option<String>,
    /// Divide x and y by this first.
    scaling_factor: Option<Factor>,
}

impl Tool for Click {
    const SPEC: Spec = Spec {
        name: "pointer_click",
        command: "pointer click",
        about: "Click at a point on the screen, whatever lies there. `click` presses an element and \
                knows more of what came of it.",
        effect: Effect::Act { repeatable: false },
        needs: &[Need::Input, Need::Screen],
    };
    type Args = Args;
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let held: Vec<Key> =
            args.modifiers.iter().map(|word| keys::modifier(word)).collect::<Result<_>>()?;
        let units = Units { screenshot: args.screenshot.as_deref(), factor: args.scaling_factor };
        let to = point::meant(cx, args.x, args.y, units)?;
        let (input, by) = (by_hand::input(cx)?, point::deadline(Duration::ZERO));
        let target = point::under(cx, to);
        input.move_to(to.0, to.1, by).map_err(by_hand::lost)?;
        std::thread::sleep(REST);
        let button = args.button.real();
        point::while_down(input, &held, None, by, || {
            for click in 0..args.count.map_or(1, Int::count) {
                if click > 0 {
                    std::thread::sleep(BETWEEN);
                }
                point::while_down(input, &[], Some(button), by, || Ok(()))?;
            }
            Ok(())
        })?;
        let way = format!("pointer, {} button", args.button.word());
        let mut done = point::sent_to(cx, &way, to);
        done.target = target;
        Ok(done)
    }
}
