//! Tests for which element a query finds.

mod choice;
mod fields;
mod wording;

use std::time::{Duration, Instant};

use deskhand_model::{Explain, NodeId, Relation, RelationKind, Role, Snapshot, State, Value};

use super::{LocatedElement, MatchMethod, find_all, find_one, is_conclusive};
use crate::{
    Candidate, Error, Preferences, Query, RefTable, Result, Strategy, heal::HealMethod, path,
    testing::Tree,
};

fn form() -> Tree {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Untitled");
    let bar = tree.add(window, Role::ToolBar, "Main");
    tree.add(bar, Role::Button, "Save");
    tree.add(bar, Role::Button, "Save as…");
    tree.add(bar, Role::Button, "Close");
    tree.add(window, Role::Label, "Name:");
    let field = tree.add(window, Role::Entry, "");
    tree.at(field).value = Some(Value::Text { text: "Ada".into(), length: 3 });
    tree.at(field).identifier = "name-field".into();
    tree.add(window, Role::CheckBox, "Remember me");
    tree
}

fn one_by(snapshot: &Snapshot, text: &str, strategy: Strategy) -> Result<LocatedElement> {
    find_one(snapshot, &Query::parse(text, strategy)?, &mut RefTable::new())
}

fn one(snapshot: &Snapshot, text: &str) -> Result<LocatedElement> {
    one_by(snapshot, text, Strategy::Auto)
}

#[track_caller]
fn finds(snapshot: &Snapshot, text: &str, by: MatchMethod, role: Role, name: &str) {
    let found = one(snapshot, text).unwrap();
    let node = snapshot.node(found.index);
    assert_eq!((found.by, node.role, node.name.as_str()), (by, role, name), "{text}");
}

#[test]
fn the_most_exact_method_wins() {
    let s = form().snapshot();
    finds(&s, "Save", MatchMethod::TitleExact, Role::Button, "Save");
    finds(&s, "save AS…", MatchMethod::TitleInsensitive, Role::Button, "Save as…");
    finds(&s, "remember", MatchMethod::Contains, Role::CheckBox, "Remember me");
    finds(&s, "Name", MatchMethod::Label, Role::Entry, "");
    finds(&s, "Name:", MatchMethod::Label, Role::Entry, "");
    finds(&s, "ada", MatchMethod::Value, Role::Entry, "");
    finds(&s, "name-field", MatchMethod::Identifier, Role::Entry, "");
    finds(&s, "button:Save", MatchMethod::RoleTitle, Role::Button, "Save");
    finds(&s, "role:button title:Save", MatchMethod::RoleTitle, Role::Button, "Save");
    finds(&s, "role:AXTextField", MatchMethod::Role, Role::Entry, "");
    finds(&s, "checkbox", MatchMethod::Role, Role::CheckBox, "Remember me");
    finds(&s, "/^clo/i", MatchMethod::Regex, Role::Button, "Close");
    finds(
        &s,
        "{\"role\":\"button\",\"text\":\"Close\"}",
        MatchMethod::RoleTitle,
        Role::Button,
        "Close",
    );
    finds(
        &s,
        "{\"text_contains\":\"REMEM\"}",
        MatchMethod::Contains,
        Role::CheckBox,
        "Remember me",
    );
    finds(&s, "//button[@title='Save']", MatchMethod::Xpath, Role::Button, "Save");
    finds(&s, "//AXButton[2]", MatchMethod::Xpath, Role::Button, "Save as…");
    finds(&s, "(//button)[last()]", MatchMethod::Xpath, Role::Button, "Close");
    finds(&s, "((//toolbar)/button)[2]", MatchMethod::Xpath, Role::Button, "Save as…");
    finds(
        &s,
        "(//slider)[1] | (//button)[@title='Close']",
        MatchMethod::Xpath,
        Role::Button,
        "Close",
    );
    finds(
        &s,
        "(//button[contains(@title,'(')] | //checkbox)[1]",
        MatchMethod::Xpath,
        Role::CheckBox,
        "Remember me",
    );
    finds(&s, "((//label)[1])[1]|((//label)[2])[1]", MatchMethod::Xpath, Role::Label, "Name:");
    finds(&s, "//textbox[@value='Ada'][@showing]", MatchMethod::Xpath, Role::Entry, "");
    finds(&s, "//button/@title[.='Close']", MatchMethod::Xpath, Role::Button, "Close");
    finds(&s, "app(1234)/window[0]/textfield[0]", MatchMethod::Path, Role::Entry, "");
    finds(
        &s,
        "app(sample)/window[0]/toolbar[0]/button[@title='Save']",
        MatchMethod::Path,
        Role::Button,
        "Save",
    );
}

