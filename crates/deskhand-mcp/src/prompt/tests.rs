use deskhand_engine::{Catalogue, Policy, Toolset, WriteAccess};

use super::*;
use crate::ToolSelection;

fn tools(selection: &ToolSelection, policy: Policy) -> ToolList {
    ToolList::select(&Catalogue::all(), selection, policy).unwrap()
}

fn arguments(prompt: &Prompt) -> JsonObject {
    let value = |argument: &Argument| match argument.kind {
        ArgumentKind::Text | ArgumentKind::App | ArgumentKind::Apps | ArgumentKind::Part { .. } => {
            format!("<{}>", argument.name)
        }
        ArgumentKind::Bool => "TRUE".to_owned(),
        ArgumentKind::OneOf(words) => words[0].to_owned(),
    };
    let pair = |one: &Argument| (one.name.to_owned(), Value::from(value(one)));
    prompt.arguments.iter().map(pair).collect()
}

#[test]
fn the_seven_prompts_are_declared_with_their_arguments() {
    let list = list(None).unwrap();
    let declaration: Vec<(String, Vec<String>)> = list
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
    assert_eq!(declaration, expected);
    assert!(list.prompts.iter().all(|prompt| prompt.title.is_some()));
}

#[test]
fn prompts_name_only_offered_tools() {
    let only = |names: &[&str]| ToolSelection {
        only: names.iter().map(|name| (*name).to_owned()).collect(),
        ..ToolSelection::default()
    };
    let read_only = Policy { write_access: WriteAccess::ReadOnly, ..Policy::default() };
    let mut all = vec![tools(&ToolSelection::default(), read_only)];
    let selections = [
        ToolSelection::default(),
        ToolSelection { toolsets: vec![Toolset::Core], ..ToolSelection::default() },
        only(&["ax_find"]),
        only(&["ax_click"]),
    ];
    all.extend(selections.iter().map(|selection| tools(selection, Policy::default())));
    for tools in all {
        for prompt in texts::ALL {
            let given = read_arguments(prompt, Some(&arguments(prompt))).unwrap();
            let text = render(prompt, &given, &tools);
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
    let tools = tools(&ToolSelection::default(), Policy::default());
    for prompt in texts::ALL {
        for variant in prompt.steps.iter().flat_map(|step| step.variants) {
            let later = variant.contains("`ax_a11y_audit`") || variant.contains("`ax_workflow`");
            assert!(later || tools.offers_all_in(variant), "{}: {variant}", prompt.name);
        }
        for argument in prompt.arguments {
            let name = format!("{{{}}}", argument.name);
            let is_said = prompt.task.contains(&name)
                || prompt.steps.iter().any(|step| {
                    matches!(step.when, When::Yes(of) | When::No(of) if of == argument.name)
                        || step.variants.iter().all(|variant| variant.contains(&name))
                });
            assert!(is_said, "{}: {name} is not used", prompt.name);
        }
    }
}

#[test]
fn missing_and_invalid_arguments_are_named() {
    let prompt = find("extract-data").unwrap();
    let of = |value: Value| read_arguments(prompt, value.as_object());
    let error = of(json!({ "app_name": "gedit" })).unwrap_err();
    assert_eq!(error.code.0, -32602);
    assert!(error.message.contains("data_description"), "{error:?}");
    let error = of(json!({ "app_name": " ", "data_description": "x" })).unwrap_err();
    assert!(error.message.contains("app_name"), "{error:?}");
    let error = of(json!({ "app_name": 7, "data_description": "x" })).unwrap_err();
    assert!(error.message.contains("app_name"), "{error:?}");
    let odd = json!({ "app_name": "a", "data_description": "x", "output_format": "xml" });
    assert!(of(odd).unwrap_err().message.contains("json, csv, markdown"));
    assert_eq!(find("nope").unwrap_err().code.0, -32602);
}

#[test]
fn arguments_are_not_expanded_again() {
    let given = Given::from([("app_name", "{workflow} `ax_click`".to_owned())]);
    assert_eq!(fill_in("a {app_name} b", &given), "a {workflow} `ax_click` b");
    let of = Given::from([("app_name", "a/b ä".to_owned())]);
    assert_eq!(fill_in("{events of app_name}", &of), "deskhand://app/a%2Fb%20%C3%A4/events");
}

#[test]
fn a_dry_run_contains_no_actions() {
    let tools = tools(&ToolSelection::default(), Policy::default());
    let prompt = find("automate-workflow").unwrap();
    let of = |dry: &str| {
        let arguments = json!({ "workflow": "print", "dry_run": dry });
        render(prompt, &read_arguments(prompt, arguments.as_object()).unwrap(), &tools)
    };
    assert!(!of("true").contains("ax_click") && of("true").contains("Stop here"));
    assert!(of("false").contains("ax_click"));
}
