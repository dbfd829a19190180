//! `operation_output`: returns the output of an operation in parts, or follows it.

use std::time::{Duration, Instant};

use deskhand_run::output::{PageRequest, PageStart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, Offer, Render, Result, Style, StyledLine, StyledText, TaskSupport,
    Tool, ToolSpec, Toolset,
};

pub(crate) struct OperationOutputTool;

/// The default size of one part in bytes.
const USUAL: i64 = 16_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The operation id.
    #[serde(alias = "id")]
    operation_id: String,
    /// Byte offset to start at, such as `next_offset` of the previous part (default: 0).
    offset: Option<Int<0, { i64::MAX }>>,
    /// Line to start at instead, counted from 1.
    line: Option<Int<1, { i64::MAX }>>,
    /// Return only this many lines from the end instead.
    tail: Option<Int<1, 100_000>>,
    /// Maximum number of lines in this part.
    lines: Option<Int<1, 100_000>>,
    /// Maximum number of bytes in this part (default: 16000).
    bytes: Option<Int<1, 50_000>>,
    /// Wait up to this many seconds for new output after `offset`, or for the end.
    follow_seconds: Option<Int<1, 300>>,
}

/// One part of an operation's output.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OutputPart {
    /// The operation id.
    operation_id: String,
    /// Status of the operation.
    status: &'static str,
    /// The text. Bytes that are not UTF-8 appear as U+FFFD.
    text: String,
    /// Offset of the first byte of `text`.
    offset: u64,
    /// Offset of the next part.
    next_offset: u64,
    /// Bytes printed so far.
    total_bytes: u64,
    /// Requested bytes before `text` that are no longer stored.
    missing_bytes: u64,
    /// Bytes in `text` that are not UTF-8.
    invalid_bytes: usize,
    /// The reason why some output was not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_kept: Option<String>,
}

impl Render for OutputPart {
    fn render(&self) -> StyledText {
        let words = format!(
            "{}: bytes {} to {} of {}",
            self.status, self.offset, self.next_offset, self.total_bytes
        );
        let mut page = StyledText::default().line(StyledLine::new().with(Style::Faint, words));
        if self.missing_bytes > 0 {
            let words = format!("{} earlier bytes are no longer stored", self.missing_bytes);
            page = page.line(StyledLine::new().with(Style::Warning, words));
        }
        if self.invalid_bytes > 0 {
            let words =
                format!("{} bytes are not UTF-8 and appear as \u{fffd}", self.invalid_bytes);
            page = page.line(StyledLine::new().with(Style::Warning, words));
        }
        self.text
            .lines()
            .fold(page, |page, line| page.line(StyledLine::new().with(Style::Plain, line)))
    }
}

impl Tool for OperationOutputTool {
    const SPEC: ToolSpec = ToolSpec {
        name: "operation_output",
        command: "",
        about: "Read the output of an operation: a part by offset or line, the last lines, or \
                wait for new output.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Read the output of an operation",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = OutputPart;

    fn run(cx: &Context<'_>, args: Args) -> Result<OutputPart> {
        let operation = cx.command_session()?.operation(args.operation_id.trim())?;
        let part = PageRequest {
            start: start(&args)?,
            max_lines: args.lines.map(|it| it.get().unsigned_abs()),
            max_bytes: args.bytes.map_or(USUAL, Int::get).unsigned_abs() as usize,
        };
        let page = match args.follow_seconds {
            Some(seconds) => {
                let until = Instant::now() + Duration::from_secs(seconds.get().unsigned_abs());
                operation.follow(part, until, &|| cx.cancel.is_cancelled())
            }
            None => operation.output(part),
        };
        Ok(OutputPart {
            operation_id: operation.id().to_owned(),
            status: operation.state().as_str(),
            text: page.text,
            offset: page.from,
            next_offset: page.next,
            total_bytes: page.total,
            missing_bytes: page.missing,
            invalid_bytes: page.invalid,
            not_kept: operation.storage_error(),
        })
    }
}

fn start(args: &Args) -> Result<PageStart> {
    let given = [args.offset.is_some(), args.line.is_some(), args.tail.is_some()]
        .into_iter()
        .filter(|it| *it);
    if given.count() > 1 {
        let why = "pass only one of `offset`, `line` and `tail`".to_owned();
        return Err(Error::BadArguments { tool: OperationOutputTool::SPEC.name, why });
    }
    let number = |it: i64| it.unsigned_abs();
    Ok(match (args.line, args.tail) {
        (Some(line), _) => PageStart::Line(number(line.get())),
        (None, Some(tail)) => PageStart::LastLines(number(tail.get())),
        (None, None) => PageStart::Byte(args.offset.map_or(0, |it| number(it.get()))),
    })
}