#[test]
fn an_explicit_strategy_uses_only_its_method() {
    let s = form().snapshot();
    assert_eq!(one_by(&s, "save", Strategy::Exact).unwrap_err().code(), "no_match");
    assert_eq!(one_by(&s, "Save", Strategy::Exact).unwrap().by, MatchMethod::TitleExact);
    assert_eq!(one_by(&s, "save", Strategy::Contains).unwrap_err().code(), "ambiguous");
    assert_eq!(one_by(&s, "name-field", Strategy::Identifier).unwrap().by, MatchMethod::Identifier);
    assert_eq!(one_by(&s, "check box", Strategy::Role).unwrap().by, MatchMethod::Role);
    assert_eq!(one_by(&s, "button:Save", Strategy::Role).unwrap().by, MatchMethod::RoleTitle);
    assert_eq!(one_by(&s, "^S.*e$", Strategy::Regex).unwrap().by, MatchMethod::Regex);
    assert_eq!(one_by(&s, "//checkbox", Strategy::Xpath).unwrap().by, MatchMethod::Xpath);
}

#[test]
fn several_matches_are_listed_with_refs_that_work() {
    let s = form().snapshot();
    let mut table = RefTable::new();
    let error = find_one(&s, &Query::parse("role:button", Strategy::Auto).unwrap(), &mut table);
    let error = error.unwrap_err();
    let Error::Ambiguous { found, total: 3, .. } = &error else { panic!("{error:?}") };
    assert_eq!(found[0].to_string(), r#"e1 button "Save" in toolbar "Main", window "Untitled""#);
    let advice = format!("{:?}", error.advice());
    assert!(advice.contains("pass one ref: e1 button"), "{advice}");
    let again = Query::parse(&found[1].reference.to_string(), Strategy::Auto).unwrap();
    let save = find_one(&s, &again, &mut table).unwrap();
    assert_eq!((save.by, s.node(save.index).name.as_str()), (MatchMethod::Ref, "Save as…"));
}

#[test]
fn a_query_without_matches_lists_near_misses() {
    let s = form().snapshot();
    let near = |text: &str| {
        let Err(Error::NoMatch { near, same_role, partial: false, .. }) = one(&s, text) else {
            panic!("{text}")
        };
        let names = |all: Vec<Candidate>| all.into_iter().map(|c| c.name).collect::<Vec<_>>();
        (names(near), names(same_role.into_vec()))
    };
    assert_eq!(near("Svae").0[0], "Save");
    assert_eq!(near("Remember you").0, ["Remember me"]);
    assert_eq!(near("role:checkbox title:zzz"), (vec![], vec!["Remember me".to_owned()]));
    assert_eq!(near("qqqq").0, Vec::<String>::new());
    assert_eq!(one(&s, "e7").unwrap_err().code(), "unknown_ref");
}

#[test]
fn hidden_elements_match_only_if_no_visible_one_does() {
    let mut tree = form();
    let menu = tree.add(1, Role::Menu, "File");
    let hidden = tree.add(menu, Role::MenuItem, "Save");
    let print = tree.add(menu, Role::MenuItem, "Print");
    for at in [hidden, print] {
        tree.at(at).states = tree.at(at).states.without(State::Showing);
    }
    let s = tree.snapshot();
    finds(&s, "Save", MatchMethod::TitleExact, Role::Button, "Save");
    assert!(!one(&s, "Save").unwrap().hidden && one(&s, "Print").unwrap().hidden);
}

/// Returns Mousepad with its toolbar turned off: the button has the exact name, and the item of the
/// closed menu has this one.
fn editor_without_toolbar(item: &str) -> Tree {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Untitled");
    let bar = tree.add(window, Role::ToolBar, "");
    tree.at(bar).states = tree.at(bar).states.without(State::Showing).without(State::Visible);
    let button = tree.add(bar, Role::Button, "Save");
    let menus = tree.add(window, Role::MenuBar, "");
    let menu = tree.add(menus, Role::Menu, "File");
    let item = tree.add(menu, Role::MenuItem, item);
    for at in [button, item] {
        tree.at(at).states = tree.at(at).states.without(State::Showing);
    }
    tree
}

#[test]
fn a_hidden_button_does_not_win_over_the_item_of_a_closed_menu() {
    for (item, by) in [
        ("Save", MatchMethod::TitleExact),
        ("Save      ", MatchMethod::TitleInsensitive),
        ("save", MatchMethod::TitleInsensitive),
    ] {
        let s = editor_without_toolbar(item).snapshot();
        finds(&s, "Save", by, Role::MenuItem, item);
        assert!(one(&s, "Save").unwrap().hidden);
        finds(&s, "button:Save", MatchMethod::RoleTitle, Role::Button, "Save");
        let all =
            find_all(&s, &Query::parse("Save", Strategy::Auto).unwrap(), &mut RefTable::new());
        assert_eq!(all.unwrap().len(), 1);
    }
    let s = editor_without_toolbar("Save      ").snapshot();
    finds(&s, "title:Save", MatchMethod::TitleInsensitive, Role::MenuItem, "Save      ");
}

#[test]
fn a_hidden_button_is_not_replaced_by_an_item_with_another_name() {
    let s = editor_without_toolbar("Save all").snapshot();
    finds(&s, "Save", MatchMethod::TitleExact, Role::Button, "Save");
}

#[test]
fn a_button_of_a_hidden_toolbar_is_no_candidate_in_a_minimized_window() {
    let mut tree = editor_without_toolbar("Save");
    for node in &mut tree.nodes {
        node.states = node.states.without(State::Showing);
    }
    let s = tree.snapshot();
    finds(&s, "Save", MatchMethod::TitleExact, Role::MenuItem, "Save");
}

#[test]
fn without_showing_states_nothing_is_hidden() {
    let mut tree = form();
    for node in &mut tree.nodes {
        node.states = node.states.without(State::Showing);
    }
    assert!(!one(&tree.snapshot(), "Save").unwrap().hidden);
}

#[test]
fn the_text_inside_a_control_is_no_second_match() {
    let mut tree = form();
    let button = tree.add(1, Role::Button, "7");
    tree.add(button, Role::Label, "7");
    let item = tree.add(1, Role::MenuItem, "Edit");
    tree.add(item, Role::PopupMenu, "Edit");
    let s = tree.snapshot();
    finds(&s, "7", MatchMethod::TitleExact, Role::Button, "7");
    finds(&s, "Edit", MatchMethod::TitleExact, Role::MenuItem, "Edit");
    finds(&s, "//button[@title='7']/label", MatchMethod::Xpath, Role::Label, "7");
}

#[test]
fn a_relation_names_a_control_far_from_its_label() {
    let mut tree = form();
    let label = tree.add(1, Role::Label, "Colour");
    tree.add(1, Role::Separator, "");
    let button = tree.add(1, Role::Button, "red");
    let s = tree.snapshot();
    finds(&s, "colour", MatchMethod::TitleInsensitive, Role::Label, "Colour");
    let targets = vec![NodeId::new(format!("id{label}"))];
    tree.at(button).relations = vec![Relation { kind: RelationKind::LabelledBy, targets }];
    let s = tree.snapshot();
    finds(&s, "colour", MatchMethod::Label, Role::Button, "red");
    let look = |text: &str| {
        let query = Query::parse(text, Strategy::Auto).unwrap();
        let found = find_all(&s, &query, &mut RefTable::new()).unwrap();
        is_conclusive(&s, &found, &Preferences::default())
    };
    assert!(look("Save") && !look("colour") && !look("remember"));
}

#[test]
fn details_of_spelling_do_not_matter_and_exact_names_win() {
    let mut tree = form();
    tree.add(1, Role::Button, "Don’t Save");
    tree.add(1, Role::Button, "_Replace...");
    tree.add(1, Role::Button, "Rocket 🚀");
    let s = tree.snapshot();
    for (text, name) in [
        ("Don't Save", "Don’t Save"),
        ("Replace…", "_Replace..."),
        ("replace", "_Replace..."),
        ("Rocket", "Rocket 🚀"),
        ("Save as...", "Save as…"),
        ("Save As", "Save as…"),
    ] {
        finds(&s, text, MatchMethod::TitleInsensitive, Role::Button, name);
    }
    finds(&s, "title:\"Don't save\"", MatchMethod::TitleInsensitive, Role::Button, "Don’t Save");
    let mut tree = form();
    tree.add(1, Role::Button, "Save:");
    finds(&tree.snapshot(), "Save", MatchMethod::TitleExact, Role::Button, "Save");
    finds(&tree.snapshot(), "Save:", MatchMethod::TitleExact, Role::Button, "Save:");
}

#[test]
fn role_words_choose_between_elements_with_one_name() {
    let mut tree = form();
    let menu = tree.add(1, Role::Menu, "File");
    tree.add(menu, Role::MenuItem, "Save");
    let s = tree.snapshot();
    finds(&s, "the Save button", MatchMethod::RoleTitle, Role::Button, "Save");
    finds(&s, "Save menu item", MatchMethod::RoleTitle, Role::MenuItem, "Save");
    finds(&s, "the Name field", MatchMethod::Label, Role::Entry, "");
    finds(&s, "the Close", MatchMethod::TitleExact, Role::Button, "Close");
    // A title that ends with a role word is found by its title.
    let mut tree = form();
    tree.add(1, Role::Label, "Save button");
    finds(&tree.snapshot(), "Save button", MatchMethod::TitleExact, Role::Label, "Save button");
}

#[test]
fn nested_names_search_inside_the_containers() {
    let mut tree = form();
    for title in ["File", "Search"] {
        let menu = tree.add(1, Role::Menu, title);
        let below = tree.add(menu, Role::Menu, "Convert");
        tree.add(below, Role::MenuItem, &format!("To {title}…"));
        tree.add(menu, Role::MenuItem, "Replace...");
    }
    let s = tree.snapshot();
    finds(
        &s,
        "File > Convert > To File",
        MatchMethod::TitleInsensitive,
        Role::MenuItem,
        "To File…",
    );
    finds(&s, "Main > Save", MatchMethod::TitleExact, Role::Button, "Save");
    let replace = one(&s, "the Search menu → Replace").unwrap();
    let menu = s.parent(replace.index).unwrap();
    assert_eq!(s.node(menu).name, "Search");
    assert_eq!(one(&s, "Replace").unwrap_err().code(), "ambiguous");
    assert_eq!(one(&s, "File > Close").unwrap_err().code(), "no_match");
    let Err(Error::NoMatch { near, .. }) = one(&s, "Serach > Replace") else { panic!() };
    assert_eq!(near[0].name, "Search");
}

#[test]
fn a_selected_tab_contains_the_page_beside_it() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Settings");
    let pages = tree.add(window, Role::Panel, "");
    let list = tree.add(pages, Role::TabList, "");
    for title in ["General", "Network"] {
        tree.add(list, Role::Tab, title);
    }
    tree.add(pages, Role::Entry, "Port");
    tree.at(5).states = tree.at(5).states.with(State::Selected);
    let s = tree.snapshot();
    finds(&s, "Network > Port", MatchMethod::TitleExact, Role::Entry, "Port");
    assert_eq!(one(&s, "General > Port").unwrap_err().code(), "no_match");
}

