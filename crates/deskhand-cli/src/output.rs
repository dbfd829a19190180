//! Prints results and failures in the selected output format.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use deskhand::settings::values::OutputFormat;
use deskhand_engine::{CallFailure, Delivery, StyledText};
use serde::Serialize;

use crate::terminal::{self, Colours};

/// Prints results in one format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    format: OutputFormat,
}

impl Output {
    pub(crate) fn new(format: OutputFormat) -> Self {
        Self { format }
    }

    /// Returns the format.
    pub(crate) fn format(self) -> OutputFormat {
        self.format
    }

    /// Prints a complete result. A long text goes through the user's pager.
    pub(crate) fn print(self, page: &StyledText, data: &impl Serialize) -> ExitCode {
        let result = match self.format {
            OutputFormat::Text => terminal::show(page),
            OutputFormat::Json => print_document(data),
            OutputFormat::Quiet => Ok(()),
        };
        exit_code(result)
    }

    /// Prints one item of a stream; returns `false` if the reader closed the stream.
    pub(crate) fn print_item(self, page: &StyledText, data: &impl Serialize) -> bool {
        let result = match self.format {
            OutputFormat::Text => terminal::write(page),
            OutputFormat::Json => print_line(data),
            OutputFormat::Quiet => Ok(()),
        };
        result.is_ok()
    }

    /// Prints a failure to standard error.
    pub(crate) fn print_failure(self, failure: &CallFailure) -> ExitCode {
        let mut err = io::stderr().lock();
        let colours = Colours::of(&io::stderr());
        let result = match self.format {
            OutputFormat::Text => {
                let [red, faint, end] = [colours.error(), colours.faint(), colours.end()];
                let hint = failure.hint.as_deref();
                let hint = hint.map(|hint| format!("\n{faint}  next:{end} {hint}"));
                let sent = failure.delivery.map(|delivery| match delivery {
                    Delivery::NotSent => "no",
                    Delivery::Sent => "yes; inspect the app before you retry",
                    Delivery::Unknown => "unknown; inspect the app before you retry",
                });
                let sent = sent.map(|sent| format!("\n{faint}  sent:{end} {sent}"));
                let (hint, sent) = (hint.unwrap_or_default(), sent.unwrap_or_default());
                writeln!(err, "{red}error:{end} {}{hint}{sent}", failure.message)
            }
            OutputFormat::Json => serde_json::to_string(&serde_json::json!({ "error": failure }))
                .map_err(io::Error::other)
                .and_then(|text| writeln!(err, "{text}")),
            OutputFormat::Quiet => Ok(()),
        };
        // If standard error is closed, the exit code still reports the failure.
        drop(result);
        ExitCode::FAILURE
    }
}

/// Prints a note to standard error.
pub(crate) fn print_note(text: &str) {
    // A closed standard error is no reason to stop.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints a warning to standard error.
pub(crate) fn print_warning(text: &str) {
    print_note(&format!("warning: {text}"));
}

fn print_document(data: &impl Serialize) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, data)?;
    writeln!(out)?;
    out.flush()
}

fn print_line(data: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, data)?;
    writeln!(out)?;
    out.flush()
}

/// Returns the exit code of a write. A closed pipe (`| head`) is not a failure.
fn exit_code(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            print_note(&format!("error: cannot write the result: {error}"));
            ExitCode::FAILURE
        }
    }
}
