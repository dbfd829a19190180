use std::io;

use deskhand_locate::{Error as LocateError, MatchMethod};
use deskhand_model::{Delivery, Explain, Step};
use deskhand_platform::{Error as PlatformError, Refusal};
use deskhand_run::{Error as RunError, mtdf::Error as ArgumentsError};
use deskhand_vision::Error as VisionError;

use super::*;
use deskhand_verbs::{Condition, Error, elicitation::questions, script::ScriptError};

/// A value for the strings in errors; no part of a command line.
fn word() -> String {
    "it".to_owned()
}

fn steps() -> Vec<Step> {
    let all = vec![
        Step::ReadTree { pid: None },
        Step::ReadTree { pid: Some(7) },
        Step::ReadAttributes,
        Step::Screenshot,
        Step::ListApps,
        Step::WaitForApp { pid: 7 },
        Step::ListWindows,
        Step::WindowState,
        Step::RestoreWindow { id: None },
        Step::RestoreWindow { id: Some(0x1f) },
        Step::ReadClipboard,
        Step::Click,
        Step::TypeText,
        Step::PressKey,
        Step::ClickPoint,
        Step::ChooseItem,
        Step::Check,
        Step::ListTools,
        Step::ToolHelp { tool: "click".to_owned() },
        Step::ToolHelp { tool: "ax_click".to_owned() },
        Step::FocusMode,
        Step::BackgroundMode,
        Step::IncludeInvisible,
        Step::Argument("scaling_factor"),
        Step::RaiseTimeout,
        Step::NameWindow,
        Step::ListDisplays,
        Step::PlaceWindow,
        Step::StartProgram,
        Step::OpenPermissionSettings,
        Step::Resume,
        Step::EndHangingProgram,
        Step::RevokeApprovals,
        Step::SetSandboxScope,
        Step::EnableCommands,
        Step::DisableSandbox,
        Step::ListServers,
        Step::LogIn { server: word() },
        Step::StartDesktop,
        Step::StopDesktop { name: word() },
    ];
    // A new step does not compile until it stands here, and belongs in the list above.
    for step in &all {
        match step {
            Step::ReadTree { .. }
            | Step::ReadAttributes
            | Step::Screenshot
            | Step::ListApps
            | Step::WaitForApp { .. }
            | Step::ListWindows
            | Step::WindowState
            | Step::RestoreWindow { .. }
            | Step::ReadClipboard
            | Step::Click
            | Step::TypeText
            | Step::PressKey
            | Step::ClickPoint
            | Step::ChooseItem
            | Step::Check
            | Step::ListTools
            | Step::ToolHelp { .. }
            | Step::FocusMode
            | Step::BackgroundMode
            | Step::IncludeInvisible
            | Step::Argument(_)
            | Step::RaiseTimeout
            | Step::NameWindow
            | Step::ListDisplays
            | Step::PlaceWindow
            | Step::StartProgram
            | Step::OpenPermissionSettings
            | Step::Resume
            | Step::EndHangingProgram
            | Step::RevokeApprovals
            | Step::SetSandboxScope
            | Step::EnableCommands
            | Step::DisableSandbox
            | Step::ListServers
            | Step::LogIn { .. }
            | Step::StartDesktop
            | Step::StopDesktop { .. } => {}
        }
    }
    all
}

fn platform_errors() -> Vec<PlatformError> {
    let all = vec![
        PlatformError::NoAccessibility { why: word() },
        PlatformError::NoDisplay { why: word() },
        PlatformError::Timeout { what: word() },
        PlatformError::Gone { what: word() },
        PlatformError::Disconnected { what: word(), why: word() },
        PlatformError::TooLarge { what: word() },
        PlatformError::Unsupported { what: word(), why: word() },
        PlatformError::ScreenLocked { by: word() },
        PlatformError::PermissionDenied { permission: word(), program: word() },
        PlatformError::Refused(Refusal::new(&PlatformError::ScreenLocked { by: word() })),
        PlatformError::InputCancelled,
        PlatformError::Unexpected { what: word(), why: word() },
    ];
    for error in &all {
        match error {
            PlatformError::NoAccessibility { .. }
            | PlatformError::NoDisplay { .. }
            | PlatformError::Timeout { .. }
            | PlatformError::Gone { .. }
            | PlatformError::Disconnected { .. }
            | PlatformError::TooLarge { .. }
            | PlatformError::Unsupported { .. }
            | PlatformError::ScreenLocked { .. }
            | PlatformError::PermissionDenied { .. }
            | PlatformError::Refused(_)
            | PlatformError::InputCancelled
            | PlatformError::Unexpected { .. } => {}
        }
    }
    all
}

