//! `clipboard watch`: reports clipboard changes.

use std::time::{Duration, Instant};

use deskhand_platform::{ClipboardContents, ClipboardItem, Deadline};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, ProgressEvent, Render, Requirement, Result, Style, StyledLine,
    StyledText, Tool, ToolSpec,
    verbs::clipboard::{
        self, ClipboardSelection,
        history::{self, History, HistorySource},
    },
};

/// The interval for checking that the caller still listens.
const BREATH: Duration = Duration::from_millis(200);

/// Timeout for the program that owns the clipboard to hand out its content.
const GLANCE: Duration = Duration::from_secs(2);

pub(crate) struct ClipboardWatchCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Stop after this many seconds (default: never).
    duration: Option<Int<1, 86_400>>,
    /// Stop after this many changes (default: never).
    count: Option<Int<1, 1_000_000>>,
    /// The clipboard; `primary` holds the last selection.
    #[serde(default)]
    selection: ClipboardSelection,
}

/// One change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClipboardChange {
    /// Milliseconds since the start of the command.
    at_ms: u64,
    /// The program it came from, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The available formats; empty if the clipboard was cleared.
    forms: Vec<String>,
    /// A one-line summary: size and beginning. Absent for secrets and cleared clipboards.
    #[serde(skip_serializing_if = "Option::is_none")]
    what: Option<String>,
    /// `true` if the content is marked as a secret.
    concealed: bool,
    /// The reason why the content could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

/// The end of a watch.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClipboardWatchEnd {
    /// Number of reported changes.
    changes: u64,
}

impl Render for ClipboardWatchEnd {
    fn render(&self) -> StyledText {
        let text = format!("{} changes; done", self.changes);
        StyledText::default().line(StyledLine::new().with(Style::Faint, text))
    }
}

impl Render for ClipboardChange {
    fn render(&self) -> StyledText {
        let what = match (&self.what, &self.unread) {
            (Some(what), _) => what.clone(),
            (None, Some(why)) => format!("not read: {why}"),
            (None, None) if self.concealed => "a secret".to_owned(),
            (None, None) => "nothing".to_owned(),
        };
        StyledText::default().line(
            StyledLine::new()
                .with(Style::Faint, format!("{:>7.3}", self.at_ms as f64 / 1000.0))
                .with(Style::Strong, self.from.clone().unwrap_or_default())
                .with(Style::Value, what)
                .with(Style::Kind, self.forms.join(", ")),
        )
    }
}

impl Tool for ClipboardWatchCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "clipboard_watch",
        command: "clipboard watch",
        about: "Report clipboard changes and store them in the history. Content that a password \
                manager marked as secret is neither shown nor stored.",
        effect: Effect::Await,
        needs: &[Requirement::Clipboard],
    };
    type Args = Args;
    type Output = ClipboardWatchEnd;

    fn run(cx: &Context<'_>, args: Args) -> Result<ClipboardWatchEnd> {
        let mut changes =
            clipboard::clipboard(cx)?.watch(args.selection.selection(), cx.deadline)?;
        let begun = Instant::now();
        let end = args.duration.map(|seconds| begun + Duration::from_secs(seconds.get() as u64));
        let mut reported = 0;
        loop {
            cx.cancel.check()?;
            let wait =
                end.map_or(BREATH, |end| end.saturating_duration_since(Instant::now()).min(BREATH));
            if changes.next(wait)? {
                let at_ms = begun.elapsed().as_millis() as u64;
                let changed = ClipboardChange { at_ms, ..look(cx, args.selection)? };
                reported += 1;
                let data = serde_json::to_value(&changed)
                    .map_err(|error| Error::NotSerializable { why: error.to_string() })?;
                if !(cx.progress)(ProgressEvent::output(data, changed.render())) {
                    return Ok(ClipboardWatchEnd { changes: reported });
                }
            }
            let full = args.count.is_some_and(|most| reported >= most.get() as u64);
            if full || end.is_some_and(|end| Instant::now() >= end) {
                return Ok(ClipboardWatchEnd { changes: reported });
            }
        }
    }
}

/// Reads the current content. Reports a program that does not hand it out.
fn look(cx: &Context<'_>, which: ClipboardSelection) -> Result<ClipboardChange> {
    let (clipboard, at) = (clipboard::clipboard(cx)?, which.selection());
    let by = Deadline::after(GLANCE);
    let nothing = ClipboardChange {
        at_ms: 0,
        from: None,
        forms: Vec::new(),
        what: None,
        concealed: false,
        unread: None,
    };
    let contents = match clipboard.contents(at, by) {
        Ok(contents) => contents,
        Err(error) => return Ok(ClipboardChange { unread: Some(error.to_string()), ..nothing }),
    };
    let best = clipboard::most_readable_format(&contents);
    let ClipboardContents { mime_types: forms, concealed, source: from } = contents;
    if concealed {
        return Ok(ClipboardChange { forms, concealed, from, ..nothing });
    }
    let mut unread = None;
    let mut items = Vec::new();
    let kept: Vec<&String> = history::formats_to_keep(&forms).collect();
    for form in forms.iter().filter(|one| kept.contains(one) || Some(*one) == best.as_ref()) {
        match clipboard.read(at, form, by) {
            Ok(Some(data)) => items.push(ClipboardItem { mime_type: form.clone(), data }),
            // It changed its mind between the question and the answer.
            Ok(None) => {}
            Err(error) => unread = Some(error.to_string()),
        }
    }
    // The content may have become a secret after its formats were listed.
    if clipboard.contents(at, by).is_ok_and(|now| now.concealed) {
        return Ok(ClipboardChange { forms, concealed: true, from, ..nothing });
    }
    let main = items.iter().find(|item| Some(&item.mime_type) == best.as_ref());
    let what = main.map(|item| clipboard::summarize(&item.mime_type, &item.data));
    // A history that cannot be written takes nothing from what was seen.
    let _ = History::of(cx)
        .and_then(|history| history.add(HistorySource::Watched, which, from.clone(), &items));
    let unread = unread.filter(|_| what.is_none());
    Ok(ClipboardChange { forms, from, what, unread, ..nothing })
}
