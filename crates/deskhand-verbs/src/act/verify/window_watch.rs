//! The windows before an action: finds the ones that open or close, and returns the keyboard to the
//! user's window if the app takes it.

use std::time::Duration;

use deskhand_model::Window;
use deskhand_platform::{Deadline, WindowChange, Windows};

use super::poll_until;
use crate::{
    act::timing,
    effect::{Evidence, EvidenceKind},
};

/// The windows before an action.
pub(crate) struct WindowWatch<'a> {
    windows: Option<&'a dyn Windows>,
    pid: u32,
    /// The windows of the app; `None` if they could not be listed.
    own: Option<Vec<Window>>,
    /// The windows of other programs; `None` if they could not be listed.
    others: Option<Vec<u64>>,
    /// The focused window, if it belongs to another app.
    other_focused: Option<u64>,
}

impl<'a> WindowWatch<'a> {
    /// Records the current windows.
    pub(crate) fn start(windows: Option<&'a dyn Windows>, pid: u32) -> Self {
        let mut watch = Self { windows, pid, own: None, others: None, other_focused: None };
        if let Some(all) = watch.list_windows() {
            let other_focused = all.iter().find(|window| window.focused && window.pid != pid);
            watch.other_focused = other_focused.map(|window| window.id);
            let others = all.iter().filter(|window| window.pid != pid);
            watch.others = Some(others.map(|window| window.id).collect());
            watch.own = Some(watch.of_app(all));
        }
        watch
    }

    /// Returns `true` if the app has windows and all of them are minimized. Without a window list,
    /// nothing is known about them.
    pub(crate) fn all_minimized(&self) -> bool {
        self.own
            .as_ref()
            .is_some_and(|own| !own.is_empty() && own.iter().all(|window| window.minimized))
    }

    /// Returns evidence if a window of the app has opened or closed.
    pub(crate) fn opened_or_closed(&self) -> Option<Evidence> {
        let before = self.own.as_ref()?;
        let now = self.of_app(self.list_windows()?);
        let has = |all: &[Window], id: u64| all.iter().any(|window| window.id == id);
        if let Some(new) = now.iter().find(|window| !has(before, window.id)) {
            return Some(Evidence::new(
                EvidenceKind::Window,
                format!("window \"{}\" opened", new.title),
            ));
        }
        let closed = before.iter().find(|window| !has(&now, window.id))?;
        Some(Evidence::new(EvidenceKind::Window, format!("window \"{}\" closed", closed.title)))
    }

    /// Reports a window that another program opened. The action may have started that program, or it
    /// may be a coincidence, so this proves nothing.
    pub(crate) fn other_program(&self) -> Option<Evidence> {
        let before = self.others.as_ref()?;
        let now = self.list_windows()?;
        let is_new = |window: &&Window| window.pid != self.pid && !before.contains(&window.id);
        let new = now.iter().find(is_new)?;
        let keyboard = if new.focused { " and has the keyboard" } else { "" };
        Some(Evidence::new(
            EvidenceKind::Process,
            format!("another program opened window \"{}\"{keyboard}", new.title),
        ))
    }

    /// Returns the keyboard to the window that had it, if the app took it. Window managers focus
    /// new windows of apps that do not report when they were last used.
    pub(crate) fn restore_focus(&self, opened: bool) -> Option<Evidence> {
        let (owner, windows) = (self.other_focused?, self.windows?);
        let taken = || {
            self.list_windows().is_some_and(|now| {
                now.iter().any(|one| one.focused && one.pid == self.pid)
                    && now.iter().any(|one| one.id == owner)
            })
        };
        // A new window receives the keyboard some time after it appears.
        let limit = if opened { timing::FOCUS_RETURN_TIMEOUT } else { Duration::ZERO };
        if !poll_until(limit, taken) {
            return None;
        }
        // If the window manager refuses, the app keeps the keyboard, and the evidence says so.
        let _requested = windows.arrange(
            owner,
            WindowChange::Focus,
            Deadline::after(timing::ELEMENT_READ_TIMEOUT),
        );
        let has_it = |all: Vec<Window>| all.iter().any(|one| one.id == owner && one.focused);
        let given =
            poll_until(timing::FOCUS_RETURN_TIMEOUT, || self.list_windows().is_some_and(has_it));
        let text = if given {
            "the app took the keyboard for a moment; it was returned to the window that had it"
        } else {
            "the app took the keyboard and kept it"
        };
        Some(Evidence::new(EvidenceKind::Focus, text))
    }

    /// Lists all windows; `None` if that fails, which says nothing about them.
    fn list_windows(&self) -> Option<Vec<Window>> {
        self.windows?.list(Deadline::after(timing::ELEMENT_READ_TIMEOUT)).ok()
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
    use deskhand_platform::{
        Error, Owner, OwnerQuery, RequestRecipient, Result, VisibleWindow, WindowState,
    };

    use super::*;

    /// Returns one list after the other; `None` is a failed list.
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

        fn owners(&self, _: OwnerQuery, _: Deadline) -> Result<Vec<Owner>> {
            Err(Error::TooLarge { what: "the owners".to_owned() })
        }

        fn visible(&self, _: Deadline) -> Result<Vec<VisibleWindow>> {
            Err(Error::TooLarge { what: "the visible windows".to_owned() })
        }

        fn arrange(&self, _: u64, _: WindowChange, _: Deadline) -> Result<RequestRecipient> {
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
        WindowWatch::start(Some(&lists), 1).opened_or_closed().map(|evidence| evidence.subject)
    }

    #[test]
    fn a_failed_window_list_is_no_evidence() {
        assert_eq!(news(Some(vec![window(1)]), None), None);
        assert_eq!(news(None, Some(vec![window(1)])), None);
        assert_eq!(news(Some(vec![window(1)]), Some(vec![window(1)])), None);
    }

    #[test]
    fn an_app_without_a_listed_window_is_not_minimized() {
        let all_minimized = |own: Option<Vec<Window>>| {
            let lists = Lists::of(vec![own]);
            WindowWatch::start(Some(&lists), 1).all_minimized()
        };
        let minimized = |id| Window { minimized: true, ..window(id) };
        assert!(all_minimized(Some(vec![minimized(1), minimized(2)])));
        assert!(!all_minimized(Some(vec![minimized(1), window(2)])));
        assert!(!all_minimized(Some(vec![Window { pid: 2, ..minimized(1) }])), "another app's");
        assert!(!all_minimized(Some(Vec::new())));
        assert!(!all_minimized(None), "the list failed");
        assert!(!WindowWatch::start(None, 1).all_minimized(), "there is no window system");
    }

    #[test]
    fn a_window_of_another_program_is_reported_with_the_keyboard() {
        let editor = Window { pid: 2, focused: true, ..window(2) };
        let report = |before: Vec<Window>| {
            let lists = Lists::of(vec![Some(before), Some(vec![window(1), editor.clone()])]);
            let watch = WindowWatch::start(Some(&lists), 1);
            watch.other_program().map(|evidence| evidence.subject)
        };
        let text = "another program opened window \"No. 2\" and has the keyboard";
        assert_eq!(report(vec![window(1)]).as_deref(), Some(text));
        assert_eq!(report(vec![window(1), editor.clone()]), None);
    }

    #[test]
    fn opened_and_closed_windows_are_evidence() {
        let (one, two) = (vec![window(1)], vec![window(1), window(2)]);
        let opened = news(Some(one.clone()), Some(two.clone()));
        assert_eq!(opened.as_deref(), Some("window \"No. 2\" opened"));
        assert_eq!(news(Some(two), Some(one)).as_deref(), Some("window \"No. 2\" closed"));
    }
}
