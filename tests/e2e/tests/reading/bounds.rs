//! Element bounds are correct: a real click at the centre hits the element.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

use harness::tree::Bounds;
use harness::{App, Element, Program, TestDesktop, Tree};

/// Converts bounds from the origin of the main display to the X screen.
fn on_screen(stage: &TestDesktop, bounds: Bounds) -> Bounds {
    let main = &stage.info().displays[0];
    let (dx, dy) = (main.x.cast_signed(), main.y.cast_signed());
    Bounds { x: bounds.x + dx, y: bounds.y + dy, ..bounds }
}

fn click(stage: &TestDesktop, one: &Element) {
    let bounds = one.bounds.unwrap_or_else(|| panic!("{one:?} has no bounds"));
    assert!(bounds.width > 4 && bounds.height > 4, "{one:?}");
    stage.real_input().click(on_screen(stage, bounds).centre());
}

/// Checks that visible controls lie inside a window of their app and that a window is at their
/// centre. Returns the number of checked controls.
fn assert_controls_in_window(stage: &TestDesktop, program: &Program, tree: &Tree) -> usize {
    let windows: Vec<Bounds> = stage
        .windows()
        .iter()
        .filter(|window| window["pid"] == program.pid())
        .map(|window| serde_json::from_value(window["bounds"].clone()).unwrap())
        .collect();
    assert!(!windows.is_empty(), "{:?}", stage.windows());
    let hand = stage.real_input();
    let controls = ["button", "checkbox", "radio", "textbox", "togglebutton", "combobox", "menu"];
    let mut checked = 0;
    let mut faults = Vec::new();
    for one in &tree.elements {
        let leaf = controls.contains(&one.kind.as_str()) && one.is("showing");
        let Some(bounds) = one.bounds.filter(|b| leaf && b.width > 2 && b.height > 2) else {
            continue;
        };
        let centre = bounds.centre();
        // Qt moves widgets of a hidden dock off the screen and still reports them as showing.
        if centre.0 < 0 || centre.1 < 0 {
            continue;
        }
        checked += 1;
        let inside = windows.iter().any(|window| window.contains(centre));
        let is_covered_by_window =
            inside && !hand.windows_at(on_screen(stage, bounds).centre()).is_empty();
        if !is_covered_by_window {
            faults.push(format!("{} {:?} at {bounds:?}", one.kind, one.title));
        }
    }
    assert!(checked >= 3, "only {checked} controls have bounds: {}", tree.summary());
    // Elements that are scrolled out of view or in an overflow menu have bounds outside the window.
    assert!(faults.len() * 5 <= checked, "{} of {checked} are outside: {faults:#?}", faults.len());
    checked
}

fn button<'a>(tree: &'a Tree, titles: &[&str]) -> &'a Element {
    let named = |one: &Element| titles.contains(&one.title.as_str()) && one.is("showing");
    let kinds = ["button", "togglebutton"];
    tree.find(|one| named(one) && kinds.contains(&one.kind.as_str()) && one.bounds.is_some())
        .unwrap_or_else(|| panic!("no button {titles:?}: {}", tree.summary()))
}

/// Returns `true` if a text is in a name that the independent reader finds, or in a title or value
/// of the tree.
fn shows_text(stage: &TestDesktop, program: &Program, text: &str) -> bool {
    let in_tree = |tree: &Tree| {
        tree.elements.iter().any(|one| {
            one.title.contains(text)
                || one.value.as_ref().is_some_and(|value| value.to_string().contains(text))
        })
    };
    stage.plain_walk(program.pid()).values().any(|node| node.name.contains(text))
        || in_tree(&stage.tree(program))
}

fn wait_for_text(stage: &TestDesktop, program: &Program, text: &str) {
    for _ in 0..20 {
        if shows_text(stage, program, text) {
            return;
        }
        std::thread::sleep(Duration::from_millis(150));
    }
    panic!("{text:?} did not appear: {}", stage.tree(program).summary());
}

