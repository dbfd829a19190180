//! Choosing items: in lists, tabs, trees, tables and combo boxes.

use std::time::Duration;

use deskhand_model::{App, Index, Node, NodeId, Role, Snapshot, State};
use deskhand_platform::{Act, Deadline, Extent, Named};

use super::{
    attempt::{STALE, Sent, Way, attempt, sent},
    by_hand,
    caution::{self, Leave},
    goal::Goal,
    heard::listening,
    names, press, selection, sight,
    target::{self, Target, Wants, label},
    write,
};
use crate::{
    Context, Error, Result,
    effect::{Done, Evidence, Sign, Verdict},
};

/// How long an app may take to answer a choice.
const ANSWER: Duration = Duration::from_secs(1);

/// How deep the items of a container are looked for.
const DEEP: usize = 6;

/// Whether an element holds one of several items as its choice.
pub fn keeps_choice(node: &Node) -> bool {
    matches!(node.role, Role::ComboBox | Role::List | Role::ListBox | Role::TabList)
}

/// What a container shows as its choice: its text, the item it says is selected, or its name. What
/// the items say of themselves is not asked first: those of a closed menu are about the menu.
pub fn shown(cx: &Context<'_>, app: &App, id: &NodeId, by: Deadline) -> Option<String> {
    let tree = &cx.desktop.tree;
    let within = Extent { depth: Some(3), ..Extent::of(target::SEEN) };
    // A container that cannot be read shows nothing, and is judged by what it says later.
    let part = tree.walk(app, id, &within, by).ok()?;
    let is_field = |node: &&Node| matches!(node.role, Role::Entry | Role::Text);
    let field = part.iter().map(|(_, node)| node).filter(is_field).find_map(Node::text);
    if let Some(text) = field {
        return Some(text.to_owned());
    }
    let chosen = tree.selected(app, id, by).ok().flatten().unwrap_or_default();
    let first = chosen.first().and_then(|item| {
        let known = part.position(item).map(|at| part.node(at).clone());
        let read = || tree.read(app, std::slice::from_ref(item), target::SEEN, by).ok()?.pop()?;
        known.or_else(read)
    });
    if let Some(item) = first.filter(|item| !item.name.is_empty()) {
        return Some(item.name);
    }
    let own = part.node(Index::ROOT);
    let marked = items(&part, Index::ROOT)
        .into_iter()
        .map(|item| part.node(item))
        .find(|item| item.states.has(State::Selected));
    match marked {
        Some(item) if own.role != Role::ComboBox => Some(item.name.clone()),
        // The pop-up buttons of a Mac hold their choice, and are called by what it is about.
        Some(_) | None => {
            Some(own.text().filter(|text| !text.is_empty()).unwrap_or(&own.name).to_owned())
        }
    }
}

/// Whether an element is something that can be chosen.
fn is_item(node: &Node) -> bool {
    matches!(
        node.role,
        Role::ListItem
            | Role::MenuItem
            | Role::CheckMenuItem
            | Role::RadioMenuItem
            | Role::Tab
            | Role::TreeItem
            | Role::Cell
            | Role::TableRow
            | Role::Icon
    ) || (node.states.has(State::Selectable) && !holds_items(node.role))
}

/// Whether a part of a combo box is what its items are in, or what shows the chosen one: Swing says
/// of these too that they can be selected.
fn holds_items(role: Role) -> bool {
    matches!(role, Role::PopupMenu | Role::List | Role::ListBox | Role::Entry | Role::Text)
}

/// The items of a container, in order.
fn items(snapshot: &Snapshot, at: Index) -> Vec<Index> {
    snapshot
        .subtree(at)
        .skip(1)
        .filter(|below| is_item(snapshot.node(*below)))
        .filter(|below| snapshot.ancestors(*below).take(DEEP).any(|up| up == at))
        .collect()
}

/// The place of an item a caller gives by its number, as in `#2`; they are counted from 1.
fn number(wanted: &str) -> Option<usize> {
    wanted.strip_prefix('#')?.parse::<usize>().ok()?.checked_sub(1)
}

/// The item a caller names: by its name, else by its number counted from 1 after a `#`.
fn named(snapshot: &Snapshot, container: Index, wanted: &str) -> Result<Index> {
    let all = items(snapshot, container);
    let text = |at: &Index| {
        let node = snapshot.node(*at);
        if node.name.is_empty() { node.text().unwrap_or_default() } else { &node.name }.to_owned()
    };
    if let Some(found) = number(wanted).and_then(|number| all.get(number)) {
        return Ok(*found);
    }
    let exact = all.iter().find(|at| text(at) == wanted);
    let loose = || {
        let wanted = wanted.trim().to_lowercase();
        all.iter().find(|at| text(at).trim().to_lowercase() == wanted)
    };
    let inside = || {
        all.iter().find(|at| {
            snapshot.subtree(**at).skip(1).any(|below| snapshot.node(below).name == wanted)
        })
    };
    exact.or_else(loose).or_else(inside).copied().ok_or_else(|| {
        let mut offers: Vec<String> =
            all.iter().map(text).filter(|name| !name.is_empty()).collect();
        offers.dedup();
        let more = offers.len().saturating_sub(20);
        offers.truncate(20);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        Error::Unfit {
            what: label(snapshot.node(container)),
            why: format!("it has no item \"{wanted}\""),
            instead: format!("its items: {}{rest}", offers.join(", ")),
        }
    })
}

