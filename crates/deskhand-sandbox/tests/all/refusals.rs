//! If the kernel cannot enforce a sandbox, nothing runs and the error says why.

use std::{error::Error, process::Command};

use crate::fixture::TestSandbox;
use deskhand_sandbox::{Enforcement, ExitReason, Request};

type TestResult = Result<(), Box<dyn Error>>;

#[test]
fn without_user_namespaces_nothing_runs_and_the_error_names_the_switch() -> TestResult {
    let scope = tempfile::tempdir()?;
    let server = crate::fixture::broker()?.program;
    let none = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let tried = |enforcement: &str| {
        let text = "echo ran > ran";
        Command::new("unshare")
            .args(["-Ur", "sh", "-c", none, "sh"])
            .arg(&server)
            .args([enforcement, &scope.path().to_string_lossy(), text])
            .output()
    };
    let done = tried("kernel")?;
    let output_text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && !scope.path().join("ran").exists(), "{output_text}");
    assert!(
        output_text.contains("Unavailable") && output_text.contains("max_user_namespaces"),
        "{output_text}"
    );
    // Without enforcement it runs.
    let done = tried("none")?;
    assert!(done.status.success() && scope.path().join("ran").exists(), "{done:?}");
    Ok(())
}

#[test]
fn nested_sandbox_is_refused() -> TestResult {
    let server = crate::fixture::broker()?.program;
    let folder = server.parent().ok_or("no folder")?.to_owned();
    let fixture = TestSandbox::with_plan(Enforcement::Kernel, |plan| plan.readable.push(folder))?;
    let text = format!("{} kernel $PWD 'echo ran > ran'", server.display());
    let (exit, output_text) = fixture.run(&text)?;
    assert!(
        exit != ExitReason::Exit(0) && output_text.contains("Nested"),
        "{exit:?} {output_text}"
    );
    assert!(!fixture.scope.join("ran").exists());
    let (exit, output_text) = fixture.run(&text.replace("kernel", "none"))?;
    assert!(
        exit == ExitReason::Exit(0) && fixture.scope.join("ran").exists(),
        "{exit:?} {output_text}"
    );
    Ok(())
}

#[test]
fn container_takes_one_program() -> TestResult {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let container = fixture.sandbox.container()?;
    let request =
        Request { program: "true".to_owned(), folder: fixture.scope.clone(), ..Request::default() };
    let null = std::fs::File::open("/dev/null")?;
    let streams = || [&null, &null, &null].map(std::os::fd::AsFd::as_fd);
    container.start(&request, streams())?;
    assert!(container.start(&request, streams()).is_err());
    assert_eq!(container.wait()?, ExitReason::Exit(0));
    Ok(())
}
