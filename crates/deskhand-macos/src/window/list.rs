//! The list of windows: those the window server shows, in its order, and those only their programs know of,
//! such as minimized ones.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError, mpsc},
    time::{Duration, Instant},
};

use deskhand_model::{Rect, Window};
use deskhand_platform::{Deadline, Result};

use super::{
    elements::{Elements, Leaf, Program, Told, told},
    pane::{NORMAL, Pane, Panes, Reach},
};
use crate::{screen::Area, tree::AxError};

/// How long a program may take to tell about its windows.
const PATIENCE: Duration = Duration::from_millis(800);
/// How long one that did not answer a moment ago may take.
const LITTLE: Duration = Duration::from_millis(40);
/// How long a program that did not answer counts as mute.
const MUTE: Duration = Duration::from_secs(5);
/// How many programs are asked at the same time.
const ASKERS: usize = 12;

/// What programs said last, for when they do not answer.
pub(super) struct Memory<E> {
    said: Mutex<HashMap<u32, Told<E>>>,
    mute: Mutex<HashMap<u32, Instant>>,
}

impl<E> Default for Memory<E> {
    fn default() -> Self {
        Self { said: Mutex::default(), mute: Mutex::default() }
    }
}

/// Every top-level window, the frontmost first.
pub(super) fn list<G: Elements + Panes>(
    ground: &G,
    memory: &Memory<G::Element>,
    by: Deadline,
) -> Result<Vec<Window>> {
    let all = ground.panes(Reach::All)?;
    let shown = ground.panes(Reach::Shown)?;
    let normal = |pane: &&Pane| pane.layer == NORMAL && pane.process() != 0;
    let mut pids: Vec<u32> = all.iter().chain(&shown).filter(normal).map(Pane::process).collect();
    pids.sort_unstable();
    pids.dedup();
    let said = everybody(ground, memory, &pids, by)?;
    let names = Names::of(ground, &pids, &all);
    let mut windows: Vec<Window> = Vec::new();
    let mut listed: HashSet<u32> = HashSet::new();
    for pane in shown.iter().filter(normal) {
        let program = said.by_pid.get(&pane.process());
        let leaf =
            program.and_then(|told| told.windows.iter().find(|one| one.number == pane.number));
        if !is_window(pane, leaf, program) || !listed.insert(pane.number) {
            continue;
        }
        let titles = [leaf.map(|leaf| leaf.title.clone()), pane.title.clone()];
        let title = titles.into_iter().flatten().find(|title| !title.is_empty());
        windows.push(names.window(pane.number, pane.process(), title, pane.room()));
    }
    // What the window server does not show has no order of its own.
    let there: HashSet<u32> = all.iter().map(|pane| pane.number).collect();
    for pid in &pids {
        let leaves = said.by_pid.get(pid).map(|told| told.windows.as_slice()).unwrap_or_default();
        for leaf in leaves.iter().filter(|leaf| there.contains(&leaf.number)) {
            if !listed.insert(leaf.number) {
                continue;
            }
            let room = leaf.place.map(Area::whole).unwrap_or(Rect::new(0, 0, 0, 0));
            let window = names.window(leaf.number, *pid, Some(leaf.title.clone()), room);
            windows.push(Window { minimized: leaf.minimized, ..window });
        }
    }
    let focused = focused(&said, &windows);
    for (z, window) in (0..).zip(&mut windows) {
        window.z = z;
        window.focused = Some(window.id) == focused;
    }
    Ok(windows)
}

/// Whether what the window server shows is a window to a person: programs also draw tooltips and shades on
/// the layer of windows, and those have neither a title nor a place among their program's windows.
fn is_window<E>(pane: &Pane, leaf: Option<&Leaf<E>>, program: Option<&Told<E>>) -> bool {
    let room = pane.room();
    if pane.alpha <= 0.0 || room.is_empty() {
        return false;
    }
    let titled = pane.title.as_ref().is_some_and(|title| !title.is_empty());
    leaf.is_some() || titled || program.is_none_or(|told| told.windows.is_empty())
}

