//! A fake window server that logs posted events, for tests.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use deskhand_model::Window;
use deskhand_platform::{
    Owner, RequestRecipient, VisibleWindow, WindowChange, WindowState, Windows,
};

use super::{layout::KeyLevel, *};

/// The state of the fake window server, and all posted events.
pub(super) struct FakeServer {
    pub(super) session: Mutex<Option<LoginSession>>,
    pub(super) can_post: AtomicBool,
    pub(super) secure_input: AtomicBool,
    pub(super) creates_events: AtomicBool,
    pub(super) pointer: Mutex<Point>,
    pub(super) source: Mutex<InputSource>,
    pub(super) outputs: Mutex<Option<Vec<KeyOutput>>>,
    pub(super) layouts_read: AtomicUsize,
    pub(super) posted: Mutex<Vec<(InputEvent, EventTarget)>>,
    down: Mutex<Vec<Button>>,
    /// The next position of the pointer.
    next_pointer: Mutex<Point>,
    /// The number of reads until the pointer is at its next position.
    pub(super) pointer_lag: AtomicUsize,
    /// The screen is locked after this many events.
    pub(super) locks_after: AtomicUsize,
}

impl InputApi for Arc<FakeServer> {
    fn session(&self) -> Option<LoginSession> {
        let locks = self.posted.lock().len() >= self.locks_after.load(Ordering::Relaxed);
        let session = self.session.lock().clone()?;
        Some(LoginSession { locked: session.locked || locks, ..session })
    }

    fn can_post(&self) -> bool {
        self.can_post.load(Ordering::Relaxed)
    }

    fn program_to_allow(&self) -> String {
        "Terminal".to_owned()
    }

    fn is_secure_input(&self) -> bool {
        self.secure_input.load(Ordering::Relaxed)
    }

    fn pointer(&self) -> Option<Point> {
        let lag = self.pointer_lag.load(Ordering::Relaxed);
        if lag > 0 {
            self.pointer_lag.store(lag - 1, Ordering::Relaxed);
        } else {
            *self.pointer.lock() = *self.next_pointer.lock();
        }
        Some(*self.pointer.lock())
    }

    fn is_down(&self, button: Button) -> bool {
        self.down.lock().contains(&button)
    }

    fn double_click_interval(&self) -> Duration {
        Duration::from_secs(60)
    }

    fn input_source(&self) -> InputSource {
        self.source.lock().clone()
    }

    fn key_outputs(&self, _: Deadline) -> Option<Vec<KeyOutput>> {
        self.layouts_read.fetch_add(1, Ordering::Relaxed);
        self.outputs.lock().clone()
    }

    fn post(&self, event: &InputEvent, target: EventTarget) -> bool {
        if let InputEvent::Moved { at, .. } | InputEvent::Dragged { at, .. } = event {
            *self.next_pointer.lock() = *at;
        }
        if let InputEvent::Button { button, press, .. } = event {
            let mut down = self.down.lock();
            down.retain(|one| one != button);
            if *press == Press::Down {
                down.push(*button);
            }
        }
        self.posted.lock().push((event.clone(), target));
        self.creates_events.load(Ordering::Relaxed)
    }
}

/// Windows that all belong to one process, which may change.
pub(super) struct OneOwner {
    pub(super) pid: AtomicU32,
    /// After this many events, every lookup finds another owner.
    changes_after: Mutex<Option<(Arc<FakeServer>, usize)>>,
    /// A window that is not the key window of its process.
    pub(super) not_key_window: AtomicU64,
}

impl OneOwner {
    /// Makes every lookup find another owner, after this many events.
    pub(super) fn change_after(&self, server: &Arc<FakeServer>, events: usize) {
        *self.changes_after.lock() = Some((Arc::clone(server), events));
    }
}

impl Windows for OneOwner {
    fn list(&self, _: Deadline) -> Result<Vec<Window>> {
        Ok(Vec::new())
    }

    fn state(&self, _: u64, _: Deadline) -> Result<WindowState> {
        Err(Error::Gone { what: "it".to_owned() })
    }

    fn owners(&self, _: OwnerQuery, _: Deadline) -> Result<Vec<Owner>> {
        let changes = self.changes_after.lock();
        if changes.as_ref().is_some_and(|(server, from)| server.posted.lock().len() >= *from) {
            self.pid.fetch_add(100, Ordering::Relaxed);
        }
        let pid = self.pid.load(Ordering::Relaxed);
        Ok(if pid == 0 { Vec::new() } else { vec![Owner { pid, ..Owner::default() }] })
    }

    fn visible(&self, _: Deadline) -> Result<Vec<VisibleWindow>> {
        Ok(Vec::new())
    }

    fn arrange(&self, _: u64, _: WindowChange, _: Deadline) -> Result<RequestRecipient> {
        Err(Error::Gone { what: "it".to_owned() })
    }
}

impl KeyWindows for OneOwner {
    fn is_other_window_key(&self, window: u64, _: Deadline) -> Result<bool> {
        Ok(self.not_key_window.load(Ordering::Relaxed) == window)
    }
}

/// A guard that counts its checks and refuses one process.
pub(super) struct CountingGuard {
    pub(super) checks: AtomicUsize,
    pub(super) refused: u32,
}

impl InputGuard for CountingGuard {
    fn check(&self, owners: &[Owner]) -> Result<()> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        match owners.iter().any(|owner| owner.pid == self.refused) {
            true => Err(Error::ScreenLocked { by: "it".to_owned() }),
            false => Ok(()),
        }
    }
}

/// The input under test, with its fake surroundings.
pub(super) struct Fixture {
    pub(super) server: Arc<FakeServer>,
    pub(super) owner: Arc<OneOwner>,
    pub(super) input: MacInput<Arc<FakeServer>>,
}

pub(super) fn fixture() -> Fixture {
    let output = |code, level, text: &str| KeyOutput { code, level, text: text.to_owned() };
    let session = LoginSession { locked: false, active: true, secure_input_pid: None };
    let server = Arc::new(FakeServer {
        session: Mutex::new(Some(session)),
        can_post: true.into(),
        secure_input: false.into(),
        creates_events: true.into(),
        pointer: Mutex::new((100, 200)),
        next_pointer: Mutex::new((100, 200)),
        pointer_lag: 0.into(),
        down: Mutex::default(),
        source: Mutex::new(InputSource { layout: Some("x".to_owned()), kinds: Vec::new() }),
        outputs: Mutex::new(Some(vec![
            output(0, KeyLevel::Plain, "a"),
            output(0, KeyLevel::Shift, "A"),
            output(7, KeyLevel::Option, "≈"),
            output(1, KeyLevel::Command, "s"),
        ])),
        layouts_read: 0.into(),
        posted: Mutex::default(),
        locks_after: usize::MAX.into(),
    });
    let owner = Arc::new(OneOwner {
        pid: 50.into(),
        changes_after: Mutex::default(),
        not_key_window: 0.into(),
    });
    let input = MacInput::new(Arc::clone(&server), Arc::clone(&owner) as Arc<dyn KeyWindows>);
    Fixture { server, owner, input }
}

impl Fixture {
    /// Removes and returns the posted events.
    pub(super) fn take_posted(&self) -> Vec<InputEvent> {
        self.server.posted.lock().drain(..).map(|(event, _)| event).collect()
    }
}