/// Chooses an item of a container that shows one choice, such as a combo box.
pub fn choose(cx: &Context<'_>, mut target: Target, wanted: &str) -> Result<Done> {
    let app = target.app.clone();
    let item = match named(&target.look.snapshot, target.at, wanted) {
        Ok(item) => item,
        Err(error) => {
            if let Some(number) = number(wanted)
                && items(&target.look.snapshot, target.at).is_empty()
            {
                return unseen(cx, target, number);
            }
            // One that can be typed into takes what is not in its list.
            let own = sight::is_editable(&target.node).then_some(target.at);
            let Some(field) = own.or_else(|| field_of(&target)) else { return Err(error) };
            let reference = target.look.reference(field).to_string();
            target.look.keep()?;
            return write::replace(cx, &app, &reference, wanted);
        }
    };
    let node = target.look.snapshot.node(item).clone();
    let answered;
    let (cx, item) = match caution::before_items(cx, &target, std::slice::from_ref(&node))? {
        Leave::Free => (cx, item),
        Leave::Given => {
            answered = caution::later(cx);
            target = target::of(&answered, &app, &target.node.id)?;
            let again = named(&target.look.snapshot, target.at, wanted)?;
            if label(target.look.snapshot.node(again)) != label(&node) {
                let what = label(&node);
                return Err(deskhand_platform::Error::Gone { what }.into());
            }
            (&answered, again)
        }
        Leave::Refused(done) => return Ok(*done),
    };
    let snapshot = &target.look.snapshot;
    let node = snapshot.node(item).clone();
    let number = snapshot
        .parent(item)
        .map_or(0, |menu| snapshot.children(menu).position(|sibling| sibling == item).unwrap_or(0));
    let goal =
        Goal::Shows(if node.name.is_empty() { wanted.to_owned() } else { node.name.clone() });
    let ear = cx.memory.ear(cx.desktop, &app, cx.by);
    let ways = [
        Way::tree("selection", Act::SelectItem(number)),
        Way::new("action on the item", {
            let node = node.clone();
            move |cx: &Context<'_>, target: &Target| press_item(cx, target, &node)
        }),
        on_item("selection of the item", &node, Act::SelectOnly),
        Way::new("own keyboard", move |cx: &Context<'_>, target: &Target| {
            by_hand::aside(cx, target, |keyboard, by| {
                let mut strike =
                    |key| by_hand::strike(key, by, |key, press, by| keyboard.key(key, press, by));
                strike(Named::Home)?;
                (0..number).try_for_each(|_| strike(Named::Down))
            })
        }),
    ];
    let next = "use --mode focus: open it with `deskhand click`, then click the item";
    attempt(cx, target, ear, &goal, &ways, next)
}

/// Chooses by number where the choices are not in the tree: GTK 4 neither lists them nor shows which
/// one was made.
fn unseen(cx: &Context<'_>, target: Target, number: usize) -> Result<Done> {
    let ear = cx.memory.ear(cx.desktop, &target.app, cx.by);
    let ways = [Way::tree("selection", Act::SelectItem(number))];
    attempt(cx, target, ear, &Goal::Happens, &ways, "use --mode focus: open it and click the item")
}

/// The text field of a combo box that has one.
fn field_of(target: &Target) -> Option<Index> {
    let snapshot = &target.look.snapshot;
    snapshot.subtree(target.at).skip(1).find(|below| {
        let node = snapshot.node(*below);
        matches!(node.role, Role::Entry | Role::Text) && node.states.has(State::Editable)
    })
}

fn on_item(name: &str, item: &Node, act: Act) -> Way<'static> {
    let id = item.id.clone();
    Way::new(name, move |cx: &Context<'_>, target: &Target| {
        sent(cx.desktop.tree.perform(&target.app, &id, &act, Deadline::after(ANSWER)))
    })
}

/// Presses an item by its own action.
fn press_item(cx: &Context<'_>, target: &Target, item: &Node) -> Result<Sent> {
    let fresh = target::fresh(cx, &target.app, &item.id)?;
    let Some(action) = names::press(Role::MenuItem, &fresh.actions) else {
        return Ok(Sent::Impossible("the item has no action".to_owned()));
    };
    let reply =
        cx.desktop.tree.perform(&target.app, &item.id, &Act::Do(action), Deadline::after(ANSWER));
    sent(reply)
}

