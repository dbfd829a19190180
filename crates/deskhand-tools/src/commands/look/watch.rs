//! `watch`: reports events of apps.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Event, EventKind};
use deskhand_platform::{Deadline, NodeFields};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Int, ProgressEvent, Render, Requirement, Result, Style, StyledLine,
    StyledText, Tool, ToolSpec, verbs,
};

/// The interval for checking that the caller still listens.
const LISTENER_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Timeout for naming the source of an event; further events wait during this time.
const SOURCE_READ_TIMEOUT: Duration = Duration::from_millis(300);

pub(crate) struct WatchCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Only this app: its name, pid or desktop-file id (default: all apps).
    app: Option<String>,
    /// Only these kinds of events (default: all but `children_changed`, which an app can send by
    /// the thousand).
    #[serde(default)]
    events: Vec<EventKind>,
    /// Stop after this many seconds (default: never).
    duration: Option<Int<1, 86_400>>,
    /// Stop after this many events (default: never).
    count: Option<Int<1, 1_000_000>>,
}

/// One event.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EventRow {
    /// Milliseconds since the start of the command.
    at_ms: u64,
    /// The kind of event.
    event: EventKind,
    /// The app that sent it.
    app: String,
    /// Role of the element, in the macOS spelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// Name of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Details of the event, such as the name of the state.
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    /// `true` if the state was set or the element added, `false` if it was cleared or removed.
    on: bool,
}

/// The end of a watch.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WatchEnd {
    /// Number of reported events.
    events: u64,
    /// `true` if the watched app quit.
    app_quit: bool,
}

impl Render for WatchEnd {
    fn render(&self) -> StyledText {
        let end = if self.app_quit { "the app quit" } else { "done" };
        let text = format!("{} events; {end}", self.events);
        StyledText::default().line(StyledLine::new().with(Style::Faint, text))
    }
}

impl Render for EventRow {
    fn render(&self) -> StyledText {
        StyledText::default().line(
            StyledLine::new()
                .with(Style::Faint, format!("{:8.3}", self.at_ms as f64 / 1000.0))
                .with(Style::Kind, self.event.word())
                .with(Style::Plain, &self.app)
                .with(Style::Plain, self.role.unwrap_or_default())
                .with(
                    Style::Strong,
                    self.title
                        .as_deref()
                        .map(deskhand_model::outline::printable)
                        .unwrap_or_default(),
                )
                .with(Style::Value, &self.detail)
                .with(Style::Faint, if self.on { "" } else { "off" }),
        )
    }
}

impl Tool for WatchCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "watch",
        command: "watch",
        about: "Report events of apps: values, focus, windows, titles, states.",
        effect: Effect::Await,
        needs: &[Requirement::Tree],
    };
    type Args = Args;
    type Output = WatchEnd;

    fn run(cx: &Context<'_>, args: Args) -> Result<WatchEnd> {
        let app = match &args.app {
            Some(wanted) => Some(verbs::app::resolve_app(cx, Some(wanted))?),
            None => None,
        };
        let mut kinds = if args.events.is_empty() { default_kinds() } else { args.events };
        if app.is_some() && !kinds.contains(&EventKind::AppQuit) {
            kinds.push(EventKind::AppQuit);
        }
        let id = app.as_ref().map(|app| &app.id);
        let mut events = cx.desktop.tree.watch(id, &kinds, cx.deadline)?;
        let mut names = AppNames::new(cx, cx.deadline)?;
        let begun = Instant::now();
        // A caller that acts next must know that no event is missed from now on.
        if !(cx.progress)(ProgressEvent::progress(0.0, None, "watching")) {
            return Ok(WatchEnd { events: 0, app_quit: false });
        }
        let end = args.duration.map(|seconds| begun + Duration::from_secs(seconds.get() as u64));
        let mut reported = 0;
        loop {
            cx.cancel.check()?;
            let wait = end.map_or(LISTENER_CHECK_INTERVAL, |end| {
                end.saturating_duration_since(Instant::now()).min(LISTENER_CHECK_INTERVAL)
            });
            let event = events.next(wait)?;
            if let Some(event) = event {
                let quit = event.kind == EventKind::AppQuit;
                if let Some(happened) = names.describe(cx, event, begun) {
                    reported += 1;
                    if !report(cx, &happened)? {
                        return Ok(WatchEnd { events: reported, app_quit: false });
                    }
                    if quit && app.is_some() {
                        return Ok(WatchEnd { events: reported, app_quit: true });
                    }
                }
            }
            let full = args.count.is_some_and(|most| reported >= most.get() as u64);
            if full || end.is_some_and(|end| Instant::now() >= end) {
                return Ok(WatchEnd { events: reported, app_quit: false });
            }
        }
    }
}

fn report(cx: &Context<'_>, happened: &EventRow) -> Result<bool> {
    let data = serde_json::to_value(happened)
        .map_err(|e| crate::Error::NotSerializable { why: e.to_string() })?;
    Ok((cx.progress)(ProgressEvent::output(data, happened.render())))
}

fn default_kinds() -> Vec<EventKind> {
    vec![
        EventKind::ValueChanged,
        EventKind::FocusChanged,
        EventKind::WindowCreated,
        EventKind::WindowDestroyed,
        EventKind::WindowActivated,
        EventKind::TitleChanged,
        EventKind::StateChanged,
        EventKind::SelectionChanged,
        EventKind::AppStarted,
        EventKind::AppQuit,
    ]
}

/// The apps that send events, by id, so that each event can carry the app's name.
struct AppNames(HashMap<AppId, App>);

impl AppNames {
    fn new(cx: &Context<'_>, by: Deadline) -> Result<Self> {
        let apps = cx.desktop.tree.apps(by)?;
        Ok(Self(apps.into_iter().map(|app| (app.id.clone(), app)).collect()))
    }

    /// Converts an event to a row, or returns `None` if its source is not an app.
    fn describe(&mut self, cx: &Context<'_>, event: Event, begun: Instant) -> Option<EventRow> {
        if !self.0.contains_key(&event.app) && event.kind != EventKind::AppQuit {
            // An app that came after the watch began; one that cannot be listed stays nameless.
            self.0.extend(Self::new(cx, Deadline::after(SOURCE_READ_TIMEOUT)).ok()?.0);
        }
        let app = if event.kind == EventKind::AppQuit {
            self.0.remove(&event.app)?
        } else {
            self.0.get(&event.app)?.clone()
        };
        // The element may be gone by now: then only the event itself is reported.
        let node = event.node.as_ref().and_then(|id| {
            let by = Deadline::after(SOURCE_READ_TIMEOUT);
            let read =
                cx.desktop.tree.read(&app, std::slice::from_ref(id), NodeFields::MINIMAL, by);
            read.ok()?.pop().flatten()
        });
        Some(EventRow {
            at_ms: begun.elapsed().as_millis() as u64,
            event: event.kind,
            app: app.name,
            role: node.as_ref().map(|node| node.role.ax()),
            title: node.map(|node| node.name),
            detail: event.detail,
            on: event.on,
        })
    }
}
