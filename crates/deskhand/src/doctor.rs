//! `deskhand check`: tries the real thing, and says what to do where it fails.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use deskhand_engine::{Failure, Page, Span, Style};
use deskhand_platform::{Deadline, Desktop, Extent, Facets};
use serde::Serialize;

use crate::{host, output::Output};

/// What one check found.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was tried.
    check: &'static str,
    /// Whether it worked.
    ok: bool,
    /// What was seen.
    seen: String,
    /// What to do, where it did not work.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// How long it took, in milliseconds.
    ms: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    ok: bool,
    checks: Vec<Finding>,
}

/// Runs every check; 0 when all of them worked.
pub(crate) fn check(output: Output, patience: Duration) -> ExitCode {
    let mut findings = Vec::new();
    let desktop = attempt(&mut findings, "display", || {
        let desktop = host::open()?;
        let displays = match &desktop.screen {
            Some(screen) => screen.displays(Deadline::after(patience))?,
            None => Vec::new(),
        };
        let sizes: Vec<String> =
            displays.iter().map(|d| format!("{}x{}", d.frame.width, d.frame.height)).collect();
        let name = std::env::var("DISPLAY").unwrap_or_else(|_| "no X display".to_owned());
        Ok((desktop, format!("{name} {}", sizes.join(", "))))
    });
    if let Some(desktop) = &desktop {
        check_windows(&mut findings, desktop, patience);
        check_pixels(&mut findings, desktop, patience);
        check_trees(&mut findings, desktop, patience);
    }
    let ok = findings.iter().all(|finding| finding.ok);
    let report = Report { ok, checks: findings };
    let written = output.answer(&page(&report), &report);
    if report.ok { written } else { ExitCode::FAILURE }
}

fn attempt<T>(
    findings: &mut Vec<Finding>,
    check: &'static str,
    try_it: impl FnOnce() -> Result<(T, String), Failure>,
) -> Option<T> {
    let begun = Instant::now();
    let (ok, seen, hint, value) = match try_it() {
        Ok((value, seen)) => (true, seen, None, Some(value)),
        Err(failure) => (false, failure.message, failure.hint, None),
    };
    let ms = begun.elapsed().as_secs_f64() * 1000.0;
    findings.push(Finding { check, ok, seen, hint, ms });
    value
}

fn missing(what: &str, hint: &str) -> Failure {
    Failure {
        code: "missing".to_owned(),
        message: what.to_owned(),
        hint: Some(hint.to_owned()),
        delivery: None,
        retry_after_ms: None,
    }
}

fn check_windows(findings: &mut Vec<Finding>, desktop: &Desktop, patience: Duration) {
    attempt(findings, "windows", || {
        let windows = desktop.windows.as_ref().ok_or_else(|| {
            missing("there is no X server", "start one, or use `deskhand desktop run -- CMD`")
        })?;
        let count = windows.list(Deadline::after(patience))?.len();
        Ok(((), format!("{count} listed by the window manager")))
    });
}

fn check_pixels(findings: &mut Vec<Finding>, desktop: &Desktop, patience: Duration) {
    attempt(findings, "capture", || {
        let screen = desktop.screen.as_ref().ok_or_else(|| {
            missing("there is no X server", "start one, or use `deskhand desktop run -- CMD`")
        })?;
        let [r, g, b] = screen.pixel(0, 0, Deadline::after(patience))?;
        Ok(((), format!("the pixel at 0,0 is #{r:02x}{g:02x}{b:02x}")))
    });
}

fn check_trees(findings: &mut Vec<Finding>, desktop: &Desktop, patience: Duration) {
    let apps = attempt(findings, "accessibility bus", || {
        let apps = desktop.tree.apps(Deadline::after(patience))?;
        let text = format!("apps registered: {}", apps.len());
        Ok((apps, text))
    });
    let Some(apps) = apps else { return };
    attempt(findings, "tree", || {
        let Some(app) = apps.iter().find(|app| app.responding) else {
            // A desktop without apps is in order; there is only nothing to read yet.
            return Ok(((), "no app runs yet, so none was read".to_owned()));
        };
        let within = Extent::of(Facets::LOOK);
        let seen = desktop.tree.walk(app, &app.root, &within, Deadline::after(patience))?;
        if seen.len() < 2 {
            let hint = "the app may have started before accessibility was on: start it again";
            return Err(missing(&format!("{} shows an empty tree", app.name), hint));
        }
        Ok(((), format!("{} elements of {}", seen.len(), app.name)))
    });
    for frozen in apps.iter().filter(|app| !app.responding) {
        attempt(findings, "app", || {
            Err::<((), String), _>(missing(
                &format!("{} (pid {}) does not answer", frozen.name, frozen.pid),
                "it may be stopped or busy; other apps can be used meanwhile",
            ))
        });
    }
}

fn page(report: &Report) -> Page {
    let span = |style, text: &str| Span { style, text: text.to_owned() };
    let mut rows = Vec::new();
    for finding in &report.checks {
        let mark = if finding.ok { span(Style::Value, "✓") } else { span(Style::Warning, "✗") };
        let time = format!("{:.1} ms", finding.ms);
        let told = match &finding.hint {
            Some(hint) => format!("{} → {hint}", finding.seen),
            None => finding.seen.clone(),
        };
        rows.push(vec![
            mark,
            span(Style::Strong, finding.check),
            span(Style::Faint, &time),
            span(Style::Plain, &told),
        ]);
    }
    Page::default().table(vec!["", "CHECK", "TIME", "SEEN"], rows)
}
