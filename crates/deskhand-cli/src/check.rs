//! `deskhand check`: checks that this system is set up correctly.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use deskhand_engine::{CallFailure, Origin, Style, StyledSpan, StyledText, spell_advice};
use deskhand_platform::{Deadline, Desktop, NodeFields, Permission, Permissions, WalkOptions};
use serde::Serialize;

use crate::{host, output::Output};

/// The option that opens the system settings.
const OPEN_SETTINGS: &str = "open-settings";

/// The result of one check.
#[derive(Debug, Serialize)]
struct Finding {
    /// The name of the check.
    check: String,
    /// `true` if the check passed.
    ok: bool,
    /// The observed state, or the error.
    #[serde(rename = "seen")]
    observed: String,
    /// Advice, if the check failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The duration in milliseconds.
    ms: f64,
}

#[derive(Debug, Serialize)]
struct CheckReport {
    ok: bool,
    checks: Vec<Finding>,
}

/// The choice to open the system settings if a permission is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsPane {
    /// Opens them.
    Open,
    /// Does not open them.
    Leave,
}

/// Returns the `check` command.
pub(crate) fn command() -> Command {
    Command::new("check").about("Check that this system is set up correctly").arg(
        Arg::new(OPEN_SETTINGS)
            .long(OPEN_SETTINGS)
            .action(ArgAction::SetTrue)
            .help("Open the system settings if a permission is missing (macOS)"),
    )
}

/// Returns the choice of the command line.
pub(crate) fn settings_pane(matches: &ArgMatches) -> SettingsPane {
    if matches.get_flag(OPEN_SETTINGS) { SettingsPane::Open } else { SettingsPane::Leave }
}

/// Runs all checks; the exit code is 0 if all pass.
pub(crate) fn run(output: Output, timeout: Duration, pane: SettingsPane) -> ExitCode {
    let mut findings = Vec::new();
    let desktop = attempt(&mut findings, "display", || {
        let desktop = host::open()?;
        let displays = match &desktop.screen {
            Some(screen) => screen.displays(Deadline::after(timeout))?,
            None => Vec::new(),
        };
        let sizes: Vec<String> =
            displays.iter().map(|d| format!("{}x{}", d.frame.width, d.frame.height)).collect();
        let name = host::machine().desktop_id().unwrap_or_else(|| "no display".to_owned());
        Ok((desktop, format!("{name} {}", sizes.join(", "))))
    });
    if let Some(desktop) = &desktop {
        check_permissions(&mut findings, desktop.permissions.as_deref(), pane, timeout);
        check_windows(&mut findings, desktop, timeout);
        check_pixels(&mut findings, desktop, timeout);
        check_trees(&mut findings, desktop, timeout);
    }
    let ok = findings.iter().all(|finding| finding.ok);
    let report = CheckReport { ok, checks: findings };
    let code = output.print(&page(&report), &report);
    if report.ok { code } else { ExitCode::FAILURE }
}

fn attempt<T>(
    findings: &mut Vec<Finding>,
    check: &str,
    check_it: impl FnOnce() -> Result<(T, String), CallFailure>,
) -> Option<T> {
    let start = Instant::now();
    let (ok, observed, hint, value) = match check_it() {
        Ok((value, observed)) => (true, observed, None, Some(value)),
        Err(failure) => (false, failure.message, failure.hint, None),
    };
    let ms = start.elapsed().as_secs_f64() * 1000.0;
    findings.push(Finding { check: check.to_owned(), ok, observed, hint, ms });
    value
}

