//! Tests of the offered tools and their declarations.

use deskhand_engine::{Policy, WriteAccess};

use super::*;

fn names(selection: &ToolSelection) -> Vec<String> {
    let tools = ToolList::select(&Catalogue::all(), selection, Policy::default()).unwrap();
    tools.iter().map(|offered| offered.tool.name.to_string()).collect()
}

#[test]
fn tools_are_sorted_and_have_inlined_object_schemas() {
    let tools =
        ToolList::select(&Catalogue::all(), &ToolSelection::default(), Policy::default()).unwrap();
    let names = names(&ToolSelection::default());
    assert!(!names.is_empty() && names.is_sorted(), "{names:?}");
    for offered in tools.iter() {
        let tool = &offered.tool;
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        let output = tool.output_schema.as_ref().unwrap();
        assert_eq!(output["type"], "object", "{}", tool.name);
        assert!(tool.title.is_some() && tool.name.len() <= 40, "{}", tool.name);
        let whole = json!(tool).to_string();
        assert!(!whole.contains("$ref"), "{}", tool.name);
    }
}

#[test]
fn a_selection_is_applied() {
    let all = names(&ToolSelection::default());
    let one = all[0].clone();
    let only = ToolSelection { only: vec![one.clone()], ..ToolSelection::default() };
    assert_eq!(names(&only), only.only);
    let exclude = ToolSelection { exclude: vec![one.clone()], ..ToolSelection::default() };
    assert_eq!(names(&exclude), all[1..]);
    let core = ToolSelection { toolsets: vec![Toolset::Core], ..ToolSelection::default() };
    assert!(names(&core).len() < all.len());
}

/// Returns the names offered in a mode.
fn offered(policy: Policy, ceiling: SecurityMode) -> Vec<String> {
    let tools = ToolList::select(&Catalogue::all(), &ToolSelection::default(), policy).unwrap();
    let declared = tools.declarations(&Era::Stateless, ceiling);
    declared.iter().map(|tool| tool.name.to_string()).collect()
}

#[test]
fn sandboxed_mode_offers_only_reading_tools() {
    let reading = [
        "ax_assert",
        "ax_connect",
        "ax_find",
        "ax_get_attributes",
        "ax_get_tree",
        "ax_get_value",
        "ax_is_accessible",
        "ax_list_apps",
        "ax_list_windows",
        "ax_screenshot",
        "ax_session_info",
    ];
    let sandboxed = Policy { mode: SecurityMode::Sandboxed, ..Policy::default() };
    assert_eq!(offered(sandboxed, SecurityMode::Normal), reading);
    assert_eq!(offered(Policy::default(), SecurityMode::Sandboxed), reading);
}

#[test]
fn safe_mode_omits_scripts_and_read_only_omits_changes() {
    let all = offered(Policy::default(), SecurityMode::Normal);
    let safe = Policy { mode: SecurityMode::Safe, ..Policy::default() };
    let without_scripts: Vec<String> =
        all.iter().filter(|name| *name != "ax_run_script").cloned().collect();
    assert!(without_scripts.len() < all.len(), "{all:?}");
    assert_eq!(offered(safe, SecurityMode::Normal), without_scripts);
    let read_only = Policy { write_access: WriteAccess::ReadOnly, ..Policy::default() };
    let left = offered(read_only, SecurityMode::Normal);
    assert!(left.contains(&"ax_wait_idle".to_owned()) && left.len() < all.len(), "{left:?}");
    for name in ["ax_click", "ax_clipboard", "ax_scroll", "ax_type"] {
        assert!(!left.iter().any(|one| one == name), "{name}");
    }
}

#[test]
fn an_unknown_name_is_reported_with_similar_names() {
    let wrong = ToolSelection { only: vec!["ax_clik".to_owned()], ..ToolSelection::default() };
    let Err(Error::UnknownTool { suggestions: similar, .. }) =
        ToolList::select(&Catalogue::all(), &wrong, Policy::default())
    else {
        panic!()
    };
    assert!(similar.iter().any(|name| name == "ax_click"), "{similar:?}");
    let tools =
        ToolList::select(&Catalogue::all(), &ToolSelection::default(), Policy::default()).unwrap();
    let error = tools.get("ax_clik").unwrap_err();
    assert_eq!(error.code.0, -32602);
    assert!(error.message.contains("ax_click"), "{error:?}");
}

#[test]
fn only_2025_11_25_declares_task_support() {
    use rmcp::model::ProtocolVersion;
    let tools =
        ToolList::select(&Catalogue::all(), &ToolSelection::default(), Policy::default()).unwrap();
    let marked = |era: &Era| {
        let with_meta = |tool: &Tool| tool.meta.is_some();
        tools.declarations(era, SecurityMode::Normal).iter().filter(|tool| with_meta(tool)).count()
    };
    assert!(marked(&Era::Handshake(ProtocolVersion::V_2025_11_25)) > 0);
    assert_eq!(marked(&Era::Handshake(ProtocolVersion::V_2025_06_18)), 0);
    assert_eq!(marked(&Era::Stateless), 0);
}

fn command_tool(name: &'static str, about: &'static str, effect: Effect) -> OfferedTool {
    let tool = Tool::new(name, about, JsonObject::new());
    let cancel_mode = match effect.mutates() {
        true => CancelMode::Stops,
        false => CancelMode::Ignored,
    };
    OfferedTool {
        key: Vocabulary::Cli.tool(name),
        tool,
        task_mode: TaskMode::Optional,
        effect,
        confinement: Confinement::SessionFolder,
        cancel_mode,
    }
}

