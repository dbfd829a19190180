//! A look stays within its bounds, and says where it stopped.

use std::time::{Duration, Instant};

use deskhand_model::{Cut, Index, NodeId, Snapshot};

use super::{AppUse, Check, Fault, Outcome, Scene, ensure, soon};
use crate::{Deadline, Error, Extent, Facets};

/// By how much a call may outlive its deadline on a busy machine.
const LEEWAY: Duration = Duration::from_millis(500);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_look_goes_no_deeper_than_asked",
        covers: &["Tree::walk"],
        needs: &[],
        app: AppUse::Shared,
        run: depth,
    },
    Check {
        name: "a_look_takes_no_more_elements_than_asked",
        covers: &["Tree::walk"],
        needs: &[],
        app: AppUse::Shared,
        run: nodes,
    },
    Check {
        name: "a_long_row_of_children_is_cut_and_paged",
        covers: &["Tree::walk"],
        needs: &[],
        app: AppUse::Shared,
        run: children,
    },
    Check {
        name: "a_look_ends_by_its_deadline",
        covers: &["Tree::walk", "Tree::apps", "Tree::read", "Tree::passwords"],
        needs: &[],
        app: AppUse::Shared,
        run: deadline,
    },
];

fn walk(scene: &Scene<'_>, from: &NodeId, within: Extent) -> Result<Snapshot, Fault> {
    Ok(scene.desktop.tree.walk(&scene.app, from, &within, soon())?)
}

fn cuts(look: &Snapshot, cut: Cut) -> usize {
    look.cuts().filter(|(_, why)| *why == cut).count()
}

fn depth(scene: &Scene<'_>) -> Outcome {
    let whole = scene.look()?;
    let deepest = whole.iter().map(|(at, _)| whole.ancestors(at).count()).max().unwrap_or(0);
    ensure!(deepest > 2, "the tree of this app is too flat to tell: {deepest} levels");
    let bound = Extent { depth: Some(2), ..Extent::of(Facets::NAMES) };
    let look = walk(scene, &scene.app.root, bound)?;
    let deep = look.iter().map(|(at, _)| look.ancestors(at).count()).max().unwrap_or(0);
    ensure!(deep == 2, "2 levels below the root were asked for, {deep} came");
    ensure!(cuts(&look, Cut::Depth) > 0, "nothing says that there is more below");
    for (at, cut) in look.cuts() {
        let level = look.ancestors(at).count();
        ensure!(cut == Cut::Depth && level == 2, "level {level} is cut by {cut:?}");
    }
    Ok(())
}

fn nodes(scene: &Scene<'_>) -> Outcome {
    let whole = scene.look()?.len();
    let few = (whole / 2).min(10);
    let look = walk(scene, &scene.app.root, Extent { nodes: few, ..Extent::of(Facets::NAMES) })?;
    ensure!(look.len() <= few, "{few} elements were asked for, {} came", look.len());
    ensure!(!look.is_empty(), "not even the root came");
    ensure!(cuts(&look, Cut::Budget) > 0, "nothing says that the look is full");
    Ok(())
}

fn children(scene: &Scene<'_>) -> Outcome {
    let whole = scene.look_with(Facets::NAMES)?;
    let crowd = whole.iter().map(|(at, _)| at).find(|at| whole.children(*at).count() >= 3);
    let Some(crowd) = crowd else {
        return Err(Fault::Failed("no element of this app has three children".to_owned()));
    };
    let ids = |look: &Snapshot, at: Index| -> Vec<NodeId> {
        look.children(at).map(|child| look.node(child).id.clone()).collect()
    };
    let all = ids(&whole, crowd);
    let parent = whole.node(crowd).id.clone();
    let bound = Extent { children: 2, ..Extent::of(Facets::NAMES) };
    let look = walk(scene, &parent, bound)?;
    let two = ids(&look, Index::ROOT);
    ensure!(two == all[..2], "the first two of {all:?} were asked for, {two:?} came");
    let root = look.node(Index::ROOT);
    let says = root.cut == Some(Cut::Many) && root.child_count as usize >= all.len();
    ensure!(says, "2 of {} children came, and it says {:?}", all.len(), root.cut);
    let look = walk(scene, &parent, Extent { first_child: 1, ..bound })?;
    let next = ids(&look, Index::ROOT);
    ensure!(next == all[1..3], "the page from the second child on is {next:?} of {all:?}");
    Ok(())
}

/// Calls something with a short deadline: it must end by then, with an answer or `Timeout`.
pub(super) fn timed<T>(
    what: &str,
    time: Duration,
    call: impl FnOnce(Deadline) -> Result<T, Error>,
) -> Result<Option<T>, Fault> {
    let begun = Instant::now();
    let answer = call(Deadline::after(time));
    let took = begun.elapsed();
    ensure!(took <= time + LEEWAY, "{what} took {took:?} where it had {time:?}");
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::Timeout { .. }) => Ok(None),
        Err(error) => Err(Fault::Failed(format!("{what} failed otherwise: {error}"))),
    }
}

fn deadline(scene: &Scene<'_>) -> Outcome {
    let (tree, app) = (&scene.desktop.tree, &scene.app);
    let whole = scene.look()?;
    let extent = Extent::of(Facets::ALL);
    for time in [Duration::ZERO, Duration::from_millis(2), Duration::from_millis(10)] {
        let look = timed("a look", time, |by| tree.walk(app, &app.root, &extent, by))?;
        if let Some(look) = look {
            let whole_or_marked = look.len() >= whole.len()
                || look.cuts().next().is_some()
                || !look.notices().is_empty();
            ensure!(whole_or_marked, "{} of {} came unmarked", look.len(), whole.len());
        }
        let ids: Vec<NodeId> = whole.iter().map(|(_, node)| node.id.clone()).collect();
        timed("reading again", time, |by| tree.read(app, &ids, Facets::LOOK, by))?;
        timed("listing apps", time, |by| tree.apps(by))?;
        timed("looking for passwords", time, |by| tree.passwords(app, by))?;
    }
    // What was cut short must leave the app as it was for the next.
    let again = scene.look()?;
    ensure!(again.len() * 20 >= whole.len() * 19, "{} of {} afterwards", again.len(), whole.len());
    Ok(())
}
