//! `deskhand check`: tries the real thing, and says what to do where it fails.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use deskhand_engine::{Failure, Page, Span, Style};
use deskhand_platform::{Deadline, Desktop, Extent, Facets, Permission, Permissions};
use serde::Serialize;

use crate::{host, output::Output};

/// The option that opens the system's settings.
const OPEN_SETTINGS: &str = "open-settings";

/// What one check found.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was tried.
    check: String,
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

/// Whether the system's settings are to be opened where a person must allow something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settings {
    /// They are.
    Open,
    /// They are left alone.
    Leave,
}

/// The command.
pub(crate) fn command() -> Command {
    Command::new("check")
        .about("Try whether everything works here, and say what to do where it does not")
        .arg(
            Arg::new(OPEN_SETTINGS)
                .long(OPEN_SETTINGS)
                .action(ArgAction::SetTrue)
                .help("Open the system's settings where a person must still allow something"),
        )
}

/// What the command line wants to be done with the settings.
pub(crate) fn settings(given: &ArgMatches) -> Settings {
    if given.get_flag(OPEN_SETTINGS) { Settings::Open } else { Settings::Leave }
}

/// Runs every check; 0 when all of them worked.
pub(crate) fn check(output: Output, patience: Duration, settings: Settings) -> ExitCode {
    let mut findings = Vec::new();
    let desktop = attempt(&mut findings, "display", || {
        let desktop = host::open()?;
        let displays = match &desktop.screen {
            Some(screen) => screen.displays(Deadline::after(patience))?,
            None => Vec::new(),
        };
        let sizes: Vec<String> =
            displays.iter().map(|d| format!("{}x{}", d.frame.width, d.frame.height)).collect();
        let name = host::machine().desktop().unwrap_or_else(|| "no display".to_owned());
        Ok((desktop, format!("{name} {}", sizes.join(", "))))
    });
    if let Some(desktop) = &desktop {
        check_permissions(&mut findings, desktop.permissions.as_deref(), settings, patience);
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
    check: &str,
    try_it: impl FnOnce() -> Result<(T, String), Failure>,
) -> Option<T> {
    let begun = Instant::now();
    let (ok, seen, hint, value) = match try_it() {
        Ok((value, seen)) => (true, seen, None, Some(value)),
        Err(failure) => (false, failure.message, failure.hint, None),
    };
    let ms = begun.elapsed().as_secs_f64() * 1000.0;
    findings.push(Finding { check: check.to_owned(), ok, seen, hint, ms });
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

fn check_permissions(
    findings: &mut Vec<Finding>,
    permissions: Option<&dyn Permissions>,
    settings: Settings,
    patience: Duration,
) {
    let Some(permissions) = permissions else {
        if settings == Settings::Open {
            attempt(findings, "settings", || {
                Ok(((), "not opened: this system asks nobody to allow anything".to_owned()))
            });
        }
        return;
    };
    let all = attempt(findings, "permissions", || {
        let all = permissions.all(Deadline::after(patience))?;
        let granted = all.iter().filter(|one| one.granted).count();
        let text = format!("{granted} of {} allowed", all.len());
        Ok((all, text))
    });
    let Some(all) = all else { return };
    for one in &all {
        attempt(findings, &one.name, || allowed(one));
    }
    if settings == Settings::Open {
        attempt(findings, "settings", || {
            let Some(lacking) = all.iter().find(|one| !one.granted) else {
                return Ok(((), "not opened: everything is allowed".to_owned()));
            };
            permissions.open_settings(&lacking.name, Deadline::after(patience))?;
            Ok(((), format!("opened for {}", lacking.name)))
        });
    }
}

fn allowed(permission: &Permission) -> Result<((), String), Failure> {
    let Permission { granted, needed_for, who, advice, .. } = permission;
    if *granted {
        return Ok(((), format!("allowed to {who}")));
    }
    Err(missing(&format!("not allowed to {who}; it is needed for {needed_for}"), advice))
}

fn check_windows(findings: &mut Vec<Finding>, desktop: &Desktop, patience: Duration) {
    attempt(findings, "windows", || {
        let windows = desktop
            .windows
            .as_ref()
            .ok_or_else(|| missing("this desktop has no windows", host::ELSEWHERE))?;
        let count = windows.list(Deadline::after(patience))?.len();
        Ok(((), format!("{count} listed")))
    });
}

fn check_pixels(findings: &mut Vec<Finding>, desktop: &Desktop, patience: Duration) {
    attempt(findings, "capture", || {
        let screen = desktop
            .screen
            .as_ref()
            .ok_or_else(|| missing("this desktop has no screen", host::ELSEWHERE))?;
        let [r, g, b] = screen.pixel(0, 0, Deadline::after(patience))?;
        Ok(((), format!("the pixel at 0,0 is #{r:02x}{g:02x}{b:02x}")))
    });
}

fn check_trees(findings: &mut Vec<Finding>, desktop: &Desktop, patience: Duration) {
    let apps = attempt(findings, "accessibility", || {
        let apps = desktop.tree.apps(Deadline::after(patience))?;
        let text = format!("apps seen: {}", apps.len());
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
            span(Style::Strong, &finding.check),
            span(Style::Faint, &time),
            span(Style::Plain, &told),
        ]);
    }
    Page::default().table(vec!["", "CHECK", "TIME", "SEEN"], rows)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use deskhand_platform::Result as Below;

    use super::*;

    struct Asks {
        granted: [bool; 2],
        opened: Mutex<Vec<String>>,
    }

    impl Permissions for Asks {
        fn all(&self, _: Deadline) -> Below<Vec<Permission>> {
            let one = |name: &str, needed_for: &str, granted| Permission {
                name: name.to_owned(),
                granted,
                needed_for: needed_for.to_owned(),
                who: "Terminal".to_owned(),
                advice: format!("allow {name}"),
            };
            let [trees, pixels] = self.granted;
            Ok(vec![
                one("Accessibility", "trees", trees),
                one("Screen Recording", "pixels", pixels),
            ])
        }

        fn open_settings(&self, name: &str, _: Deadline) -> Below<()> {
            self.opened.lock().unwrap().push(name.to_owned());
            Ok(())
        }
    }

    fn found(granted: [bool; 2], settings: Settings) -> (Vec<Finding>, Vec<String>) {
        let asks = Asks { granted, opened: Mutex::default() };
        let mut findings = Vec::new();
        check_permissions(&mut findings, Some(&asks), settings, Duration::from_secs(1));
        (findings, asks.opened.into_inner().unwrap())
    }

    #[test]
    fn what_is_not_allowed_is_told_apart_and_opened_only_when_asked() {
        let (findings, opened) = found([true, false], Settings::Leave);
        let told: Vec<_> = findings.iter().map(|one| (one.check.as_str(), one.ok)).collect();
        assert_eq!(
            told,
            [("permissions", true), ("Accessibility", true), ("Screen Recording", false)]
        );
        assert_eq!(findings[2].seen, "not allowed to Terminal; it is needed for pixels");
        assert_eq!(findings[2].hint.as_deref(), Some("allow Screen Recording"));
        assert!(opened.is_empty());
        let (findings, opened) = found([true, false], Settings::Open);
        assert_eq!(opened, ["Screen Recording"]);
        assert_eq!(findings[3].seen, "opened for Screen Recording");
        let (findings, opened) = found([true, true], Settings::Open);
        assert!(opened.is_empty() && findings.iter().all(|one| one.ok), "{findings:?}");
    }

    #[test]
    fn where_nobody_is_asked_there_is_nothing_to_open() {
        let mut findings = Vec::new();
        check_permissions(&mut findings, None, Settings::Leave, Duration::from_secs(1));
        assert!(findings.is_empty());
        check_permissions(&mut findings, None, Settings::Open, Duration::from_secs(1));
        assert!(findings[0].ok && findings[0].seen.contains("asks nobody"), "{findings:?}");
    }
}
