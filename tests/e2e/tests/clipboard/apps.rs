//! Copy and paste with the keyboard in real apps.

use std::time::Duration;

use harness::{App, Program, TestDesktop};
use serde_json::Value;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

use crate::{WORDS, read, until, write, write_image, xclip};

const CONTROL: u32 = 0xffe3;

/// Presses Control and a letter with real key events.
fn press_control(stage: &TestDesktop, letter: char) {
    let x = stage.info().connect_x11().unwrap();
    let setup = x.setup();
    let (first, last) = (setup.min_keycode, setup.max_keycode);
    let mapping = x.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
    let code = |keysym: u32| {
        let width = usize::from(mapping.keysyms_per_keycode);
        let index = mapping.keysyms.chunks(width).position(|key| key[0] == keysym).unwrap();
        first + u8::try_from(index).unwrap()
    };
    let (modifier, key) = (code(CONTROL), code(u32::from(letter)));
    let key_events = [
        (KEY_PRESS_EVENT, modifier),
        (KEY_PRESS_EVENT, key),
        (KEY_RELEASE_EVENT, key),
        (KEY_RELEASE_EVENT, modifier),
    ];
    for (kind, code) in key_events {
        x.xtest_fake_input(kind, code, 0, x.setup().roots[0].root, 0, 0, 0).unwrap();
        x.get_input_focus().unwrap().reply().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Writes text, pastes it into the app, types one more letter and copies everything. An independent
/// program and deskhand must both read the extended text.
fn check_round_trip(app: App) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    write(&stage, &[WORDS]);
    press_control(&stage, 'v');
    let has_pasted_text = |one: &harness::Element| {
        one.value.as_ref().and_then(Value::as_str).is_some_and(|text| text.contains("zweite Zeile"))
    };
    let is_pasted = |tree: &harness::Tree| tree.find(has_pasted_text).is_some();
    stage.until(&program, "the paste", is_pasted);
    stage.real_input().type_text("z");
    let expected = format!("{WORDS}z");
    until("the copy", || {
        press_control(&stage, 'a');
        press_control(&stage, 'c');
        std::thread::sleep(Duration::from_millis(300));
        (xclip(&stage, "UTF8_STRING") == expected.as_bytes()).then_some(())
    });
    let copied = read(&stage, "text");
    assert_eq!(copied["text"], expected);
    assert_ne!(copied["from"], "deskhand");
}

#[test]
fn text_survives_paste_and_copy_in_mousepad() {
    check_round_trip(App::Mousepad);
}

#[test]
fn text_survives_paste_and_copy_in_featherpad() {
    check_round_trip(App::Featherpad);
}

fn window_title(stage: &TestDesktop) -> String {
    let windows = stage.windows();
    let window_title = windows.first().and_then(|window| window["title"].as_str());
    window_title.unwrap_or_default().to_owned()
}

fn paste_in_page(stage: &TestDesktop) -> Value {
    press_control(stage, 'v');
    let window_title = until("the paste", || {
        let window_title = window_title(stage);
        window_title.starts_with("pasted ").then_some(window_title)
    });
    let end = window_title.rfind('}').unwrap();
    serde_json::from_str(&window_title["pasted ".len()..=end]).unwrap()
}

/// Starts Chromium with a page that reports pasted data in its title, and focuses its field.
fn open_page(stage: &TestDesktop) -> Program {
    let program = stage.start_unread(App::Chromium("clipboard.html"));
    stage.until(&program, "the page", |tree| {
        tree.find(|one| one.title == "Field" && one.bounds.is_some()).is_some()
    });
    let field = stage.tree(&program).named("textbox", "Field").bounds.unwrap().centre();
    stage.real_input().click(field);
    program
}

#[test]
fn chromium_page_pastes_and_copies_html() {
    let stage = TestDesktop::new();
    let _chromium = open_page(&stage);
    let html = "<p>Grüße &amp; <b>日本</b></p>";
    write(&stage, &["--html", html]);
    let pasted = paste_in_page(&stage);
    assert_eq!(pasted["text"], "Grüße & 日本", "{pasted}");
    assert_eq!(pasted["html"], html, "{pasted}");
    press_control(&stage, 'c');
    until("the copy", || window_title(&stage).starts_with("copied").then_some(()));
    assert_eq!(read(&stage, "text")["text"], "Grüße from a page");
    let markup = read(&stage, "html")["text"].as_str().unwrap().to_owned();
    assert!(markup.contains("<p>Grüße <b>from</b> a page</p>"), "{markup}");
}

#[test]
fn chromium_page_pastes_an_image() {
    let stage = TestDesktop::new();
    let _chromium = open_page(&stage);
    let path = stage.info().home.join("small.png");
    write_image(&path, 12, 9);
    write(&stage, &["--image", path.to_str().unwrap()]);
    let pasted = paste_in_page(&stage);
    let pictures = pasted["pictures"].as_array().unwrap();
    assert!(
        pictures.len() == 1 && pictures[0].as_str().unwrap().starts_with("image/png "),
        "{pasted}"
    );
}
