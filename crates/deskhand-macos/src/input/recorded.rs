//! A recorded window server for the tests of this room: how it is, and what was posted to it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use deskhand_model::Window;
use deskhand_platform::{Arrange, Asked, Owner, Shown, WindowState, Windows};

use super::{layout::Level, *};

/// The window server as the tests want it, and all that was posted to it.
pub(super) struct Recorded {
    pub(super) session: Mutex<Option<Session>>,
    pub(super) allowed: AtomicBool,
    pub(super) secure: AtomicBool,
    pub(super) makes: AtomicBool,
    pub(super) pointer: Mutex<Place>,
    pub(super) source: Mutex<Source>,
    pub(super) layout: Mutex<Option<Vec<Made>>>,
    pub(super) layouts_read: AtomicUsize,
    pub(super) posted: Mutex<Vec<(Event, To)>>,
    down: Mutex<Vec<Button>>,
    /// Where the pointer goes, and how many looks it takes until it is seen there.
    heads: Mutex<Place>,
    pub(super) lags: AtomicUsize,
    /// The screen is locked after this many events.
    pub(super) locks_after: AtomicUsize,
}

impl Desk for Arc<Recorded> {
    fn session(&self) -> Option<Session> {
        let locks = self.posted.lock().unwrap().len() >= self.locks_after.load(Ordering::Relaxed);
        let session = self.session.lock().unwrap().clone()?;
        Some(Session { locked: session.locked || locks, ..session })
    }

    fn allowed(&self) -> bool {
        self.allowed.load(Ordering::Relaxed)
    }

    fn who(&self) -> String {
        "Terminal".to_owned()
    }

    fn is_secure(&self) -> bool {
        self.secure.load(Ordering::Relaxed)
    }

    fn pointer(&self) -> Option<Place> {
        let lags = self.lags.load(Ordering::Relaxed);
        if lags > 0 {
            self.lags.store(lags - 1, Ordering::Relaxed);
        } else {
            *self.pointer.lock().unwrap() = *self.heads.lock().unwrap();
        }
        Some(*self.pointer.lock().unwrap())
    }

    fn is_down(&self, button: Button) -> bool {
        self.down.lock().unwrap().contains(&button)
    }

    fn double_click(&self) -> Duration {
        Duration::from_secs(60)
    }

    fn source(&self) -> Source {
        self.source.lock().unwrap().clone()
    }

    fn layout(&self, _: Deadline) -> Option<Vec<Made>> {
        self.layouts_read.fetch_add(1, Ordering::Relaxed);
        self.layout.lock().unwrap().clone()
    }

    fn post(&self, event: &Event, to: To) -> bool {
        if let Event::Moved { at, .. } | Event::Dragged { at, .. } = event {
            *self.heads.lock().unwrap() = *at;
        }
        if let Event::Button { button, press, .. } = event {
            let mut down = self.down.lock().unwrap();
            down.retain(|one| one != button);
            if *press == Press::Down {
                down.push(*button);
            }
        }
        self.posted.lock().unwrap().push((event.clone(), to));
        self.makes.load(Ordering::Relaxed)
    }
}

/// Everything belongs to one process, which may change.
pub(super) struct OneOwner(
    pub(super) AtomicU32,
    Mutex<Option<(Arc<Recorded>, usize)>>,
    /// A window that does not get the keys of its process.
    pub(super) AtomicU64,
);

impl OneOwner {
    /// Lets the owner be another one at every look, once so many events were posted.
    pub(super) fn restless_after(&self, desk: &Arc<Recorded>, events: usize) {
        *self.1.lock().unwrap() = Some((Arc::clone(desk), events));
    }
}

impl Windows for OneOwner {
    fn list(&self, _: Deadline) -> Result<Vec<Window>> {
        Ok(Vec::new())
    }

    fn state(&self, _: u64, _: Deadline) -> Result<WindowState> {
        Err(Error::Gone { what: "it".to_owned() })
    }

    fn owners(&self, _: Whose, _: Deadline) -> Result<Vec<Owner>> {
        let restless = self.1.lock().unwrap();
        if restless.as_ref().is_some_and(|(desk, from)| desk.posted.lock().unwrap().len() >= *from)
        {
            self.0.fetch_add(100, Ordering::Relaxed);
        }
        let pid = self.0.load(Ordering::Relaxed);
        Ok(if pid == 0 { Vec::new() } else { vec![Owner { pid, ..Owner::default() }] })
    }

    fn shown(&self, _: Deadline) -> Result<Vec<Shown>> {
        Ok(Vec::new())
    }

    fn arrange(&self, _: u64, _: Arrange, _: Deadline) -> Result<Asked> {
        Err(Error::Gone { what: "it".to_owned() })
    }
}

impl KeyWindows for OneOwner {
    fn diverts(&self, window: u64, _: Deadline) -> Result<bool> {
        Ok(self.2.load(Ordering::Relaxed) == window)
    }
}

/// Counts how often it was asked, and refuses one process.
pub(super) struct Keeper {
    pub(super) asked: AtomicUsize,
    pub(super) refused: u32,
}

impl Guard for Keeper {
    fn admit(&self, owners: &[Owner]) -> Result<()> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match owners.iter().any(|owner| owner.pid == self.refused) {
            true => Err(Error::AppBlocked { app: "it".to_owned() }),
            false => Ok(()),
        }
    }
}

pub(super) struct Scene {
    pub(super) desk: Arc<Recorded>,
    pub(super) owner: Arc<OneOwner>,
    pub(super) input: MacInput<Arc<Recorded>>,
}

pub(super) fn scene() -> Scene {
    let made = |code, level, text: &str| Made { code, level, text: text.to_owned() };
    let desk = Arc::new(Recorded {
        session: Mutex::new(Some(Session { locked: false, shown: true, secure: None })),
        allowed: true.into(),
        secure: false.into(),
        makes: true.into(),
        pointer: Mutex::new((100, 200)),
        heads: Mutex::new((100, 200)),
        lags: 0.into(),
        down: Mutex::default(),
        source: Mutex::new(Source { layout: Some("x".to_owned()), kinds: Vec::new() }),
        layout: Mutex::new(Some(vec![
            made(0, Level::Plain, "a"),
            made(0, Level::Shift, "A"),
            made(7, Level::Option, "≈"),
            made(1, Level::Command, "s"),
        ])),
        layouts_read: 0.into(),
        posted: Mutex::default(),
        locks_after: usize::MAX.into(),
    });
    let owner = Arc::new(OneOwner(50.into(), Mutex::default(), 0.into()));
    let input = MacInput::new(Arc::clone(&desk), Arc::clone(&owner) as Arc<dyn KeyWindows>);
    Scene { desk, owner, input }
}

impl Scene {
    /// Takes what was posted so far.
    pub(super) fn posted(&self) -> Vec<Event> {
        self.desk.posted.lock().unwrap().drain(..).map(|(event, _)| event).collect()
    }
}
