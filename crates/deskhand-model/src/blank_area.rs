//! Finds large areas of windows about which the tree says nothing, such as drawings and pages of
//! embedded browsers.

use crate::{Index, Rect, Role, ScreenVisibility, Snapshot};

/// Smaller areas are decorations.
const MIN_WIDTH: i32 = 200;
const MIN_HEIGHT: i32 = 120;

/// An area counts as large if it takes at least one part in this many of its window.
const MIN_WINDOW_SHARE: i64 = 4;

/// Returns the elements that take a large part of their window and have no name, no text and no
/// children.
pub fn silent_areas(snapshot: &Snapshot) -> Vec<(Index, Rect)> {
    let mut found = Vec::new();
    if snapshot.is_empty() {
        return found;
    }
    let visibility = ScreenVisibility::of(snapshot);
    for window in snapshot.children(Index::ROOT) {
        let Some(frame) = snapshot.node(window).bounds else { continue };
        let is_silent = |at: &Index| is_silent(snapshot, &visibility, *at);
        let areas = snapshot.subtree(window).filter(is_silent).filter_map(|at| {
            let area = snapshot.node(at).bounds?.intersection(frame)?;
            let is_large = area.width >= MIN_WIDTH
                && area.height >= MIN_HEIGHT
                && size(area) * MIN_WINDOW_SHARE >= size(frame);
            is_large.then_some((at, area))
        });
        found.extend(areas.max_by_key(|(_, area)| size(*area)));
    }
    found
}

fn is_silent(snapshot: &Snapshot, visibility: &ScreenVisibility, at: Index) -> bool {
    let node = snapshot.node(at);
    let is_surface = node.role.is_layout()
        || node.role.is_window()
        || matches!(
            node.role,
            Role::Canvas
                | Role::DrawingArea
                | Role::Image
                | Role::Animation
                | Role::Video
                | Role::DocumentFrame
                | Role::WebDocument
        );
    let is_empty = |below: Index| !visibility.is_on_screen(below) || is_ornament(snapshot, below);
    is_surface
        && visibility.is_on_screen(at)
        && node.cut.is_none()
        && node.text().is_none_or(|text| text.trim().is_empty())
        && (node.name.trim().is_empty() || node.role.is_window())
        && snapshot.subtree(at).skip(1).all(is_empty)
}

/// Returns `true` for scroll bars and for elements without an area.
fn is_ornament(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    node.role == Role::ScrollBar || node.bounds.is_some_and(Rect::is_empty)
}

fn size(area: Rect) -> i64 {
    i64::from(area.width) * i64::from(area.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TreeBuilder;

    #[test]
    fn a_large_canvas_is_silent_and_a_large_list_is_not() {
        let mut builder = TreeBuilder::new();
        let window = builder.add(0, Role::Window, "Paint");
        builder.at(window).bounds = Some(Rect::new(0, 0, 800, 600));
        let tools = builder.add(window, Role::ToolBar, "Tools");
        builder.at(tools).bounds = Some(Rect::new(0, 0, 800, 40));
        let button = builder.add(tools, Role::Button, "Pen");
        builder.at(button).bounds = Some(Rect::new(0, 0, 40, 40));
        let canvas = builder.add(window, Role::DrawingArea, "");
        builder.at(canvas).bounds = Some(Rect::new(0, 40, 800, 560));
        let snapshot = builder.snapshot();
        let area = Rect::new(0, 40, 800, 560);
        assert_eq!(silent_areas(&snapshot), [(snapshot.iter().last().unwrap().0, area)]);
        builder.at(canvas).role = Role::List;
        assert!(silent_areas(&builder.snapshot()).is_empty());
        builder.at(canvas).role = Role::Panel;
        builder.add(canvas, Role::Label, "Hello");
        assert!(silent_areas(&builder.snapshot()).is_empty());
    }
}
