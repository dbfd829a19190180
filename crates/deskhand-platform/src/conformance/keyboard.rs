//! What is typed arrives, whatever the keyboard's layout.

use std::time::Duration;

use deskhand_model::{Node, State};

use super::{AppUse, Check, Fault, Outcome, Part, Scene, acting::act, ensure, soon};
use crate::{Act, Error, Key, Named, Press};

const PAUSE: Duration = Duration::from_millis(2);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "typed_text_arrives_whatever_its_letters",
        covers: &["Input::write"],
        needs: &[Part::Input, Part::Windows],
        app: AppUse::Shared,
        run: types,
    },
    Check {
        name: "keys_with_and_without_a_modifier_arrive",
        covers: &["Input::key"],
        needs: &[Part::Input, Part::Windows],
        app: AppUse::Shared,
        run: keys,
    },
    Check {
        name: "what_cannot_be_typed_is_unsupported_and_nothing_is_sent",
        covers: &["Input::write"],
        needs: &[Part::Input, Part::Windows],
        app: AppUse::Shared,
        run: refused,
    },
    Check {
        name: "keys_for_one_window_leave_the_pointer_where_it_is",
        covers: &["Input::aside", "Aside::write", "Aside::key"],
        needs: &[Part::Input, Part::Windows, Part::Aside],
        app: AppUse::Shared,
        run: aside,
    },
];

/// The text field, empty and with the keyboard.
fn ready(scene: &Scene<'_>) -> Result<Node, Fault> {
    let field = scene.text_field()?;
    scene.to_front()?;
    act(scene, &field, &Act::Focus)?;
    empty(scene, &field)?;
    Ok(field)
}

fn empty(scene: &Scene<'_>, field: &Node) -> Outcome {
    act(scene, field, &Act::SetText(String::new()))?;
    scene.awaits_text(&field.id, "")
}

fn types(scene: &Scene<'_>) -> Outcome {
    let field = ready(scene)?;
    let lines = field.states.has(State::MultiLine).then_some("two\nlines");
    let texts = [
        "plain words 123",
        "Signs: !@#$%^&*()[]{}<>/?|~`+=-_;:,.",
        "grüße naïve señor łódź",
        "ключ κλειδί 日本語 مفتاح",
        "smile 🙂 family 👩‍👩‍👧",
    ];
    for text in texts.into_iter().chain(lines) {
        scene.input()?.write(text, PAUSE, soon())?;
        scene.awaits_text(&field.id, text)?;
        empty(scene, &field)?;
    }
    Ok(())
}

fn keys(scene: &Scene<'_>) -> Outcome {
    let field = ready(scene)?;
    let input = scene.input()?;
    let press = |key: &Key| -> Outcome {
        input.key(key, Press::Down, soon())?;
        Ok(input.key(key, Press::Up, soon())?)
    };
    press(&Key::Char('x'))?;
    input.key(&Key::Named(Named::Shift), Press::Down, soon())?;
    let shifted = press(&Key::Char('y'));
    input.key(&Key::Named(Named::Shift), Press::Up, soon())?;
    shifted?;
    for key in [Named::Space, Named::Space, Named::Backspace, Named::Home] {
        press(&Key::Named(key))?;
    }
    press(&Key::Char('z'))?;
    scene.awaits_text(&field.id, "zxY ")
}

fn refused(scene: &Scene<'_>) -> Outcome {
    let field = ready(scene)?;
    let answer = scene.input()?.write("a\u{7}b", PAUSE, soon());
    ensure!(matches!(answer, Err(Error::Unsupported { .. })), "a control character: {answer:?}");
    let now = scene.text_of(&field.id)?;
    ensure!(now.trim().is_empty(), "nothing was to be sent, and {now:?} is there");
    Ok(())
}

fn aside(scene: &Scene<'_>) -> Outcome {
    if !scene.subject.aside {
        return Err(Fault::NotInSubject("window that takes keys aside"));
    }
    let field = ready(scene)?;
    let input = scene.input()?;
    let home = input.pointer(soon())?;
    let window = scene.window()?;
    {
        let mut aside = input.aside(window.id, soon())?;
        aside.write("quiet", PAUSE, soon())?;
        for press in [Press::Down, Press::Up] {
            aside.key(&Key::Named(Named::Backspace), press, soon())?;
        }
    }
    scene.awaits_text(&field.id, "quie")?;
    let now = input.pointer(soon())?;
    ensure!(now == home, "the pointer went from {home:?} to {now:?}");
    Ok(())
}
