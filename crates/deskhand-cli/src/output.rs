//! Shows answers and failures in the form that was asked for.

use std::{
    io::{self, Write},
    process::ExitCode,
    str::FromStr,
};

use clap::{ValueEnum, builder::PossibleValue};
use deskhand_engine::{Delivery, Failure, Form, Page};
use serde::Serialize;

use crate::terminal::{self, Colours};

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For eyes: coloured and aligned on a terminal.
    Text,
    /// For programs: one JSON document, or one a line where they keep coming.
    Json,
    /// Nothing: the exit code is the answer.
    Quiet,
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Text, Self::Json, Self::Quiet]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()))
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        <Self as ValueEnum>::from_str(text, true)
    }
}

impl Format {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Quiet => "quiet",
        }
    }

    /// The form of answer this needs.
    pub(crate) fn form(self) -> Form {
        match self {
            Self::Text | Self::Quiet => Form::Text,
            Self::Json => Form::Data,
        }
    }
}

/// Writes answers of one format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    /// The format in use.
    pub(crate) fn format(self) -> Format {
        self.format
    }

    /// Shows a finished answer, through the user's pager where it is long.
    pub(crate) fn answer(self, page: &Page, data: &impl Serialize) -> ExitCode {
        let written = match self.format {
            Format::Text => terminal::show(page),
            Format::Json => document(data),
            Format::Quiet => Ok(()),
        };
        finished(written)
    }

    /// Shows one of many answers that come one by one; tells whether anybody still reads them.
    pub(crate) fn one_of_many(self, page: &Page, data: &impl Serialize) -> bool {
        let written = match self.format {
            Format::Text => terminal::write(page),
            Format::Json => line(data),
            Format::Quiet => Ok(()),
        };
        written.is_ok()
    }

    /// Says why there is no answer.
    pub(crate) fn failure(self, failure: &Failure) -> ExitCode {
        let mut err = io::stderr().lock();
        let colours = Colours::of(&io::stderr());
        let written = match self.format {
            Format::Text => {
                let [red, faint, end] = [colours.error(), colours.faint(), colours.end()];
                let hint = failure.hint.as_deref();
                let hint = hint.map(|hint| format!("\n{faint}  next:{end} {hint}"));
                let sent = failure.delivery.map(|delivery| match delivery {
                    Delivery::NotSent => "nothing",
                    Delivery::Sent => "yes: look before you try again",
                    Delivery::Unknown => "perhaps: look before you try again",
                });
                let sent = sent.map(|sent| format!("\n{faint}  sent:{end} {sent}"));
                let (hint, sent) = (hint.unwrap_or_default(), sent.unwrap_or_default());
                writeln!(err, "{red}error:{end} {}{hint}{sent}", failure.message)
            }
            Format::Json => serde_json::to_string(&serde_json::json!({ "error": failure }))
                .map_err(io::Error::other)
                .and_then(|text| writeln!(err, "{text}")),
            Format::Quiet => Ok(()),
        };
        // Where standard error is closed the exit code still tells.
        drop(written);
        ExitCode::FAILURE
    }
}

/// A remark beside the answer, on standard error.
pub(crate) fn remark(text: &str) {
    // A remark nobody can read is no reason to stop.
    let _ = writeln!(io::stderr(), "{text}");
}

fn document(data: &impl Serialize) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, data)?;
    writeln!(out)?;
    out.flush()
}

fn line(data: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, data)?;
    writeln!(out)?;
    out.flush()
}

/// A reader that has seen enough (`| head`) is no failure.
fn finished(written: io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            remark(&format!("error: the answer cannot be written: {error}"));
            ExitCode::FAILURE
        }
    }
}
