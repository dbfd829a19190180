//! Common tools work in a sandbox.

use std::{error::Error, fs};

use crate::fixture::TestSandbox;
use deskhand_sandbox::{Enforcement, ExitReason};

type TestResult = Result<(), Box<dyn Error>>;

fn run_ok(text: &str, wanted: &str) -> Result<TestSandbox, Box<dyn Error>> {
    let fixture = TestSandbox::new(Enforcement::Kernel)?;
    let (exit, output_text) = fixture.run(text)?;
    assert_eq!(exit, ExitReason::Exit(0), "{output_text}");
    assert!(output_text.contains(wanted), "{output_text}");
    Ok(fixture)
}

#[test]
fn git_commits() -> TestResult {
    let fixture = run_ok(
        "set -e; git init -q .; echo x > file; git add file\n\
         git -c user.name=Ann -c user.email=ann@example.org commit -qm first; git log --oneline; git status -s",
        "first",
    )?;
    assert!(fixture.scope.join(".git/HEAD").exists());
    Ok(())
}

#[test]
fn cargo_builds() -> TestResult {
    let fixture = run_ok(
        "set -e; cargo init -q --vcs none --name small .; cargo build -q --offline; ./target/debug/small",
        "Hello, world!",
    )?;
    assert!(fixture.scope.join("target/debug/small").exists());
    Ok(())
}

#[test]
fn npm_runs_a_script() -> TestResult {
    run_ok(
        "set -e; echo '{\"scripts\": {\"hi\": \"node -p 6*7\"}}' > package.json; npm run --silent hi",
        "42",
    )?;
    Ok(())
}

#[test]
fn python_make_and_pipelines_work() -> TestResult {
    let fixture = run_ok(
        "set -e\npython3 - <<'END'\nimport subprocess, multiprocessing, tempfile\n\
         print(subprocess.check_output(['echo', 'from python']).decode())\n\
         tempfile.NamedTemporaryFile().write(b'x'); multiprocessing.Lock()\nEND\n\
         printf 'all:\\n\\t@echo made | tee made\\n' > Makefile; make\n\
         seq 9 | grep -v 5 | sort -r | head -2 > /dev/null; yes | head -1 > yes",
        "from python",
    )?;
    assert_eq!(fs::read_to_string(fixture.scope.join("made"))?, "made\n");
    Ok(())
}