/// The window that has the keyboard.
fn focused<E: PartialEq>(said: &Said<E>, windows: &[Window]) -> Option<u64> {
    let front = said.by_pid.iter().find(|(_, told)| told.frontmost);
    let Some((pid, told)) = front else {
        // The app in front does not answer; what it shows is in front all the same.
        let first = windows.first().filter(|first| said.silent.contains(&first.pid))?;
        return Some(first.id);
    };
    let own = told.windows.iter().find(|leaf| Some(&leaf.element) == told.focused.as_ref());
    match own {
        Some(leaf) => Some(leaf.number.into()),
        // A sheet or a panel has the keyboard; it belongs to the window it lies over.
        None => windows.iter().find(|one| one.pid == *pid && !one.minimized).map(|one| one.id),
    }
}

/// What all programs say.
struct Said<E> {
    by_pid: HashMap<u32, Told<E>>,
    /// Those that did not answer, and count as they were before.
    silent: HashSet<u32>,
}

/// Asks every program. One that does not answer holds up nobody else.
fn everybody<G: Elements>(
    ground: &G,
    memory: &Memory<G::Element>,
    pids: &[u32],
    by: Deadline,
) -> Result<Said<G::Element>> {
    let queue = Mutex::new(pids.iter().copied());
    let (tell, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..pids.len().min(ASKERS) {
            let (tell, queue) = (tell.clone(), &queue);
            scope.spawn(move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(pid) = next else { break };
                    let answer = told(ground, pid, by.or_after(memory.patience(pid)));
                    // The other end lives longer than all threads.
                    let _heard = tell.send((pid, answer));
                }
            });
        }
    });
    drop(tell);
    let mut said = Said { by_pid: HashMap::new(), silent: HashSet::new() };
    let (mut answered, mut refused) = (0, 0);
    for (pid, answer) in heard {
        let fault = answer.as_ref().err().copied();
        answered += usize::from(fault.is_none());
        refused += usize::from(fault == Some(AxError::ApiDisabled));
        let told = memory.note(pid, answer);
        if fault.is_some() {
            said.silent.insert(pid);
        }
        said.by_pid.extend(told.map(|told| (pid, told)));
    }
    // A single program may refuse it for itself; without leave every one does.
    if refused > 0 && answered == 0 {
        return Err(AxError::ApiDisabled.error("every app"));
    }
    Ok(said)
}

impl<E: Clone> Memory<E> {
    fn patience(&self, pid: u32) -> Duration {
        let mute = self.mute.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = mute.get(&pid).is_some_and(|since| since.elapsed() < MUTE);
        if lately { LITTLE } else { PATIENCE }
    }

    /// Keeps what a program said; what it said before where it said nothing now.
    fn note(&self, pid: u32, answer: std::result::Result<Told<E>, AxError>) -> Option<Told<E>> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let mut mute = self.mute.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(told) => {
                mute.remove(&pid);
                said.insert(pid, told.clone());
                Some(told)
            }
            Err(AxError::CannotComplete) => {
                mute.insert(pid, Instant::now());
                let before = said.get(&pid).cloned();
                before.map(|told| Told { frontmost: false, ..told })
            }
            // It is gone, or shows nothing.
            Err(_) => {
                said.remove(&pid);
                None
            }
        }
    }
}

/// What programs are called.
struct Names {
    by_pid: HashMap<u32, Program>,
}

impl Names {
    fn of(ground: &impl Elements, pids: &[u32], all: &[Pane]) -> Self {
        let named = |pid: &u32| {
            let known = ground.program(*pid).unwrap_or_default();
            let owner = || all.iter().find(|pane| pane.process() == *pid)?.owner.clone();
            (*pid, Program { name: known.name.or_else(owner), ..known })
        };
        Self { by_pid: pids.iter().map(named).collect() }
    }

    /// A window on the screen; its frame is all there is to know of its room.
    fn window(&self, number: u32, pid: u32, title: Option<String>, room: Rect) -> Window {
        let Program { name, bundle } = self.by_pid.get(&pid).cloned().unwrap_or_default();
        Window {
            id: number.into(),
            title: title.unwrap_or_default(),
            pid,
            class: bundle.or_else(|| name.clone()).unwrap_or_default(),
            app: name,
            bounds: room,
            frame: room,
            z: 0,
            minimized: false,
            focused: false,
        }
    }
}