/// Clicks 7, 4 and 1, which are in one column, and 9 and 5, which are not.
fn check_calculator_clicks(app: App) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    let tree = stage.tree(&program);
    assert_controls_in_window(&stage, &program, &tree);
    for digit in ["7", "4", "1", "9", "5"] {
        let doubled = format!("{digit} {digit}");
        click(&stage, button(&tree, &[digit, &doubled]));
    }
    wait_for_text(&stage, &program, "74195");
}

#[test]
fn gtk4_gnome_calculator_shows_the_clicked_digits() {
    check_calculator_clicks(App::GnomeCalculator);
}

#[test]
fn qt5_kcalc_shows_the_clicked_digits() {
    check_calculator_clicks(App::Kcalc);
}

#[test]
fn gtk3_mousepad_opens_the_clicked_menu() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let tree = stage.tree(&program);
    assert_controls_in_window(&stage, &program, &tree);
    click(&stage, tree.named("menu", "Search"));
    let selected = |tree: &Tree| tree.find(|one| one.kind == "menu" && one.is("selected")).cloned();
    let open = stage.until(&program, "a menu opens", |tree| selected(tree).is_some());
    assert_eq!(selected(&open).unwrap().title, "Search");
}

#[test]
fn gtk3_and_gtk4_clicked_buttons_are_pressed() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_long_list.py", &["50"]));
    click(&stage, stage.tree(&program).named("button", "Refresh"));
    program.wait_for("pressed");
    drop(program);
    let program = stage.start(App::Fixture("gtk4_passwords.py", &[]));
    let tree = stage.tree(&program);
    click(&stage, tree.named("button", "Sign in"));
    program.wait_for("pressed");
}

#[test]
fn qt6_clicked_buttons_are_pressed_also_in_a_dialog() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("qt6_dialog.py", &["20"]));
    let tree = stage.tree(&program);
    assert_controls_in_window(&stage, &program, &tree);
    click(&stage, tree.named("button", "Save"));
    program.wait_for("pressed Save");
    click(&stage, tree.named("button", "Open dialog"));
    program.wait_for("dialog opened");
    let cancel = |one: &Element| one.kind == "button" && one.title.replace('&', "") == "Cancel";
    let tree = stage.until(&program, "the dialog", |tree| tree.find(cancel).is_some());
    click(&stage, tree.find(cancel).unwrap());
    program.wait_for("dialog closed cancel");
}

#[test]
fn qt6_designer_controls_are_inside_its_windows() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Designer);
    assert_controls_in_window(&stage, &program, &stage.tree(&program));
}

#[test]
fn swing_clicked_controls_react() {
    let stage = TestDesktop::new();
    let program = stage.start(App::SwingForm);
    let tree = stage.tree(&program);
    assert_controls_in_window(&stage, &program, &tree);
    click(&stage, tree.named("checkbox", "Send news"));
    program.wait_for("checked true");
    click(&stage, tree.named("button", "Send"));
    program.wait_for("pressed");
}

fn check_web_form_clicks(app: App) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    let tree = stage.tree(&program);
    assert_controls_in_window(&stage, &program, &tree);
    for (kind, title) in [("checkbox", "Send news"), ("radio", "Large"), ("radio", "Small")] {
        let one = tree.named(kind, title);
        assert!(!is_checked(&stage, &program, &one.id), "{one:?}");
        click(&stage, one);
        let end = Instant::now() + Duration::from_secs(5);
        while !is_checked(&stage, &program, &one.id) {
            assert!(Instant::now() < end, "{title} is not checked after the click");
        }
    }
    click(&stage, tree.named("textbox", "Name"));
    stage.real_input().type_text("lovelace");
    wait_for_text(&stage, &program, "lovelace");
}

/// AT-SPI state number 4 (CHECKED), read by the independent reader.
fn is_checked(stage: &TestDesktop, program: &Program, id: &str) -> bool {
    stage.plain_walk(program.pid())[id].states[0] & (1 << 4) != 0
}

