//! Capabilities that only some systems have: permissions, scripting dictionaries, text recognition.

use std::path::Path;

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure,
};
use crate::{CaptureTarget, Error, RecognitionLevel, RecognitionOptions};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "permissions_are_listed_and_granted",
        covers: &["Permissions::list", "Permissions::open_settings"],
        requires: &[Capability::Permissions],
        app: AppUse::Shared,
        run: allowed,
    },
    ConformanceCheck {
        name: "a_scriptable_app_has_a_dictionary",
        covers: &["Dictionaries::read"],
        requires: &[Capability::Dictionaries],
        app: AppUse::Shared,
        run: scripted,
    },
    ConformanceCheck {
        name: "text_in_a_screenshot_is_recognized",
        covers: &["TextRecognizer::recognize", "TextRecognizer::languages"],
        requires: &[Capability::TextRecognizer, Capability::Screen, Capability::Windows],
        app: AppUse::Shared,
        run: recognizes,
    },
];

fn allowed(fixture: &Fixture<'_>) -> CheckResult {
    let permissions = fixture.permissions()?;
    let all = permissions.list(call_deadline())?;
    ensure!(!all.is_empty(), "no permissions are listed; declare the capability as absent instead");
    for one in &all {
        let is_complete =
            [&one.name, &one.needed_for, &one.program].iter().all(|text| !text.is_empty());
        ensure!(is_complete, "{one:?} has an empty field");
        ensure!(one.granted, "{one:?} is not granted; grant it before running the checks");
    }
    // An unknown permission opens nothing.
    let opened = permissions.open_settings("no such permission", call_deadline());
    ensure!(
        matches!(opened, Err(Error::Unsupported { .. })),
        "opening the settings of an unknown permission returned {opened:?}"
    );
    Ok(())
}

fn scripted(fixture: &Fixture<'_>) -> CheckResult {
    let app = fixture
        .test_app
        .scriptable_path
        .as_ref()
        .ok_or(CheckError::NotInApp("scripting dictionary"))?;
    let dictionaries = fixture.dictionaries()?;
    let Some(dictionary) = dictionaries.read(app, call_deadline())? else {
        return Err(CheckError::Failed(format!("{} has no dictionary", app.display())));
    };
    let commands = dictionary.suites.iter().map(|suite| suite.commands.len()).sum::<usize>();
    let classes = dictionary.suites.iter().map(|suite| suite.classes.len()).sum::<usize>();
    ensure!(
        commands > 0 && classes > 0,
        "the dictionary has {commands} commands and {classes} classes"
    );
    let missing = dictionaries.read(Path::new("/no/such/app"), call_deadline());
    ensure!(
        matches!(missing, Err(Error::Gone { .. })),
        "expected `Gone` for a missing app, got {missing:?}"
    );
    Ok(())
}

fn recognizes(fixture: &Fixture<'_>) -> CheckResult {
    let expected =
        fixture.test_app.visible_text.as_ref().ok_or(CheckError::NotInApp("visible text"))?;
    let recognizer = fixture.text_recognizer()?;
    ensure!(!recognizer.languages(call_deadline())?.is_empty(), "no language is available");
    let window = fixture.focus_window()?;
    let image = fixture.screen()?.capture(CaptureTarget::Window(window.id), call_deadline())?;
    let options = RecognitionOptions {
        languages: Vec::new(),
        min_confidence: 0.0,
        level: RecognitionLevel::Accurate,
    };
    let lines = recognizer.recognize(&image, &options, call_deadline())?;
    let Some(line) = lines.iter().find(|line| line.text.contains(expected.as_str())) else {
        let all: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        return Err(CheckError::Failed(format!("{expected:?} is not among the lines {all:?}")));
    };
    let inside = window.frame.clipped_to(line.rect) == line.rect && !line.rect.is_empty();
    ensure!(inside, "{line:?} is outside the window {:?}", window.frame);
    ensure!(
        (0.0..=1.0).contains(&line.confidence),
        "the confidence of {line:?} is not between 0 and 1"
    );
    Ok(())
}
