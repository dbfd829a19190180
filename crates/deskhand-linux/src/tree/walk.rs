//! One look at an app, from the first question to the finished snapshot.

use deskhand_model::{App, Cut, Node, NodeId, Notice, Role, Snapshot, Value};
use deskhand_platform::{Deadline, Error, Extent, Facets, Result};

use super::{
    bus::trouble,
    climb,
    draft::{Draft, Drafts},
    gather::{Gather, Queue},
    items,
    link::Link,
    pipe::Silence,
    place::{self, Ground, Top},
    quirks::Quirks,
};

/// What Chromium and Electron want to hear at their start.
const CHROMIUM_FLAG: &str = "--force-renderer-accessibility";

/// Reads a subtree.
pub(crate) fn walk(
    link: &mut Link,
    app: &App,
    from: &NodeId,
    within: &Extent,
    by: Deadline,
    ground: impl FnOnce() -> Ground,
) -> Result<Snapshot> {
    let whole = *from == app.root;
    let quirks = Quirks::of(app);
    let veil = link.veil();
    let mut gather = Gather::new(link.name(), link.peer(), quirks, within, &veil);
    let (root, _) = gather.drafts.place(from.clone());
    // The cache tells of the whole app; for a part of it, or a look into a known depth, single
    // questions are fewer.
    let deep = within.depth.is_none_or(|depth| depth > 2) && within.first_child == 0;
    if whole && deep && quirks.cache && link.has_cache() {
        let peer = link.peer();
        match items::fetch(link.pipe(), &peer, by) {
            Ok(Some(answer)) => gather.learn_items(&answer),
            Ok(None) => {}
            // An app that lives with a name that is not UTF-8 sends a broken answer, which ends the
            // connection; single questions about the same element are answered.
            Err(Silence::Broken(_)) => link.reopen(by)?,
            Err(silence @ (Silence::Late | Silence::Refused(_))) => {
                return Err(trouble("the app", silence));
            }
        }
    }
    let mut queue = Queue::new();
    gather.reach(root, &mut queue);
    gather.run(link.pipe(), queue, by);
    if gather.has_more_elsewhere() {
        gather.run_elsewhere(link.bus(by)?, by);
    }
    let stopped = gather.stopped.take();
    let mut drafts = gather.drafts;
    if let Some(Draft { cut: Some(cut), role: 0, .. }) = drafts.list.first() {
        return Err(match (cut, stopped) {
            (_, Some(silence)) => trouble("the app", silence),
            (_, None) => Error::Gone { what: "the element".to_owned() },
        });
    }
    drafts.hold_to(within);
    if quirks.gtk4 {
        name_by_content(&mut drafts);
    }
    let mut notices = Vec::new();
    if within.facets.bounds {
        let ground = ground();
        notices = if whole {
            place::correct_all(&mut drafts, app, quirks, &ground)
        } else {
            let top = if quirks.misplaces() {
                let peer = link.peer();
                climb::top(link.pipe(), &peer, from, quirks, by).unwrap_or_default()
            } else {
                Top::default()
            };
            place::correct_below(&mut drafts, &top, app, quirks, &ground)
        };
    }
    if stopped.is_some() {
        notices.push(Notice::NotResponding);
    }
    if whole && quirks.chromium && looks_switched_off(&drafts) {
        notices.push(Notice::AccessibilityOff { flag: CHROMIUM_FLAG.to_owned() });
    }
    let mut snapshot = assemble(app, drafts);
    for notice in notices {
        snapshot.remark(notice);
    }
    Ok(snapshot)
}

/// Reads single elements again.
pub(crate) fn read(
    link: &mut Link,
    app: &App,
    ids: &[NodeId],
    what: Facets,
    by: Deadline,
    ground: impl FnOnce() -> Ground,
) -> Result<Vec<Option<Node>>> {
    let quirks = Quirks::of(app);
    let peer = link.peer();
    let within = Extent { depth: Some(0), ..Extent::of(what) };
    let veil = link.veil();
    let mut gather = Gather::new(link.name(), peer.clone(), quirks, &within, &veil);
    let mut queue = Queue::new();
    let places: Vec<u32> = ids.iter().map(|id| gather.drafts.place(id.clone()).0).collect();
    for place in &places {
        gather.reach(*place, &mut queue);
    }
    gather.run(link.pipe(), queue, by);
    if let Some(silence) = gather.stopped.take() {
        return Err(trouble("the app", silence));
    }
    let mut drafts = gather.drafts;
    if what.bounds {
        let ground = ground();
        for place in &places {
            let id = drafts.at(*place).id.clone();
            let top = if quirks.misplaces() {
                climb::top(link.pipe(), &peer, &id, quirks, by).unwrap_or_default()
            } else {
                Top::default()
            };
            if let Some((dx, dy)) = place::offset(&top, app, quirks, &ground) {
                let draft = drafts.at(*place);
                draft.bounds = draft.bounds.map(|bounds| bounds.moved(dx, dy));
            }
        }
    }
    let mut nodes: Vec<Option<Node>> =
        drafts.list.into_iter().map(|draft| (!is_gone(&draft)).then(|| finish(draft))).collect();
    Ok(places.into_iter().map(|place| nodes.get_mut(place as usize)?.take()).collect())
}

