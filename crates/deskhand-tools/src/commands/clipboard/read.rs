//! `clipboard read`: reads the clipboard in one of its formats.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, Render, Requirement, Result, Style, StyledLine, StyledText, Tool,
    ToolSpec,
    verbs::clipboard::{ClipboardSelection, read},
};

/// The default number of characters to show.
const MAX_CHARACTERS: usize = 20_000;

pub(crate) struct ClipboardReadCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The format: `text`, `html`, `rtf`, `image`, `files`, `url` or a media type (default: the
    /// most useful one, text if there is text).
    form: Option<String>,
    /// Write the content to this file, byte for byte, instead of showing it.
    output: Option<String>,
    /// Maximum number of characters to show (default: 20000).
    limit: Option<Int<1, 100_000_000>>,
    /// The clipboard; `primary` holds the last selection.
    #[serde(default)]
    selection: ClipboardSelection,
}

/// The clipboard.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ClipboardContent {
    /// The format that was read.
    form: String,
    /// All available formats.
    forms: Vec<String>,
    /// The program it came from, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Size in bytes in this format.
    bytes: usize,
    /// The content, if it is text and was not written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// `true` if the end of the text was omitted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    /// The files it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<String>,
    /// A one-line summary: size and beginning.
    summary: String,
}

impl Render for ClipboardContent {
    fn render(&self) -> StyledText {
        let mut page = StyledText::default();
        for line in self.text.iter().flat_map(|text| text.lines()) {
            page = page.line(StyledLine::new().with(Style::Plain, harmless(line)));
        }
        if self.cut {
            let left = "truncated; use --limit to show more or --output FILE to save everything";
            page = page.line(StyledLine::new().with(Style::Warning, left));
        }
        if self.text.is_none() && self.saved.is_none() {
            let line = StyledLine::new().with(Style::Value, &self.summary);
            page = page.line(line.with(Style::Faint, "use --output FILE to save it"));
        }
        let others: Vec<&str> =
            self.forms.iter().filter(|one| **one != self.form).map(String::as_str).collect();
        let mut last = StyledLine::new().with(Style::Kind, &self.form);
        last = last.with(Style::Faint, format!("{} bytes", self.bytes));
        if let Some(saved) = &self.saved {
            last = last.with(Style::Value, format!("saved to {saved}"));
        }
        if let Some(from) = &self.from {
            last = last.with(Style::Faint, format!("from {from}"));
        }
        if !others.is_empty() {
            last = last.with(Style::Faint, format!("also: {}", others.join(", ")));
        }
        page.line(last)
    }
}

/// Returns a line without terminal control characters.
fn harmless(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        if c.is_control() && c != '\t' {
            let _ = write!(out, "\\u{{{:x}}}", c as u32); // Writing to a string cannot fail.
        } else {
            out.push(c);
        }
    }
    out
}

impl Tool for ClipboardReadCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "clipboard_read",
        command: "clipboard read",
        about: "Read the clipboard as text or in another format, and list the available formats. \
                Content that a password manager marked as secret is not shown.",
        effect: Effect::Observe,
        needs: &[Requirement::Clipboard],
    };
    type Args = Args;
    type Output = ClipboardContent;

    fn run(cx: &Context<'_>, args: Args) -> Result<ClipboardContent> {
        let content = read::read(cx, args.selection, args.form.as_deref())?;
        if let Some(path) = &args.output {
            std::fs::write(path, &content.data)
                .map_err(|error| Error::File { path: path.clone(), why: error.to_string() })?;
        }
        let limit = args.limit.map_or(MAX_CHARACTERS, Int::count);
        let text = if args.output.is_none() { content.text(limit) } else { None };
        Ok(ClipboardContent {
            summary: content.summary(),
            files: content.files().iter().map(|path| path.display().to_string()).collect(),
            bytes: content.data.len(),
            cut: text.as_ref().is_some_and(|text| text.is_cut),
            text: text.map(|text| text.text),
            form: content.format,
            forms: content.formats,
            from: content.source,
            saved: args.output,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn copied_text_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\tb \u{1b}]0;x\u{7}"), "a\tb \\u{1b}]0;x\\u{7}");
        assert_eq!(harmless("Grüße 👩\u{200d}🔬"), "Grüße 👩\u{200d}🔬");
    }
}
