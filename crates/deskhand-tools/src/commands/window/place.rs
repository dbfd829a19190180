//! `window move` and `window resize`: where a window's frame is, and how large.

use deskhand_model::{Rect, Window};
use deskhand_platform::{Arrange, WindowState};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Int, Need, Result, Spec, Tool,
    verbs::{
        effect::{Done, Evidence, Verdict},
        windows::{self, Changed, Prefer, SOON},
    },
};

/// How far beside its place a window lands by a border that was not counted.
const NEAR: i32 = 64;

pub(crate) struct Move;
pub(crate) struct Resize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveArgs {
    /// The window: its id from `windows`, or an app by name or pid, which means its frontmost.
    target: String,
    /// Left edge of its frame, from the left of the main display; negative is left of it.
    x: Int<-32_768, 32_767>,
    /// Top edge of its frame, from the top of the main display; negative is above it.
    y: Int<-32_768, 32_767>,
    /// Only windows whose title contains this.
    title: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResizeArgs {
    /// The window: its id from `windows`, or an app by name or pid, which means its frontmost.
    target: String,
    /// Width of its frame in pixels.
    width: Int<1, 32_767>,
    /// Height of its frame in pixels.
    height: Int<1, 32_767>,
    /// Only windows whose title contains this.
    title: Option<String>,
}

impl Tool for Move {
    const SPEC: Spec = Spec {
        name: "window_move",
        command: "window move",
        about: "Move a window so that the top left corner of its frame is at a point, and say where \
                it came to be.",
        effect: Effect::Act { repeatable: true },
        needs: &[Need::Windows],
    };
    type Args = MoveArgs;
    type Output = Done;

    fn run(cx: &Context<'_>, args: MoveArgs) -> Result<Done> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
        let wanted = (whole(args.x.get()), whole(args.y.get()));
        let corner = |rect: Rect| (rect.x, rect.y);
        place(
            cx,
            &window,
            Arrange::MoveTo(wanted.0, wanted.1),
            &|frame| corner(frame) == wanted,
            &windows::corner,
        )
    }
}

impl Tool for Resize {
    const SPEC: Spec = Spec {
        name: "window_resize",
        command: "window resize",
        about: "Make a window's frame this wide and high, and say how large it came to be: programs \
                and window managers may allow less or more.",
        effect: Effect::Act { repeatable: true },
        needs: &[Need::Windows],
    };
    type Args = ResizeArgs;
    type Output = Done;

    fn run(cx: &Context<'_>, args: ResizeArgs) -> Result<Done> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
        let wanted = (whole(args.width.get()), whole(args.height.get()));
        let size = |rect: Rect| (rect.width, rect.height);
        place(
            cx,
            &window,
            Arrange::Resize(wanted.0.cast_unsigned(), wanted.1.cast_unsigned()),
            &|frame| size(frame) == wanted,
            &windows::size,
        )
    }
}

fn whole(number: i64) -> i32 {
    i32::try_from(number).unwrap_or_default()
}

fn place(
    cx: &Context<'_>,
    window: &Window,
    change: Arrange,
    fits: &dyn Fn(Rect) -> bool,
    evidence: &dyn Fn(Rect, Rect) -> Evidence,
) -> Result<Done> {
    let there = |all: &[Window]| Ok(all.iter().any(|one| one.id == window.id && fits(one.frame)));
    let mut changed = windows::change(cx, window, change, SOON, there)?;
    if let (false, Some(again)) = (changed.there, corrected(change, window, &changed)) {
        let missed = changed.present(window)?.clone();
        changed = windows::change(cx, &missed, again, SOON, there)?;
    }
    let after = changed.present(window)?;
    let seen = evidence(window.frame, after.frame);
    let verdict = match (changed.there, seen.before == seen.after) {
        (true, _) => Verdict::Confirmed,
        (false, false) => Verdict::Partial,
        (false, true) => Verdict::NoEffect,
    };
    let kinds = [windows::corner, windows::size].map(|kind| kind(window.frame, after.frame));
    let mut done = Done { effect: verdict, ..changed.answer(window, seen.clone()) };
    done.evidence.extend(kinds.into_iter().filter(|one| one.before != one.after && *one != seen));
    if changed.there {
        return Ok(done);
    }
    Ok(done.or_else(reason(cx, &changed, window, change)))
}

/// What to ask for after a window landed beside its place: some window managers do not count their
/// own border.
fn corrected(change: Arrange, window: &Window, changed: &Changed) -> Option<Arrange> {
    let Arrange::MoveTo(x, y) = change else { return None };
    let is = changed.after.as_ref()?.frame;
    let (right, down) = (x - is.x, y - is.y);
    let moved = (is.x, is.y) != (window.frame.x, window.frame.y);
    (moved && right.abs() <= NEAR && down.abs() <= NEAR)
        .then(|| Arrange::MoveTo(x + right, y + down))
}

/// Why a window is not where it was wanted, as far as can be told.
fn reason(cx: &Context<'_>, changed: &Changed, window: &Window, change: Arrange) -> String {
    // The answer stands without it.
    let state = windows::list(cx).ok().and_then(|all| all.state(window.id, cx.by).ok());
    let fills = |state: &&String| {
        state.starts_with("maximized") || matches!(state.as_str(), "fullscreen" | "shaded")
    };
    if let Some(filled) = state.as_ref().and_then(|state| state.states.iter().find(fills)) {
        return format!("it is {filled}: `deskhand window restore {:#x}` first", window.id);
    }
    let is = changed.after.as_ref().map_or(window.bounds, |after| after.bounds);
    let bounds = state.filter(|_| matches!(change, Arrange::Resize(..)));
    let bounds = bounds.map(|state| limits(&state, is)).unwrap_or_default();
    format!("it is kept as it is now{bounds}")
}

/// What a program asks for its window that explains the size it has.
fn limits(state: &WindowState, is: Rect) -> String {
    let size = |(width, height): (u32, u32)| format!("{width}x{height}");
    let meets = |limit: &(u32, u32)| {
        is.width.cast_unsigned() == limit.0 || is.height.cast_unsigned() == limit.1
    };
    let said = [
        (state.smallest.filter(meets), "wants at least"),
        (state.largest.filter(meets), "wants at most"),
        (state.step, "lets it grow in steps of"),
    ];
    let known = said.into_iter().filter_map(|(limit, words)| Some((limit?, words)));
    known
        .map(|(limit, words)| format!("; its program {words} {} inside the frame", size(limit)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_in_words() {
        let state = WindowState {
            states: Vec::new(),
            kind: "normal".to_owned(),
            parent: None,
            workspace: None,
            closable: true,
            smallest: Some((50, 60)),
            largest: None,
            step: Some((6, 13)),
        };
        let told = limits(&state, Rect::new(0, 0, 50, 100));
        assert!(told.contains("at least 50x60") && told.contains("steps of 6x13"), "{told}");
        assert!(!limits(&state, Rect::new(0, 0, 90, 100)).contains("at least"));
    }
}
