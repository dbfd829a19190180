//! Pointer and keyboard behind the fence. Who gets what is sent is known only in the moment it is
//! sent, so the one who sends asks.

use std::{sync::Arc, time::Duration};

use deskhand_platform::{
    Aside, Button, Deadline, Guard, Input, Key, Press, Result, Whose, Windows,
};

use super::judge::Judge;

pub(super) struct FencedInput {
    inner: Box<dyn Input>,
    windows: Option<Arc<dyn Windows>>,
    judge: Arc<Judge>,
}

impl FencedInput {
    pub(super) fn new(
        mut inner: Box<dyn Input>,
        windows: Option<Arc<dyn Windows>>,
        judge: Arc<Judge>,
    ) -> Self {
        inner.guard(Arc::clone(&judge) as Arc<dyn Guard>);
        Self { inner, windows, judge }
    }
}

impl Input for FencedInput {
    fn ready(&self, by: Deadline) -> Result<()> {
        self.judge.moving()?;
        self.inner.ready(by)
    }

    fn guard(&mut self, guard: Arc<dyn Guard>) {
        self.inner.guard(guard);
    }

    fn pointer(&self, by: Deadline) -> Result<(i32, i32)> {
        self.inner.pointer(by)
    }

    fn move_to(&self, x: i32, y: i32, by: Deadline) -> Result<()> {
        self.inner.move_to(x, y, by)
    }

    fn button(&self, button: Button, press: Press, by: Deadline) -> Result<()> {
        self.inner.button(button, press, by)
    }

    fn is_down(&self, button: Button, by: Deadline) -> Result<bool> {
        self.inner.is_down(button, by)
    }

    fn wheel(&self, right: i32, down: i32, by: Deadline) -> Result<()> {
        self.inner.wheel(right, down, by)
    }

    fn key(&self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        self.inner.key(key, press, by)
    }

    fn write(&self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        self.inner.write(text, pause, by)
    }

    fn let_go(&self, by: Deadline) -> Result<()> {
        self.inner.let_go(by)
    }

    fn aside(&self, window: u64, by: Deadline) -> Result<Box<dyn Aside>> {
        if let Some(windows) = &self.windows {
            self.judge.admit(&windows.owners(Whose::Window(window), by)?)?;
        }
        let inner = self.inner.aside(window, by)?;
        Ok(Box::new(FencedAside { inner, judge: Arc::clone(&self.judge) }))
    }
}

/// A keyboard for one window that is silent while everything is halted.
struct FencedAside {
    inner: Box<dyn Aside>,
    judge: Arc<Judge>,
}

impl Aside for FencedAside {
    fn key(&mut self, key: &Key, press: Press, by: Deadline) -> Result<()> {
        if press == Press::Down {
            self.judge.moving()?;
        }
        self.inner.key(key, press, by)
    }

    fn write(&mut self, text: &str, pause: Duration, by: Deadline) -> Result<()> {
        self.judge.moving()?;
        self.inner.write(text, pause, by)
    }
}
