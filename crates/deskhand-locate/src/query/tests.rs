//! Tests for parsing and printing queries.

use deskhand_model::{Explain, Index, Node, NodeId, Role, Snapshot};
use deskhand_platform::NodeFields;
use proptest::{prelude::*, strategy::Strategy as Generator};

use super::{
    Interpretation, Query, QueryForm, Selector, Strategy,
    path::{self, Path},
    terms::{self, TermField, Terms},
};
use crate::{Error, testing::app};

fn auto(text: &str) -> QueryForm {
    Query::parse(text, Strategy::Auto).unwrap().form
}

fn refused(text: &str, strategy: Strategy) -> Error {
    Query::parse(text, strategy).unwrap_err()
}

#[test]
fn bare_words_beside_a_term_are_the_title() {
    let titled = |title: &str| {
        let mut terms = Terms::default();
        terms.and_roles(vec![Role::Button]);
        terms.and(TermField::Title, title.into());
        terms
    };
    for text in ["role:button Save as", "role:button \"Save as\"", "role:button title:'Save as'"] {
        assert_eq!(terms::parse(text).unwrap(), Some(titled("Save as")), "{text}");
    }
    assert_eq!(terms::parse("role:button 5\" disk").unwrap(), Some(titled("5\" disk")));
}

#[test]
fn the_syntax_of_a_text_decides_its_form() {
    assert!(matches!(
        auto("Save as"),
        QueryForm::Auto { interpretation: Interpretation::Text, .. }
    ));
    assert!(
        matches!(auto("e12"), QueryForm::Auto { interpretation: Interpretation::Ref(r), .. } if r.number() == 12)
    );
    for text in ["e", "e012", "e99999999999", "E12", "e1x"] {
        assert!(
            matches!(auto(text), QueryForm::Auto { interpretation: Interpretation::Text, .. }),
            "{text}"
        );
    }
    assert!(
        matches!(auto("\"e12\""), QueryForm::Auto { interpretation: Interpretation::Text, text } if text == "e12")
    );
    assert!(matches!(
        auto("button:Save"),
        QueryForm::Auto { interpretation: Interpretation::RoleTitle(_), .. }
    ));
    assert!(matches!(
        auto("Alert: gone"),
        QueryForm::Auto { interpretation: Interpretation::Text, .. }
    ));
    assert!(matches!(
        auto("http://x"),
        QueryForm::Auto { interpretation: Interpretation::Text, .. }
    ));
    assert!(matches!(auto("role:button"), QueryForm::Terms { .. }));
    assert!(matches!(auto("{\"role\":\"button\"}"), QueryForm::Terms { .. }));
    assert!(matches!(auto("app(7)/window[0]"), QueryForm::Path(_)));
    for text in ["/sav.*/i", "/Save/", "/window/button/i", r"/a\/b/"] {
        assert!(
            matches!(
                auto(text),
                QueryForm::Auto { interpretation: Interpretation::Pattern(_), .. }
            ),
            "{text}"
        );
    }
    for text in ["//button[@title='Save']", "/application/window", "//*", "(//button)[1]", "//a/i"]
    {
        assert!(
            matches!(auto(text), QueryForm::Auto { interpretation: Interpretation::Xpath(_), .. }),
            "{text}"
        );
    }
    assert!(matches!(auto("/ 2"), QueryForm::Auto { interpretation: Interpretation::Text, .. }));
}

#[test]
fn an_empty_query_is_refused() {
    for strategy in Strategy::ALL {
        for text in ["", "  \n"] {
            assert_eq!(refused(text, *strategy), Error::EmptyQuery);
        }
    }
    assert_eq!(Query::from_selector(&Selector::default()).unwrap_err(), Error::EmptyQuery);
}

