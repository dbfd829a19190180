//! Where the kernel does not give what is needed, nothing runs, and it is said why.

use std::{error::Error, process::Command};

use crate::bench::Bench;
use deskhand_sandbox::{Ended, How, Request};

type Outcome = Result<(), Box<dyn Error>>;

#[test]
fn without_user_namespaces_nothing_runs_and_the_switch_is_named() -> Outcome {
    let scope = tempfile::tempdir()?;
    let server = crate::bench::broker()?.program;
    let none = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let tried = |how: &str| {
        let text = "echo ran > ran";
        Command::new("unshare")
            .args(["-Ur", "sh", "-c", none, "sh"])
            .arg(&server)
            .args([how, &scope.path().to_string_lossy(), text])
            .output()
    };
    let done = tried("kernel")?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && !scope.path().join("ran").exists(), "{said}");
    assert!(said.contains("Unenforced") && said.contains("max_user_namespaces"), "{said}");
    // Knowingly without, it runs.
    let done = tried("none")?;
    assert!(done.status.success() && scope.path().join("ran").exists(), "{done:?}");
    Ok(())
}

#[test]
fn a_sandbox_in_a_sandbox_is_noticed() -> Outcome {
    let server = crate::bench::broker()?.program;
    let folder = server.parent().ok_or("no folder")?.to_owned();
    let bench = Bench::planned(How::Kernel, |plan| plan.readable.push(folder))?;
    let text = format!("{} kernel $PWD 'echo ran > ran'", server.display());
    let (ended, said) = bench.run(&text)?;
    assert!(ended != Ended::Exit(0) && said.contains("Nested"), "{ended:?} {said}");
    assert!(!bench.scope.join("ran").exists());
    let (ended, said) = bench.run(&text.replace("kernel", "none"))?;
    assert!(ended == Ended::Exit(0) && bench.scope.join("ran").exists(), "{ended:?} {said}");
    Ok(())
}

#[test]
fn a_cell_takes_one_program() -> Outcome {
    let bench = Bench::new(How::Kernel)?;
    let cell = bench.sandbox.cell()?;
    let request =
        Request { program: "true".to_owned(), folder: bench.scope.clone(), ..Request::default() };
    let null = std::fs::File::open("/dev/null")?;
    let streams = || [&null, &null, &null].map(std::os::fd::AsFd::as_fd);
    cell.begin(&request, streams())?;
    assert!(cell.begin(&request, streams()).is_err());
    assert_eq!(cell.wait()?, Ended::Exit(0));
    Ok(())
}
