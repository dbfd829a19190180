//! Runs commands in the sandbox, which can change only one folder, and uses the clipboard.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::{error::Error, fs};

use deskhand::Session;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    // The sandbox and the clipboard start this program again.
    deskhand::run_helper_process_if_requested();
    let scope = tempfile::tempdir()?;
    let outside = tempfile::tempdir()?;
    let session = Session::builder().private().command_scope(scope.path()).open()?;

    let output = session.run_command("echo hi | tee greeting.txt; exit 3")?;
    println!("exit code {:?}, output {:?}", output.exit_code, output.output);
    if output.exit_code != Some(3) || output.output != "hi\n" {
        return Err("the command did not run".into());
    }
    if fs::read_to_string(scope.path().join("greeting.txt"))? != "hi\n" {
        return Err("the command did not write its file".into());
    }

    let forbidden = outside.path().join("file");
    let output = session.run_command(&format!("echo no > {}", forbidden.display()))?;
    println!("outside of the scope: {}", output.output.trim());
    if output.succeeded() || forbidden.exists() {
        return Err("the command wrote outside of its scope".into());
    }

    session.call("clipboard_write", json!({ "text": "copied" }))?;
    let clipboard = session.call("clipboard_read", json!({}))?;
    println!("clipboard: {}", clipboard.text.trim());
    if clipboard.data["text"] != "copied" {
        return Err("the clipboard does not contain the text".into());
    }
    session.close()?;
    Ok(())
}
