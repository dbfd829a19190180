//! Setting what an element holds, whatever kind of thing that is.

use std::{sync::Arc, time::Duration};

use deskhand_model::{App, Role, State, Value};
use deskhand_platform::{Act, Button, Named};

use super::{
    attempt::{Sent, Way, attempt, perform},
    by_hand::{self, Spot},
    caution::{self, Leave},
    goal::Goal,
    heard::{Ear, listening},
    names, pick, press, sight,
    target::{self, Target, Wants},
    write,
};
use crate::{Context, Error, Result, effect::Done};

/// Sets the value of the one element a query means.
pub fn set(cx: &Context<'_>, app: &App, query: &str, value: &str) -> Result<Done> {
    let (target, ear) = listening(cx, app, || target::ready(cx, app, query, Wants::ACTION))?;
    let attempt = |target, ear, goal: Goal, ways: Vec<Way<'static>>| {
        attempt(cx, target, ear, &goal, &ways, NEXT)
    };
    match kind(&target) {
        Kind::Nothing => Err(Error::Unfit {
            what: target.label(),
            why: "a button holds no value".to_owned(),
            instead: "click it".to_owned(),
        }),
        Kind::Shown => Err(Error::Unfit {
            what: target.label(),
            why: "it shows how far something has come, and takes no value".to_owned(),
            instead: "wait for it".to_owned(),
        }),
        Kind::Switch => {
            let goal = Goal::Switched(yes_or_no(&target, value)?);
            match caution::leave(cx, &target, "Switch")? {
                Leave::Free => {
                    let ways = press::single(&target);
                    attempt(target, ear, goal, ways)
                }
                Leave::Given => {
                    let cx = &caution::later(cx);
                    let again = target::ready(cx, app, &target.reference, Wants::ACTION)?;
                    let ways = press::single(&again);
                    super::attempt::attempt(cx, again, ear, &goal, &ways, NEXT)
                }
                Leave::Refused(done) => Ok(*done),
            }
        }
        Kind::Number => {
            let number = within(&target, value)?;
            let mut ways = vec![Way::tree("value", Act::SetNumber(number))];
            ways.extend(by_steps(&target, number));
            attempt(target, ear, Goal::Counts(number), ways)
        }
        Kind::Choice => pick::choose(cx, target, value),
        Kind::Cell => set_cell(cx, target, ear, value),
        Kind::Text => write::replace(cx, app, query, value),
    }
}

const NEXT: &str = "use --mode focus with `deskhand click` or `deskhand type`";

enum Kind {
    /// On or off.
    Switch,
    Number,
    Choice,
    Cell,
    Text,
    /// A number that is only shown.
    Shown,
    Nothing,
}

fn kind(target: &Target) -> Kind {
    const SWITCHES: &[Role] = &[
        Role::CheckBox,
        Role::CheckMenuItem,
        Role::RadioButton,
        Role::RadioMenuItem,
        Role::ToggleButton,
        Role::Switch,
    ];
    const RANGES: &[Role] =
        &[Role::Slider, Role::SpinButton, Role::ScrollBar, Role::Dial, Role::SplitPane];
    let node = &target.node;
    let is = |roles: &[Role]| roles.contains(&node.role);
    let button = is(&[Role::Button, Role::Link, Role::MenuItem]);
    let turns = [State::Checkable, State::Checked, State::Pressed]
        .iter()
        .any(|state| node.states.has(*state));
    if is(SWITCHES) || (button && turns) {
        Kind::Switch
    } else if button {
        Kind::Nothing
    } else if pick::keeps_choice(node) {
        Kind::Choice
    } else if is(&[Role::Cell]) {
        Kind::Cell
    } else if is(&[Role::ProgressBar, Role::LevelBar]) {
        Kind::Shown
    } else if is(RANGES) || matches!(node.value, Some(Value::Number { .. })) {
        Kind::Number
    } else {
        Kind::Text
    }
}

fn yes_or_no(target: &Target, value: &str) -> Result<bool> {
    match value.trim().to_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "checked" => Ok(true),
        "false" | "off" | "no" | "0" | "unchecked" => Ok(false),
        _ => Err(Error::Unfit {
            what: target.label(),
            why: format!("\"{value}\" is neither on nor off"),
            instead: "give true or false".to_owned(),
        }),
    }
}

fn within(target: &Target, value: &str) -> Result<f64> {
    let unfit =
        |why: String, instead: String| Err(Error::Unfit { what: target.label(), why, instead });
    let range = match target.node.value {
        Some(Value::Number { min, max, .. }) if min < max => Some((min, max)),
        Some(_) | None => None,
    };
    let told =
        range.map_or("a number".to_owned(), |(min, max)| format!("a number from {min} to {max}"));
    let Some(number) = value.trim().parse::<f64>().ok().filter(|number| number.is_finite()) else {
        return unfit(format!("\"{value}\" is not a number"), format!("give {told}"));
    };
    match range {
        Some((min, max)) if number < min || number > max => {
            unfit(format!("{number} is out of range"), format!("give {told}"))
        }
        Some(_) | None => Ok(number),
    }
}

/// No slider is moved by more steps than this.
const MOST_STEPS: f64 = 300.0;

