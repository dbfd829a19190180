//! The part of the demo that runs inside the private desktop.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::demo::progress::ProgressLog;
use crate::demo::screen::Screen;
use crate::demo::server::Server;
use crate::demo::user::{User, UserState};
use crate::demo::wait_for;
use crate::error::{Error, Result};
use crate::process;

const CALCULATOR: &str = "gnome-calculator";
const EDITOR: &str = "mousepad";
const FACTORS: (u32, u32) = (12, 34);
const LAST_LINE: &str = "Calculated and saved in the background.\n";

/// Calculates in one app, writes the result with another and saves it, while a user types into a third.
/// Every effect is compared with the file on disk or the X server.
pub(crate) fn run_script(deskhand: &Path, out: &Path) -> Result<()> {
    let progress = ProgressLog::start();
    // The private desktop has a separate home folder, which is deleted with it.
    let home = std::env::var_os("HOME").map_or_else(|| out.to_owned(), PathBuf::from);
    let screen = Screen::open()?;
    for (app, position) in [(CALCULATOR, ["30", "40"]), (EDITOR, ["440", "40"])] {
        open(deskhand, app, position, &progress)?;
    }
    let mut user = User::start(&home)?;
    let before = UserState::read()?;
    progress.print("a user types into xterm, which has the keyboard focus (xdotool)");

    let server = Server::start(deskhand, &out.join("demo-server.log"))?;
    let mut agent = Agent { server, user: before, progress, calls: 0 };
    let result = calculate(&mut agent)?;
    let line = format!("{} × {} = {result}\n", FACTORS.0, FACTORS.1);
    let file = home.join("letter.txt");
    write_letter(&mut agent, &line, &file)?;

    let picture = out.join("demo.png");
    let shot = screen.save(&picture)?;
    if shot.colours < 16 {
        return Err(Error::Demo { problem: format!("a blank screen: {} colours", shot.colours) });
    }
    let Agent { user: before, progress, calls, .. } = agent;
    let typed = user.finish()?;
    progress.print(&format!("the user's file has all {typed} characters that the user typed"));
    progress.print(&format!("screenshot: out/demo.png ({}×{})", shot.width, shot.height));
    println!(
        "verified: {calls} actions confirmed, the saved file is correct, and the user's focus ({}), \
         pointer and typed text are unchanged",
        before.focus
    );
    Ok(())
}

/// Opens an app and moves its window, so that the screenshot shows all windows.
fn open(deskhand: &Path, app: &str, position: [&str; 2], progress: &ProgressLog) -> Result<()> {
    let reply = process::output(Command::new(deskhand).args(["open", app]))?;
    let effect = reply.split_whitespace().next().unwrap_or_default();
    require_confirmed(effect, &format!("open {app}"), &reply)?;
    process::output(Command::new(deskhand).args(["window", "move", app]).args(position))?;
    progress.print(&format!("deskhand open {app}: {effect}"));
    Ok(())
}

/// Multiplies the factors with the calculator's buttons, and returns the number it shows.
fn calculate(agent: &mut Agent) -> Result<String> {
    for key in format!("{}×{}=", FACTORS.0, FACTORS.1).chars() {
        let query = format!("role:button title:\"{key}\"");
        agent.act("ax_click", &json!({ "app": CALCULATOR, "query": query }))?;
    }
    let expected = (FACTORS.0 * FACTORS.1).to_string();
    let shown =
        agent.server.call("ax_get_value", &json!({ "app": CALCULATOR, "query": "(//text)[1]" }))?;
    let shown = shown["value"].as_str().unwrap_or_default();
    if shown != expected {
        let problem = format!("the calculator shows {shown:?} instead of {expected:?}");
        return Err(Error::Demo { problem });
    }
    agent
        .progress
        .print(&format!("ax_get_value: the calculator shows {shown}, as calculated here"));
    Ok(expected)
}

/// Types the letter, saves it under a new name, adds a line and saves it again.
fn write_letter(agent: &mut Agent, first_line: &str, file: &Path) -> Result<()> {
    let text = |text: &str| json!({ "app": EDITOR, "query": "role:text", "text": text });
    let click = |query: &str| json!({ "app": EDITOR, "query": query });
    let path = file.display().to_string();
    agent.act("ax_type", &text(first_line))?;
    agent.act("ax_click", &click("role:menuitem title:\"Save As...\""))?;
    let name = json!({ "app": EDITOR, "query": "//file-chooser//textbox", "value": path });
    agent.act("ax_set_value", &name)?;
    agent.act("ax_click", &click("//file-chooser//button[@title='Save']"))?;
    agent.compare(file, first_line)?;
    agent.act("ax_type", &text(LAST_LINE))?;
    agent.act("ax_click", &click("role:menuitem title:Save"))?;
    agent.compare(file, &format!("{first_line}{LAST_LINE}"))
}

/// An MCP client whose actions must be confirmed and must not disturb the user.
struct Agent {
    server: Server,
    user: UserState,
    progress: ProgressLog,
    calls: usize,
}

impl Agent {
    /// Calls a tool, requires a confirmed effect, and compares the user's focus and pointer.
    fn act(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let reply = self.server.call(tool, arguments)?;
        let call = describe_call(tool, arguments);
        let effect = reply["effect"].as_str().unwrap_or_default();
        require_confirmed(effect, &call, &reply.to_string())?;
        UserState::read()?.must_equal(&self.user)?;
        self.calls += 1;
        self.progress.print(&format!("{call}: {effect}; focus still in xterm"));
        Ok(())
    }

    /// Waits until the file has exactly this content.
    fn compare(&self, file: &Path, expected: &str) -> Result<()> {
        let what = format!("{} with the text {expected:?}", file.display());
        wait_for(&what, || match fs::read(file) {
            Ok(bytes) => Ok((bytes == expected.as_bytes()).then_some(())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(file)(error)),
        })?;
        self.progress
            .print(&format!("letter.txt on disk has exactly the {} bytes", expected.len()));
        Ok(())
    }
}

fn require_confirmed(effect: &str, call: &str, reply: &str) -> Result<()> {
    if effect == "confirmed" {
        return Ok(());
    }
    Err(Error::Demo { problem: format!("{call} was not confirmed: {reply}") })
}

/// Returns the call in one line: the tool, the app, and the query and text if there are any.
fn describe_call(tool: &str, arguments: &Value) -> String {
    let words = ["app", "query", "text"].into_iter().filter_map(|name| arguments[name].as_str());
    let words: Vec<String> = words.map(|word| word.trim_end().to_owned()).collect();
    format!("{tool} {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_confirmed_effect_is_accepted() {
        assert!(require_confirmed("confirmed", "ax_click", "").is_ok());
        for effect in ["partial", "unverified", "no_effect", "refused", ""] {
            let error = require_confirmed(effect, "ax_click OK", "the reply").unwrap_err();
            let expected = "the demo failed: ax_click OK was not confirmed: the reply";
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn call_is_described_in_one_line() {
        let arguments = json!({ "app": "mousepad", "query": "role:text", "text": "Hello\n" });
        assert_eq!(describe_call("ax_type", &arguments), "ax_type mousepad role:text Hello");
    }
}
