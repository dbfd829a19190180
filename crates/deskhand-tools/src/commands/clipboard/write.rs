//! `clipboard write`: puts content on the clipboard in one or more formats.

use deskhand_platform::{ClipboardItem, Sensitivity, mime};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, PrivateArg, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::clipboard::{self, ClipboardSelection, files, write},
};

pub(crate) struct ClipboardWriteCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Plain text (default: derived from the HTML, the link or the files).
    #[schemars(extend("x-positional" = true))]
    text: Option<String>,
    /// HTML fragment.
    html: Option<String>,
    /// Formatted text in RTF.
    rtf: Option<String>,
    /// An image: the path of a PNG file, which every app accepts, or of another format, which some
    /// apps accept.
    image: Option<String>,
    /// Paths of files, as a file manager copies them.
    #[serde(default)]
    files: Vec<String>,
    /// A link.
    url: Option<String>,
    /// Mark the content as a secret: clipboard histories do not store it and results do not show
    /// it.
    #[serde(default)]
    concealed: bool,
    /// The clipboard; `primary` is what the middle button pastes.
    #[serde(default)]
    selection: ClipboardSelection,
}

impl Tool for ClipboardWriteCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "clipboard_write",
        command: "clipboard write",
        about: "Put text, HTML, RTF, an image, files or a link on the clipboard, in several \
                formats at once if given. The content stays after the command ends.",
        effect: Effect::Act { repeatable: true },
        needs: &[Requirement::Clipboard],
    };
    const PRIVATE: &'static [PrivateArg] = &[
        PrivateArg::Text("text"),
        PrivateArg::Text("html"),
        PrivateArg::Text("rtf"),
        PrivateArg::Text("url"),
    ];
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let mark = if args.concealed { Sensitivity::Concealed } else { Sensitivity::Normal };
        write::write(cx, args.selection, &items(&args)?, mark).map(Into::into)
    }
}

/// Returns the formats to write, richest first.
fn items(args: &Args) -> Result<Vec<ClipboardItem>> {
    let item =
        |form: &str, data: &[u8]| ClipboardItem { mime_type: form.to_owned(), data: data.to_vec() };
    let mut items = Vec::new();
    items.extend(args.html.as_ref().map(|html| item(mime::HTML, html.as_bytes())));
    items.extend(args.rtf.as_ref().map(|rtf| item(mime::RTF, rtf.as_bytes())));
    if let Some(path) = &args.image {
        let fault = |why: String| Error::File { path: path.clone(), why };
        let data = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
        let kind = clipboard::detect_image_format(&data);
        let kind = kind.ok_or_else(|| fault("it is not an image in a known format".to_owned()))?;
        items.push(ClipboardItem { mime_type: kind.to_owned(), data });
    }
    if !args.files.is_empty() {
        items.push(item(mime::FILES, files::to_uri_list(&args.files)?.as_bytes()));
    }
    items.extend(args.url.as_ref().map(|url| item(mime::URL, url.as_bytes())));
    let text = args.text.clone().or_else(|| alternative(args));
    items.extend(text.map(|text| item(mime::TEXT, text.as_bytes())));
    if items.is_empty() {
        let why = "pass a text, --html, --rtf, --image, --files or --url".to_owned();
        return Err(Error::BadArguments { tool: ClipboardWriteCommand::SPEC.command, why });
    }
    Ok(items)
}

/// Returns plain text for apps that accept nothing else.
fn alternative(args: &Args) -> Option<String> {
    let words =
        |html: &String| nanohtml2text::html2text(html).replace("\r\n", "\n").trim().to_owned();
    let paths = || (!args.files.is_empty()).then(|| args.files.join("\n"));
    args.html.as_ref().map(words).or_else(|| args.url.clone()).or_else(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(json: &str) -> Result<Vec<(String, String)>> {
        let args: Args = serde_json::from_str(json).unwrap();
        let text = |data| String::from_utf8(data).unwrap();
        Ok(items(&args)?.into_iter().map(|item| (item.mime_type, text(item.data))).collect())
    }

    #[test]
    fn html_alone_brings_its_words_along() {
        let all = made(r#"{"html": "<p>Fish &amp; <b>chips</b></p><p>Tea</p>"}"#).unwrap();
        assert_eq!(all[0].0, "text/html");
        assert_eq!(all[1].0, "text/plain");
        assert!(all[1].1.starts_with("Fish & chips\n") && all[1].1.ends_with("Tea"), "{all:?}");
    }

    #[test]
    fn a_text_that_is_given_is_not_made() {
        let all = made(r#"{"html": "<b>a</b>", "text": "own words"}"#).unwrap();
        assert_eq!(all[1], ("text/plain".to_owned(), "own words".to_owned()));
        let link = made(r#"{"url": "https://example.org/"}"#).unwrap();
        assert_eq!(link[1].1, "https://example.org/");
    }

    #[test]
    fn nothing_and_what_is_not_there_are_refused() {
        assert!(matches!(made("{}"), Err(Error::BadArguments { .. })));
        assert!(matches!(made(r#"{"files": ["/no/such"]}"#), Err(Error::File { .. })));
        assert!(matches!(made(r#"{"image": "/no/such.png"}"#), Err(Error::File { .. })));
        assert!(made(r#"{"text": ""}"#).is_ok());
    }
}
