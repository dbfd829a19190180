//! Conversion of accessibility events into the JSON that clients read.

use deskhand_engine::{Event, EventKind};
use rmcp::task_manager::current_timestamp;
use serde_json::{Map, Value, json};

/// States whose changes are reported. All other states change with every window that opens.
const REPORTED_STATES: [&str; 7] =
    ["checked", "expanded", "selected", "pressed", "busy", "invalid", "minimized"];

/// Roles whose titles are reported. Apps report the names of all other elements while a window
/// opens.
const TITLED_ROLES: [&str; 3] = ["AXWindow", "AXSheet", "AXStaticText"];

/// Roles whose values only describe layout.
const LAYOUT_ROLES: [&str; 2] = ["AXSplitGroup", "AXScrollBar"];

/// Returns `true` if an event may be reported, as far as the event alone tells.
pub(super) fn is_relevant(event: &Event) -> bool {
    match event.kind {
        EventKind::StateChanged => REPORTED_STATES.contains(&event.detail.as_str()),
        EventKind::ChildrenChanged | EventKind::AppStarted => false,
        EventKind::ValueChanged
        | EventKind::FocusChanged
        | EventKind::WindowCreated
        | EventKind::WindowDestroyed
        | EventKind::WindowActivated
        | EventKind::TitleChanged
        | EventKind::SelectionChanged
        | EventKind::AppQuit => true,
    }
}

/// Converts an event into JSON. `about` is the element of the event. A dialog window yields two
/// events, one for the window and one for the dialog. Irrelevant events yield none.
pub(super) fn to_json(event: &Event, about: &Value) -> Vec<Value> {
    if is_irrelevant(event.kind, about["role"].as_str()) {
        return Vec::new();
    }
    let title = about["title"].as_str().filter(|title| !title.is_empty());
    if event.kind == EventKind::TitleChanged && title.is_none() {
        // The user cannot see the title.
        return Vec::new();
    }
    let mut fields = Map::new();
    fields.insert("type".to_owned(), json!(type_name(event.kind)));
    match event.kind {
        EventKind::WindowCreated | EventKind::WindowDestroyed | EventKind::WindowActivated => {
            let detail = Some(event.detail.as_str()).filter(|detail| !detail.is_empty());
            if let Some(title) = title.or(detail) {
                fields.insert("title".to_owned(), json!(title));
            }
        }
        EventKind::AppQuit | EventKind::AppStarted => {}
        EventKind::ValueChanged
        | EventKind::FocusChanged
        | EventKind::TitleChanged
        | EventKind::StateChanged
        | EventKind::ChildrenChanged
        | EventKind::SelectionChanged => {
            if let Some(role) = about["role"].as_str() {
                let name = title.map(|title| format!(" '{title}'")).unwrap_or_default();
                fields.insert("element".to_owned(), json!(format!("{role}{name}")));
            }
        }
    }
    match event.kind {
        EventKind::TitleChanged => {
            fields.insert("title".to_owned(), json!(event.detail));
        }
        EventKind::StateChanged => {
            fields.insert("state".to_owned(), json!(event.detail));
            fields.insert("on".to_owned(), json!(event.on));
        }
        EventKind::ValueChanged
        | EventKind::FocusChanged
        | EventKind::WindowCreated
        | EventKind::WindowDestroyed
        | EventKind::WindowActivated
        | EventKind::ChildrenChanged
        | EventKind::SelectionChanged
        | EventKind::AppStarted
        | EventKind::AppQuit => {}
    }
    fields.insert("timestamp".to_owned(), json!(now()));
    let mut all = vec![Value::Object(fields.clone())];
    if event.kind == EventKind::WindowCreated && about["dialog"] == true {
        fields.insert("type".to_owned(), json!("dialog_appeared"));
        all.push(Value::Object(fields));
    }
    all
}

/// Returns `true` if an event is irrelevant for an element of this role, or for a missing element.
fn is_irrelevant(kind: EventKind, role: Option<&str>) -> bool {
    match kind {
        EventKind::TitleChanged => role.is_none_or(|role| !TITLED_ROLES.contains(&role)),
        EventKind::ValueChanged => role.is_none_or(|role| LAYOUT_ROLES.contains(&role)),
        EventKind::FocusChanged | EventKind::StateChanged | EventKind::SelectionChanged => {
            role.is_none()
        }
        EventKind::WindowCreated
        | EventKind::WindowDestroyed
        | EventKind::WindowActivated
        | EventKind::ChildrenChanged
        | EventKind::AppStarted
        | EventKind::AppQuit => false,
    }
}

/// Returns the time in milliseconds precision.
fn now() -> String {
    let now = current_timestamp();
    format!("{}Z", now.get(..23).unwrap_or(&now))
}

fn type_name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::WindowCreated => "window_opened",
        EventKind::WindowDestroyed => "window_closed",
        EventKind::ValueChanged
        | EventKind::FocusChanged
        | EventKind::WindowActivated
        | EventKind::TitleChanged
        | EventKind::StateChanged
        | EventKind::ChildrenChanged
        | EventKind::SelectionChanged
        | EventKind::AppStarted
        | EventKind::AppQuit => kind.word(),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::AppId;

    use super::*;

    fn event(kind: EventKind, detail: &str) -> Event {
        let app = AppId(":1.1".to_owned());
        Event { kind, app, node: None, detail: detail.to_owned(), on: true }
    }

    #[test]
    fn a_dialog_yields_a_window_event_and_a_dialog_event() {
        let about = json!({ "role": "AXWindow", "title": "Save As", "dialog": true });
        let all = to_json(&event(EventKind::WindowCreated, ""), &about);
        let types: Vec<&Value> = all.iter().map(|fields| &fields["type"]).collect();
        assert_eq!(types, ["window_opened", "dialog_appeared"]);
        assert!(
            all.iter()
                .all(|fields| fields["title"] == "Save As" && fields["timestamp"].is_string())
        );
    }

    #[test]
    fn an_element_is_described_by_role_and_title() {
        let about = json!({ "role": "AXTextField", "title": "File name", "dialog": false });
        let all = to_json(&event(EventKind::FocusChanged, ""), &about);
        assert_eq!(all[0]["element"], "AXTextField 'File name'");
        let nameless =
            to_json(&event(EventKind::ValueChanged, ""), &json!({ "role": "AXTextArea" }));
        assert_eq!(nameless[0]["element"], "AXTextArea");
    }

    #[test]
    fn irrelevant_events_are_omitted() {
        let of = |role: &str| json!({ "role": role, "title": "Files" });
        let title = event(EventKind::TitleChanged, "Files");
        assert!(to_json(&title, &of("AXTable")).is_empty());
        assert_eq!(to_json(&title, &of("AXWindow"))[0]["title"], "Files");
        assert!(to_json(&title, &json!({ "role": "AXStaticText", "title": "" })).is_empty());
        let value = event(EventKind::ValueChanged, "");
        assert!(to_json(&value, &of("AXSplitGroup")).is_empty());
        assert!(to_json(&value, &Value::Null).is_empty(), "the element no longer exists");
        let closed = to_json(&event(EventKind::WindowDestroyed, ""), &Value::Null);
        assert!(closed[0]["timestamp"].as_str().unwrap().ends_with('Z'), "{closed:?}");
    }

    #[test]
    fn states_that_change_with_every_window_are_omitted() {
        assert!(is_relevant(&event(EventKind::StateChanged, "checked")));
        assert!(!is_relevant(&event(EventKind::StateChanged, "showing")));
        assert!(!is_relevant(&event(EventKind::ChildrenChanged, "")));
    }
}
