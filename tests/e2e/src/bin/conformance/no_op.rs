//! A desktop that reports success but changes nothing.
//!
//! Every conformance check that verifies an effect must fail on it.

use deskhand_linux::open;
use deskhand_model::{Rect, Window};
use deskhand_platform::{
    CaptureTarget, Clipboard, ClipboardChanges, ClipboardContents, ClipboardItem, Deadline,
    Desktop, Display, Owner, OwnerQuery, Pixels, RequestRecipient, Result, Screen, Selection,
    Sensitivity, VisibleWindow, WindowChange, WindowState, Windows,
};

/// Opens the desktop of this process with windows, clipboard and screen replaced by no-op versions.
pub(crate) fn no_op_desktop() -> Result<Desktop> {
    let desktop = open()?;
    Ok(Desktop {
        windows: desktop.windows.map(|real| Box::new(NoOp(real)) as _),
        clipboard: desktop.clipboard.map(|real| Box::new(NoOp(real)) as _),
        screen: desktop.screen.map(|real| Box::new(NoOp(real)) as _),
        ..desktop
    })
}

/// Reads through to the real implementation `T`; writes return `Ok` and do nothing.
struct NoOp<T>(T);

impl Windows for NoOp<Box<dyn Windows>> {
    fn list(&self, deadline: Deadline) -> Result<Vec<Window>> {
        self.0.list(deadline)
    }

    fn state(&self, window: u64, deadline: Deadline) -> Result<WindowState> {
        self.0.state(window, deadline)
    }

    fn owners(&self, of: OwnerQuery, deadline: Deadline) -> Result<Vec<Owner>> {
        self.0.owners(of, deadline)
    }

    fn visible(&self, deadline: Deadline) -> Result<Vec<VisibleWindow>> {
        self.0.visible(deadline)
    }

    fn arrange(
        &self,
        window: u64,
        _: WindowChange,
        deadline: Deadline,
    ) -> Result<RequestRecipient> {
        self.0.state(window, deadline).map(|_| RequestRecipient::WindowManager)
    }
}

impl Clipboard for NoOp<Box<dyn Clipboard>> {
    fn desktop_id(&self) -> String {
        self.0.desktop_id()
    }

    fn contents(&self, selection: Selection, deadline: Deadline) -> Result<ClipboardContents> {
        self.0.contents(selection, deadline)
    }

    fn read(
        &self,
        selection: Selection,
        format: &str,
        deadline: Deadline,
    ) -> Result<Option<Vec<u8>>> {
        self.0.read(selection, format, deadline)
    }

    fn write(
        &self,
        _: Selection,
        _: Vec<ClipboardItem>,
        _: Sensitivity,
        _: Deadline,
    ) -> Result<()> {
        Ok(())
    }

    fn clear(&self, _: Selection, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn watch(&self, selection: Selection, deadline: Deadline) -> Result<Box<dyn ClipboardChanges>> {
        self.0.watch(selection, deadline)
    }
}

impl Screen for NoOp<Box<dyn Screen>> {
    fn displays(&self, deadline: Deadline) -> Result<Vec<Display>> {
        let mut all = self.0.displays(deadline)?;
        for display in &mut all {
            display.work_area = Rect::new(0, 0, 0, 0);
        }
        Ok(all)
    }

    fn pixel(&self, x: i32, y: i32, deadline: Deadline) -> Result<[u8; 3]> {
        self.0.pixel(x, y, deadline)
    }

    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)> {
        self.0.pointer_position(deadline)
    }

    fn capture(&self, of: CaptureTarget, deadline: Deadline) -> Result<Pixels> {
        let mut pixels = self.0.capture(of, deadline)?;
        pixels.data.fill(0);
        Ok(pixels)
    }

    fn capture_with_windows(
        &self,
        of: CaptureTarget,
        deadline: Deadline,
    ) -> Result<(Pixels, Option<Vec<VisibleWindow>>)> {
        self.0.capture_with_windows(of, deadline)
    }
}
