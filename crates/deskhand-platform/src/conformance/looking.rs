//! Apps and their elements are there, stay who they are, and keep their secrets.

use deskhand_model::{Cut, Index, NodeId, Snapshot, State, Value};

use super::{AppUse, Check, Fault, Outcome, Part, Scene, ensure, eventually, soon};
use crate::{Arrange, End, Error, Facets, Fate, Press};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "a_running_app_is_listed_and_answers",
        covers: &["Tree::apps", "Tree::apps_of", "Tree::admit", "Tree::host", "Tree::process_of"],
        needs: &[],
        app: AppUse::Shared,
        run: listed,
    },
    Check {
        name: "the_tree_holds_what_the_app_shows",
        covers: &["Tree::walk", "Tree::read", "Tree::attributes"],
        needs: &[],
        app: AppUse::Shared,
        run: shown,
    },
    Check {
        name: "an_element_keeps_its_identity_over_two_looks",
        covers: &["Tree::walk"],
        needs: &[],
        app: AppUse::Shared,
        run: stable,
    },
    Check {
        name: "an_element_of_a_closed_window_is_gone_and_its_app_is_not",
        covers: &["Tree::read", "Windows::arrange", "Input::key"],
        needs: &[Part::Windows, Part::Input],
        app: AppUse::Own,
        run: gone_with_its_window,
    },
    Check {
        name: "an_element_of_an_ended_app_is_gone",
        covers: &["Tree::read", "Programs::end"],
        needs: &[Part::Programs],
        app: AppUse::Own,
        run: gone_with_its_app,
    },
    Check {
        name: "a_password_is_never_told",
        covers: &["Tree::passwords", "Tree::walk", "Tree::read", "Tree::text", "Tree::attributes"],
        needs: &[],
        app: AppUse::Shared,
        run: masked,
    },
];

fn listed(scene: &Scene<'_>) -> Outcome {
    let tree = &scene.desktop.tree;
    let apps = tree.apps(soon())?;
    let names: Vec<String> = apps.iter().map(|app| app.name.to_lowercase()).collect();
    ensure!(names.is_sorted(), "the apps are not sorted by name: {names:?}");
    let Some(app) = apps.iter().find(|app| app.id == scene.app.id) else {
        return Err(Fault::Failed(format!("{:?} is not among {names:?}", scene.app)));
    };
    ensure!(app.responding && app.windows > 0, "{app:?} should answer and have a window");
    ensure!(app.started > 0 && app.executable.is_some(), "{app:?} does not say what runs");
    let some = tree.apps_of(&[app.pid], soon())?;
    let same = some.iter().any(|one| one.id == app.id && one.root == app.root);
    ensure!(same && some.iter().all(|one| one.pid == app.pid), "{app:?} is {some:?} by its pid");
    tree.admit(app, soon())?;
    let host = tree.host(&app.root);
    ensure!(host == app.id, "its root is hosted by {host:?}, not by {:?}", app.id);
    let pid = tree.process_of(&app.id, soon())?;
    ensure!(pid == app.pid, "its process is {pid} by its id and {} by the list", app.pid);
    Ok(())
}

fn shown(scene: &Scene<'_>) -> Outcome {
    let look = scene.look_with(Facets::ALL)?;
    // A list may be too long for any look; nothing else is a reason for a hole.
    let holes: Vec<_> = look.cuts().filter(|(_, cut)| *cut != Cut::Many).collect();
    ensure!(holes.is_empty(), "the look is cut: {holes:?}");
    let root = look.node(Index::ROOT);
    ensure!(root.id == scene.app.root, "the look begins at {root:?}, not at the app");
    for wanted in &scene.subject.elements {
        let Some((_, node)) = look.iter().find(|(_, node)| wanted.fits(node)) else {
            return Err(Fault::Failed(format!("{wanted:?} is not in the tree")));
        };
        let again = scene.desktop.tree.read(
            &scene.app,
            std::slice::from_ref(&node.id),
            Facets::ALL,
            soon(),
        )?;
        let [Some(again)] = again.as_slice() else {
            return Err(Fault::Failed(format!("{node:?} is read again as {again:?}")));
        };
        let same = again.id == node.id && again.role == node.role;
        ensure!(same, "{node:?} is read again as {again:?}");
        let raw = scene.desktop.tree.attributes(&scene.app, &node.id, soon())?;
        ensure!(!raw.is_empty(), "{node:?} has no raw facts");
    }
    let placed = look.iter().any(|(_, node)| node.bounds.is_some_and(|room| !room.is_empty()));
    ensure!(placed, "no element has a place on the screen");
    let acts = look.iter().any(|(_, node)| !node.actions.is_empty());
    ensure!(acts, "no element says what can be done to it");
    Ok(())
}

