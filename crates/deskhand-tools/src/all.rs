//! Every tool there is, one line each.

use crate::{Entry, act, ax, clipboard, keyboard, look, pointer, program, screen, view, window};

/// All tools, in the order people meet them.
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
    all.extend(view::all());
    all
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::Private;

    /// Arguments that carry what somebody writes.
    const WRITTEN: &[&str] =
        &["content", "html", "key", "keys", "password", "rtf", "script", "text", "url", "value"];

    #[test]
    fn what_somebody_writes_is_in_no_record() {
        let changing = |entry: &&crate::Entry| entry.spec.effect.mutates();
        for entry in all().iter().filter(changing) {
            let private: Vec<&str> = entry
                .private()
                .iter()
                .map(|one| match one {
                    Private::Text(name) | Private::Keys(name) => *name,
                })
                .collect();
            let schema = (entry.arguments)();
            let fields = schema["properties"].as_object().unwrap();
            for name in WRITTEN.iter().filter(|name| fields.contains_key(**name)) {
                assert!(private.contains(name), "{}: {name}", entry.spec.name);
            }
            assert!(private.iter().all(|name| fields.contains_key(*name)), "{}", entry.spec.name);
        }
    }
}
