//! The windows of an app before an action, and who had the keyboard: what opened or closed since, and
//! the keyboard given back where the app took it.

use std::time::Duration;

use deskhand_model::Window;
use deskhand_platform::{Arrange, Deadline, Windows};

use super::{attempt::until, observe::GLANCE};
use crate::effect::{Evidence, Sign};

/// How long a window manager may take to move the keyboard to another window.
const FORWARD: Duration = Duration::from_millis(150);

/// The windows before an action.
pub(super) struct Front<'a> {
    windows: Option<&'a dyn Windows>,
    pid: u32,
    /// Those of the app; none when they could not be listed.
    own: Option<Vec<Window>>,
    /// The window of somebody else that has the keyboard.
    elsewhere: Option<u64>,
}

impl<'a> Front<'a> {
    /// The windows as they are.
    pub(super) fn now(windows: Option<&'a dyn Windows>, pid: u32) -> Self {
        let mut front = Self { windows, pid, own: None, elsewhere: None };
        if let Some(all) = front.all() {
            let elsewhere = all.iter().find(|window| window.focused && window.pid != pid);
            front.elsewhere = elsewhere.map(|window| window.id);
            front.own = Some(front.of_app(all));
        }
        front
    }

    /// Whether every window the app was seen to have is minimized.
    pub(super) fn all_minimized(&self) -> bool {
        self.own.iter().flatten().all(|window| window.minimized)
    }

    /// A window of the app that opened or closed since.
    pub(super) fn news(&self) -> Option<Evidence> {
        let before = self.own.as_ref()?;
        let now = self.of_app(self.all()?);
        let has = |all: &[Window], id: u64| all.iter().any(|window| window.id == id);
        if let Some(new) = now.iter().find(|window| !has(before, window.id)) {
            return Some(Evidence::of(Sign::Window, format!("window \"{}\" opened", new.title)));
        }
        let closed = before.iter().find(|window| !has(&now, window.id))?;
        Some(Evidence::of(Sign::Window, format!("window \"{}\" closed", closed.title)))
    }

    /// Gives the keyboard back to the window that had it, when the app took it for itself: window
    /// managers give it to new windows of apps that do not say when they were last used.
    pub(super) fn give_back(&self, opened: bool) -> Option<Evidence> {
        let (owner, windows) = (self.elsewhere?, self.windows?);
        let taken = || {
            self.all().is_some_and(|now| {
                now.iter().any(|one| one.focused && one.pid == self.pid)
                    && now.iter().any(|one| one.id == owner)
            })
        };
        // A new window is given the keyboard some time after it is there.
        let limit = if opened { FORWARD } else { Duration::ZERO };
        if !until(limit, taken) {
            return None;
        }
        // A window manager that refuses leaves things as the app made them, which is told.
        let _asked = windows.arrange(owner, Arrange::Focus, Deadline::after(GLANCE));
        let has_it = |all: Vec<Window>| all.iter().any(|one| one.id == owner && one.focused);
        let given = until(FORWARD, || self.all().is_some_and(has_it));
        let words = if given {
            "it took the keyboard for a moment; the window that had it has it again"
        } else {
            "it took the keyboard and kept it"
        };
        Some(Evidence::of(Sign::Focus, words))
    }

    /// Every window there is; `None` when they cannot be listed, which says nothing of them.
    fn all(&self) -> Option<Vec<Window>> {
        self.windows?.list(Deadline::after(GLANCE)).ok()
    }

    fn of_app(&self, mut all: Vec<Window>) -> Vec<Window> {
        all.retain(|window| window.pid == self.pid);
        all
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use deskhand_model::Rect;
    use deskhand_platform::{Asked, Error, Owner, Result, Shown, Whose, WindowState};

    use super::*;

    /// Gives one list after the other; `None` is a list that does not come.
    struct Lists(Mutex<Vec<Option<Vec<Window>>>>);

    impl Lists {
        fn of(mut lists: Vec<Option<Vec<Window>>>) -> Self {
            lists.reverse();
            Self(Mutex::new(lists))
        }
    }

    impl Windows for Lists {
        fn list(&self, _: Deadline) -> Result<Vec<Window>> {
            let next = self.0.lock().unwrap().pop().flatten();
            next.ok_or_else(|| Error::TooLarge { what: "the list".to_owned() })
        }

        fn state(&self, _: u64, _: Deadline) -> Result<WindowState> {
            Err(Error::TooLarge { what: "the state".to_owned() })
        }

        fn owners(&self, _: Whose, _: Deadline) -> Result<Vec<Owner>> {
            Err(Error::TooLarge { what: "the owners".to_owned() })
        }

        fn shown(&self, _: Deadline) -> Result<Vec<Shown>> {
            Err(Error::TooLarge { what: "what is shown".to_owned() })
        }

        fn arrange(&self, _: u64, _: Arrange, _: Deadline) -> Result<Asked> {
            Err(Error::TooLarge { what: "the change".to_owned() })
        }
    }

    fn window(id: u64) -> Window {
        Window {
            id,
            title: format!("No. {id}"),
            pid: 1,
            app: None,
            class: String::new(),
            bounds: Rect::new(0, 0, 10, 10),
            frame: Rect::new(0, 0, 10, 10),
            z: 0,
            minimized: false,
            focused: false,
        }
    }

    fn news(before: Option<Vec<Window>>, now: Option<Vec<Window>>) -> Option<String> {
        let lists = Lists::of(vec![before, now]);
        Front::now(Some(&lists), 1).news().map(|evidence| evidence.what)
    }

    #[test]
    fn a_list_that_does_not_come_says_nothing_of_the_windows() {
        assert_eq!(news(Some(vec![window(1)]), None), None);
        assert_eq!(news(None, Some(vec![window(1)])), None);
        assert_eq!(news(Some(vec![window(1)]), Some(vec![window(1)])), None);
    }

    #[test]
    fn windows_that_open_or_close_are_told() {
        let (one, two) = (vec![window(1)], vec![window(1), window(2)]);
        let opened = news(Some(one.clone()), Some(two.clone()));
        assert_eq!(opened.as_deref(), Some("window \"No. 2\" opened"));
        assert_eq!(news(Some(two), Some(one)).as_deref(), Some("window \"No. 2\" closed"));
    }
}