#[test]
fn the_role_dialog_means_every_kind_of_dialog() {
    let mut tree = form();
    for (role, name) in
        [(Role::Dialog, "a"), (Role::Alert, "b"), (Role::FileChooser, "c"), (Role::Window, "d")]
    {
        tree.add(0, role, name);
    }
    let modal = tree.nodes.len() as u32 - 1;
    tree.at(modal).states = tree.at(modal).states.with(State::Modal);
    let s = tree.snapshot();
    let query = Query::parse("role:dialog", Strategy::Auto).unwrap();
    let found = find_all(&s, &query, &mut RefTable::new()).unwrap();
    let names: Vec<_> = found.iter().map(|found| s.node(found.index).name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn a_secret_is_never_matched() {
    let mut tree = form();
    let at = tree.add(1, Role::Password, "Password");
    tree.at(at).value = Some(Value::Secret);
    let s = tree.snapshot();
    assert_eq!(one(&s, "value:hunter2").unwrap_err().code(), "no_match");
    finds(&s, "//password[not(@value)]", MatchMethod::Xpath, Role::Password, "Password");
}

#[test]
fn a_path_that_no_longer_matches_is_healed_or_refused() {
    let mut tree = form();
    let s = tree.snapshot();
    let save = path::element_path(&s, one(&s, "Save").unwrap().index);
    let field = path::element_path(&s, one(&s, "Name").unwrap().index);
    assert_eq!(field, "app(1234)/window[@title='Untitled']/textfield[0]");
    tree.app.pid = 99;
    let found = one(&tree.snapshot(), &save).unwrap();
    let healed = found.healed.unwrap();
    assert_eq!((healed.by, found.by), (HealMethod::Structure, MatchMethod::Path));
    tree.at(2).name = "Other bar".into();
    let panel = tree.add(1, Role::Panel, "");
    tree.children[2].retain(|child| *child != 3);
    tree.children[panel as usize].push(3);
    let s = tree.snapshot();
    let found = one(&s, &save).unwrap();
    assert_eq!(found.healed.unwrap().by, HealMethod::Name);
    assert_eq!(s.node(found.index).name, "Save");
    tree.at(1).name = "Quite another".into();
    let error = one(&tree.snapshot(), &save).unwrap_err();
    assert_eq!(error.code(), "low_confidence");
    tree.remove(3);
    assert_eq!(
        one(&tree.snapshot(), "app(1234)/window[0]/slider[3]").unwrap_err().code(),
        "no_match"
    );
}

#[test]
fn names_with_control_characters_and_a_megabyte_are_found() {
    let mut tree = form();
    tree.add(1, Role::Button, "a\u{1}\u{0}b");
    let long = "x".repeat(1 << 20);
    tree.add(1, Role::Button, &long);
    let s = tree.snapshot();
    finds(&s, "a\u{1}\u{0}b", MatchMethod::TitleExact, Role::Button, "a\u{1}\u{0}b");
    finds(&s, &long, MatchMethod::TitleExact, Role::Button, &long);
    finds(&s, "//button[starts-with(@title,'xxxx')]", MatchMethod::Xpath, Role::Button, &long);
    let error = one(&s, "role:button").unwrap_err();
    assert!(format!("{:?}", error.advice()).len() < 2_000);
}

fn large(nodes: u32) -> Snapshot {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Large");
    for group in 0..nodes / 20 {
        let panel = tree.add(window, Role::Panel, "");
        for n in 0..19 {
            tree.add(panel, Role::Button, &format!("Item {group}-{n}"));
        }
    }
    tree.snapshot()
}

#[test]
fn no_expression_hangs_on_a_large_tree() {
    let s = large(20_000);
    let expressions = [
        ("//*[following::*[following::*[following::*]]]", "too_costly"),
        ("//*[count(//*[count(//*) > 1]) > 1]", "too_costly"),
        ("//*[preceding::*[@title=//*/@title]]", "too_costly"),
        ("//*[.//*[contains(@title,'zzz')]]", "no_match"),
        ("count(//button)", "bad_query"),
        ("//button[frobnicate()]", "bad_query"),
        ("//button[@title='nope']", "no_match"),
    ];
    for (text, code) in expressions {
        let start = Instant::now();
        assert_eq!(one_by(&s, text, Strategy::Xpath).unwrap_err().code(), code, "{text}");
        assert!(start.elapsed() < Duration::from_secs(20), "{text}: {:?}", start.elapsed());
    }
    let start = Instant::now();
    let error = one_by(&s, "(x+x+)+y|(.*)*(.*)*z$", Strategy::Regex).unwrap_err();
    assert_eq!(error.code(), "no_match");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_tree_too_deep_for_xpath_still_supports_other_queries() {
    let mut tree = Tree::new();
    let mut at = 0;
    for _ in 0..20_000 {
        at = tree.add(at, Role::Panel, "");
    }
    tree.add(at, Role::Button, "Deep");
    let s = tree.snapshot();
    assert_eq!(one(&s, "//button").unwrap_err().code(), "too_costly");
    finds(&s, "Deep", MatchMethod::TitleExact, Role::Button, "Deep");
}

/// Prints the timings: `cargo test -p deskhand-locate --release -- --nocapture are_fast`.
#[test]
fn searches_in_five_thousand_elements_are_fast() {
    let s = large(5_000);
    let mut table = RefTable::new();
    let queries = [
        "Item 100-7",
        "item 200-18",
        "200-18",
        "button:Item 100-7",
        "/^item 100-7$/i",
        "//button[@title='Item 100-7']",
        "Itme 100-77x",
    ];
    for text in queries {
        let query = Query::parse(text, Strategy::Auto).unwrap();
        let best = (0..5).map(|_| {
            let start = Instant::now();
            let found = find_one(&s, &query, &mut table);
            assert_eq!(found.is_ok(), !text.starts_with("Itme"), "{text}");
            start.elapsed()
        });
        let best = best.min().unwrap();
        eprintln!("find {text}: {best:?}");
        assert!(best < Duration::from_millis(500), "{text}: {best:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    let start = Instant::now();
    for (at, _) in s.iter() {
        table.assign(&s, at);
    }
    let assigned = start.elapsed();
    table.save().unwrap();
    let saved = start.elapsed() - assigned;
    let start = Instant::now();
    let again = RefTable::open(dir.path(), s.app()).unwrap();
    let opened = start.elapsed();
    eprintln!("{} refs: given {assigned:?}, saved {saved:?}, read {opened:?}", s.len());
    assert!(assigned + saved + opened < Duration::from_secs(3));
    assert_eq!(s.iter().filter(|(at, _)| again.existing(&s, *at).is_none()).count(), 0);
}