/// Swing takes no value for its sliders and spinners, but has actions that move them a step.
fn by_steps(target: &Target, wanted: f64) -> Option<Way<'static>> {
    let Some(Value::Number { now, step, .. }) = target.node.value else { return None };
    let word = if wanted < now { "decrement" } else { "increment" };
    let action = names::meant(word, &target.node.actions)?;
    // Swing's smallest step is the smallest number there is.
    let step = if step > 1e-9 { step } else { 1.0 };
    let count = ((wanted - now).abs() / step).round();
    (count <= MOST_STEPS).then(|| {
        Way::new(format!("action:{action} {count} times"), move |cx: &Context<'_>, target| {
            let act = Act::Do(action.clone());
            for _ in 1..count as usize {
                if let Sent::Impossible(why) = perform(cx, target, &act)? {
                    return Ok(Sent::Impossible(why));
                }
            }
            perform(cx, target, &act)
        })
    })
}

/// A cell of a sheet takes numbers through its value; anything else is a text, or is typed.
fn set_cell(cx: &Context<'_>, target: Target, ear: Option<Arc<Ear>>, value: &str) -> Result<Done> {
    let number = value.trim().parse::<f64>().ok();
    let mut ways: Vec<Way<'_>> = Vec::new();
    ways.extend(number.map(|number| Way::tree("value", Act::SetNumber(number))));
    ways.push(Way::tree("text", Act::SetText(value.to_owned())));
    ways.push(Way::new("own keyboard", |cx: &Context<'_>, target: &Target| {
        by_hand::aside(cx, target, |keyboard, by| {
            keyboard.write(value, Duration::ZERO, by)?;
            by_hand::strike(Named::Return, by, |key, press, by| keyboard.key(key, press, by))
        })
    }));
    attempt(cx, target, ear, &Goal::Shows(value.to_owned()), &ways, NEXT)
}

/// Opens or closes what an element holds.
pub fn expand(cx: &Context<'_>, app: &App, query: &str, open: bool) -> Result<Done> {
    let (target, ear) = listening(cx, app, || target::ready(cx, app, query, Wants::ACTION))?;
    if open
        && target.node.role == Role::ComboBox
        && let Some(refusal) = press::takes_the_keyboard(&target, press::Click::Single)
    {
        return Ok(refusal);
    }
    let answered;
    let (cx, target) = match caution::leave(cx, &target, if open { "Open" } else { "Close" })? {
        Leave::Free => (cx, target),
        Leave::Given => {
            answered = caution::later(cx);
            let again = target::ready(&answered, app, &target.reference, Wants::ACTION)?;
            (&answered, again)
        }
        Leave::Refused(done) => return Ok(*done),
    };
    let word = if open { "expand" } else { "collapse" };
    let folds = [State::Expandable, State::Expanded, State::Collapsed]
        .iter()
        .any(|state| target.node.states.has(*state));
    if !folds && names::meant(word, &target.node.actions).is_none() {
        return Err(Error::Unfit {
            what: target.label(),
            why: format!("it does not say that it can {word}"),
            instead: "click it, or choose the element that folds".to_owned(),
        });
    }
    let action = names::meant(word, &target.node.actions);
    let named = action.map(|name| Way::tree(format!("action:{name}"), Act::Do(name)));
    let mut ways: Vec<Way<'_>> = named.into_iter().collect();
    if matches!(target.node.role, Role::Cell | Role::TreeItem | Role::TableRow | Role::ListItem) {
        // What presses an item selects it; its own key for this is an arrow.
        let click = names::turn(&target.node.actions).filter(|_| folds);
        ways.extend(click.map(|name| Way::tree(format!("action:{name}"), Act::Do(name))));
        let arrow = if open { Named::Right } else { Named::Left };
        ways.push(Way::new("own keyboard", move |cx: &Context<'_>, target: &Target| {
            by_hand::aside(cx, target, |keyboard, by| {
                by_hand::strike(arrow, by, |key, press, by| keyboard.key(key, press, by))
            })
        }));
    } else {
        ways.extend(press::single(&target));
    }
    let goal = Goal::Is(State::Expanded, open);
    attempt(cx, target, ear, &goal, &ways, "use --mode focus and click it")
}

/// Gives an element the keyboard focus within its window.
pub fn focus(cx: &Context<'_>, app: &App, query: &str, mode: super::Mode) -> Result<Done> {
    let (target, ear) = listening(cx, app, || {
        let target = target::ready(cx, app, query, Wants::ACTION)?;
        if mode == super::Mode::Focus {
            by_hand::bring_forward(cx, &target)?;
        }
        Ok(target)
    })?;
    let goal = Goal::Is(State::Focused, true);
    let mut ways = match mode {
        super::Mode::Focus => vec![Way::tree("focus", Act::Focus).in_front()],
        // With the window's own keyboard there first, browsers do not come forward for it.
        super::Mode::Background => {
            vec![Way::new("own keyboard", |cx: &Context<'_>, target: &Target| {
                by_hand::aside(cx, target, |_, _| Ok(()))
            })]
        }
    };
    if mode == super::Mode::Focus && sight::is_editable(&target.node) {
        // GTK 4 takes no focus from outside; a click into a field does nothing else.
        let click = Way::new("pointer", |cx: &Context<'_>, target: &Target| {
            by_hand::click(cx, target, Spot::Middle, Button::Left, 1)
        });
        ways.push(click.in_front());
    }
    attempt(cx, target, ear, &goal, &ways, "use --mode focus")
}