/// Selects items of the container a query means: these and no others.
pub fn select(cx: &Context<'_>, app: &App, query: &str, wanted: &[String]) -> Result<Done> {
    let (container, ear) = listening(cx, app, || target::ready(cx, app, query, Wants::ACTION))?;
    if container.node.role == Role::ComboBox {
        let [only] = wanted else {
            return Err(Error::Unfit {
                what: container.label(),
                why: format!("it holds one choice, and {} were given", wanted.len()),
                instead: "name one item".to_owned(),
            });
        };
        return choose(cx, container, only);
    }
    let found: Result<Vec<Index>> =
        wanted.iter().map(|item| named(&container.look.snapshot, container.at, item)).collect();
    let found = found?;
    let snapshot = &container.look.snapshot;
    let nodes: Vec<Node> = found.iter().map(|at| snapshot.node(*at).clone()).collect();
    let answered;
    let cx = match caution::before_items(cx, &container, &nodes)? {
        Leave::Free => cx,
        Leave::Given => {
            answered = caution::later(cx);
            &answered
        }
        Leave::Refused(done) => return Ok(*done),
    };
    let chosen: Vec<NodeId> = found.iter().map(|at| snapshot.node(*at).id.clone()).collect();
    let stale = by_hand::is_stale(cx, &container);
    // What else is selected there cannot be known.
    let known = |done: Done| match stale {
        true => Done { effect: Verdict::Unverified, ..done }.or_else(STALE),
        false => done,
    };
    if let Some(done) = selection::by_container(cx, &container, &found)? {
        return Ok(known(done));
    }
    let mut all: Option<Done> = None;
    for (count, at) in found.into_iter().enumerate() {
        let node = container.look.snapshot.node(at).clone();
        let reference = container.reference.clone();
        let mut target = target::of(cx, app, &node.id)?;
        target.reference = reference;
        let act = if count == 0 { Act::SelectOnly } else { Act::Select };
        let mut ways = vec![Way::tree("selection", act)];
        ways.extend(press::single(&target));
        let goal = if target.node.role == Role::Tab {
            press::clicked(&target)
        } else {
            Goal::Is(State::Selected, true)
        };
        let done = attempt(cx, target, ear.clone(), &goal, &ways, "use --mode focus")?;
        all = Some(match all {
            None => done,
            Some(so_far) => joined(so_far, done),
        });
    }
    let done = all.ok_or_else(|| Error::Unfit {
        what: container.label(),
        why: "no item was named".to_owned(),
        instead: "name at least one".to_owned(),
    })?;
    Ok(known(alone(cx, app, &container, &chosen, done)))
}

/// Takes items out of the selection that were not named; where one stays, the answer says so.
fn alone(
    cx: &Context<'_>,
    app: &App,
    container: &Target,
    chosen: &[NodeId],
    mut done: Done,
) -> Done {
    let id = &container.node.id;
    let others = |by: Deadline| -> Vec<Node> {
        let within = Extent { depth: Some(3), ..Extent::of(target::SEEN) };
        // What cannot be read now is not known to be selected.
        let Ok(part) = cx.desktop.tree.walk(app, id, &within, by) else { return Vec::new() };
        items(&part, Index::ROOT)
            .into_iter()
            .map(|at| part.node(at).clone())
            .filter(|item| item.states.has(State::Selected) && !chosen.contains(&item.id))
            .collect()
    };
    for item in others(Deadline::after(ANSWER)) {
        let by = Deadline::after(ANSWER);
        // Whether it worked is seen below.
        let _asked = cx.desktop.tree.perform(app, &item.id, &Act::Deselect, by);
    }
    let kept = others(Deadline::after(ANSWER));
    if done.effect == Verdict::Confirmed && !kept.is_empty() {
        done.effect = Verdict::Partial;
        let names: Vec<String> = kept.iter().map(label).collect();
        let words = format!("still selected beside it: {}", names.join(", "));
        done.evidence.push(Evidence::of(Sign::Selection, words));
    }
    done
}

/// Two steps of one action as one answer: it is as good as its worse half.
fn joined(first: Done, then: Done) -> Done {
    let effect = match (first.effect, then.effect) {
        (Verdict::Confirmed, Verdict::Confirmed) => Verdict::Confirmed,
        (Verdict::Confirmed, _) | (_, Verdict::Confirmed) => Verdict::Partial,
        (first, _) => first,
    };
    let mut evidence = first.evidence;
    evidence.extend(then.evidence);
    let mut tried = first.tried;
    tried.extend(then.tried);
    Done { effect, evidence, tried, ..then }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_of_two_steps_is_confirmed_only_when_both_are() {
        let good = || Done::confirmed("selection", Evidence::of(Sign::Selection, "a"));
        assert_eq!(joined(good(), good()).effect, Verdict::Confirmed);
        assert_eq!(joined(good(), Done::new(Verdict::NoEffect, "x")).effect, Verdict::Partial);
    }
}
