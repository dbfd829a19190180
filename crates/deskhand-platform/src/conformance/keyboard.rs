//! Typed text arrives with any keyboard layout.

use deskhand_model::{Node, State};

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, actions::perform,
    call_deadline, ensure, timing::TYPING_PAUSE,
};
use crate::{Error, Key, NamedKey, NodeAction, Press};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "typed_text_arrives_in_any_script",
        covers: &["Input::type_text"],
        requires: &[Capability::Input, Capability::Windows],
        app: AppUse::Shared,
        run: types,
    },
    ConformanceCheck {
        name: "keys_with_and_without_a_modifier_arrive",
        covers: &["Input::send_key"],
        requires: &[Capability::Input, Capability::Windows],
        app: AppUse::Shared,
        run: keys,
    },
    ConformanceCheck {
        name: "untypable_text_is_refused_and_nothing_is_sent",
        covers: &["Input::type_text"],
        requires: &[Capability::Input, Capability::Windows],
        app: AppUse::Shared,
        run: refused,
    },
    ConformanceCheck {
        name: "background_keys_do_not_move_the_pointer",
        covers: &[
            "Input::background_keyboard",
            "BackgroundKeyboard::type_text",
            "BackgroundKeyboard::send_key",
        ],
        requires: &[Capability::Input, Capability::Windows, Capability::BackgroundKeyboard],
        app: AppUse::Shared,
        run: background,
    },
];

/// Clears and focuses the text field.
fn prepare_field(fixture: &Fixture<'_>) -> Result<Node, CheckError> {
    let field = fixture.text_field()?;
    fixture.focus_window()?;
    perform(fixture, &field, &NodeAction::Focus)?;
    clear(fixture, &field)?;
    Ok(field)
}

fn clear(fixture: &Fixture<'_>, field: &Node) -> CheckResult {
    perform(fixture, field, &NodeAction::SetText(String::new()))?;
    fixture.wait_for_text(&field.id, "")
}

fn types(fixture: &Fixture<'_>) -> CheckResult {
    let field = prepare_field(fixture)?;
    let lines = field.states.has(State::MultiLine).then_some("two\nlines");
    let texts = [
        "plain words 123",
        "Signs: !@#$%^&*()[]{}<>/?|~`+=-_;:,.",
        "grüße naïve señor łódź",
        "ключ κλειδί 日本語 مفتاح",
        "smile 🙂 family 👩‍👩‍👧",
    ];
    for text in texts.into_iter().chain(lines) {
        fixture.input()?.type_text(text, TYPING_PAUSE, call_deadline())?;
        fixture.wait_for_text(&field.id, text)?;
        clear(fixture, &field)?;
    }
    Ok(())
}

fn keys(fixture: &Fixture<'_>) -> CheckResult {
    let field = prepare_field(fixture)?;
    let input = fixture.input()?;
    let press = |key: &Key| -> CheckResult {
        input.send_key(key, Press::Down, call_deadline())?;
        Ok(input.send_key(key, Press::Up, call_deadline())?)
    };
    press(&Key::Char('x'))?;
    input.send_key(&Key::Named(NamedKey::Shift), Press::Down, call_deadline())?;
    let shifted = press(&Key::Char('y'));
    input.send_key(&Key::Named(NamedKey::Shift), Press::Up, call_deadline())?;
    shifted?;
    for key in [NamedKey::Space, NamedKey::Space, NamedKey::Backspace, NamedKey::Home] {
        press(&Key::Named(key))?;
    }
    press(&Key::Char('z'))?;
    fixture.wait_for_text(&field.id, "zxY ")
}

fn refused(fixture: &Fixture<'_>) -> CheckResult {
    let field = prepare_field(fixture)?;
    let answer = fixture.input()?.type_text("a\u{7}b", TYPING_PAUSE, call_deadline());
    ensure!(
        matches!(answer, Err(Error::Unsupported { .. })),
        "expected `Unsupported` for a control character, got {answer:?}"
    );
    let now = fixture.text_of(&field.id)?;
    ensure!(now.trim().is_empty(), "expected an empty field, got {now:?}");
    Ok(())
}

fn background(fixture: &Fixture<'_>) -> CheckResult {
    if !fixture.test_app.background_keys {
        return Err(CheckError::NotInApp("window that accepts background keys"));
    }
    let field = prepare_field(fixture)?;
    let input = fixture.input()?;
    let home = input.pointer_position(call_deadline())?;
    let window = fixture.window()?;
    {
        let mut keyboard = input.background_keyboard(window.id, call_deadline())?;
        keyboard.type_text("quiet", TYPING_PAUSE, call_deadline())?;
        for press in [Press::Down, Press::Up] {
            keyboard.send_key(&Key::Named(NamedKey::Backspace), press, call_deadline())?;
        }
    }
    fixture.wait_for_text(&field.id, "quie")?;
    let now = input.pointer_position(call_deadline())?;
    ensure!(now == home, "expected the pointer at {home:?}, got {now:?}");
    Ok(())
}
