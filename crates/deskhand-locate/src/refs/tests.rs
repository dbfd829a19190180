//! Refs when the app, the process or the file changes.

use std::{collections::HashMap, fs, path::PathBuf};

use deskhand_model::{Explain, Index, NodeId, Rect, Role, Snapshot};
use proptest::prelude::*;

use super::{Ref, RefTable};
use crate::{
    Error,
    heal::{self, HealMethod},
    testing::{Tree, app},
};

fn toolbar() -> Tree {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Untitled");
    let bar = tree.add(window, Role::ToolBar, "Main");
    for name in ["Open", "Save", "Close"] {
        tree.add(bar, Role::Button, name);
    }
    tree
}

fn place(snapshot: &Snapshot, at: u32) -> Index {
    snapshot.position(&NodeId::new(format!("id{at}"))).unwrap()
}

fn refs_file(dir: &tempfile::TempDir) -> PathBuf {
    let mut files = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|e| e == "jsonl")).unwrap()
}

/// Returns the replacement suggested for a stale ref: its name, heal method and confidence.
fn offered(tree: &Tree, table: &mut RefTable, reference: Ref) -> Option<(String, HealMethod, f32)> {
    let Err(Error::Stale { replacement, .. }) = table.resolve(&tree.snapshot(), reference) else {
        panic!("not stale")
    };
    replacement.map(|it| (it.candidate.name.clone(), it.by, it.confidence))
}

#[test]
fn an_element_keeps_its_ref_and_a_new_element_gets_a_new_ref() {
    let mut tree = toolbar();
    let mut table = RefTable::new();
    let s = tree.snapshot();
    let save = table.assign(&s, place(&s, 4));
    assert_eq!(save.to_string(), "e1");
    tree.at(4).name = "Save all".into();
    let new = tree.add(2, Role::Button, "New");
    let s = tree.snapshot();
    assert_eq!(table.assign(&s, place(&s, new)).to_string(), "e2");
    assert_eq!(table.assign(&s, place(&s, 4)), save);
    assert_eq!(table.resolve(&s, save), Ok(place(&s, 4)));
    assert_eq!(table.node_id(save), Some(&NodeId::new("id4")));
    let unknown = table.resolve(&s, Ref::new(9)).unwrap_err();
    assert_eq!(unknown.code(), "unknown_ref");
}

#[test]
fn a_similar_element_is_only_suggested_for_a_stale_ref() {
    let mut tree = toolbar();
    let mut table = RefTable::new();
    let s = tree.snapshot();
    let save = table.assign(&s, place(&s, 4));
    tree.remove(4);
    let error = table.resolve(&tree.snapshot(), save).unwrap_err();
    assert_eq!(error.code(), "stale");
    assert!(error.to_string().contains("button \"Save\" in toolbar \"Main\""), "{error}");
    let again = tree.add(2, Role::Button, "Save");
    let (name, by, confidence) = offered(&tree, &mut table, save).unwrap();
    assert_eq!((name.as_str(), by), ("Save", HealMethod::Name));
    assert!(confidence >= 0.89, "{confidence}");
    let s = tree.snapshot();
    let new = table.assign(&s, place(&s, again));
    assert_ne!(new, save);
    let advice = format!("{:?}", table.resolve(&s, save).unwrap_err().advice());
    assert!(advice.contains(&new.to_string()), "{advice}");
}

