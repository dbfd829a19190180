//! Conversion of accessibility events into the JSON that clients read.

use deskhand_engine::{Event, EventKind};
use rmcp::task_manager::current_timestamp;
use serde_json::{Map, Value, json};

/// States whose changes are reported. All other states change with every window that opens.
const TELLING: [&str; 7] =
    ["checked", "expanded", "selected", "pressed", "busy", "invalid", "minimized"];

/// Roles whose titles are reported. Apps report the names of all other elements while a window opens.
const TITLED: [&str; 3] = ["AXWindow", "AXSheet", "AXStaticText"];

/// Roles whose values only describe layout.
const LAYOUT: [&str; 2] = ["AXSplitGroup", "AXScrollBar"];

/// Returns `true` if an event may be reported, as far as the event alone tells.
pub(super) fn is_telling(event: &Event) -> bool {
    match event.kind {
        EventKind::StateChanged => TELLING.contains(&event.detail.as_str()),
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
pub(super) fn told(event: &Event, about: &Value) -> Vec<Value> {
    if is_noise(event.kind, about["role"].as_str()) {
        return Vec::new();
    }
    let title = about["title"].as_str().filter(|title| !title.is_empty());
    if event.kind == EventKind::TitleChanged && title.is_none() {
        // The user cannot see the title.
        return Vec::new();
    }
    let mut one = Map::new();
    one.insert("type".to_owned(), json!(word(event.kind)));
    match event.kind {
        EventKind::WindowCreated | EventKind::WindowDestroyed | EventKind::WindowActivated => {
            let detail = Some(event.detail.as_str()).filter(|detail| !detail.is_empty());
            if let Some(title) = title.or(detail) {
                one.insert("title".to_owned(), json!(title));
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
                one.insert("element".to_owned(), json!(format!("{role}{name}")));
            }
        }
    }
    match event.kind {
        EventKind::TitleChanged => {
            one.insert("title".to_owned(), json!(event.detail));
        }
        EventKind::StateChanged => {
            one.insert("state".to_owned(), json!(event.detail));
            one.insert("on".to_owned(), json!(event.on));
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
    one.insert("timestamp".to_owned(), json!(now()));
    let mut all = vec![Value::Object(one.clone())];
    if event.kind == EventKind::WindowCreated && about["dialog"] == true {
        one.insert("type".to_owned(), json!("dialog_appeared"));
        all.push(Value::Object(one));
    }
    all
}

/// Returns `true` if an event is irrelevant for an element of this role, or for a missing element.
fn is_noise(kind: EventKind, role: Option<&str>) -> bool {
    match kind {
        EventKind::TitleChanged => role.is_none_or(|role| !TITLED.contains(&role)),
        EventKind::ValueChanged => role.is_none_or(|role| LAYOUT.contains(&role)),
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

fn word(kind: EventKind) -> &'static str {
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
        let all = told(&event(EventKind::WindowCreated, ""), &about);
        let types: Vec<&Value> = all.iter().map(|one| &one["type"]).collect();
        assert_eq!(types, ["window_opened", "dialog_appeared"]);
        assert!(all.iter().all(|one| one["title"] == "Save As" && one["timestamp"].is_string()));
    }

    #[test]
    fn an_element_is_described_by_role_and_title() {
        let about = json!({ "role": "AXTextField", "title": "File name", "dialog": false });
        let all = told(&event(EventKind::FocusChanged, ""), &about);
        assert_eq!(all[0]["element"], "AXTextField 'File name'");
        let nameless = told(&event(EventKind::ValueChanged, ""), &json!({ "role": "AXTextArea" }));
        assert_eq!(nameless[0]["element"], "AXTextArea");
    }

    #[test]
    fn irrelevant_events_are_omitted() {
        let of = |role: &str| json!({ "role": role, "title": "Files" });
        let title = event(EventKind::TitleChanged, "Files");
        assert!(told(&title, &of("AXTable")).is_empty());
        assert_eq!(told(&title, &of("AXWindow"))[0]["title"], "Files");
        assert!(told(&title, &json!({ "role": "AXStaticText", "title": "" })).is_empty());
        let value = event(EventKind::ValueChanged, "");
        assert!(told(&value, &of("AXSplitGroup")).is_empty());
        assert!(told(&value, &Value::Null).is_empty(), "the element no longer exists");
        let closed = told(&event(EventKind::WindowDestroyed, ""), &Value::Null);
        assert!(closed[0]["timestamp"].as_str().unwrap().ends_with('Z'), "{closed:?}");
    }

    #[test]
    fn states_that_change_with_every_window_are_omitted() {
        assert!(is_telling(&event(EventKind::StateChanged, "checked")));
        assert!(!is_telling(&event(EventKind::StateChanged, "showing")));
        assert!(!is_telling(&event(EventKind::ChildrenChanged, "")));
    }
}
