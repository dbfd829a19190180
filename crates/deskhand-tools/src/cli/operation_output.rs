//! `operation_output`: what an operation printed, part by part, or as it comes.

use std::time::{Duration, Instant};

use deskhand_run::output::{Part, Start};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Context, Effect, Error, Int, Line, Offer, Page, Result, Shown, Spec, Style, TaskSupport, Tool,
    Toolset,
};

pub(crate) struct Output;

/// How many bytes one part has when nobody says.
const USUAL: i64 = 16_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The id of the operation.
    #[serde(alias = "id")]
    operation_id: String,
    /// The byte to begin at, such as `next_offset` of the part before; 0 when absent.
    offset: Option<Int<0, { i64::MAX }>>,
    /// The line to begin at instead; the first is 1.
    line: Option<Int<1, { i64::MAX }>>,
    /// Only the last lines instead: how many.
    tail: Option<Int<1, 100_000>>,
    /// The most lines of this part.
    lines: Option<Int<1, 100_000>>,
    /// The most bytes of this part; 16000 when absent.
    bytes: Option<Int<1, 50_000>>,
    /// Wait so many seconds for something new after `offset`, or for the end.
    follow_seconds: Option<Int<1, 300>>,
}

/// One part of what an operation printed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Printed {
    /// The id of the operation.
    operation_id: String,
    /// How far the operation is.
    status: &'static str,
    /// The text; bytes that are no text stand in it as U+FFFD.
    text: String,
    /// Its first byte.
    offset: u64,
    /// Where the next part begins.
    next_offset: u64,
    /// Bytes printed so far.
    total_bytes: u64,
    /// Bytes before it that were asked for and not kept.
    missing_bytes: u64,
    /// Bytes in it that are no text.
    invalid_bytes: usize,
    /// Why not everything was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_kept: Option<String>,
}

impl Shown for Printed {
    fn page(&self) -> Page {
        let words = format!(
            "{}: bytes {} to {} of {}",
            self.status, self.offset, self.next_offset, self.total_bytes
        );
        let mut page = Page::default().line(Line::new().with(Style::Faint, words));
        if self.missing_bytes > 0 {
            let words = format!("{} bytes before these were not kept", self.missing_bytes);
            page = page.line(Line::new().with(Style::Warning, words));
        }
        if self.invalid_bytes > 0 {
            let words = format!("{} bytes are no text and stand as \u{fffd}", self.invalid_bytes);
            page = page.line(Line::new().with(Style::Warning, words));
        }
        self.text.lines().fold(page, |page, line| page.line(Line::new().with(Style::Plain, line)))
    }
}

impl Tool for Output {
    const SPEC: Spec = Spec {
        name: "operation_output",
        command: "",
        about: "Read what an operation printed: a part by offset or line, the last lines, or wait for \
                what comes next.",
        effect: Effect::Observe,
        needs: &[],
    };
    const OFFER: Option<Offer> = Some(Offer {
        title: "Read the output of an operation",
        toolsets: &[Toolset::Cli],
        task: TaskSupport::Never,
    });
    type Args = Args;
    type Output = Printed;

    fn run(cx: &Context<'_>, args: Args) -> Result<Printed> {
        let operation = cx.workshop()?.operation(args.operation_id.trim())?;
        let part = Part {
            start: start(&args)?,
            lines: args.lines.map(|it| it.get().unsigned_abs()),
            bytes: args.bytes.map_or(USUAL, Int::get).unsigned_abs() as usize,
        };
        let page = match args.follow_seconds {
            Some(seconds) => {
                let until = Instant::now() + Duration::from_secs(seconds.get().unsigned_abs());
                operation.follow(part, until, &|| cx.stop.asked())
            }
            None => operation.output(part),
        };
        Ok(Printed {
            operation_id: operation.id().to_owned(),
            status: operation.state().word(),
            text: page.text,
            offset: page.from,
            next_offset: page.next,
            total_bytes: page.total,
            missing_bytes: page.missing,
            invalid_bytes: page.invalid,
            not_kept: operation.unkept(),
        })
    }
}

fn start(args: &Args) -> Result<Start> {
    let given = [args.offset.is_some(), args.line.is_some(), args.tail.is_some()]
        .into_iter()
        .filter(|it| *it);
    if given.count() > 1 {
        let why = "give one of `offset`, `line` and `tail`, not several".to_owned();
        return Err(Error::BadArguments { tool: Output::SPEC.name, why });
    }
    let number = |it: i64| it.unsigned_abs();
    Ok(match (args.line, args.tail) {
        (Some(line), _) => Start::Line(number(line.get())),
        (None, Some(tail)) => Start::LastLines(number(tail.get())),
        (None, None) => Start::Byte(args.offset.map_or(0, |it| number(it.get()))),
    })
}