/// Errors of the crates below the verbs, in the form in which a verb returns them.
fn errors_below() -> Vec<Error> {
    let mut all: Vec<Error> = platform_errors().into_iter().map(Error::Platform).collect();
    let no_match = |partial| LocateError::NoMatch {
        query: word(),
        scope: word(),
        near: Vec::new(),
        same_role: Box::default(),
        partial,
        unsearched: Box::default(),
        unopened: None,
    };
    let ambiguous = LocateError::Ambiguous {
        query: word(),
        by: MatchMethod::Regex,
        found: Vec::new(),
        total: 2,
    };
    let refs_file = LocateError::RefsFile { file: word(), why: word() };
    let too_costly = LocateError::TooCostly { query: word(), why: word() };
    let unknown_role = LocateError::UnknownRole { word: word(), near: Vec::new() };
    let unknown_strategy = LocateError::UnknownStrategy { word: word() };
    all.extend(
        [
            no_match(true),
            no_match(false),
            ambiguous,
            LocateError::EmptyQuery,
            refs_file,
            too_costly,
            unknown_role,
            unknown_strategy,
        ]
        .map(Error::Locate),
    );
    all.extend(
        [
            VisionError::SizeMismatch { bytes: 1, width: 1, height: 1 },
            VisionError::TooManyBytes { width: 1, height: 1, bytes: 2, max_bytes: 1 },
            VisionError::Codec { format: "png", why: word() },
            VisionError::Scale { width: 1, height: 1, why: word() },
        ]
        .map(Error::Vision),
    );
    let system = RunError::System { action: "start it", reason: io::Error::other("it") };
    all.extend(
        [
            RunError::UnknownOperation { id: word(), known: Vec::new() },
            RunError::UnknownTerminal { id: word(), known: Vec::new() },
            RunError::OutsideScope { folder: word().into(), scope: word().into() },
            RunError::NoFolder { folder: word().into() },
            RunError::ScopeRefused { folder: word().into(), reason: "it" },
            RunError::NothingToRun,
            RunError::QueueFull { waiting: 1 },
            RunError::TooManyTerminals { open: 1 },
            RunError::SessionEnded,
            RunError::TerminalEnded { id: word() },
            RunError::UnknownKey { key: word() },
            RunError::InvalidPattern { reason: word() },
            system,
        ]
        .map(Error::Run),
    );
    all.push(Error::ToolDefinition(ArgumentsError::NotAnObject));
    all.push(Error::Script(ScriptError::InvisibleCharacters));
    all.push(Error::Script(ScriptError::Declined { why: word(), next: None }));
    all.push(Error::Dynamic(Box::new(PlatformError::Timeout { what: word() })));
    all
}

