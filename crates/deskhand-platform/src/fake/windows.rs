//! The windows of the fake desktop.

use deskhand_model::{Rect, Window};

use super::FakeDesktop;
use crate::{
    Deadline, Error, Owner, OwnerQuery, RequestRecipient, Result, VisibleWindow, WindowChange,
    WindowState, Windows,
};

/// A window of the app of a [`FakeDesktop`].
#[derive(Debug, Clone, Default)]
pub struct FakeWindow {
    /// The window id.
    pub id: u64,
    /// The title.
    pub title: String,
    /// `true` if the window is modal.
    pub is_modal: bool,
    /// The id of the window it was opened from.
    pub parent: Option<u64>,
}

impl Windows for FakeDesktop {
    fn list(&self, _: Deadline) -> Result<Vec<Window>> {
        let state = self.0.lock();
        let bounds = Rect::new(0, 0, 400, 300);
        let windows = state.windows.iter().zip(0..).map(|(window, z)| Window {
            id: window.id,
            title: window.title.clone(),
            pid: state.app.app.pid,
            app: Some(state.app.app.name.clone()),
            class: String::new(),
            bounds,
            frame: bounds,
            z,
            minimized: false,
            focused: z == 0,
        });
        Ok(windows.collect())
    }

    fn state(&self, id: u64, _: Deadline) -> Result<WindowState> {
        let state = self.0.lock();
        let window = state.windows.iter().find(|window| window.id == id);
        let window = window.ok_or_else(|| Error::Gone { what: format!("window {id}") })?;
        Ok(WindowState {
            states: if window.is_modal { vec!["modal".to_owned()] } else { Vec::new() },
            kind: if window.parent.is_some() { "dialog" } else { "normal" }.to_owned(),
            parent: window.parent,
            workspace: None,
            closable: true,
            min_size: None,
            max_size: None,
            resize_increment: None,
        })
    }

    fn owners(&self, _: OwnerQuery, _: Deadline) -> Result<Vec<Owner>> {
        Ok(Vec::new())
    }

    fn visible(&self, _: Deadline) -> Result<Vec<VisibleWindow>> {
        Ok(Vec::new())
    }

    fn arrange(&self, _: u64, _: WindowChange, _: Deadline) -> Result<RequestRecipient> {
        Err(Error::Unsupported {
            what: "a change to a window".to_owned(),
            why: "the windows of the fake desktop are fixed".to_owned(),
        })
    }
}