fn stable(scene: &Scene<'_>) -> Outcome {
    let ids =
        |look: &Snapshot| -> Vec<NodeId> { look.iter().map(|(_, node)| node.id.clone()).collect() };
    let (first, second) = (scene.look()?, scene.look()?);
    let known = second.positions();
    let all = ids(&first);
    let lost: Vec<&NodeId> = all.iter().filter(|id| !known.contains_key(id)).collect();
    ensure!(
        lost.len() * 20 <= all.len(),
        "{} of {} elements are others after a second look, such as {:?}",
        lost.len(),
        all.len(),
        &lost[..lost.len().min(3)]
    );
    for wanted in &scene.subject.elements {
        let id = |look: &Snapshot| {
            look.iter().find(|(_, node)| wanted.fits(node)).map(|(_, node)| node.id.clone())
        };
        let (before, after) = (id(&first), id(&second));
        ensure!(before == after, "{wanted:?} was {before:?} and is {after:?}");
    }
    Ok(())
}

fn gone_with_its_window(scene: &Scene<'_>) -> Outcome {
    let keys = scene.subject.new_window.as_ref().ok_or(Fault::NotInSubject("second window"))?;
    scene.to_front()?;
    let before: Vec<u64> = scene.own_windows()?.iter().map(|window| window.id).collect();
    let known: Vec<NodeId> = scene.look()?.iter().map(|(_, node)| node.id.clone()).collect();
    let input = scene.input()?;
    let down = keys.iter().try_for_each(|key| input.key(key, Press::Down, soon()));
    let up = keys.iter().rev().try_for_each(|key| input.key(key, Press::Up, soon()));
    down.and(up)?;
    let fresh = |scene: &Scene<'_>| -> Result<Option<u64>, Fault> {
        let all = scene.own_windows()?;
        Ok(all.iter().map(|window| window.id).find(|id| !before.contains(id)))
    };
    let mut second = None;
    eventually(|| {
        second = fresh(scene)?;
        Ok(second.is_none().then(|| "no second window came".to_owned()))
    })?;
    let mut ids: Vec<NodeId> = Vec::new();
    eventually(|| {
        let look = scene.look()?;
        ids =
            look.iter().map(|(_, node)| node.id.clone()).filter(|id| !known.contains(id)).collect();
        Ok(ids.is_empty().then(|| "the second window has no elements".to_owned()))
    })?;
    let Some(second) = second else { return Ok(()) };
    scene.windows()?.arrange(second, Arrange::Close, soon())?;
    eventually(|| Ok(fresh(scene)?.map(|id| format!("window {id} is still there"))))?;
    eventually(|| {
        let read = scene.desktop.tree.read(&scene.app, &ids, Facets::LOOK, soon())?;
        ensure!(read.len() == ids.len(), "{} were asked for, {} told", ids.len(), read.len());
        // Some toolkits keep an element for a while that is in no window any more.
        let there = read.iter().flatten().filter(|node| !node.states.has(State::Defunct)).count();
        let all = read.len();
        Ok((there == all)
            .then(|| format!("all {all} elements of the closed window are still read")))
    })?;
    scene.look().map(drop)
}

fn gone_with_its_app(scene: &Scene<'_>) -> Outcome {
    let ids: Vec<NodeId> = scene.look()?.iter().map(|(_, node)| node.id.clone()).collect();
    let programs = scene.programs()?;
    if let Some(process) = programs.process(scene.app.pid) {
        programs.end(&process, End::Kill)?;
        eventually(|| {
            let fate = programs.fate(&process);
            Ok((fate == Fate::Runs).then(|| "it runs after it was killed".to_owned()))
        })?;
    }
    eventually(|| {
        let read = scene.desktop.tree.read(&scene.app, &ids, Facets::LOOK, soon());
        Ok(match read {
            Ok(nodes) if nodes.iter().all(Option::is_none) => None,
            Err(Error::Gone { .. }) => None,
            Ok(nodes) => {
                Some(format!("{} elements are still read", nodes.iter().flatten().count()))
            }
            Err(error) => Some(format!("reading what is gone fails otherwise: {error}")),
        })
    })?;
    eventually(|| {
        let listed = scene.desktop.tree.apps(soon())?.iter().any(|app| app.id == scene.app.id);
        Ok(listed.then(|| "the ended app is still listed".to_owned()))
    })
}

fn masked(scene: &Scene<'_>) -> Outcome {
    let (wanted, secret) =
        scene.subject.password.as_ref().ok_or(Fault::NotInSubject("password"))?;
    let tree = &scene.desktop.tree;
    let look = scene.look_with(Facets::ALL)?;
    let told = |text: &str| text.contains(secret.as_str());
    for (_, node) in look.iter() {
        let shows = [&node.name, &node.description].into_iter().any(|text| told(text))
            || node.text().is_some_and(told);
        ensure!(!shows, "{:?} shows the secret", node.id);
    }
    let field = scene.element(wanted)?;
    ensure!(field.value == Some(Value::Secret), "the password field holds {:?}", field.value);
    let found = tree.passwords(&scene.app, soon())?;
    ensure!(found.fields.contains(&field.id), "{:?} is not among {found:?}", field.id);
    if let Some(text) = tree.text(&scene.app, &field.id, soon())? {
        ensure!(text.secret && text.text.is_empty(), "the text of the password field is told");
    }
    let raw = tree.attributes(&scene.app, &field.id, soon())?;
    let leak = raw.iter().find(|(_, value)| told(value));
    ensure!(
        leak.is_none(),
        "the raw fact `{}` shows the secret",
        leak.map_or("", |(name, _)| name)
    );
    Ok(())
}
