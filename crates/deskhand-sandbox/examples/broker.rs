//! A broker for the tests; given a folder and a script, a server that runs it and then waits.

use deskhand_sandbox::{Broker, How, Plan, Sandbox, Script};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [how, scope, text] = &words[..] else { deskhand_sandbox::broker() };
    let how = if how == "kernel" { How::Kernel } else { How::None };
    let by = Broker { program: std::env::current_exe()?, word: "broker".to_owned() };
    let sandbox = Sandbox::open(&Plan::new(scope.as_ref())?, how, &by)?;
    let script = Script { text: text.clone(), folder: scope.into(), ..Script::default() };
    let (cell, _output) = sandbox.shell()?.run(&script)?;
    cell.wait()?;
    Ok(())
}
