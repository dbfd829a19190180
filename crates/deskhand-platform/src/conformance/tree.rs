//! Apps are listed, nodes keep their identity, and passwords are not exposed.

use deskhand_model::{Cut, Index, NodeId, Snapshot, State, Value};

use super::{
    AppUse, Capability, CheckError, CheckResult, ConformanceCheck, Fixture, call_deadline, ensure,
    eventually,
};
use crate::{Error, NodeFields, Press, ProcessStatus, Termination, WindowChange};

pub(super) const CHECKS: &[ConformanceCheck] = &[
    ConformanceCheck {
        name: "a_running_app_is_listed_and_answers",
        covers: &[
            "Tree::apps",
            "Tree::apps_by_pid",
            "Tree::check_access",
            "Tree::owner_of",
            "Tree::pid_of",
        ],
        requires: &[],
        app: AppUse::Shared,
        run: listed,
    },
    ConformanceCheck {
        name: "the_tree_contains_what_the_app_shows",
        covers: &["Tree::walk", "Tree::read", "Tree::attributes"],
        requires: &[],
        app: AppUse::Shared,
        run: shown,
    },
    ConformanceCheck {
        name: "an_element_keeps_its_identity_over_two_reads",
        covers: &["Tree::walk"],
        requires: &[],
        app: AppUse::Shared,
        run: stable,
    },
    ConformanceCheck {
        name: "an_element_of_a_closed_window_is_gone_and_its_app_is_not",
        covers: &["Tree::read", "Windows::arrange", "Input::send_key"],
        requires: &[Capability::Windows, Capability::Input],
        app: AppUse::Exclusive,
        run: gone_with_its_window,
    },
    ConformanceCheck {
        name: "an_element_of_an_ended_app_is_gone",
        covers: &["Tree::read", "Programs::terminate"],
        requires: &[Capability::Programs],
        app: AppUse::Exclusive,
        run: gone_with_its_app,
    },
    ConformanceCheck {
        name: "a_password_is_never_returned",
        covers: &[
            "Tree::password_fields",
            "Tree::walk",
            "Tree::read",
            "Tree::text",
            "Tree::attributes",
        ],
        requires: &[],
        app: AppUse::Shared,
        run: masked,
    },
];

fn listed(fixture: &Fixture<'_>) -> CheckResult {
    let tree = &fixture.desktop.tree;
    let apps = tree.apps(call_deadline())?;
    let names: Vec<String> = apps.iter().map(|app| app.name.to_lowercase()).collect();
    ensure!(names.is_sorted(), "the apps are not sorted by name: {names:?}");
    let Some(app) = apps.iter().find(|app| app.id == fixture.app.id) else {
        return Err(CheckError::Failed(format!(
            "{:?} is not among the apps {names:?}",
            fixture.app
        )));
    };
    ensure!(app.responding && app.windows > 0, "{app:?} must respond and have a window");
    ensure!(app.started > 0 && app.executable.is_some(), "{app:?} has no start time or executable");
    let by_pid = tree.apps_by_pid(&[app.pid], call_deadline())?;
    let same = by_pid.iter().any(|one| one.id == app.id && one.root == app.root);
    ensure!(
        same && by_pid.iter().all(|one| one.pid == app.pid),
        "expected {app:?} when listed by pid, got {by_pid:?}"
    );
    tree.check_access(app, call_deadline())?;
    let owner = tree.owner_of(&app.root);
    ensure!(owner == app.id, "expected {:?} as the owner of the root, got {owner:?}", app.id);
    let pid = tree.pid_of(&app.id, call_deadline())?;
    ensure!(pid == app.pid, "expected pid {} by its id, got {pid}", app.pid);
    Ok(())
}

