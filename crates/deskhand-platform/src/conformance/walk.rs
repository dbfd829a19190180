//! A tree read respects its limits and marks where it stopped.

use std::time::{Duration, Instant};

use deskhand_model::{Cut, Index, NodeId, Snapshot};

use super::{
    AppUse, CheckError, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure,
    timing::DEADLINE_TOLERANCE,
};
use crate::{Deadline, Error, NodeFields, WalkOptions};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "a_tree_read_respects_the_maximum_depth",
        covers: &["Tree::walk"],
        requires: &[],
        app: AppUse::Shared,
        run: depth,
    },
    ConformanceCheck {
        name: "a_tree_read_respects_the_maximum_number_of_nodes",
        covers: &["Tree::walk"],
        requires: &[],
        app: AppUse::Shared,
        run: nodes,
    },
    ConformanceCheck {
        name: "a_long_list_of_children_is_cut_and_paged",
        covers: &["Tree::walk"],
        requires: &[],
        app: AppUse::Shared,
        run: children,
    },
    ConformanceCheck {
        name: "a_tree_read_ends_by_its_deadline",
        covers: &["Tree::walk", "Tree::apps", "Tree::read", "Tree::password_fields"],
        requires: &[],
        app: AppUse::Shared,
        run: deadline,
    },
];

fn walk(
    fixture: &Fixture<'_>,
    root: &NodeId,
    options: WalkOptions,
) -> Result<Snapshot, CheckError> {
    Ok(fixture.desktop.tree.walk(&fixture.app, root, &options, call_deadline())?)
}

fn cuts(snapshot: &Snapshot, cut: Cut) -> usize {
    snapshot.cuts().filter(|(_, why)| *why == cut).count()
}

fn depth(fixture: &Fixture<'_>) -> CheckResult {
    let whole = fixture.snapshot()?;
    let deepest = whole.iter().map(|(at, _)| whole.ancestors(at).count()).max().unwrap_or(0);
    ensure!(deepest > 2, "the tree of this app is too flat for this check: {deepest} levels");
    let options =
        WalkOptions { max_depth: Some(2), ..WalkOptions::with_fields(NodeFields::MINIMAL) };
    let snapshot = walk(fixture, &fixture.app.root, options)?;
    let deep = snapshot.iter().map(|(at, _)| snapshot.ancestors(at).count()).max().unwrap_or(0);
    ensure!(deep == 2, "requested 2 levels below the root, received {deep}");
    ensure!(cuts(&snapshot, Cut::Depth) > 0, "no node is marked as cut");
    for (at, cut) in snapshot.cuts() {
        let level = snapshot.ancestors(at).count();
        ensure!(cut == Cut::Depth && level == 2, "a node at level {level} is cut by {cut:?}");
    }
    Ok(())
}

fn nodes(fixture: &Fixture<'_>) -> CheckResult {
    let whole = fixture.snapshot()?.len();
    let few = (whole / 2).min(10);
    let snapshot = walk(
        fixture,
        &fixture.app.root,
        WalkOptions { max_nodes: few, ..WalkOptions::with_fields(NodeFields::MINIMAL) },
    )?;
    ensure!(snapshot.len() <= few, "requested at most {few} nodes, received {}", snapshot.len());
    ensure!(!snapshot.is_empty(), "the root is missing");
    ensure!(cuts(&snapshot, Cut::Budget) > 0, "no node is marked as cut by the limit");
    Ok(())
}

fn children(fixture: &Fixture<'_>) -> CheckResult {
    let whole = fixture.snapshot_with(NodeFields::MINIMAL)?;
    let parent_index = whole.iter().map(|(at, _)| at).find(|at| whole.children(*at).count() >= 3);
    let Some(parent_index) = parent_index else {
        return Err(CheckError::Failed("no element of this app has three children".to_owned()));
    };
    let ids = |snapshot: &Snapshot, at: Index| -> Vec<NodeId> {
        snapshot.children(at).map(|child| snapshot.node(child).id.clone()).collect()
    };
    let all = ids(&whole, parent_index);
    let parent = whole.node(parent_index).id.clone();
    let options = WalkOptions { max_children: 2, ..WalkOptions::with_fields(NodeFields::MINIMAL) };
    let snapshot = walk(fixture, &parent, options)?;
    let two = ids(&snapshot, Index::ROOT);
    ensure!(two == all[..2], "requested the first two of {all:?}, received {two:?}");
    let root = snapshot.node(Index::ROOT);
    let is_marked = root.cut == Some(Cut::Many) && root.child_count as usize >= all.len();
    ensure!(is_marked, "received 2 of {} children, marked {:?}", all.len(), root.cut);
    let snapshot = walk(fixture, &parent, WalkOptions { first_child: 1, ..options })?;
    let next = ids(&snapshot, Index::ROOT);
    ensure!(next == all[1..3], "the page from the second child is {next:?} of {all:?}");
    Ok(())
}

/// Makes a call with a short deadline. It must return a result or `Timeout` by then.
pub(super) fn timed<T>(
    what: &str,
    timeout: Duration,
    call: impl FnOnce(Deadline) -> Result<T, Error>,
) -> Result<Option<T>, CheckError> {
    let start = Instant::now();
    let answer = call(Deadline::after(timeout));
    let elapsed = start.elapsed();
    ensure!(
        elapsed <= timeout + DEADLINE_TOLERANCE,
        "{what} took {elapsed:?} with a deadline of {timeout:?}"
    );
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Error::Timeout { .. }) => Ok(None),
        Err(error) => Err(CheckError::Failed(format!("{what} failed with another error: {error}"))),
    }
}

fn deadline(fixture: &Fixture<'_>) -> CheckResult {
    let (tree, app) = (&fixture.desktop.tree, &fixture.app);
    let whole = fixture.snapshot()?;
    let options = WalkOptions::with_fields(NodeFields::ALL);
    for timeout in [Duration::ZERO, Duration::from_millis(2), Duration::from_millis(10)] {
        let snapshot = timed("reading the tree", timeout, |deadline| {
            tree.walk(app, &app.root, &options, deadline)
        })?;
        if let Some(snapshot) = snapshot {
            let is_complete_or_marked = snapshot.len() >= whole.len()
                || snapshot.cuts().next().is_some()
                || !snapshot.notices().is_empty();
            ensure!(
                is_complete_or_marked,
                "received {} of {} nodes without a mark",
                snapshot.len(),
                whole.len()
            );
        }
        let ids: Vec<NodeId> = whole.iter().map(|(_, node)| node.id.clone()).collect();
        timed("reading nodes", timeout, |deadline| {
            tree.read(app, &ids, NodeFields::STANDARD, deadline)
        })?;
        timed("listing apps", timeout, |deadline| tree.apps(deadline))?;
        timed("finding password fields", timeout, |deadline| tree.password_fields(app, deadline))?;
    }
    // An aborted read must not affect the next one.
    let again = fixture.snapshot()?;
    ensure!(
        again.len() * 20 >= whole.len() * 19,
        "{} of {} nodes afterwards",
        again.len(),
        whole.len()
    );
    Ok(())
}