fn errors() -> Vec<Error> {
    let conditions = [
        Condition::Visible,
        Condition::Enabled,
        Condition::Editable,
        Condition::Stable,
        Condition::Uncovered,
        Condition::Unblocked,
        Condition::Focused,
    ];
    let not_ready = |condition| Error::NotReady { query: word(), condition, last_state: word() };
    let mut all: Vec<Error> = conditions.into_iter().map(not_ready).collect();
    all.extend(errors_below());
    all.extend([
        Error::BadArguments { tool: "click", why: word() },
        Error::NoApp { wanted: word(), running: vec![word()] },
        Error::NoTree { wanted: word(), pid: 7, window: word() },
        Error::AmbiguousApp { wanted: word(), matching: Vec::new() },
        Error::AppRequired { running: vec![word()] },
        Error::NoWindow { wanted: word(), windows: Vec::new() },
        Error::NoWindow { wanted: word(), windows: vec![word()] },
        Error::AmbiguousWindow { wanted: word(), matching: vec![word()] },
        Error::NoProgram { wanted: word(), near: Vec::new() },
        Error::AmbiguousProgram { wanted: word(), matching: Vec::new() },
        Error::NeedsTerminal { program: word() },
        Error::MissingCapability { part: "screen" },
        Error::NotApplicable { what: word(), why: word(), instead: "wait".into() },
        Error::SendFailed {
            error: PlatformError::Timeout { what: word() },
            delivery: Delivery::Sent,
        },
        Error::OutOfBounds { x: 0.0, y: 0.0, displays: vec![word()] },
        Error::NoKey { wanted: word(), near: Vec::new() },
        Error::NoGesture { gesture: word() },
        Error::ClipboardEmpty,
        Error::NoFormat { wanted: word(), forms: Vec::new() },
        Error::ClipboardSecret,
        Error::File { path: word(), why: word() },
        Error::NoDisplay { wanted: word(), displays: Vec::new() },
        Error::NoScreenshot { wanted: word(), last: None },
        Error::NoScreenshot { wanted: word(), last: Some(word()) },
        Error::Cancelled { delivery: Delivery::Sent },
        Error::QuestionPending { question: Box::new(questions::enable_accessibility()) },
        Error::TypingStopped { what: word(), why: word() },
        Error::RateLimited { why: word(), retry_after_ms: 1 },
        Error::NotSerializable { why: word() },
        Error::NoScope { refused: None },
        Error::NoCommands,
    ]);
    // A new variant does not compile until it stands here, and belongs in the list above.
    for error in &all {
        match error {
            Error::BadArguments { .. }
            | Error::NoApp { .. }
            | Error::NoTree { .. }
            | Error::AmbiguousApp { .. }
            | Error::AppRequired { .. }
            | Error::NoWindow { .. }
            | Error::AmbiguousWindow { .. }
            | Error::NoProgram { .. }
            | Error::AmbiguousProgram { .. }
            | Error::NeedsTerminal { .. }
            | Error::MissingCapability { .. }
            | Error::NotReady { .. }
            | Error::NotApplicable { .. }
            | Error::SendFailed { .. }
            | Error::OutOfBounds { .. }
            | Error::NoKey { .. }
            | Error::NoGesture { .. }
            | Error::ClipboardEmpty
            | Error::NoFormat { .. }
            | Error::ClipboardSecret
            | Error::File { .. }
            | Error::NoDisplay { .. }
            | Error::NoScreenshot { .. }
            | Error::Cancelled { .. }
            | Error::QuestionPending { .. }
            | Error::TypingStopped { .. }
            | Error::RateLimited { .. }
            | Error::NotSerializable { .. }
            | Error::Locate(_)
            | Error::Vision(_)
            | Error::Run(_)
            | Error::ToolDefinition(_)
            | Error::Script(_)
            | Error::Dynamic(_)
            | Error::NoScope { .. }
            | Error::NoCommands
            | Error::Platform(_) => {}
        }
    }
    all
}

/// Returns the advice of all errors, and each step by itself.
fn all_advice() -> Vec<Advice> {
    let steps = steps().into_iter().map(|step| Advice::new().step(step));
    errors().iter().filter_map(Explain::advice).chain(steps).collect()
}

#[test]
fn mcp_clients_never_see_a_command_line() {
    for advice in all_advice() {
        for origin in [Origin::Mcp, Origin::Internal] {
            let text = spell_advice(&advice, origin);
            assert!(!text.is_empty(), "{advice:?}");
            assert!(!text.contains("deskhand ") && !text.contains("--"), "{advice:?}: {text}");
        }
    }
}

#[test]
fn the_cli_never_names_a_tool_of_mcp() {
    for advice in all_advice() {
        let text = spell_advice(&advice, Origin::Cli);
        assert!(!text.is_empty(), "{advice:?}");
        assert!(!text.contains("ax_") && !text.contains("tools/list"), "{advice:?}: {text}");
    }
}

#[test]
fn the_cli_names_only_existing_commands() {
    let all = crate::all();
    let commands: Vec<&str> = all.iter().map(|entry| entry.command()).collect();
    // Commands of the binary itself, which are no tools.
    let own = ["check", "resume", "halt", "approvals", "servers", "mcp", "desktop"];
    for step in steps() {
        let text = spell_advice(&Advice::new().step(step), Origin::Cli);
        for line in text.split('`').filter_map(|part| part.strip_prefix("deskhand ")) {
            let is_tool = commands.iter().any(|one| !one.is_empty() && line.starts_with(one));
            assert!(is_tool || own.iter().any(|one| line.starts_with(one)), "{line}");
        }
    }
}

#[test]
fn mcp_clients_are_referred_only_to_existing_tools() {
    let all = crate::all();
    let tools: Vec<&str> = all.iter().map(|entry| entry.name()).collect();
    for step in steps() {
        let text = spell_advice(&Advice::new().step(step), Origin::Mcp);
        for name in text.split(' ').filter(|word| word.starts_with("ax_")) {
            assert!(tools.contains(&name), "{name}");
        }
    }
}

#[test]
fn each_origin_reads_advice_in_its_own_vocabulary() {
    let advice = PlatformError::Timeout { what: word() }.advice().unwrap();
    assert_eq!(
        spell_advice(&advice, Origin::Cli),
        "the app may be frozen or busy; try again, or wait longer with --timeout"
    );
    assert_eq!(
        spell_advice(&advice, Origin::Mcp),
        "the app may be frozen or busy; try again, or wait with ax_wait_idle"
    );
}
