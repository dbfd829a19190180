//! Pointer and keyboard with app rules applied. The recipient of input is known only at the moment it is
//! sent, so the backend consults the checker then.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{
    BackgroundKeyboard, Button, Deadline, Input, InputGuard, Key, OwnerQuery, Press, Result,
    Windows,
};

use super::checker::AccessChecker;

pub(super) struct GuardedInput {
    inner: Box<dyn Input>,
    windows: Option<Arc<dyn Windows>>,
    checker: Arc<AccessChecker>,
}

impl GuardedInput {
    pub(super) fn new(
        mut inner: Box<dyn Input>,
        windows: Option<Arc<dyn Windows>>,
        checker: Arc<AccessChecker>,
    ) -> Self {
        inner.set_guard(Arc::clone(&checker) as Arc<dyn InputGuard>);
        Self { inner, windows, checker }
    }
}

impl Input for GuardedInput {
    fn check_ready(&self, deadline: Deadline) -> Result<()> {
        self.checker.check_not_halted()?;
        self.inner.check_ready(deadline)
    }

    fn set_guard(&mut self, guard: Arc<dyn InputGuard>) {
        self.inner.set_guard(guard);
    }

    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)> {
        self.inner.pointer_position(deadline)
    }

    fn move_pointer(&self, x: i32, y: i32, deadline: Deadline) -> Result<()> {
        self.checker.explain_stop(self.inner.move_pointer(x, y, deadline))
    }

    fn send_button(&self, button: Button, press: Press, deadline: Deadline) -> Result<()> {
        self.checker.explain_stop(self.inner.send_button(button, press, deadline))
    }

    fn is_button_down(&self, button: Button, deadline: Deadline) -> Result<bool> {
        self.inner.is_button_down(button, deadline)
    }

    fn scroll(&self, right: i32, down: i32, deadline: Deadline) -> Result<()> {
        self.checker.explain_stop(self.inner.scroll(right, down, deadline))
    }

    fn send_key(&self, key: &Key, press: Press, deadline: Deadline) -> Result<()> {
        self.checker.explain_stop(self.inner.send_key(key, press, deadline))
    }

    fn type_text(&self, text: &str, pause: Duration, deadline: Deadline) -> Result<()> {
        self.checker.explain_stop(self.inner.type_text(text, pause, deadline))
    }

    fn release_all(&self, deadline: Deadline) -> Result<()> {
        self.inner.release_all(deadline)
    }

    fn background_keyboard(
        &self,
        window: u64,
        deadline: Deadline,
    ) -> Result<Box<dyn BackgroundKeyboard>> {
        if let Some(windows) = &self.windows {
            self.checker.check(&windows.owners(OwnerQuery::Window(window), deadline)?)?;
        }
        let inner = self.inner.background_keyboard(window, deadline)?;
        Ok(Box::new(GuardedKeyboard { inner, checker: Arc::clone(&self.checker) }))
    }
}

/// A background keyboard that sends nothing while everything is halted.
struct GuardedKeyboard {
    inner: Box<dyn BackgroundKeyboard>,
    checker: Arc<AccessChecker>,
}

impl BackgroundKeyboard for GuardedKeyboard {
    fn send_key(&mut self, key: &Key, press: Press, deadline: Deadline) -> Result<()> {
        if press == Press::Down {
            self.checker.check_not_halted()?;
        }
        self.checker.explain_stop(self.inner.send_key(key, press, deadline))
    }

    fn type_text(&mut self, text: &str, pause: Duration, deadline: Deadline) -> Result<()> {
        self.checker.check_not_halted()?;
        self.checker.explain_stop(self.inner.type_text(text, pause, deadline))
    }
}
