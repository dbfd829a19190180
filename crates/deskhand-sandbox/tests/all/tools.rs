//! Everyday tools work in a scope.

use std::{error::Error, fs};

use crate::bench::Bench;
use deskhand_sandbox::{Ended, How};

type Outcome = Result<(), Box<dyn Error>>;

fn works(text: &str, wanted: &str) -> Result<Bench, Box<dyn Error>> {
    let bench = Bench::new(How::Kernel)?;
    let (ended, said) = bench.run(text)?;
    assert_eq!(ended, Ended::Exit(0), "{said}");
    assert!(said.contains(wanted), "{said}");
    Ok(bench)
}

#[test]
fn git_commits() -> Outcome {
    let bench = works(
        "set -e; git init -q .; echo x > file; git add file\n\
         git -c user.name=Ann -c user.email=ann@example.org commit -qm first; git log --oneline; git status -s",
        "first",
    )?;
    assert!(bench.scope.join(".git/HEAD").exists());
    Ok(())
}

#[test]
fn cargo_builds() -> Outcome {
    let bench = works(
        "set -e; cargo init -q --vcs none --name small .; cargo build -q --offline; ./target/debug/small",
        "Hello, world!",
    )?;
    assert!(bench.scope.join("target/debug/small").exists());
    Ok(())
}

#[test]
fn npm_runs_a_script() -> Outcome {
    works(
        "set -e; echo '{\"scripts\": {\"hi\": \"node -p 6*7\"}}' > package.json; npm run --silent hi",
        "42",
    )?;
    Ok(())
}

#[test]
fn python_make_and_pipelines_work() -> Outcome {
    let bench = works(
        "set -e\npython3 - <<'END'\nimport subprocess, multiprocessing, tempfile\n\
         print(subprocess.check_output(['echo', 'from python']).decode())\n\
         tempfile.NamedTemporaryFile().write(b'x'); multiprocessing.Lock()\nEND\n\
         printf 'all:\\n\\t@echo made | tee made\\n' > Makefile; make\n\
         seq 9 | grep -v 5 | sort -r | head -2 > /dev/null; yes | head -1 > yes",
        "from python",
    )?;
    assert_eq!(fs::read_to_string(bench.scope.join("made"))?, "made\n");
    Ok(())
}