#[test]
fn healing_reports_its_confidence() {
    let heals = |make: fn(&mut Tree), change: fn(&mut Tree)| {
        let mut tree = toolbar();
        make(&mut tree);
        let mut table = RefTable::new();
        let s = tree.snapshot();
        let save = table.assign(&s, place(&s, 4));
        tree.at(4).id = NodeId::new("made anew");
        change(&mut tree);
        offered(&tree, &mut table, save).map(|(_, by, confidence)| (by, confidence))
    };
    let sure = |healed: Option<(HealMethod, f32)>, by| {
        let (found, confidence) = healed.unwrap();
        assert_eq!(found, by);
        assert!(confidence >= heal::MIN_CONFIDENCE, "{by:?} {confidence}");
    };
    let identify: fn(&mut Tree) = |t| t.at(4).identifier = "save".into();
    sure(heals(identify, |t| t.at(4).name = "Speichern".into()), HealMethod::Identifier);
    sure(heals(|_| (), |_| ()), HealMethod::Name);
    sure(heals(|_| (), |t| t.at(4).name = "Save all".into()), HealMethod::Neighbourhood);
    let label: fn(&mut Tree) = |t| {
        t.at(3).role = Role::Label;
        t.at(4).role = Role::Entry;
        t.at(4).name = String::new();
    };
    sure(heals(label, |_| ()), HealMethod::Label);
    let placeholder: fn(&mut Tree) = |t| {
        t.at(4).role = Role::Entry;
        t.at(4).name = String::new();
        t.at(4).placeholder = "Enter a city".into();
    };
    sure(heals(placeholder, |t| t.at(3).name = "x".into()), HealMethod::Label);
    let unsure = |healed: Option<(HealMethod, f32)>, by| {
        let (found, confidence) = healed.unwrap();
        assert_eq!(found, by);
        assert!(confidence < heal::MIN_CONFIDENCE, "{by:?} {confidence}");
    };
    let strange: fn(&mut Tree) = |t| {
        t.at(4).name = "Quit".into();
        t.at(3).name = "x".into();
        t.at(5).name = "y".into();
    };
    unsure(heals(|_| (), strange), HealMethod::Structure);
    let placed: fn(&mut Tree) = |t| t.at(4).bounds = Some(Rect::new(10, 10, 40, 20));
    let moved: fn(&mut Tree) = |t| {
        t.at(4).name = "Quit".into();
        t.at(1).name = "Other".into();
        for at in [3, 4, 5] {
            t.remove(at);
        }
        t.children[1].push(4);
    };
    unsure(heals(placed, moved), HealMethod::Position);
    let elsewhere: fn(&mut Tree) = |t| {
        t.at(1).name = "A different dialog".into();
        t.at(2).name = "Elsewhere".into();
    };
    unsure(heals(|_| (), elsewhere), HealMethod::Neighbourhood);
}

#[test]
fn an_element_with_a_new_role_is_another_element() {
    let mut tree = toolbar();
    let mut table = RefTable::new();
    let s = tree.snapshot();
    let save = table.assign(&s, place(&s, 4));
    tree.at(4).role = Role::ToggleButton;
    let s = tree.snapshot();
    assert_eq!(table.resolve(&s, save).unwrap_err().code(), "stale");
    assert_ne!(table.assign(&s, place(&s, 4)), save);
}

#[test]
fn a_reused_row_is_another_element_until_its_content_returns() {
    for (version, reuses) in [("4.8.3", true), ("3.24.38", false)] {
        let mut tree = Tree::new();
        tree.app = app("GTK", version);
        let window = tree.add(0, Role::Window, "Files");
        let list = tree.add(window, Role::List, "");
        let row = tree.add(list, Role::ListItem, "");
        let label = tree.add(row, Role::Label, "report.txt");
        let button = tree.add(row, Role::Button, "Delete");
        let mut table = RefTable::new();
        let s = tree.snapshot();
        let refs = [row, label, button].map(|at| table.assign(&s, place(&s, at)));
        tree.at(label).name = "thesis.txt".into();
        let s = tree.snapshot();
        for reference in refs {
            assert_eq!(table.resolve(&s, reference).is_err(), reuses, "{version} {reference}");
        }
        let others = [row, label, button].map(|at| table.assign(&s, place(&s, at)));
        assert_eq!(others.iter().any(|other| refs.contains(other)), !reuses);
        tree.at(label).name = "report.txt".into();
        let s = tree.snapshot();
        assert_eq!([row, label, button].map(|at| table.assign(&s, place(&s, at))), refs);
    }
}

#[test]
fn refs_are_shared_between_processes_without_collisions() {
    let dir = tempfile::tempdir().unwrap();
    let tree = toolbar();
    let s = tree.snapshot();
    let mut first = RefTable::open(dir.path(), s.app()).unwrap();
    let mut second = RefTable::open(dir.path(), s.app()).unwrap();
    let open = first.assign(&s, place(&s, 3));
    first.save().unwrap();
    let save = second.assign(&s, place(&s, 4));
    assert_ne!(open, save);
    assert_eq!(second.assign(&s, place(&s, 3)), open);
    second.save().unwrap();
    assert_eq!(first.resolve(&s, save), Ok(place(&s, 4)));
    let mut third = RefTable::open(dir.path(), s.app()).unwrap();
    assert_eq!(third.resolve(&s, open), Ok(place(&s, 3)));
    assert_eq!(third.assign(&s, place(&s, 5)).number(), 3);
    let mut other = s.app().clone();
    other.started += 1;
    assert_eq!(RefTable::open(dir.path(), &other).unwrap().node_id(open), None);
}