fn shown(fixture: &Fixture<'_>) -> CheckResult {
    let snapshot = fixture.snapshot_with(NodeFields::ALL)?;
    // A list may be too long to read; no other cut is allowed.
    let cuts: Vec<_> = snapshot.cuts().filter(|(_, cut)| *cut != Cut::Many).collect();
    ensure!(cuts.is_empty(), "the tree is incomplete: {cuts:?}");
    let root = snapshot.node(Index::ROOT);
    ensure!(root.id == fixture.app.root, "the tree starts at {root:?}, not at the app");
    for pattern in &fixture.test_app.elements {
        let Some((_, node)) = snapshot.iter().find(|(_, node)| pattern.matches(node)) else {
            return Err(CheckError::Failed(format!("{pattern:?} is not in the tree")));
        };
        let again = fixture.desktop.tree.read(
            &fixture.app,
            std::slice::from_ref(&node.id),
            NodeFields::ALL,
            call_deadline(),
        )?;
        let [Some(again)] = again.as_slice() else {
            return Err(CheckError::Failed(format!("{node:?} is read again as {again:?}")));
        };
        let same = again.id == node.id && again.role == node.role;
        ensure!(same, "{node:?} is read again as {again:?}");
        let raw = fixture.desktop.tree.attributes(&fixture.app, &node.id, call_deadline())?;
        ensure!(!raw.is_empty(), "{node:?} has no attributes");
    }
    let has_bounds =
        snapshot.iter().any(|(_, node)| node.bounds.is_some_and(|rect| !rect.is_empty()));
    ensure!(has_bounds, "no node has bounds");
    let has_actions = snapshot.iter().any(|(_, node)| !node.actions.is_empty());
    ensure!(has_actions, "no node has actions");
    Ok(())
}

fn stable(fixture: &Fixture<'_>) -> CheckResult {
    let ids = |snapshot: &Snapshot| -> Vec<NodeId> {
        snapshot.iter().map(|(_, node)| node.id.clone()).collect()
    };
    let (first, second) = (fixture.snapshot()?, fixture.snapshot()?);
    let known = second.positions();
    let all = ids(&first);
    let lost: Vec<&NodeId> = all.iter().filter(|id| !known.contains_key(id)).collect();
    ensure!(
        lost.len() * 20 <= all.len(),
        "{} of {} nodes have another id in the second read, such as {:?}",
        lost.len(),
        all.len(),
        &lost[..lost.len().min(3)]
    );
    for pattern in &fixture.test_app.elements {
        let id = |snapshot: &Snapshot| {
            snapshot.iter().find(|(_, node)| pattern.matches(node)).map(|(_, node)| node.id.clone())
        };
        let (before, after) = (id(&first), id(&second));
        ensure!(before == after, "expected {pattern:?} to keep the id {before:?}, got {after:?}");
    }
    Ok(())
}

fn gone_with_its_window(fixture: &Fixture<'_>) -> CheckResult {
    let keys =
        fixture.test_app.new_window_keys.as_ref().ok_or(CheckError::NotInApp("second window"))?;
    fixture.focus_window()?;
    let before: Vec<u64> = fixture.own_windows()?.iter().map(|window| window.id).collect();
    let known: Vec<NodeId> = fixture.snapshot()?.iter().map(|(_, node)| node.id.clone()).collect();
    let input = fixture.input()?;
    let down = keys.iter().try_for_each(|key| input.send_key(key, Press::Down, call_deadline()));
    let up = keys.iter().rev().try_for_each(|key| input.send_key(key, Press::Up, call_deadline()));
    down.and(up)?;
    let fresh = |fixture: &Fixture<'_>| -> Result<Option<u64>, CheckError> {
        let all = fixture.own_windows()?;
        Ok(all.iter().map(|window| window.id).find(|id| !before.contains(id)))
    };
    let mut second = None;
    eventually(|| {
        second = fresh(fixture)?;
        Ok(second.is_none().then(|| "no second window opened".to_owned()))
    })?;
    let mut ids: Vec<NodeId> = Vec::new();
    eventually(|| {
        let snapshot = fixture.snapshot()?;
        ids = snapshot
            .iter()
            .map(|(_, node)| node.id.clone())
            .filter(|id| !known.contains(id))
            .collect();
        Ok(ids.is_empty().then(|| "the second window has no nodes".to_owned()))
    })?;
    let Some(second) = second else { return Ok(()) };
    fixture.windows()?.arrange(second, WindowChange::Close, call_deadline())?;
    eventually(|| Ok(fresh(fixture)?.map(|id| format!("window {id} is still listed"))))?;
    eventually(|| {
        let read =
            fixture.desktop.tree.read(&fixture.app, &ids, NodeFields::STANDARD, call_deadline())?;
        ensure!(
            read.len() == ids.len(),
            "{} nodes were requested, {} returned",
            ids.len(),
            read.len()
        );
        // Some toolkits keep the nodes of a closed window for a while.
        let alive = read.iter().flatten().filter(|node| !node.states.has(State::Defunct)).count();
        let all = read.len();
        Ok((alive == all).then(|| format!("all {all} nodes of the closed window still exist")))
    })?;
    fixture.snapshot().map(drop)
}

