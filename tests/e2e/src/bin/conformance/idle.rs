//! A desktop that says yes and does nothing: every check of an effect must see through it.

use deskhand_linux::open;
use deskhand_model::{Rect, Window};
use deskhand_platform::{
    Arrange, Asked, Capture, Changes, Clipboard, Contents, Deadline, Desktop, Display, Item, Mark,
    Owner, Pixels, Result, Screen, Selection, Shown, Whose, WindowState, Windows,
};

/// The desktop this process runs on, with windows, a clipboard and a screen that only pretend.
pub(crate) fn pretended() -> Result<Desktop> {
    let desktop = open()?;
    Ok(Desktop {
        windows: desktop.windows.map(|real| Box::new(Idle(real)) as _),
        clipboard: desktop.clipboard.map(|real| Box::new(Idle(real)) as _),
        screen: desktop.screen.map(|real| Box::new(Idle(real)) as _),
        ..desktop
    })
}

/// Looks as something real does, and changes nothing.
struct Idle<T>(T);

impl Windows for Idle<Box<dyn Windows>> {
    fn list(&self, by: Deadline) -> Result<Vec<Window>> {
        self.0.list(by)
    }

    fn state(&self, window: u64, by: Deadline) -> Result<WindowState> {
        self.0.state(window, by)
    }

    fn owners(&self, of: Whose, by: Deadline) -> Result<Vec<Owner>> {
        self.0.owners(of, by)
    }

    fn shown(&self, by: Deadline) -> Result<Vec<Shown>> {
        self.0.shown(by)
    }

    fn arrange(&self, window: u64, _: Arrange, by: Deadline) -> Result<Asked> {
        self.0.state(window, by).map(|_| Asked::Manager)
    }
}

impl Clipboard for Idle<Box<dyn Clipboard>> {
    fn desktop(&self) -> String {
        self.0.desktop()
    }

    fn look(&self, at: Selection, by: Deadline) -> Result<Contents> {
        self.0.look(at, by)
    }

    fn read(&self, at: Selection, form: &str, by: Deadline) -> Result<Option<Vec<u8>>> {
        self.0.read(at, form, by)
    }

    fn write(&self, _: Selection, _: Vec<Item>, _: Mark, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn clear(&self, _: Selection, _: Deadline) -> Result<()> {
        Ok(())
    }

    fn watch(&self, at: Selection, by: Deadline) -> Result<Box<dyn Changes>> {
        self.0.watch(at, by)
    }
}

impl Screen for Idle<Box<dyn Screen>> {
    fn displays(&self, by: Deadline) -> Result<Vec<Display>> {
        let mut all = self.0.displays(by)?;
        for display in &mut all {
            display.work_area = Rect::new(0, 0, 0, 0);
        }
        Ok(all)
    }

    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]> {
        self.0.pixel(x, y, by)
    }

    fn cursor(&self, by: Deadline) -> Result<(i32, i32)> {
        self.0.cursor(by)
    }

    fn capture(&self, of: Capture, by: Deadline) -> Result<Pixels> {
        let mut picture = self.0.capture(of, by)?;
        picture.data.fill(0);
        Ok(picture)
    }

    fn capture_among(&self, of: Capture, by: Deadline) -> Result<(Pixels, Option<Vec<Shown>>)> {
        self.0.capture_among(of, by)
    }
}
