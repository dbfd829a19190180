//! `display list`, `display get` and `display cursor`: the monitors, and where the pointer is.

use deskhand_model::Rect;
use deskhand_platform::Display;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Line, Need, Page, Result, Shown, Spec, Style, Tool,
    page::{Span, span},
    verbs::aim::{one_display, screen},
};

pub(crate) struct List;
pub(crate) struct Get;
pub(crate) struct Cursor;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    /// The display: its number from `display list`, or its name.
    display: String,
}

/// One monitor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Monitor {
    /// Its number, counted from 1; the main one is 1.
    number: usize,
    /// The name of its connector.
    name: String,
    /// Where it lies, in global pixels: the main one begins at 0,0.
    frame: Rect,
    /// The part of it that panels leave to windows.
    visible: Rect,
    /// How much larger than usual programs draw on it.
    scale: f64,
    /// Whether it is the main one.
    main: bool,
}

impl Monitor {
    fn new(number: usize, display: Display) -> Self {
        let Display { name, frame, work_area, scale, main } = display;
        Self { number, name, frame, visible: work_area, scale, main }
    }

    fn row(&self) -> Vec<Span> {
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

fn table(monitors: &[Monitor]) -> Page {
    let titles = vec!["DISPLAY", "NAME", "FRAME", "VISIBLE", "SCALE", "STATE"];
    Page::default().table(titles, monitors.iter().map(Monitor::row).collect())
}

/// The displays, the main one first.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct DisplayList(Vec<Monitor>);

impl Shown for DisplayList {
    fn page(&self) -> Page {
        table(&self.0)
    }
}

impl Shown for Monitor {
    fn page(&self) -> Page {
        table(std::slice::from_ref(self))
    }
}

/// Where the pointer is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pointer {
    /// Pixels to the right of the main display's left edge.
    x: i32,
    /// Pixels below the main display's top edge.
    y: i32,
    /// The display it is on, when it is on one.
    display: Option<Monitor>,
}

impl Shown for Pointer {
    fn page(&self) -> Page {
        let on = match &self.display {
            Some(display) => format!("on display {} ({})", display.number, display.name),
            None => "on no display".to_owned(),
        };
        let at = format!("{},{}", self.x, self.y);
        Page::default().line(Line::new().with(Style::Value, at).with(Style::Plain, on))
    }
}

fn monitors(cx: &Context<'_>) -> Result<Vec<Monitor>> {
    let displays = screen(cx)?.displays(cx.by)?;
    Ok((1..).zip(displays).map(|(number, display)| Monitor::new(number, display)).collect())
}

impl Tool for List {
    const SPEC: Spec = Spec {
        name: "display_list",
        command: "display list",
        about: "List the displays: where each lies, what panels leave of it, its scale, which is \
                the main one.",
        effect: Effect::Observe,
        needs: &[Need::Screen],
    };
    type Args = Nothing;
    type Output = DisplayList;

    fn run(cx: &Context<'_>, Nothing {}: Nothing) -> Result<DisplayList> {
        Ok(DisplayList(monitors(cx)?))
    }
}

impl Tool for Get {
    const SPEC: Spec = Spec {
        name: "display_get",
        command: "display get",
        about: "Show one display: where it lies, what panels leave of it, its scale.",
        effect: Effect::Observe,
        needs: &[Need::Screen],
    };
    type Args = Which;
    type Output = Monitor;

    fn run(cx: &Context<'_>, args: Which) -> Result<Monitor> {
        let displays = screen(cx)?.displays(cx.by)?;
        let (number, display) = one_display(&displays, &args.display)?;
        Ok(Monitor::new(number, display.clone()))
    }
}

impl Tool for Cursor {
    const SPEC: Spec = Spec {
        name: "display_cursor",
        command: "display cursor",
        about: "Show where the pointer is, and on which display.",
        effect: Effect::Observe,
        needs: &[Need::Screen],
    };
    type Args = Nothing;
    type Output = Pointer;

    fn run(cx: &Context<'_>, Nothing {}: Nothing) -> Result<Pointer> {
        let (x, y) = screen(cx)?.cursor(cx.by)?;
        let display = monitors(cx)?.into_iter().find(|monitor| monitor.frame.contains(x, y));
        Ok(Pointer { x, y, display })
    }
}