#[test]
fn a_held_lock_is_reported_after_the_timeout() {
    let dir = tempfile::tempdir().unwrap();
    let s = toolbar().snapshot();
    let mut first = RefTable::open(dir.path(), s.app()).unwrap();
    let open = first.assign(&s, place(&s, 3));
    let mut second = RefTable::open(dir.path(), s.app()).unwrap();
    let save = second.assign(&s, place(&s, 4));
    assert_eq!(second.save().unwrap_err().code(), "refs_file");
    first.save().unwrap();
    assert_eq!(second.resolve(&s, save), Ok(place(&s, 4)));
    assert_eq!(second.resolve(&s, open), Ok(place(&s, 3)));
    assert_ne!(second.assign(&s, place(&s, 5)), open);
    second.save().unwrap();
    assert_eq!(first.resolve(&s, save).unwrap_err().code(), "unknown_ref");
}

#[test]
fn refs_files_older_than_a_week_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let week = std::time::Duration::from_secs(8 * 24 * 3600);
    for (name, age) in [("refs-1-1-0.jsonl", week), ("refs-2-2-0.jsonl", week / 4), ("mine", week)]
    {
        let file = fs::File::create(dir.path().join(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
    }
    let mut table = RefTable::open(dir.path(), &app("gtk", "3.24")).unwrap();
    table.assign(&toolbar().snapshot(), Index::ROOT);
    table.save().unwrap();
    assert!(!dir.path().join("refs-1-1-0.jsonl").exists());
    assert!(dir.path().join("refs-2-2-0.jsonl").exists() && dir.path().join("mine").exists());
}

#[test]
fn a_deleted_refs_file_is_recreated_and_numbers_continue() {
    let dir = tempfile::tempdir().unwrap();
    let s = toolbar().snapshot();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    table.assign(&s, place(&s, 3));
    table.save().unwrap();
    fs::remove_file(refs_file(&dir)).unwrap();
    assert_eq!(table.assign(&s, place(&s, 4)), Ref::new(2));
    table.save().unwrap();
    let mut other = RefTable::open(dir.path(), s.app()).unwrap();
    assert_eq!(other.assign(&s, place(&s, 5)), Ref::new(3));
}

#[test]
fn a_truncated_or_corrupt_file_loses_only_the_broken_lines() {
    let dir = tempfile::tempdir().unwrap();
    let s = toolbar().snapshot();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    let refs: Vec<_> = (1..=5).map(|at| table.assign(&s, place(&s, at))).collect();
    table.save().unwrap();
    let file = refs_file(&dir);
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() - 10]).unwrap();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    assert_eq!(table.resolve(&s, refs[3]), Ok(place(&s, 4)));
    assert_eq!(table.resolve(&s, refs[4]).unwrap_err().code(), "stale");
    let again = table.assign(&s, place(&s, 5));
    assert_ne!(again, refs[4]);
    table.save().unwrap();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    assert_eq!(table.resolve(&s, again), Ok(place(&s, 5)));
    fs::write(&file, b"\xff\xfe garbage\n{}\n[1]\n").unwrap();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    table.assign(&s, place(&s, 5));
    table.save().unwrap();
    fs::write(&file, b"").unwrap();
    let mut table = RefTable::open(dir.path(), s.app()).unwrap();
    table.assign(&s, place(&s, 5));
    table.save().unwrap();
    assert!(RefTable::open(dir.path(), s.app()).unwrap().existing(&s, place(&s, 5)).is_some());
}

#[test]
fn a_directory_that_cannot_be_created_is_named_in_the_error() {
    let dir = tempfile::tempdir().unwrap();
    let blocked = dir.path().join("file");
    fs::write(&blocked, "").unwrap();
    let error = RefTable::open(&blocked.join("refs"), toolbar().snapshot().app()).unwrap_err();
    assert_eq!(error.code(), "refs_file");
    assert!(error.to_string().contains("file/refs"));
}

