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
    let tools = tools(&ToolSelection::default(), Policy::default());
    let prompts: Vec<WirePrompt> =
        offered(&tools, SecurityMode::Normal).map(|prompt| declaration(prompt, &[])).collect();
    let declaration: Vec<(String, Vec<String>)> = prompts
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
    assert!(prompts.iter().all(|prompt| prompt.title.is_some()));
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
    for (tools, ceiling) in
        all.iter().flat_map(|tools| SecurityMode::ALL.iter().map(move |mode| (tools, *mode)))
    {
        for prompt in texts::ALL {
            let given = read_arguments(prompt, Some(&arguments(prompt))).unwrap();
            let text = render(prompt, &given, tools, ceiling);
            let named = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            for name in named.filter(|word| word.starts_with("ax_")) {
                assert!(tools.has(name, ceiling), "{}: {name}: {text}", prompt.name);
            }
            assert!(text.lines().count() >= 3, "{}: {text}", prompt.name);
            assert!(!text.contains('{') && !text.contains("  "), "{}: {text}", prompt.name);
        }
    }
}

#[test]
fn prompts_are_offered_only_if_an_app_can_be_read() {
    let offers = |selection: ToolSelection| {
        offered(&tools(&selection, Policy::default()), SecurityMode::Sandboxed).count()
    };
    let only = |name: &str| ToolSelection { only: vec![name.to_owned()], ..Default::default() };
    let commands = ToolSelection { toolsets: vec![Toolset::Cli], ..Default::default() };
    assert_eq!(offers(ToolSelection::default()), texts::ALL.len());
    assert_eq!(offers(only("ax_find")), texts::ALL.len());
    assert_eq!((offers(commands.clone()), offers(only("ax_click"))), (0, 0));
    let error = find("test-app", &tools(&commands, Policy::default()), SecurityMode::Normal);
    assert!(error.unwrap_err().message.contains("no prompt is available"));
}

#[test]
fn the_arguments_that_take_an_app_name_the_connected_ones() {
    let connected = ["gedit".to_owned(), "a \"b\"".to_owned()];
    let described = |prompt: &Prompt, connected: &[String]| -> Vec<String> {
        let arguments = declaration(prompt, connected).arguments.unwrap_or_default();
        arguments.into_iter().filter_map(|one| one.description).collect()
    };
    let mut named = 0;
    for prompt in texts::ALL {
        let (with, without) = (described(prompt, &connected), described(prompt, &[]));
        for (argument, (with, without)) in prompt.arguments.iter().zip(with.iter().zip(without)) {
            let takes_app = matches!(argument.kind, ArgumentKind::App | ArgumentKind::Apps);
            assert_eq!(*with != without, takes_app, "{}: {with}", prompt.name);
            assert_eq!(with.contains("connected: \"gedit\""), takes_app, "{with}");
            named += usize::from(takes_app);
        }
    }
    assert_eq!(named, 8);
    let many = vec!["x".to_owned(); MAX_NAMED_APPS + 3];
    assert!(described(&texts::ALL[0], &many)[0].ends_with(", 3 more)"));
}

#[test]
fn every_step_and_argument_is_used() {
    let tools = tools(&ToolSelection::default(), Policy::default());
    for prompt in texts::ALL {
        for variant in prompt.steps.iter().flat_map(|step| step.variants) {
            let later = variant.contains("`ax_a11y_audit`") || variant.contains("`ax_workflow`");
            assert!(
                later || tools.offers_all_in(variant, SecurityMode::Normal),
                "{}: {variant}",
                prompt.name
            );
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
    let tools = tools(&ToolSelection::default(), Policy::default());
    let find = |name| find(name, &tools, SecurityMode::Normal);
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
    let prompt = find("automate-workflow", &tools, SecurityMode::Normal).unwrap();
    let of = |dry: &str| {
        let arguments = json!({ "workflow": "print", "dry_run": dry });
        let given = read_arguments(prompt, arguments.as_object()).unwrap();
        render(prompt, &given, &tools, SecurityMode::Normal)
    };
    assert!(!of("true").contains("ax_click") && of("true").contains("Stop here"));
    assert!(of("false").contains("ax_click"));
}
