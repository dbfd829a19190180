//! The JSON form as its users read it.

use serde_json::{Value as Json, json};

use super::{MAX_NESTING, NodeJson, NoticeJson};
use crate::{
    Cut, Index, NodeId, Notice, Rect, Relation, RelationKind, Role, State, Value,
    testing::{TreeBuilder, index_ref},
};

fn tree(builder: &TreeBuilder) -> Json {
    let tree = NodeJson::tree(&builder.snapshot(), Index::ROOT, &mut index_ref);
    serde_json::from_str(&serde_json::to_string(&tree).unwrap()).unwrap()
}

#[test]
fn an_element_has_all_its_fields() {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "W");
    let label = builder.add(window, Role::Label, "Volume:");
    let slider = builder.add(window, Role::Slider, "Volume");
    let node = builder.at(slider);
    node.value = Some(Value::Number { now: 40.0, min: 0.0, max: 100.0, step: 5.0 });
    node.description = "How loud".into();
    node.identifier = "volume".into();
    node.bounds = Some(Rect::new(-5, 6, 70, 8));
    node.actions = vec!["increment".into()];
    node.states = [State::Enabled, State::Showing].into_iter().collect();
    node.child_count = 9;
    node.cut = Some(Cut::Many);
    let targets = vec![NodeId::new(format!("n{label}")), NodeId::new("elsewhere")];
    node.relations = vec![Relation { kind: RelationKind::LabelledBy, targets }];
    assert_eq!(
        tree(&builder)["children"][0]["children"][1],
        json!({
            "ref": "e3", "id": "n3", "role": "AXSlider", "kind": "slider", "title": "Volume",
            "value": 40.0,
            "range": { "min": 0.0, "max": 100.0, "step": 5.0 }, "description": "How loud",
            "identifier": "volume", "states": ["enabled", "showing"],
            "bounds": { "x": -5, "y": 6, "width": 70, "height": 8 }, "actions": ["increment"],
            "relations": [{ "kind": "labelled_by", "refs": ["e2"], "targets": 2 }],
            "child_count": 9, "cut": "many", "depth": 2
        })
    );
}

#[test]
fn a_secret_has_no_value_and_a_partial_text_has_its_length() {
    let mut builder = TreeBuilder::new();
    let secret = builder.add(0, Role::Password, "Pin");
    builder.at(secret).value = Some(Value::Secret);
    let long = builder.add(0, Role::Text, "");
    builder.at(long).value = Some(Value::Text { text: "Dear".into(), length: 900 });
    let tree = tree(&builder);
    assert_eq!(tree["children"][0]["secret"], json!(true));
    assert_eq!(tree["children"][0].get("value"), None);
    assert_eq!(tree["children"][1]["value"], json!("Dear"));
    assert_eq!(tree["children"][1]["value_length"], json!(900));
    assert_eq!(tree["children"][1].get("title"), None);
}

#[test]
fn children_stay_in_order_in_both_forms() {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "W");
    for name in ["a", "b", "c"] {
        builder.add(window, Role::Button, name);
    }
    let tree = tree(&builder);
    let names: Vec<_> =
        tree["children"][0]["children"].as_array().unwrap().iter().map(|n| &n["title"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let snapshot = builder.snapshot();
    let flat = NodeJson::flat(&snapshot, Index::ROOT, &mut index_ref);
    assert_eq!(flat.len(), snapshot.len());
    assert_eq!(flat[3].parent.as_deref(), Some("e1"));
    assert!(flat.iter().all(|node| node.children.is_empty()));
}

#[test]
fn a_subtree_starts_at_its_own_root() {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "W");
    let bar = builder.add(window, Role::ToolBar, "Bar");
    builder.add(bar, Role::Button, "Go");
    let snapshot = builder.snapshot();
    let at = snapshot.position(&NodeId::new("n2")).unwrap();
    let tree = NodeJson::tree(&snapshot, at, &mut index_ref);
    assert_eq!((tree.title.as_str(), tree.depth), ("Bar", 0));
    assert_eq!((tree.children[0].title.as_str(), tree.children[0].depth), ("Go", 1));
}

#[test]
fn nesting_is_limited_to_what_parsers_accept() {
    let mut builder = TreeBuilder::new();
    let mut at = 0;
    for _ in 0..10_000 {
        at = builder.add(at, Role::Panel, "");
    }
    let tree = tree(&builder);
    let mut here = &tree;
    let mut levels = 0;
    while let Some(below) = here["children"].as_array() {
        here = &below[0];
        levels += 1;
    }
    assert_eq!(levels, MAX_NESTING);
    assert_eq!((&here["cut"], &here["child_count"]), (&json!("nesting"), &json!(1)));
    assert_eq!(NodeJson::flat(&builder.snapshot(), Index::ROOT, &mut index_ref).len(), 10_001);
}

#[test]
fn every_field_has_a_description_in_the_schema() {
    let schema = schemars::schema_for!(NodeJson);
    let fields = schema.as_value()["properties"].as_object().unwrap();
    assert!(fields.len() >= 18);
    for (name, field) in fields {
        assert!(field["description"].is_string(), "{name}");
    }
    let notice = NoticeJson::from(&Notice::NotResponding);
    assert_eq!(notice.code, "not_responding");
}