#[test]
fn the_file_and_the_table_are_bounded_and_numbers_are_unique() {
    let dir = tempfile::tempdir().unwrap();
    let mut seen = HashMap::new();
    let mut table = RefTable::open(dir.path(), toolbar().snapshot().app()).unwrap();
    for round in 0..20_u32 {
        let mut tree = toolbar();
        for n in 0..40 {
            let panel = tree.add(2, Role::Panel, "");
            tree.at(panel).id = NodeId::new(format!("round {round} panel {n}"));
            for n in 0..50 {
                let at = tree.add(panel, Role::Button, &"wide ".repeat(12));
                tree.at(at).id = NodeId::new(format!("round {round} {panel} {n}"));
            }
        }
        let s = tree.snapshot();
        for at in s.subtree(place(&s, 1)) {
            let reference = table.assign(&s, at);
            let id = seen.entry(reference).or_insert_with(|| s.node(at).id.clone());
            assert_eq!(*id, s.node(at).id, "{reference}");
        }
        table.save().unwrap();
        assert_eq!(table.existing(&s, place(&s, 1)), Some(Ref::new(1)));
    }
    assert!(fs::metadata(refs_file(&dir)).unwrap().len() < 16 << 20);
    let mut table = RefTable::open(dir.path(), toolbar().snapshot().app()).unwrap();
    let s = toolbar().snapshot();
    let forgotten = *seen.keys().filter(|r| r.number() > 6).min().unwrap();
    assert_eq!(table.node_id(forgotten), None);
    assert_eq!(table.resolve(&s, forgotten).unwrap_err().code(), "stale");
    let new = {
        let mut tree = toolbar();
        let at = tree.add(2, Role::Button, "fresh");
        let s = tree.snapshot();
        table.assign(&s, place(&s, at))
    };
    assert!(!seen.contains_key(&new));
}

#[derive(Debug, Clone)]
enum Change {
    Insert(prop::sample::Index, Role, String),
    Remove(prop::sample::Index),
    Rename(prop::sample::Index, String),
    Reorder(prop::sample::Index),
    Move(prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let name = prop::sample::select(vec!["", "Save", "Open", "Row", "x"]).prop_map(str::to_owned);
    let role = prop::sample::select(vec![
        Role::Button,
        Role::Panel,
        Role::ListItem,
        Role::Label,
        Role::Entry,
    ]);
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), role, name.clone()).prop_map(|(at, role, name)| Change::Insert(at, role, name)),
        at().prop_map(Change::Remove),
        (at(), name).prop_map(|(at, name)| Change::Rename(at, name)),
        at().prop_map(Change::Reorder),
        (at(), at()).prop_map(|(at, to)| Change::Move(at, to)),
    ]
}

fn apply(tree: &mut Tree, change: Change) {
    let count = tree.nodes.len();
    match change {
        Change::Insert(at, role, name) => {
            tree.add(at.index(count) as u32, role, &name);
        }
        Change::Remove(at) => tree.remove(at.index(count).max(1) as u32),
        Change::Rename(at, name) => tree.at(at.index(count) as u32).name = name,
        Change::Reorder(at) => tree.children[at.index(count)].reverse(),
        Change::Move(at, to) => {
            let at = at.index(count).max(1) as u32;
            let to = to.index(count);
            tree.remove(at);
            tree.children[to].push(at);
        }
    }
}

proptest! {
    #[test]
    fn no_change_makes_a_ref_name_another_element(
        changes in prop::collection::vec(prop::collection::vec(change(), 1..8), 1..12)
    ) {
        let mut tree = toolbar();
        let mut table = RefTable::new();
        let mut given: HashMap<Ref, NodeId> = HashMap::new();
        for step in changes {
            let s = tree.snapshot();
            for (at, node) in s.iter() {
                let reference = table.assign(&s, at);
                let id = given.entry(reference).or_insert_with(|| node.id.clone());
                prop_assert_eq!(&*id, &node.id);
            }
            for change in step {
                apply(&mut tree, change);
            }
            let s = tree.snapshot();
            for (reference, id) in &given {
                match (table.resolve(&s, *reference), s.position(id)) {
                    (Ok(at), here) => prop_assert_eq!(Some(at), here),
                    (Err(Error::Stale { .. }), None) => {}
                    (other, here) => prop_assert!(false, "{reference}: {other:?}, at {here:?}"),
                }
            }
        }
    }
}

/// A Qt tree with two columns. The ids of its cells and headers are new in each read.
fn qt_table(rows: &[[&str; 2]], read: u32) -> Tree {
    let mut tree = Tree::new();
    tree.app = app("Qt", "5.15.8");
    let window = tree.add(0, Role::Window, "Files");
    let table = tree.add(window, Role::Tree, "");
    let cells = ["Name", "Size"].into_iter().map(|name| (Role::TableColumnHeader, name));
    let cells = cells.chain(rows.iter().flatten().map(|name| (Role::Cell, *name)));
    for (role, name) in cells {
        let at = tree.add(table, role, name);
        tree.at(at).id = NodeId::new(format!("read{read}-{at}"));
    }
    tree
}

