//! Tests of the offered tools and their declarations.

use deskhand_engine::Touch;

use super::*;

fn names(selection: &Selection) -> Vec<String> {
    let tools = Tools::selected(&Catalogue::all(), selection, Policy::default()).unwrap();
    tools.iter().map(|offered| offered.tool.name.to_string()).collect()
}

#[test]
fn tools_are_sorted_and_have_inlined_object_schemas() {
    let tools =
        Tools::selected(&Catalogue::all(), &Selection::default(), Policy::default()).unwrap();
    let names = names(&Selection::default());
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
    let all = names(&Selection::default());
    let one = all[0].clone();
    let only = Selection { only: vec![one.clone()], ..Selection::default() };
    assert_eq!(names(&only), only.only);
    let without = Selection { without: vec![one.clone()], ..Selection::default() };
    assert_eq!(names(&without), all[1..]);
    let core = Selection { toolsets: vec![Toolset::Core], ..Selection::default() };
    assert!(names(&core).len() < all.len());
}

/// Returns the names offered in a mode.
fn offered(policy: Policy, ceiling: Mode) -> Vec<String> {
    let tools = Tools::selected(&Catalogue::all(), &Selection::default(), policy).unwrap();
    let declared = tools.declared(&Era::Modern, ceiling);
    declared.iter().map(|tool| tool.name.to_string()).collect()
}

#[test]
fn sandboxed_mode_offers_only_reading_tools() {
    let seeing = [
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
    let sandboxed = Policy { mode: Mode::Sandboxed, ..Policy::default() };
    assert_eq!(offered(sandboxed, Mode::Normal), seeing);
    assert_eq!(offered(Policy::default(), Mode::Sandboxed), seeing);
}

#[test]
fn safe_mode_omits_scripts_and_read_only_omits_changes() {
    let all = offered(Policy::default(), Mode::Normal);
    let safe = Policy { mode: Mode::Safe, ..Policy::default() };
    let but_scripts: Vec<String> =
        all.iter().filter(|name| *name != "ax_run_script").cloned().collect();
    assert!(but_scripts.len() < all.len(), "{all:?}");
    assert_eq!(offered(safe, Mode::Normal), but_scripts);
    let read_only = Policy { touch: Touch::ReadOnly, ..Policy::default() };
    let left = offered(read_only, Mode::Normal);
    assert!(left.contains(&"ax_wait_idle".to_owned()) && left.len() < all.len(), "{left:?}");
    for name in ["ax_click", "ax_clipboard", "ax_scroll", "ax_type"] {
        assert!(!left.iter().any(|one| one == name), "{name}");
    }
}

#[test]
fn an_unknown_name_is_reported_with_similar_names() {
    let wrong = Selection { only: vec!["ax_clik".to_owned()], ..Selection::default() };
    let Err(Error::UnknownTool { near, .. }) =
        Tools::selected(&Catalogue::all(), &wrong, Policy::default())
    else {
        panic!()
    };
    assert!(near.iter().any(|name| name == "ax_click"), "{near:?}");
    let tools =
        Tools::selected(&Catalogue::all(), &Selection::default(), Policy::default()).unwrap();
    let error = tools.get("ax_clik").unwrap_err();
    assert_eq!(error.code.0, -32602);
    assert!(error.message.contains("ax_click"), "{error:?}");
}

#[test]
fn only_2025_11_25_declares_task_support() {
    use rmcp::model::ProtocolVersion;
    let tools =
        Tools::selected(&Catalogue::all(), &Selection::default(), Policy::default()).unwrap();
    let marked = |era: &Era| {
        let with_meta = |tool: &Tool| tool.meta.is_some();
        tools.declared(era, Mode::Normal).iter().filter(|tool| with_meta(tool)).count()
    };
    assert!(marked(&Era::Handshake(ProtocolVersion::V_2025_11_25)) > 0);
    assert_eq!(marked(&Era::Handshake(ProtocolVersion::V_2025_06_18)), 0);
    assert_eq!(marked(&Era::Modern), 0);
}

fn fleeting(name: &'static str, about: &'static str, effect: Effect) -> Offered {
    let tool = Tool::new(name, about, JsonObject::new());
    let cancelling = match effect.mutates() {
        true => Cancelling::Stops,
        false => Cancelling::NotHeard,
    };
    Offered { tool, support: Support::Optional, effect, bound: Bound::ToFolder, cancelling }
}

#[test]
fn only_a_change_of_the_tools_is_notified() {
    let tools = Tools::new(vec![fleeting("git_log", "Old", Effect::Command)]);
    let news = tools.news();
    tools.refresh(|| vec![fleeting("git_log", "Old", Effect::Command)]);
    assert!(!news.has_changed().unwrap(), "equal tools are no change");
    tools.refresh(|| vec![fleeting("git_log", "New", Effect::Command)]);
    assert!(news.has_changed().unwrap());
    assert_eq!(tools.get("git_log").unwrap().tool.description.as_deref(), Some("New"));
    tools.refresh(|| vec![fleeting("npm_run", "Run", Effect::Command)]);
    assert!(tools.get("git_log").is_err() && tools.get("npm_run").is_ok());
}

#[test]
fn status_tools_cannot_be_cancelled() {
    let await_ = fleeting("await", "Waits", Effect::Await);
    let tools = Arc::new(Tools::new(vec![await_, fleeting("shell", "Runs", Effect::Command)]));
    assert!(tools.is_steadfast("await") && !tools.is_steadfast("shell"));
    assert!(!tools.is_steadfast("nothing"));
}