#[test]
fn only_a_change_of_the_tools_is_notified() {
    let tools = ToolList::new(vec![command_tool("git_log", "Old", Effect::Command)]);
    let changes = tools.subscribe_changes();
    tools.refresh(|| vec![command_tool("git_log", "Old", Effect::Command)]);
    assert!(!changes.has_changed().unwrap(), "equal tools are no change");
    tools.refresh(|| vec![command_tool("git_log", "New", Effect::Command)]);
    assert!(changes.has_changed().unwrap());
    assert_eq!(tools.get("git_log").unwrap().tool.description.as_deref(), Some("New"));
    tools.refresh(|| vec![command_tool("npm_run", "Run", Effect::Command)]);
    assert!(tools.get("git_log").is_err() && tools.get("npm_run").is_ok());
}

#[test]
fn status_tools_cannot_be_cancelled() {
    let await_ = command_tool("await", "Waits", Effect::Await);
    let tools =
        Arc::new(ToolList::new(vec![await_, command_tool("shell", "Runs", Effect::Command)]));
    assert!(tools.is_uncancellable("await") && !tools.is_uncancellable("shell"));
    assert!(!tools.is_uncancellable("nothing"));
}

fn tool_with_argument(vocabulary: Vocabulary, argument: &str) -> OfferedTool {
    let schema = object(json!({ "type": "object", "properties": { argument: {} } }));
    let tool = Tool::new("list_windows", "List windows.", schema);
    let key = vocabulary.tool("list_windows");
    OfferedTool { key, ..OfferedTool::read_only(tool, TaskMode::Never) }
}

#[test]
fn the_first_toolset_wins_if_two_tools_have_one_name() {
    let set = |wanted: Toolset| Toolset::ALL.iter().position(|set| *set == wanted).unwrap();
    let inspect =
        (set(Toolset::Inspect), tool_with_argument(Vocabulary::Inspect, "include_minimized"));
    let desktop = (set(Toolset::Desktop), tool_with_argument(Vocabulary::Desktop, "parent"));
    let both = ToolList::new(first_of_each_name(vec![inspect.clone(), desktop]));
    let offered = both.get("list_windows").unwrap();
    assert_eq!(offered.key, Vocabulary::Desktop.tool("list_windows"));
    assert!(offered.tool.input_schema["properties"].get("parent").is_some());
    assert_eq!(both.iter().count(), 1);
    let alone = ToolList::new(first_of_each_name(vec![inspect]));
    assert_eq!(alone.get("list_windows").unwrap().key.vocabulary(), Vocabulary::Inspect);
}

#[test]
fn each_toolset_offers_its_own_vocabulary() {
    let of = |set: Toolset| {
        let selection = ToolSelection { toolsets: vec![set], ..ToolSelection::default() };
        let tools = ToolList::select(&Catalogue::all(), &selection, Policy::default()).unwrap();
        tools.iter().map(|offered| offered.key.clone()).collect::<Vec<_>>()
    };
    assert!(of(Toolset::Desktop).contains(&Vocabulary::Desktop.tool("get_display")));
    assert!(of(Toolset::Inspect).contains(&Vocabulary::Inspect.tool("get_focused_element")));
    assert!(!of(Toolset::Ax).iter().any(|key| key.vocabulary() != Vocabulary::Ax));
}

#[test]
fn annotations_have_the_title() {
    let tools = ToolList::select(&Catalogue::all(), &ToolSelection::default(), Policy::default());
    for offered in tools.unwrap().iter() {
        let annotations = offered.tool.annotations.as_ref().unwrap();
        assert_eq!(annotations.title, offered.tool.title, "{}", offered.tool.name);
    }
}

#[test]
fn a_second_name_is_accepted_and_not_listed() {
    let select = |only: &str, exclude: &str| {
        let names = |name: &str| match name {
            "" => Vec::new(),
            name => vec![name.to_owned()],
        };
        let toolsets = vec![Toolset::Cli];
        let selection = ToolSelection { toolsets, only: names(only), exclude: names(exclude) };
        ToolList::select(&Catalogue::all(), &selection, Policy::default()).unwrap()
    };
    let all = select("", "");
    for (alias, name) in ALIASES {
        assert_eq!(all.get(alias).unwrap().tool.name, name);
        assert!(all.iter().all(|offered| offered.tool.name != alias), "{alias}");
        assert_eq!(
            all.required_mode(alias, SecurityMode::Sandboxed),
            all.required_mode(name, SecurityMode::Sandboxed)
        );
        assert_eq!(all.is_uncancellable(alias), all.is_uncancellable(name));
        let one = select(alias, "");
        assert_eq!(
            one.iter().map(|offered| offered.tool.name.to_string()).collect::<Vec<_>>(),
            [name]
        );
        assert!(select("", alias).get(alias).is_err());
    }
}

#[test]
fn a_stricter_mode_removes_tools() {
    let policy = CurrentPolicy::from(Policy::default());
    let selection = ToolSelection::default();
    let tools = ToolList::select(&Catalogue::all(), &selection, policy.clone()).unwrap();
    let has_click = || tools.has("ax_click", SecurityMode::Normal);
    assert!(has_click());
    policy.tighten(SecurityMode::Sandboxed);
    assert!(!has_click() && tools.has("ax_get_tree", SecurityMode::Normal));
}
