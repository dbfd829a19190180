use deskhand_engine::{Catalogue, Policy, Toolset, Touch};

use super::*;
use crate::Selection;

fn tools(selection: &Selection, policy: Policy) -> Tools {
    Tools::selected(&Catalogue::all(), selection, policy).unwrap()
}

fn arguments(prompt: &Prompt) -> JsonObject {
    let value = |argument: &Argument| match argument.kind {
        Kind::Text | Kind::App | Kind::Apps | Kind::Part { .. } => format!("<{}>", argument.name),
        Kind::YesOrNo => "TRUE".to_owned(),
        Kind::OneOf(words) => words[0].to_owned(),
    };
    let pair = |one: &Argument| (one.name.to_owned(), Value::from(value(one)));
    prompt.arguments.iter().map(pair).collect()
}

#[test]
fn the_seven_prompts_are_declared_with_their_arguments() {
    let list = list(None).unwrap();
    let declared: Vec<(String, Vec<String>)> = list
        .prompts
        .iter()
        .map(|prompt| {
            let name = |one: &PromptArgument| {
                let mark = if one.required == Some(true) { "*" } else { "" };
                format!("{}{mark}", one.name)
            };
            let arguments = prompt.arguments.iter().flatten().map(name).collect();
            (prompt.name.clone(), arguments)
        })
        .collect();
    let expected = [
        ("test-app", vec!["app_name*", "focus_area", "include_a11y_audit"]),
        ("navigate-to", vec!["app_name*", "destination*"]),
        ("extract-data", vec!["app_name*", "data_description*", "output_format"]),
        ("automate-workflow", vec!["workflow*", "apps", "dry_run"]),
        ("debug-ui", vec!["app_name*", "element_description*", "query_tried"]),
        ("accessibility-audit", vec!["app_name*", "standard"]),
        (
            "cross-app-copy",
            vec!["source_app*", "source_element*", "target_app*", "target_element*"],
        ),
    ];
    let expected: Vec<(String, Vec<String>)> = expected
        .into_iter()
        .map(|(name, all)| (name.to_owned(), all.into_iter().map(str::to_owned).collect()))
        .collect();
    assert_eq!(declared, expected);
    assert!(list.prompts.iter().all(|prompt| prompt.title.is_some()));
}

#[test]
fn prompts_name_only_offered_tools() {
    let only = |names: &[&str]| Selection {
        only: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Selection::default()
    };
    let read_only = Policy { touch: Touch::ReadOnly, ..Policy::default() };
    let mut all = vec![tools(&Selection::default(), read_only)];
    let selections = [
        Selection::default(),
        Selection { toolsets: vec![Toolset::Core], ..Selection::default() },
        only(&["ax_find"]),
        only(&["ax_click"]),
    ];
    all.extend(selections.iter().map(|selection| tools(selection, Policy::default())));
    for tools in all {
        for prompt in words::ALL {
            let given = read(prompt, Some(&arguments(prompt))).unwrap();
            let text = told(prompt, &given, &tools);
            let named = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            for name in named.filter(|word| word.starts_with("ax_")) {
                assert!(tools.has(name), "{}: {name}: {text}", prompt.name);
            }
            assert!(text.lines().count() >= 3, "{}: {text}", prompt.name);
            assert!(!text.contains('{') && !text.contains("  "), "{}: {text}", prompt.name);
        }
    }
}

#[test]
fn every_step_and_argument_is_used() {
    let tools = tools(&Selection::default(), Policy::default());
    for prompt in words::ALL {
        for way in prompt.steps.iter().flat_map(|step| step.ways) {
            let later = way.contains("`ax_a11y_audit`") || way.contains("`ax_workflow`");
            assert!(later || tools.cover(way), "{}: {way}", prompt.name);
        }
        for argument in prompt.arguments {
            let name = format!("{{{}}}", argument.name);
            let is_said = prompt.task.contains(&name)
                || prompt.steps.iter().any(|step| {
                    matches!(step.when, When::Yes(of) | When::No(of) if of == argument.name)
                        || step.ways.iter().all(|way| way.contains(&name))
                });
            assert!(is_said, "{}: {name} is not used", prompt.name);
        }
    }
}

#[test]
fn missing_and_invalid_arguments_are_named() {
    let prompt = named("extract-data").unwrap();
    let of = |value: Value| read(prompt, value.as_object());
    let error = of(json!({ "app_name": "gedit" })).unwrap_err();
    assert_eq!(error.code.0, -32602);
    assert!(error.message.contains("data_description"), "{error:?}");
    let error = of(json!({ "app_name": " ", "data_description": "x" })).unwrap_err();
    assert!(error.message.contains("app_name"), "{error:?}");
    let error = of(json!({ "app_name": 7, "data_description": "x" })).unwrap_err();
    assert!(error.message.contains("app_name"), "{error:?}");
    let odd = json!({ "app_name": "a", "data_description": "x", "output_format": "xml" });
    assert!(of(odd).unwrap_err().message.contains("json, csv, markdown"));
    assert_eq!(named("nope").unwrap_err().code.0, -32602);
}

#[test]
fn arguments_are_not_expanded_again() {
    let given = Given::from([("app_name", "{workflow} `ax_click`".to_owned())]);
    assert_eq!(filled("a {app_name} b", &given), "a {workflow} `ax_click` b");
    let of = Given::from([("app_name", "a/b ä".to_owned())]);
    assert_eq!(filled("{events of app_name}", &of), "deskhand://app/a%2Fb%20%C3%A4/events");
}

#[test]
fn a_dry_run_contains_no_actions() {
    let tools = tools(&Selection::default(), Policy::default());
    let prompt = named("automate-workflow").unwrap();
    let of = |dry: &str| {
        let arguments = json!({ "workflow": "print", "dry_run": dry });
        told(prompt, &read(prompt, arguments.as_object()).unwrap(), &tools)
    };
    assert!(!of("true").contains("ax_click") && of("true").contains("Stop here"));
    assert!(of("false").contains("ax_click"));
}
