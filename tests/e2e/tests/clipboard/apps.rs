//! Real apps: a person's paste brings what was written, a person's copy is what is read.

use std::time::Duration;

use harness::{App, Program, Stage};
use serde_json::Value;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

use crate::{WORDS, picture, read, until, write, xclip};

const CONTROL: u32 = 0xffe3;

/// Presses Control and a letter, as a person does.
fn control(stage: &Stage, letter: char) {
    let x = stage.info().connect_x11().unwrap();
    let setup = x.setup();
    let (first, last) = (setup.min_keycode, setup.max_keycode);
    let mapping = x.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
    let code = |keysym: u32| {
        let width = usize::from(mapping.keysyms_per_keycode);
        let place = mapping.keysyms.chunks(width).position(|key| key[0] == keysym).unwrap();
        first + u8::try_from(place).unwrap()
    };
    let (modifier, key) = (code(CONTROL), code(u32::from(letter)));
    let strokes = [
        (KEY_PRESS_EVENT, modifier),
        (KEY_PRESS_EVENT, key),
        (KEY_RELEASE_EVENT, key),
        (KEY_RELEASE_EVENT, modifier),
    ];
    for (kind, code) in strokes {
        x.xtest_fake_input(kind, code, 0, x.setup().roots[0].root, 0, 0, 0).unwrap();
        x.get_input_focus().unwrap().reply().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Pastes what we wrote, types one more letter, copies all: what an independent program reads then
/// has been through the app, and we read the same.
fn there_and_back(app: App) {
    let stage = Stage::new();
    let program = stage.start(app);
    write(&stage, &[WORDS]);
    control(&stage, 'v');
    let holds = |one: &harness::Seen| {
        one.value.as_ref().and_then(Value::as_str).is_some_and(|text| text.contains("zweite Zeile"))
    };
    let shows = |tree: &harness::Tree| tree.find(holds).is_some();
    stage.until(&program, "the paste", shows);
    stage.hand().type_text("z");
    let expected = format!("{WORDS}z");
    until("the copy", || {
        control(&stage, 'a');
        control(&stage, 'c');
        std::thread::sleep(Duration::from_millis(300));
        (xclip(&stage, "UTF8_STRING") == expected.as_bytes()).then_some(())
    });
    let copied = read(&stage, "text");
    assert_eq!(copied["text"], expected);
    assert_ne!(copied["from"], "deskhand");
}

#[test]
fn mousepad_takes_and_gives_text() {
    there_and_back(App::Mousepad);
}

#[test]
fn featherpad_takes_and_gives_text() {
    there_and_back(App::Featherpad);
}

fn title(stage: &Stage) -> String {
    let windows = stage.windows();
    let title = windows.first().and_then(|window| window["title"].as_str());
    title.unwrap_or_default().to_owned()
}

fn pasted(stage: &Stage) -> Value {
    control(stage, 'v');
    let title = until("the paste", || {
        let title = title(stage);
        title.starts_with("pasted ").then_some(title)
    });
    let end = title.rfind('}').unwrap();
    serde_json::from_str(&title["pasted ".len()..=end]).unwrap()
}

/// Chromium on the page that tells what is pasted, ready for keys.
fn page(stage: &Stage) -> Program {
    let program = stage.start_unseen(App::Chromium("clipboard.html"));
    stage.until(&program, "the page", |tree| {
        tree.find(|one| one.title == "Field" && one.bounds.is_some()).is_some()
    });
    let field = stage.tree(&program).named("textbox", "Field").bounds.unwrap().centre();
    stage.hand().click(field);
    program
}

#[test]
fn a_web_page_takes_markup_and_gives_markup() {
    let stage = Stage::new();
    let _chromium = page(&stage);
    let html = "<p>Grüße &amp; <b>日本</b></p>";
    write(&stage, &["--html", html]);
    let seen = pasted(&stage);
    assert_eq!(seen["text"], "Grüße & 日本", "{seen}");
    assert_eq!(seen["html"], html, "{seen}");
    control(&stage, 'c');
    until("the copy", || title(&stage).starts_with("copied").then_some(()));
    assert_eq!(read(&stage, "text")["text"], "Grüße from a page");
    let markup = read(&stage, "html")["text"].as_str().unwrap().to_owned();
    assert!(markup.contains("<p>Grüße <b>from</b> a page</p>"), "{markup}");
}

#[test]
fn a_web_page_takes_a_picture() {
    let stage = Stage::new();
    let _chromium = page(&stage);
    let path = stage.info().home.join("small.png");
    picture(&path, 12, 9);
    write(&stage, &["--image", path.to_str().unwrap()]);
    let seen = pasted(&stage);
    let pictures = seen["pictures"].as_array().unwrap();
    assert!(
        pictures.len() == 1 && pictures[0].as_str().unwrap().starts_with("image/png "),
        "{seen}"
    );
}