#[test]
fn terms_support_quotes_escapes_and_bare_words() {
    let read = |text: &str| terms::parse(text).unwrap().unwrap();
    let mut wanted = Terms::default();
    wanted.and_roles(vec![Role::Button]);
    wanted.and(TermField::Title, "Save \"as\"".into());
    assert_eq!(read(r#"role:button title:"Save \"as\"""#), wanted);
    assert_eq!(read(r#"role:'push button' title:'Save "as"'"#), wanted);
    let mut bare = Terms::default();
    bare.and_roles(vec![Role::Button]);
    bare.and(TermField::Title, "Save as".into());
    assert_eq!(read("role:AXButton Save as"), bare);
    assert_eq!(terms::parse("Name: John").unwrap(), None);
    assert_eq!(terms::parse("title:").unwrap(), None);
}

#[test]
fn syntax_errors_have_a_position() {
    let at = |text: &str, strategy| {
        let Error::BadQuery { at, .. } = refused(text, strategy) else { panic!("{text}") };
        at
    };
    assert_eq!(at("role:button title:\"Save", Strategy::Auto), Some(18));
    assert_eq!(at("/é(a/", Strategy::Auto), Some(2));
    assert_eq!(at("a[", Strategy::Regex), Some(1));
    assert_eq!(at("//button[@title='x'", Strategy::Auto), Some(8));
    assert_eq!(at("//button]", Strategy::Xpath), Some(8));
    assert_eq!(at("//", Strategy::Xpath), Some(1));
    assert_eq!(at("app(1)/window[x]", Strategy::Auto), Some(14));
    assert_eq!(at("app(1)window", Strategy::Auto), Some(6));
    assert_eq!(at("app(1)/window[@title='x]", Strategy::Auto), Some(21));
    assert_eq!(at("{\"roel\": \"x\"}", Strategy::Auto), Some(6));
    let error = refused("/a(/", Strategy::Auto);
    assert_eq!(error.code(), "bad_query");
    let advice = format!("{:?}", error.advice());
    assert!(error.to_string().contains("/a(/") && advice.contains("quotes"), "{advice}");
}

#[test]
fn an_unknown_role_suggests_similar_roles() {
    for (text, strategy) in [
        ("role:buton", Strategy::Auto),
        ("AXButon", Strategy::Role),
        ("{\"role\":\"buton\"}", Strategy::Auto),
        ("app(1)/buton[0]", Strategy::Auto),
    ] {
        let Error::UnknownRole { near, .. } = refused(text, strategy) else { panic!("{text}") };
        assert!(near.contains(&"button"), "{text}: {near:?}");
    }
}

#[test]
fn a_regex_that_compiles_too_large_is_refused() {
    let error = refused("(a{1000}){1000}", Strategy::Regex);
    assert_eq!(error.code(), "bad_query");
}

#[test]
fn a_query_requires_only_the_fields_it_uses() {
    let needs = |text: &str| Query::parse(text, Strategy::Auto).unwrap().required_fields();
    let first = |text: &str| Query::parse(text, Strategy::Auto).unwrap().initial_fields();
    assert_eq!(first("role:button title:Save"), NodeFields::MINIMAL);
    assert_eq!(needs("role:button"), NodeFields::MINIMAL);
    assert_eq!(
        needs("identifier:x"),
        NodeFields { identifiers: true, hidden: true, ..NodeFields::MINIMAL }
    );
    assert_eq!(
        needs("//button[@value='x']"),
        NodeFields { values: true, hidden: true, ..NodeFields::MINIMAL }
    );
    assert_eq!(
        needs("//button[@x > 5]"),
        NodeFields { bounds: true, hidden: true, ..NodeFields::MINIMAL }
    );
    assert_eq!(first("Save"), NodeFields::MINIMAL);
    assert!(needs("Save").relations && needs("Save").values && needs("Save").identifiers);
}

#[test]
fn a_selector_round_trips_through_json() {
    let text = r#"{"role":"button","text_contains":"O\"K"}"#;
    let selector: Selector = serde_json::from_str(text).unwrap();
    assert_eq!(selector.to_string(), text);
    assert!(serde_json::from_str::<Selector>("{\"x\":1}").is_err());
}

#[test]
fn groups_in_xpath_are_bounded() {
    let many = "(//a)[1]|".repeat(100) + "//b";
    assert_eq!(refused(&many, Strategy::Xpath).code(), "bad_query");
}

/// Generates trees with repeated names, empty names, and names that need quoting in a path.
fn tree() -> impl Generator<Value = Snapshot> {
    let name = prop_oneof![
        Just(String::new()),
        Just("OK".to_owned()),
        "['\"/\\[\\]@=\\\\ a-cé]{1,6}",
        "\\PC{0,12}",
        Just("two\nlines".to_owned()),
    ];
    let role = prop::sample::select(Role::ALL);
    prop::collection::vec((any::<prop::sample::Index>(), role, name), 0..40).prop_map(|made| {
        let mut nodes = vec![Node::new(NodeId::new("root"), Role::Application)];
        let mut children: Vec<Vec<u32>> = vec![vec![]];
        for (parent, role, name) in made {
            let at = nodes.len();
            children[parent.index(at)].push(at as u32);
            let mut node = Node::new(NodeId::new(at.to_string()), role);
            node.name = name;
            nodes.push(node);
            children.push(Vec::new());
        }
        Snapshot::assemble(app("gtk", "3.24"), nodes, &children)
    })
}

fn every_strategy_reads(text: &str) {
    for strategy in Strategy::ALL {
        if let Err(e) = Query::parse(text, *strategy) {
            assert!(e.to_string().len() < 1_000 && e.advice().is_some());
        }
    }
}

proptest! {
    #[test]
    fn a_printed_path_leads_back(snapshot in tree()) {
        for (at, _) in snapshot.iter() {
            let text = path::element_path(&snapshot, at);
            prop_assert_eq!(Path::parse(&text).unwrap().follow(&snapshot), vec![at], "{}", text);
            let QueryForm::Path(_) = auto(&text) else { panic!("{text}") };
        }
    }

    #[test]
    fn quoted_terms_round_trip(title in ".*", value in "\\PC*") {
        let quote = |text: &str| {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        };
        let text = format!("title:{} role:button value:{}", quote(&title), quote(&value));
        let mut wanted = Terms::default();
        wanted.and(TermField::Title, title);
        wanted.and_roles(vec![Role::Button]);
        wanted.and(TermField::Value, value);
        prop_assert_eq!(terms::parse(&text).unwrap().unwrap(), wanted);
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in any::<String>()) {
        every_strategy_reads(&text);
    }

    #[test]
    fn no_text_of_the_grammars_makes_a_parser_panic(
        text in r#"(app\(|/|//|\[|\]|@title=|'|"|role:|title:|button|e1|\{|\}|\\|\(|\)|\*|é|:| |text:){0,14}"#
    ) {
        every_strategy_reads(&text);
    }
}

#[test]
fn a_text_of_a_megabyte_is_parsed_or_refused() {
    for part in ["a", "/", "[", "title:\"", "é ", "\u{1}", "(", "app(1)/window[0]", "'"] {
        every_strategy_reads(&part.repeat((1 << 20) / part.len()));
    }
    let deep = format!("app(1){}", "/group[0]".repeat(100_000));
    let snapshot = Snapshot::assemble(
        app("gtk", "3.24"),
        vec![Node::new(NodeId::new("root"), Role::Application)],
        &[vec![]],
    );
    assert!(Path::parse(&deep).unwrap().follow(&snapshot).is_empty());
    assert_eq!(path::element_path(&snapshot, Index::ROOT), "app(1234)");
}