fn named(snapshot: &Snapshot, name: &str) -> Index {
    snapshot.iter().find(|(_, node)| node.name == name).unwrap().0
}

#[test]
fn cells_that_qt_creates_for_each_read_keep_their_refs() {
    let rows = [["a.txt", "1 kB"], ["b.txt", "1 kB"]];
    let mut table = RefTable::new();
    let first = qt_table(&rows, 1).snapshot();
    let refs: Vec<Ref> = first.iter().map(|(at, _)| table.assign(&first, at)).collect();
    let second = qt_table(&rows, 2).snapshot();
    let again: Vec<Ref> = second.iter().map(|(at, _)| table.assign(&second, at)).collect();
    assert_eq!(refs, again);
    let third = qt_table(&rows, 3).snapshot();
    for (reference, (at, _)) in refs.iter().zip(third.iter()) {
        assert_eq!(table.resolve(&third, *reference), Ok(at));
    }
}

#[test]
fn a_cell_of_a_sorted_table_is_found_by_its_content() {
    let mut table = RefTable::new();
    let before = qt_table(&[["a.txt", "1 kB"], ["b.txt", "9 kB"]], 1).snapshot();
    let b = table.assign(&before, named(&before, "b.txt"));
    let after = qt_table(&[["b.txt", "9 kB"], ["a.txt", "1 kB"]], 2).snapshot();
    assert_eq!(table.resolve(&after, b), Ok(named(&after, "b.txt")));
    assert_eq!(table.assign(&after, named(&after, "b.txt")), b);
}

#[test]
fn a_removed_cell_is_stale_even_if_another_row_shows_the_same_name() {
    let mut table = RefTable::new();
    let before = qt_table(&[["x", "1"], ["y", "2"]], 1).snapshot();
    let x = table.assign(&before, named(&before, "x"));
    let after = qt_table(&[["y", "2"], ["x", "3"]], 2).snapshot();
    assert_eq!(table.resolve(&after, x).unwrap_err().code(), "stale");
    let twice = qt_table(&[["y", "2"], ["x", "1"], ["x", "1"]], 3).snapshot();
    assert_eq!(table.resolve(&twice, x).unwrap_err().code(), "stale", "either may be meant");
}

#[test]
fn an_element_that_only_got_another_id_has_a_certain_successor() {
    let mut tree = toolbar();
    let mut table = RefTable::new();
    let s = tree.snapshot();
    let save = table.assign(&s, place(&s, 4));
    tree.at(4).id = NodeId::new("new");
    let s = tree.snapshot();
    let successor = table.successor(&s, save).unwrap();
    assert_eq!((successor.index, successor.by), (named(&s, "Save"), HealMethod::Name));
    tree.remove(3);
    assert_eq!(table.successor(&tree.snapshot(), save), None, "it has other neighbours");
}

/// Returns an app with a dialog that asks about a file.
fn question(id: &str) -> Tree {
    let mut tree = toolbar();
    let dialog = tree.add(0, Role::Dialog, "Question");
    tree.at(dialog).id = NodeId::new(id);
    for name in ["Cancel", "Delete"] {
        let at = tree.add(dialog, Role::Button, name);
        tree.at(at).id = NodeId::new(format!("{id} {name}"));
    }
    tree
}

#[test]
fn a_button_of_a_closed_dialog_has_no_certain_successor_in_the_next_dialog() {
    let mut table = RefTable::new();
    let first = question("a.txt").snapshot();
    let delete = table.assign(&first, named(&first, "Delete"));
    let second = question("b.txt").snapshot();
    assert_eq!(table.successor(&second, delete), None);
    let query = crate::Query::parse(&delete.to_string(), crate::Strategy::Auto).unwrap();
    let error = crate::find_one(&second, &query, &mut table).unwrap_err();
    assert_eq!(error.code(), "stale");
}

#[test]
fn a_successor_is_reported_as_healed() {
    let mut table = RefTable::new();
    let mut tree = question("a.txt");
    let first = tree.snapshot();
    let delete = table.assign(&first, named(&first, "Delete"));
    let at = tree.nodes.len() - 1;
    tree.nodes[at].id = NodeId::new("made anew");
    let second = tree.snapshot();
    let query = crate::Query::parse(&delete.to_string(), crate::Strategy::Auto).unwrap();
    let found = crate::find_one(&second, &query, &mut table).unwrap();
    let healed = found.healed.unwrap();
    assert_eq!((healed.index, healed.by), (named(&second, "Delete"), HealMethod::Name));
    assert_eq!(found.confidence, healed.confidence);
    assert_ne!(found.reference, delete);
}

