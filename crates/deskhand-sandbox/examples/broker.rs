//! The broker process for the tests. With the arguments ENFORCEMENT SCOPE SCRIPT it is a server that runs the
//! script and waits for its end.

use deskhand_sandbox::{BrokerCommand, Enforcement, Plan, Sandbox, Script};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [enforcement, scope, text] = &words[..] else { deskhand_sandbox::run_broker() };
    let enforcement = if enforcement == "kernel" { Enforcement::Kernel } else { Enforcement::None };
    let broker_command =
        BrokerCommand { program: std::env::current_exe()?, argument: "broker".to_owned() };
    let sandbox = Sandbox::open(&Plan::new(scope.as_ref())?, enforcement, &broker_command)?;
    let script = Script { text: text.clone(), folder: scope.into(), ..Script::default() };
    let (container, _output) = sandbox.shell()?.run(&script)?;
    container.wait()?;
    Ok(())
}
