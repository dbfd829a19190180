//! The part of the demo that runs inside the private desktop.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::demo::binary::{Binary, strings, wait_for};
use crate::demo::progress::ProgressLog;
use crate::demo::screen::Screen;
use crate::error::{Error, Result};

const TEXT: &str = "Deskhand reads what is on the screen.\nThis line came from a file.";
const FILE: &str = "hello.txt";
/// Timeout for the start of an app: a small app on a slow machine.
const APP_START_TIMEOUT: Duration = Duration::from_secs(20);

/// Opens a file in an editor, reads the editor through Deskhand, and compares the result with the X server
/// and the file.
pub(crate) fn run_script(deskhand: &Path, out: &Path) -> Result<()> {
    let progress = ProgressLog::start();
    let binary = Binary::new(deskhand);
    let screen = Screen::open()?;
    progress.print("running on a private desktop");

    // The private desktop has a separate home folder, which is deleted with it.
    let home = std::env::var_os("HOME").map_or_else(|| out.to_owned(), std::path::PathBuf::from);
    let file = home.join(FILE);
    fs::write(&file, TEXT).map_err(Error::file(&file))?;
    let _editor = App::start("mousepad", &file)?;
    let title = wait_for("the editor's window", APP_START_TIMEOUT, || {
        Ok(screen.titles()?.into_iter().find(|title| title.contains(FILE)))
    })?;
    progress.print(&format!("mousepad opened {FILE}; X calls its window \"{title}\""));

    wait_for("the editor on the accessibility bus", APP_START_TIMEOUT, || {
        let apps = binary.json(&["apps"])?;
        Ok(strings(&apps, "name").into_iter().any(is_editor).then_some(()))
    })?;
    progress.print("deskhand apps");
    progress.quote(&binary.text(&["apps"])?, 5);

    let start = Instant::now();
    let outline = binary.text(&["tree", "--app", "mousepad"])?;
    progress.print(&format!("deskhand tree --app mousepad ({} ms)", start.elapsed().as_millis()));
    progress.quote(&outline, 20);

    let menu = ["find", "role:menu title:Edit", "--app", "mousepad"];
    let found = binary.text(&menu)?;
    progress.print("deskhand find 'role:menu title:Edit' --app mousepad");
    progress.quote(&found, 5);

    let windows = binary.json(&["windows"])?;
    expect("the window's title", &title, &strings(&windows, "title"))?;
    progress.print("the window title matches the X server");

    let text = binary.json(&["attributes", "role:text", "--app", "mousepad"])?;
    expect("the text in the editor", TEXT, &strings(&text, "value"))?;
    progress.print("the text in the editor matches the file");

    let picture = out.join("demo.png");
    let shot = screen.save(&picture)?;
    if shot.colours < 16 {
        return Err(Error::Demo { problem: format!("a blank screen: {} colours", shot.colours) });
    }
    progress.print(&format!("screenshot: out/demo.png ({}×{})", shot.width, shot.height));
    println!("verified: the window title and text that Deskhand read match the app");
    Ok(())
}

fn is_editor(name: &str) -> bool {
    name.eq_ignore_ascii_case("mousepad")
}

fn expect(what: &str, expected: &str, read: &[&str]) -> Result<()> {
    if read.contains(&expected) {
        return Ok(());
    }
    Err(Error::Demo { problem: format!("{what} is {expected:?}, but Deskhand read {read:?}") })
}

/// A program that is killed when dropped.
struct App(Child);

impl App {
    fn start(program: &str, file: &Path) -> Result<Self> {
        let child = Command::new(program)
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start { program: program.to_owned(), source })?;
        Ok(Self(child))
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // This fails if the program has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mismatch_shows_both_values() {
        let error = expect("the title", "true", &["false"]).unwrap_err().to_string();
        assert!(error.contains("\"true\"") && error.contains("[\"false\"]"), "{error}");
        assert!(expect("the title", "true", &["other", "true"]).is_ok());
    }
}
