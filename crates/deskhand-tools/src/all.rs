//! The list of all built-in tools.

use crate::{
    Entry, ax, cli,
    commands::{act, clipboard, keyboard, look, pointer, program, screen, window},
    resources,
};

/// Returns all built-in tools, in the order the CLI lists them.
pub fn all() -> Vec<Entry> {
    let mut all = vec![
        Entry::of::<look::apps::Apps>(),
        Entry::of::<look::windows::Windows>(),
        Entry::of::<look::tree::Tree>(),
        Entry::of::<look::find::Find>(),
        Entry::of::<look::attributes::Attributes>(),
        Entry::of::<look::watch::Watch>(),
        Entry::of::<screen::screenshot::Screenshot>(),
        Entry::of::<screen::display::List>(),
        Entry::of::<screen::display::Get>(),
        Entry::of::<screen::display::Cursor>(),
        Entry::of::<act::click::Click>(),
        Entry::of::<act::type_text::TypeText>(),
        Entry::of::<act::set::Set>(),
        Entry::of::<act::select::Select>(),
        Entry::of::<act::expand::Expand>(),
        Entry::of::<act::collapse::Collapse>(),
        Entry::of::<act::named::Act>(),
        Entry::of::<act::scroll::Scroll>(),
        Entry::of::<act::drag::Drag>(),
        Entry::of::<act::focus::Focus>(),
        Entry::of::<keyboard::key::Press>(),
        Entry::of::<pointer::r#move::Move>(),
        Entry::of::<pointer::position::Position>(),
        Entry::of::<pointer::click::Click>(),
        Entry::of::<pointer::press::Down>(),
        Entry::of::<pointer::press::Up>(),
        Entry::of::<pointer::drag::Drag>(),
        Entry::of::<pointer::hover::Hover>(),
        Entry::of::<pointer::scroll::Scroll>(),
        Entry::of::<pointer::gesture::Gesture>(),
        Entry::of::<clipboard::read::Read>(),
        Entry::of::<clipboard::write::Write>(),
        Entry::of::<clipboard::clear::Clear>(),
        Entry::of::<clipboard::history::Lately>(),
        Entry::of::<clipboard::watch::Watch>(),
        Entry::of::<program::open::Open>(),
        Entry::of::<program::app::App>(),
        Entry::of::<program::quit::Quit>(),
        Entry::of::<window::get::Get>(),
        Entry::of::<window::state::State>(),
        Entry::of::<window::focus::Focus>(),
        Entry::of::<window::place::Move>(),
        Entry::of::<window::place::Resize>(),
        Entry::of::<window::minimize::Minimize>(),
        Entry::of::<window::minimize::Restore>(),
        Entry::of::<window::fill::Maximize>(),
        Entry::of::<window::fill::FullScreen>(),
        Entry::of::<window::close::Close>(),
    ];
    all.extend(ax::all());
    all.extend(cli::all());
    all.extend(resources::all());
    all
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::all;
    use crate::Private;

    /// Arguments that carry what somebody writes, or has written. What is run is the act itself, and
    /// stands in the records.
    const WRITTEN: &[&str] = &[
        "contains_text",
        "content",
        "html",
        "key",
        "keys",
        "password",
        "rtf",
        "text",
        "url",
        "value",
    ];

    /// Whether something that somebody writes is in a value of this schema.
    fn is_written(name: &str, schema: &Value, root: &Value) -> bool {
        let deeper = |below: &Value| match below["$ref"].as_str() {
            Some(place) => root.pointer(place.trim_start_matches('#')).cloned().unwrap_or_default(),
            None => below.clone(),
        };
        let inside = |below: &Value| match below {
            Value::Object(_) => is_written("", &deeper(below), root),
            Value::Array(all) => all.iter().any(|one| is_written("", &deeper(one), root)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        let schema = deeper(schema);
        let fields = schema["properties"].as_object().into_iter().flatten();
        WRITTEN.contains(&name)
            || fields.into_iter().any(|(name, field)| is_written(name, field, root))
            || ["items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"]
                .iter()
                .any(|part| inside(&schema[*part]))
    }

    #[test]
    fn what_somebody_writes_is_in_no_record() {
        for entry in all() {
            let private: Vec<&str> = entry
                .private()
                .iter()
                .map(|one| match one {
                    Private::Text(name) | Private::Keys(name) | Private::Typed(name) => *name,
                })
                .collect();
            let schema = entry.arguments();
            let none = serde_json::Map::new();
            let fields = schema["properties"].as_object().unwrap_or(&none);
            for (name, field) in fields {
                let hidden = private.contains(&name.as_str());
                assert!(hidden || !is_written(name, field, &schema), "{}: {name}", entry.name());
            }
            assert!(private.iter().all(|name| fields.contains_key(*name)), "{}", entry.name());
        }
    }

    #[test]
    fn what_an_element_is_expected_to_hold_is_in_no_record() {
        let all = all();
        let assert = all.iter().find(|entry| entry.name() == "ax_assert").unwrap();
        let arguments = serde_json::json!({
            "app": "7", "query": "Name", "assertions": { "value": "hunter2" },
        });
        let told = assert.told(&arguments, &crate::Session::default());
        assert!(told["query"] == "Name" && !told.to_string().contains("hunter2"), "{told}");
    }
}