#[test]
fn a_long_label_heals_the_ref_of_its_field() {
    let mut tree = Tree::new();
    let window = tree.add(0, Role::Window, "Form");
    let label = tree.add(window, Role::Label, &"The name of the city ".repeat(6));
    let field = tree.add(window, Role::Entry, "");
    let targets = vec![NodeId::new(format!("id{label}"))];
    let kind = deskhand_model::RelationKind::LabelledBy;
    tree.at(field).relations.push(deskhand_model::Relation { kind, targets });
    let mut table = RefTable::new();
    let s = tree.snapshot();
    let reference = table.assign(&s, place(&s, field));
    tree.at(field).id = NodeId::new("made anew");
    assert_eq!(offered(&tree, &mut table, reference).unwrap().1, HealMethod::Label);
}

#[test]
fn the_ref_of_a_removed_cell_does_not_mean_its_twin() {
    let mut table = RefTable::new();
    let before = qt_table(&[["x", "1"], ["x", "1"], ["y", "2"]], 1).snapshot();
    let named_x = |s: &Snapshot| -> Vec<Index> {
        s.iter().filter(|(_, node)| node.name == "x").map(|(at, _)| at).collect()
    };
    let refs: Vec<Ref> = named_x(&before).iter().map(|at| table.assign(&before, *at)).collect();
    assert_ne!(refs[0], refs[1]);
    let again = qt_table(&[["x", "1"], ["x", "1"], ["y", "3"]], 2).snapshot();
    for (reference, at) in refs.iter().zip(named_x(&again)) {
        assert_eq!(table.resolve(&again, *reference), Ok(at), "no row was removed");
        assert_eq!(table.assign(&again, at), *reference);
    }
    let after = qt_table(&[["x", "1"], ["y", "2"]], 3).snapshot();
    for reference in &refs {
        assert_eq!(table.resolve(&after, *reference).unwrap_err().code(), "stale");
    }
    assert!(!refs.contains(&table.assign(&after, named(&after, "x"))), "either may be left");
}

#[test]
fn the_id_of_a_qt_item_or_tab_that_follows_its_place_does_not_carry_the_ref_along() {
    for (container, item) in
        [(Role::Table, Role::Cell), (Role::List, Role::ListItem), (Role::TabList, Role::Tab)]
    {
        let with_items = |names: &[&str]| {
            let mut tree = Tree::new();
            tree.app = app("Qt", "5.15.8");
            let window = tree.add(0, Role::Window, "Files");
            let table = tree.add(window, container, "");
            for (place, name) in names.iter().enumerate() {
                let at = tree.add(table, item, name);
                tree.at(at).id = NodeId::new(format!("place{place}"));
            }
            tree.snapshot()
        };
        let mut table = RefTable::new();
        let before = with_items(&["one.txt", "three.txt", "two.txt"]);
        let two = table.assign(&before, named(&before, "two.txt"));
        let three = table.assign(&before, named(&before, "three.txt"));
        let removed = with_items(&["three.txt", "two.txt"]);
        assert_eq!(table.resolve(&removed, two), Ok(named(&removed, "two.txt")), "{item:?}");
        let inserted = with_items(&["a.txt", "one.txt", "three.txt", "two.txt"]);
        assert_eq!(table.resolve(&inserted, three), Ok(named(&inserted, "three.txt")));
        let gone = with_items(&["one.txt", "three.txt", "other.txt"]);
        assert_eq!(table.resolve(&gone, two).unwrap_err().code(), "stale");
        let other = table.assign(&gone, named(&gone, "other.txt"));
        assert_ne!(other, two, "one ref is one element");
    }
}

#[test]
fn a_row_of_qt_whose_other_columns_change_keeps_its_ref() {
    let mut table = RefTable::new();
    let started = qt_table(&[["a.iso", "1 %"], ["b.iso", "0 %"]], 1).snapshot();
    let first = table.assign(&started, named(&started, "a.iso"));
    let going_on = qt_table(&[["a.iso", "2 %"], ["b.iso", "0 %"]], 1).snapshot();
    assert_eq!(table.resolve(&going_on, first), Ok(named(&going_on, "a.iso")));
}
