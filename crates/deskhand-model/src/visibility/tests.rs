//! Elements that their own states report as showing, although the user cannot see them.

use super::*;
use crate::testing::TreeBuilder;

const WINDOW: Rect = Rect::new(100, 100, 400, 300);

/// Returns a window with a panel that fills it.
fn window() -> (TreeBuilder, usize) {
    let mut builder = TreeBuilder::new();
    let window = builder.add(0, Role::Window, "W");
    builder.at(window).bounds = Some(WINDOW);
    let panel = builder.add(window, Role::Panel, "");
    builder.at(panel).bounds = Some(WINDOW);
    (builder, panel)
}

fn add(builder: &mut TreeBuilder, parent: usize, role: Role, bounds: Rect) -> usize {
    let at = builder.add(parent, role, "");
    builder.at(at).bounds = Some(bounds);
    at
}

/// Returns the visibility of the element with this number.
fn seen(builder: &TreeBuilder, at: usize) -> Visibility {
    let snapshot = builder.snapshot();
    let id = crate::NodeId::new(format!("n{at}"));
    ScreenVisibility::of(&snapshot).of_element(snapshot.position(&id).unwrap())
}

#[test]
fn hiddenness_is_inherited() {
    let (mut builder, panel) = window();
    let page = add(&mut builder, panel, Role::Panel, WINDOW);
    let button = add(&mut builder, page, Role::Button, Rect::new(110, 110, 50, 20));
    assert_eq!(seen(&builder, button), Visibility::OnScreen);
    builder.unset(page, State::Showing);
    assert_eq!(seen(&builder, button), Visibility::OffScreen, "the page is not current");
    builder.unset(page, State::Visible);
    assert_eq!(seen(&builder, button), Visibility::Hidden, "the page is hidden");
}

#[test]
fn the_items_of_a_closed_qt_combo_box_are_hidden() {
    let (mut builder, panel) = window();
    let combo = add(&mut builder, panel, Role::ComboBox, Rect::new(110, 110, 90, 20));
    // Qt reports the list of a closed combo box as showing, but without a size.
    let list = add(&mut builder, combo, Role::List, Rect::new(0, 0, 0, 0));
    let item = add(&mut builder, list, Role::ListItem, Rect::new(0, 23, 753, 23));
    assert_eq!(seen(&builder, item), Visibility::Hidden);
    builder.at(list).bounds = Some(Rect::new(110, 130, 90, 60));
    builder.at(item).bounds = Some(Rect::new(110, 130, 90, 20));
    assert_eq!(seen(&builder, item), Visibility::OnScreen, "the list is open");
}

#[test]
fn elements_outside_of_their_container_are_off_screen() {
    let (mut builder, panel) = window();
    let dock = add(&mut builder, panel, Role::Panel, Rect::new(-700, -700, 200, 200));
    let button = add(&mut builder, dock, Role::Button, Rect::new(-690, -690, 50, 20));
    assert_eq!(seen(&builder, dock), Visibility::OffScreen, "a tabbed dock of Qt");
    assert_eq!(seen(&builder, button), Visibility::OffScreen);
    let viewport = add(&mut builder, panel, Role::Viewport, Rect::new(100, 100, 400, 100));
    let content = add(&mut builder, viewport, Role::Panel, Rect::new(100, 100, 400, 900));
    let below = add(&mut builder, content, Role::Button, Rect::new(100, 250, 50, 20));
    let edge = add(&mut builder, content, Role::Button, Rect::new(100, 190, 50, 20));
    assert_eq!(seen(&builder, below), Visibility::OffScreen, "it is scrolled away");
    assert_eq!(seen(&builder, edge), Visibility::OnScreen, "a part of it is visible");
}

#[test]
fn open_menus_are_visible_outside_of_their_window() {
    let (mut builder, panel) = window();
    let bar = add(&mut builder, panel, Role::MenuBar, Rect::new(100, 100, 400, 20));
    let menu = add(&mut builder, bar, Role::Menu, Rect::new(100, 100, 40, 20));
    let item = add(&mut builder, menu, Role::MenuItem, Rect::new(100, 390, 80, 20));
    assert_eq!(seen(&builder, item), Visibility::OnScreen);
    let button = add(&mut builder, panel, Role::Button, Rect::new(480, 380, 20, 20));
    let popup = add(&mut builder, button, Role::PopupMenu, Rect::new(480, 400, 80, 60));
    let entry = add(&mut builder, popup, Role::MenuItem, Rect::new(480, 400, 80, 20));
    assert_eq!(seen(&builder, entry), Visibility::OnScreen);
}

#[test]
fn elements_of_a_page_may_lie_outside_of_their_containers() {
    let (mut builder, panel) = window();
    let page = add(&mut builder, panel, Role::WebDocument, WINDOW);
    let collapsed = add(&mut builder, page, Role::Section, Rect::new(100, 100, 400, 0));
    let link = add(&mut builder, collapsed, Role::Link, Rect::new(100, 120, 50, 20));
    assert_eq!(seen(&builder, link), Visibility::OnScreen, "a section of floating elements");
    let scrolled = add(&mut builder, page, Role::Link, Rect::new(100, 900, 50, 20));
    builder.unset(scrolled, State::Showing);
    assert_eq!(seen(&builder, scrolled), Visibility::OffScreen, "the browser reports it");
    builder.unset(page, State::Showing);
    assert_eq!(seen(&builder, link), Visibility::OffScreen, "a page in a background tab");
}

#[test]
fn the_container_that_hides_an_element_is_found() {
    let (mut builder, panel) = window();
    let page = add(&mut builder, panel, Role::Panel, WINDOW);
    let group = add(&mut builder, page, Role::Panel, WINDOW);
    let button = add(&mut builder, group, Role::Button, Rect::new(110, 110, 50, 20));
    builder.unset(page, State::Showing);
    let snapshot = builder.snapshot();
    let position = |at: usize| snapshot.position(&crate::NodeId::new(format!("n{at}"))).unwrap();
    assert_eq!(hiding_container(&snapshot, position(button)), Some(position(page)));
    assert_eq!(hiding_container(&snapshot, position(page)), None);
}

#[test]
fn the_page_inside_a_tab_without_a_size_is_visible() {
    let (mut builder, panel) = window();
    let tabs = add(&mut builder, panel, Role::TabList, WINDOW);
    let tab = add(&mut builder, tabs, Role::Tab, Rect::new(103, 130, 0, 0));
    let page = add(&mut builder, tab, Role::Panel, Rect::new(103, 130, 300, 200));
    let button = add(&mut builder, page, Role::Button, Rect::new(110, 140, 50, 20));
    assert_eq!(seen(&builder, button), Visibility::OnScreen, "GTK 2 notebooks");
}

#[test]
fn an_empty_snapshot_has_no_visible_elements() {
    let empty = Snapshot::assemble(crate::testing::app(), Vec::new(), &[]);
    assert_eq!(ScreenVisibility::of(&empty).of_element(Index::ROOT), Visibility::Hidden);
    assert!(crate::blank_area::silent_areas(&empty).is_empty());
}