/// A Chromium window has a title bar's worth of elements and nothing in it while its
/// accessibility is off.
fn looks_switched_off(drafts: &Drafts) -> bool {
    drafts.list.len() < 12
        && drafts.list.iter().any(|draft| draft.kind() == Role::Window)
        && drafts.list.iter().all(|draft| draft.kind() != Role::WebDocument)
}

fn is_gone(draft: &Draft) -> bool {
    draft.cut == Some(Cut::Gone) && draft.role == 0
}

fn assemble(app: &App, mut drafts: Drafts) -> Snapshot {
    veil_inside(&mut drafts);
    let gone: Vec<bool> = drafts.list.iter().map(is_gone).collect();
    let mut nodes = Vec::with_capacity(drafts.list.len());
    let mut children = Vec::with_capacity(drafts.list.len());
    for mut draft in drafts.list {
        let mut below = std::mem::take(&mut draft.children);
        below.retain(|child| !gone[*child as usize]);
        children.push(below);
        nodes.push(finish(draft));
    }
    Snapshot::assemble(app.clone(), nodes, &children)
}

/// GTK 4 leaves buttons nameless that hold a label or a picture with a name.
fn name_by_content(drafts: &mut Drafts) {
    for at in 0..drafts.list.len() {
        let draft = &drafts.list[at];
        if !draft.name.is_empty() || !draft.kind().is_control() {
            continue;
        }
        let mut words = Vec::new();
        let mut open: Vec<u32> = draft.children.iter().rev().copied().collect();
        while let Some(below) = open.pop() {
            let inner = &drafts.list[below as usize];
            if inner.kind().is_control() {
                // Another control has its own name and is not part of this one's.
                words.clear();
                break;
            }
            if inner.kind() == Role::Label && !inner.name.is_empty() {
                words.push(inner.name.clone());
            }
            open.extend(inner.children.iter().rev());
        }
        drafts.list[at].name = words.join(" ");
    }
}

/// What is inside a field that turned out to hold a secret may have been read before.
fn veil_inside(drafts: &mut Drafts) {
    let veiled = drafts.list.iter().filter(|draft| draft.veiled);
    let mut open: Vec<u32> = veiled.flat_map(|draft| draft.children.clone()).collect();
    while let Some(at) = open.pop() {
        let inside = drafts.at(at);
        if !std::mem::replace(&mut inside.secret, true) {
            open.extend(&inside.children);
        }
    }
}

fn finish(draft: Draft) -> Node {
    let role = if draft.veiled { Role::Password } else { draft.kind() };
    // GTK 4 shows what is typed into a password field in clear, in the field and in its parts.
    let name = if draft.secret && role != Role::Password && !role.is_control() {
        String::new()
    } else {
        draft.name
    };
    Node {
        role,
        name,
        value: if draft.secret && draft.value.is_some() {
            Some(Value::Secret)
        } else {
            draft.value
        },
        description: draft.description,
        identifier: draft.identifier,
        states: draft.states,
        bounds: draft.bounds,
        actions: draft.actions,
        relations: draft.relations,
        child_count: u32::try_from(draft.child_count).unwrap_or(0),
        cut: draft.cut,
        id: draft.id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drafts of these AT-SPI role numbers.
    fn drafts(roles: &[u32]) -> Drafts {
        let mut drafts = Drafts::default();
        for (at, role) in roles.iter().enumerate() {
            let (place, _) = drafts.place(NodeId::new(format!(":1.1/{at}")));
            drafts.at(place).role = *role;
        }
        drafts
    }

    #[test]
    fn a_browser_window_without_a_page_or_controls_looks_switched_off() {
        const APPLICATION: u32 = 75;
        const WINDOW: u32 = 23;
        const PANEL: u32 = 39;
        const PAGE: u32 = 95;
        assert!(looks_switched_off(&drafts(&[APPLICATION, WINDOW, PANEL, PANEL])));
        assert!(!looks_switched_off(&drafts(&[APPLICATION, WINDOW, PANEL, PAGE])));
        assert!(!looks_switched_off(&drafts(&[APPLICATION])));
        let browser = [&[APPLICATION, WINDOW][..], &[PANEL; 200]].concat();
        assert!(!looks_switched_off(&drafts(&browser)));
    }

    #[test]
    fn what_is_inside_a_password_field_has_neither_name_nor_value() {
        let mut inside = drafts(&[29]);
        let draft = inside.at(0);
        draft.name = "hunter2".to_owned();
        draft.value = Some(Value::Text { text: "hunter2".to_owned(), length: 7 });
        draft.secret = true;
        let node = finish(inside.list.remove(0));
        assert_eq!((node.name.as_str(), node.value), ("", Some(Value::Secret)));
    }
}