fn missing(what: &str, hint: &str) -> CallFailure {
    CallFailure {
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
    pane: SettingsPane,
    timeout: Duration,
) {
    let Some(permissions) = permissions else {
        if pane == SettingsPane::Open {
            attempt(findings, "settings", || {
                Ok(((), "not opened: this system needs no permissions".to_owned()))
            });
        }
        return;
    };
    let all = attempt(findings, "permissions", || {
        let all = permissions.list(Deadline::after(timeout))?;
        let granted = all.iter().filter(|permission| permission.granted).count();
        let text = format!("{granted} of {} granted", all.len());
        Ok((all, text))
    });
    let Some(all) = all else { return };
    for permission in &all {
        attempt(findings, &permission.name, || check_permission(permission));
    }
    if pane == SettingsPane::Open {
        attempt(findings, "settings", || {
            let Some(missing) = all.iter().find(|permission| !permission.granted) else {
                return Ok(((), "not opened: all permissions are granted".to_owned()));
            };
            permissions.open_settings(&missing.name, Deadline::after(timeout))?;
            Ok(((), format!("opened for {}", missing.name)))
        });
    }
}

fn check_permission(permission: &Permission) -> Result<((), String), CallFailure> {
    let Permission { granted, needed_for, program: who, instructions: advice, .. } = permission;
    if *granted {
        return Ok(((), format!("granted to {who}")));
    }
    let hint = spell_advice(advice, Origin::Cli);
    Err(missing(&format!("not granted to {who}; needed for {needed_for}"), &hint))
}

fn check_windows(findings: &mut Vec<Finding>, desktop: &Desktop, timeout: Duration) {
    attempt(findings, "windows", || {
        let windows = desktop
            .windows
            .as_ref()
            .ok_or_else(|| missing("this desktop has no windows", host::NO_DESKTOP_HINT))?;
        let count = windows.list(Deadline::after(timeout))?.len();
        Ok(((), format!("{count} listed")))
    });
}

fn check_pixels(findings: &mut Vec<Finding>, desktop: &Desktop, timeout: Duration) {
    attempt(findings, "capture", || {
        let screen = desktop
            .screen
            .as_ref()
            .ok_or_else(|| missing("this desktop has no screen", host::NO_DESKTOP_HINT))?;
        let [r, g, b] = screen.pixel(0, 0, Deadline::after(timeout))?;
        Ok(((), format!("the pixel at 0,0 is #{r:02x}{g:02x}{b:02x}")))
    });
}

fn check_trees(findings: &mut Vec<Finding>, desktop: &Desktop, timeout: Duration) {
    let apps = attempt(findings, "accessibility", || {
        let apps = desktop.tree.apps(Deadline::after(timeout))?;
        let text = format!("{} apps", apps.len());
        Ok((apps, text))
    });
    let Some(apps) = apps else { return };
    attempt(findings, "tree", || {
        let Some(app) = apps.iter().find(|app| app.responding) else {
            // A desktop without apps is no error.
            return Ok(((), "no app is running".to_owned()));
        };
        let within = WalkOptions::with_fields(NodeFields::STANDARD);
        let elements = desktop.tree.walk(app, &app.root, &within, Deadline::after(timeout))?;
        if elements.len() < 2 {
            let hint = "the app may have started before accessibility was enabled; restart it";
            return Err(missing(&format!("{} has an empty tree", app.name), hint));
        }
        Ok(((), format!("{} elements of {}", elements.len(), app.name)))
    });
    for frozen in apps.iter().filter(|app| !app.responding) {
        attempt(findings, "app", || {
            Err::<((), String), _>(missing(
                &format!("{} (pid {}) does not respond", frozen.name, frozen.pid),
                "it may be stopped or busy; other apps are not affected",
            ))
        });
    }
}

fn page(report: &CheckReport) -> StyledText {
    let span = |style, text: &str| StyledSpan { style, text: text.to_owned() };
    let mut rows = Vec::new();
    for finding in &report.checks {
        let mark = if finding.ok { span(Style::Value, "✓") } else { span(Style::Warning, "✗") };
        let time = format!("{:.1} ms", finding.ms);
        let observed = match &finding.hint {
            Some(hint) => format!("{} → {hint}", finding.observed),
            None => finding.observed.clone(),
        };
        rows.push(vec![
            mark,
            span(Style::Strong, &finding.check),
            span(Style::Faint, &time),
            span(Style::Plain, &observed),
        ]);
    }
    StyledText::default().table(vec!["", "CHECK", "TIME", "RESULT"], rows)
}

#[cfg(test)]
mod tests {
    use deskhand_platform::Result as PlatformResult;
    use parking_lot::Mutex;

    use super::*;

    struct FakePermissions {
        granted: [bool; 2],
        opened: Mutex<Vec<String>>,
    }

    impl Permissions for FakePermissions {
        fn list(&self, _: Deadline) -> PlatformResult<Vec<Permission>> {
            let permission = |name: &str, needed_for: &str, granted| Permission {
                name: name.to_owned(),
                granted,
                needed_for: needed_for.to_owned(),
                program: "Terminal".to_owned(),
                instructions: format!("allow {name}").into(),
            };
            let [trees, pixels] = self.granted;
            Ok(vec![
                permission("Accessibility", "trees", trees),
                permission("Screen Recording", "pixels", pixels),
            ])
        }

        fn open_settings(&self, name: &str, _: Deadline) -> PlatformResult<()> {
            self.opened.lock().push(name.to_owned());
            Ok(())
        }
    }

    fn check_with(granted: [bool; 2], pane: SettingsPane) -> (Vec<Finding>, Vec<String>) {
        let permissions = FakePermissions { granted, opened: Mutex::default() };
        let mut findings = Vec::new();
        check_permissions(&mut findings, Some(&permissions), pane, Duration::from_secs(1));
        (findings, permissions.opened.into_inner())
    }

    #[test]
    fn missing_permissions_fail_and_settings_open_only_on_request() {
        let (findings, opened) = check_with([true, false], SettingsPane::Leave);
        let checks: Vec<_> = findings.iter().map(|it| (it.check.as_str(), it.ok)).collect();
        assert_eq!(
            checks,
            [("permissions", true), ("Accessibility", true), ("Screen Recording", false)]
        );
        assert_eq!(findings[2].observed, "not granted to Terminal; needed for pixels");
        assert_eq!(findings[2].hint.as_deref(), Some("allow Screen Recording"));
        assert!(opened.is_empty());
        let (findings, opened) = check_with([true, false], SettingsPane::Open);
        assert_eq!(opened, ["Screen Recording"]);
        assert_eq!(findings[3].observed, "opened for Screen Recording");
        let (findings, opened) = check_with([true, true], SettingsPane::Open);
        assert!(opened.is_empty() && findings.iter().all(|it| it.ok), "{findings:?}");
    }

    #[test]
    fn without_permissions_there_are_no_settings_to_open() {
        let mut findings = Vec::new();
        check_permissions(&mut findings, None, SettingsPane::Leave, Duration::from_secs(1));
        assert!(findings.is_empty());
        check_permissions(&mut findings, None, SettingsPane::Open, Duration::from_secs(1));
        assert!(
            findings[0].ok && findings[0].observed.contains("needs no permissions"),
            "{findings:?}"
        );
    }
}
