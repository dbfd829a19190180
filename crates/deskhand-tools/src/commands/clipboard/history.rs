//! `clipboard history`: lists recent clipboard contents.

use std::time::SystemTime;

use deskhand_model::outline::printable;
use deskhand_platform::mime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, Render, Requirement, Result, Style, StyledLine, StyledText, Tool,
    ToolSpec,
    styled_text::span,
    verbs::clipboard::{
        ClipboardSelection,
        history::{FormatSummary, History, HistoryEntry, HistorySource},
    },
};

pub(crate) struct ClipboardHistoryCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Maximum number of entries (default: all 50).
    limit: Option<Int<1, 50>>,
    /// Show this entry in full, by its number.
    entry: Option<Int<1, 1_000_000_000>>,
}

/// Recent clipboard contents, newest first.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HistoryList {
    /// The entries.
    entries: Vec<HistoryRow>,
    /// Number of entries that were omitted.
    more: usize,
}

/// One clipboard entry.
#[derive(Serialize, JsonSchema)]
struct HistoryRow {
    /// The number of the entry.
    number: u64,
    /// Seconds since the entry was recorded.
    age_s: u64,
    /// The way the entry was recorded.
    #[serde(rename = "seen")]
    source: HistorySource,
    /// The clipboard it was on.
    selection: ClipboardSelection,
    /// The program it came from, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// One line per stored format.
    forms: Vec<FormatSummary>,
    /// The files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// The file that stores the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    /// The text, if one entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The HTML, if one entry was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
}

impl HistoryRow {
    fn new(entry: HistoryEntry, full: bool) -> Self {
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
        Self {
            number: entry.number,
            age_s: now.saturating_sub(entry.at),
            source: entry.source,
            selection: entry.selection,
            from: entry.from,
            forms: entry.forms,
            files: entry.files,
            picture: entry.picture,
            text: entry.text.filter(|_| full),
            html: entry.html.filter(|_| full),
        }
    }

    fn row(&self) -> Vec<crate::StyledSpan> {
        let seen = match self.source {
            HistorySource::Written => "written",
            HistorySource::Read => "read",
            HistorySource::Watched => "watched",
        };
        let words = self.forms.iter().find(|one| one.form == mime::TEXT);
        let main = words.or(self.forms.first());
        vec![
            span(Style::Handle, self.number.to_string()),
            span(Style::Plain, format!("{} s ago", self.age_s)),
            span(Style::Plain, seen),
            span(Style::Plain, self.from.clone().unwrap_or_default()),
            span(Style::Kind, main.map(|one| one.form.clone()).unwrap_or_default()),
            span(Style::Value, main.map(|one| one.what.clone()).unwrap_or_default()),
        ]
    }
}

impl Render for HistoryList {
    fn render(&self) -> StyledText {
        let mut page = StyledText::default();
        if let [one] = self.entries.as_slice()
            && (one.text.is_some() || one.html.is_some())
        {
            let text = one.text.iter().chain(&one.html).flat_map(|text| text.lines());
            for line in text {
                page = page.line(StyledLine::new().with(Style::Plain, printable(line)));
            }
        }
        if self.entries.is_empty() {
            return page.line(StyledLine::new().with(Style::Faint, "no entries yet"));
        }
        let rows = self.entries.iter().map(HistoryRow::row).collect();
        page = page.table(vec!["ENTRY", "SEEN", "HOW", "FROM", "FORM", "WHAT"], rows);
        let kept =
            self.entries.iter().filter_map(|one| one.picture.as_ref().map(|p| (one.number, p)));
        for (number, path) in kept {
            let line = format!("image of entry {number}: {path}");
            page = page.line(StyledLine::new().with(Style::Faint, line));
        }
        if self.more > 0 {
            page = page.line(StyledLine::new().with(Style::Faint, format!("{} more", self.more)));
        }
        page
    }
}

impl Tool for ClipboardHistoryCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "clipboard_history",
        command: "clipboard history",
        about: "List recent clipboard contents: those written or read with Deskhand, and \
                everything copied while `clipboard watch` ran. Secrets are not stored.",
        effect: Effect::Observe,
        needs: &[Requirement::Clipboard],
    };
    type Args = Args;
    type Output = HistoryList;

    fn run(cx: &Context<'_>, args: Args) -> Result<HistoryList> {
        let mut entries = History::of(cx)?.entries()?;
        if let Some(wanted) = args.entry {
            let number = wanted.get().unsigned_abs();
            entries.retain(|entry| entry.number == number);
            let entry = entries.pop().ok_or_else(|| Error::BadArguments {
                tool: Self::SPEC.command,
                why: format!("there is no entry {number}"),
            })?;
            return Ok(HistoryList { entries: vec![HistoryRow::new(entry, true)], more: 0 });
        }
        let shown = args.limit.map_or(entries.len(), Int::count).min(entries.len());
        let more = entries.len() - shown;
        entries.truncate(shown);
        let entries = entries.into_iter().map(|entry| HistoryRow::new(entry, false)).collect();
        Ok(HistoryList { entries, more })
    }
}