fn gone_with_its_app(fixture: &Fixture<'_>) -> CheckResult {
    let ids: Vec<NodeId> = fixture.snapshot()?.iter().map(|(_, node)| node.id.clone()).collect();
    let programs = fixture.programs()?;
    if let Some(process) = programs.process(fixture.app.pid) {
        programs.terminate(&process, Termination::Kill)?;
        eventually(|| {
            let status = programs.status(&process);
            Ok((status == ProcessStatus::Running)
                .then(|| "the process still runs after it was killed".to_owned()))
        })?;
    }
    eventually(|| {
        let read =
            fixture.desktop.tree.read(&fixture.app, &ids, NodeFields::STANDARD, call_deadline());
        Ok(match read {
            Ok(nodes) if nodes.iter().all(Option::is_none) => None,
            Err(Error::Gone { .. }) => None,
            Ok(nodes) => Some(format!("{} nodes still exist", nodes.iter().flatten().count())),
            Err(error) => {
                Some(format!("reading nodes that are gone returned another error: {error}"))
            }
        })
    })?;
    eventually(|| {
        let listed =
            fixture.desktop.tree.apps(call_deadline())?.iter().any(|app| app.id == fixture.app.id);
        Ok(listed.then(|| "the ended app is still listed".to_owned()))
    })
}

fn masked(fixture: &Fixture<'_>) -> CheckResult {
    let (pattern, secret) =
        fixture.test_app.password_field.as_ref().ok_or(CheckError::NotInApp("password"))?;
    let tree = &fixture.desktop.tree;
    let snapshot = fixture.snapshot_with(NodeFields::ALL)?;
    let leaks = |text: &str| text.contains(secret.as_str());
    for (_, node) in snapshot.iter() {
        let shows = [&node.name, &node.description].into_iter().any(|text| leaks(text))
            || node.text().is_some_and(leaks);
        ensure!(!shows, "{:?} contains the password", node.id);
    }
    let field = fixture.element(pattern)?;
    ensure!(
        field.value == Some(Value::Secret),
        "expected `Secret` as the value of the password field, got {:?}",
        field.value
    );
    let found = tree.password_fields(&fixture.app, call_deadline())?;
    ensure!(
        found.fields.contains(&field.id),
        "expected {:?} among the password fields, got {found:?}",
        field.id
    );
    if let Some(text) = tree.text(&fixture.app, &field.id, call_deadline())? {
        ensure!(text.secret && text.text.is_empty(), "the text of the password field is returned");
    }
    let raw = tree.attributes(&fixture.app, &field.id, call_deadline())?;
    let leak = raw.iter().find(|(_, value)| leaks(value));
    ensure!(
        leak.is_none(),
        "the attribute `{}` contains the password",
        leak.map_or("", |(name, _)| name)
    );
    Ok(())
}