#[test]
fn chromium_clicked_controls_react() {
    check_web_form_clicks(App::Chromium("form.html"));
}

#[test]
fn firefox_clicked_controls_react() {
    check_web_form_clicks(App::Firefox("form.html"));
}

/// LibreOffice reports bounds that are off by its menu bar until the pointer moves for the first
/// time. The first read must be correct, and so must one after a pointer move.
fn check_office_clicks(app: App) {
    let stage = TestDesktop::new();
    let program = stage.start(app);
    let tree = stage.tree(&program);
    assert_controls_in_window(&stage, &program, &tree);
    let bold = button(&tree, &["Bold"]).clone();
    assert!(!is_on(&bold), "{bold:?}");
    click(&stage, &bold);
    let on = |tree: &Tree| tree.elements.iter().any(|one| one.title == "Bold" && is_on(one));
    let tree = stage.until(&program, "Bold is on", on);
    click(&stage, button(&tree, &["Bold"]));
    stage.until(&program, "Bold is off", |tree| !on(tree));
    let italic = stage.tree(&program);
    click(&stage, button(&italic, &["Italic"]));
    let on = |tree: &Tree| tree.elements.iter().any(|one| one.title == "Italic" && is_on(one));
    stage.until(&program, "Italic is on", on);
}

fn is_on(one: &Element) -> bool {
    one.is("checked") || one.is("pressed")
}

#[test]
fn libreoffice_writer_clicked_buttons_switch_on() {
    check_office_clicks(App::Writer);
}

#[test]
fn libreoffice_calc_clicked_buttons_switch_on() {
    check_office_clicks(App::Calc);
}

/// Moves the window of an app and clicks its buttons at the new place.
fn check_clicks_after_move(displays: &[&str], app: App, to: (i32, i32)) {
    let stage = TestDesktop::with_displays(displays);
    let program = stage.start(app);
    let hand = stage.real_input();
    let window = *hand.clients().last().unwrap();
    let before = stage.tree(&program);
    hand.move_window(window, to);
    let after = stage.tree(&program);
    let digit = |tree: &Tree| button(tree, &["8", "8 8"]).bounds.unwrap();
    assert_ne!(digit(&before), digit(&after), "the bounds did not change");
    let client: Bounds = serde_json::from_value(stage.windows()[0]["bounds"].clone()).unwrap();
    assert!((client.x - to.0).abs() < 60 && (client.y - to.1).abs() < 60, "{client:?}");
    assert!(client.contains(digit(&after).centre()), "{client:?} {:?}", digit(&after));
    for title in ["8", "2"] {
        let doubled = format!("{title} {title}");
        click(&stage, button(&after, &[title, &doubled]));
    }
    wait_for_text(&stage, &program, "82");
}

#[test]
fn bounds_follow_a_moved_window() {
    check_clicks_after_move(&["1920x1080"], App::GnomeCalculator, (900, 300));
    check_clicks_after_move(&["1920x1080"], App::Kcalc, (900, 300));
}

#[test]
fn bounds_are_correct_on_a_second_display() {
    check_clicks_after_move(&["1024x768", "1280x1024"], App::GnomeCalculator, (1200, 200));
    check_clicks_after_move(&["1024x768", "1280x1024"], App::Kcalc, (1200, 200));
}

#[test]
fn libreoffice_writer_bounds_are_correct_on_a_second_display() {
    let stage = TestDesktop::with_displays(&["1280x800", "1280x800"]);
    let program = stage.start(App::Writer);
    let hand = stage.real_input();
    hand.move_window(*hand.clients().last().unwrap(), (1300, 40));
    let tree = stage.tree(&program);
    click(&stage, button(&tree, &["Italic"]));
    let on = |tree: &Tree| tree.elements.iter().any(|one| one.title == "Italic" && is_on(one));
    stage.until(&program, "Italic is on", on);
}
