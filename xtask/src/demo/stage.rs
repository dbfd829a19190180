//! The part of the demo that runs inside the private desktop.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::demo::hand::{Hand, strings, until};
use crate::demo::screen::Screen;
use crate::demo::story::Story;
use crate::error::{Error, Result};

const TEXT: &str = "Deskhand reads what is on the screen.\nThis line came from a file.";
const FILE: &str = "hello.txt";
/// How long a small app may take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Opens a file in a real editor, reads the editor through Deskhand, compares with the truth.
pub(crate) fn stage(deskhand: &Path, out: &Path) -> Result<()> {
    let story = Story::begin();
    let hand = Hand::new(deskhand);
    let screen = Screen::open()?;
    story.tell("on a private desktop of our own");

    // The private desktop has a home of its own, which goes with it.
    let home = std::env::var_os("HOME").map_or_else(|| out.to_owned(), std::path::PathBuf::from);
    let file = home.join(FILE);
    fs::write(&file, TEXT).map_err(Error::file(&file))?;
    let _editor = App::start("mousepad", &file)?;
    let title = until("the editor's window", PATIENCE, || {
        Ok(screen.titles()?.into_iter().find(|title| title.contains(FILE)))
    })?;
    story.tell(&format!("mousepad opened {FILE}; X calls its window \"{title}\""));

    until("the editor on the accessibility bus", PATIENCE, || {
        let apps = hand.ask(&["apps"])?;
        Ok(strings(&apps, "name").into_iter().any(is_editor).then_some(()))
    })?;
    story.tell("deskhand apps");
    story.quote(&hand.say(&["apps"])?, 5);

    let start = Instant::now();
    let outline = hand.say(&["tree", "--app", "mousepad"])?;
    story.tell(&format!("deskhand tree --app mousepad ({} ms)", start.elapsed().as_millis()));
    story.quote(&outline, 20);

    let menu = ["find", "role:menu title:Edit", "--app", "mousepad"];
    let found = hand.say(&menu)?;
    story.tell("deskhand find 'role:menu title:Edit' --app mousepad");
    story.quote(&found, 5);

    let windows = hand.ask(&["windows"])?;
    expect("the window's title", &title, &strings(&windows, "title"))?;
    story.tell("the window's title is what X says");

    let text = hand.ask(&["attributes", "role:text", "--app", "mousepad"])?;
    expect("the text in the editor", TEXT, &strings(&text, "value"))?;
    story.tell("the text in the editor is what the file says");

    let picture = out.join("demo.png");
    let shot = screen.save(&picture)?;
    if shot.colours < 16 {
        return Err(Error::Demo { problem: format!("a blank screen: {} colours", shot.colours) });
    }
    story.tell(&format!("screenshot: out/demo.png ({}×{})", shot.width, shot.height));
    println!("verified: window title and text read through Deskhand equal the app's own");
    Ok(())
}

fn is_editor(name: &str) -> bool {
    name.eq_ignore_ascii_case("mousepad")
}

fn expect(what: &str, truth: &str, read: &[&str]) -> Result<()> {
    if read.contains(&truth) {
        return Ok(());
    }
    Err(Error::Demo { problem: format!("{what} is {truth:?}, but Deskhand read {read:?}") })
}

/// A program that ends with the demo.
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
        // An editor that has ended already is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lie_is_told_with_both_sides() {
        let error = expect("the title", "true", &["false"]).unwrap_err().to_string();
        assert!(error.contains("\"true\"") && error.contains("[\"false\"]"), "{error}");
        assert!(expect("the title", "true", &["other", "true"]).is_ok());
    }
}
