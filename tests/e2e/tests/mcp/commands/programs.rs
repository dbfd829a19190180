//! Shell scripts, git, python, npm and cargo work inside the sandbox scope.

use harness::TestDesktop;
use serde_json::{Value, json};

use super::{Scope, output_of, run, start_client, start_client_with};

#[test]
fn shell_scripts_work_and_calls_share_no_state() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let here = output_of(&mut client, "cat > poem.txt <<'EOF'\nroses $are \"red\"\nEOF\npwd");
    assert_eq!(here.trim(), scope.path().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(scope.read("poem.txt"), "roses $are \"red\"\n");
    assert_eq!(
        output_of(&mut client, "printf 'b\\na\\nb\\n' | sort -u | tr -d '\\n'").trim(),
        "ab"
    );
    assert_eq!(
        output_of(&mut client, "echo lost > /dev/null; echo kept 2>/dev/null").trim(),
        "kept"
    );
    let merged = output_of(&mut client, "echo one; echo two >&2; echo three; echo four >&2");
    assert_eq!(merged.lines().collect::<Vec<_>>(), ["one", "two", "three", "four"]);
    // A call leaves no state for the next one.
    output_of(&mut client, "cd /usr; export LEFT=over; umask 000; alias ls=false");
    let next = output_of(&mut client, "echo \"${LEFT:-nothing}\"; pwd; umask");
    let next: Vec<&str> = next.lines().collect();
    assert_eq!((next[0], next[1]), ("nothing", here.trim()), "{next:?}");
    assert_ne!(next[2], "0000");
}

#[test]
fn failed_command_is_an_error_with_its_output() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client(&stage, &scope, &[]);
    let failing = "echo so far; echo so good >&2; exit 3";
    let synchronous = run(&mut client, failing);
    super::start_operation(&mut client, failing);
    let awaited = client.call("await", json!({ "tools": "sandboxed" }));
    let asynchronous = &awaited["structuredContent"]["ended"][0];
    for (result, data) in
        [(&synchronous, &synchronous["structuredContent"]), (&awaited, asynchronous)]
    {
        assert_eq!(result["isError"], true, "{result}");
        let expected = (&json!(3), &json!("failed"), "so far\nso good\n");
        let output = data["output"].as_str().unwrap();
        assert_eq!((&data["exit_code"], &data["status"], output), expected, "{data}");
        let content = result["content"].to_string();
        assert!(content.contains("so good") && content.contains("exit code 3"), "{content}");
    }
    let missing = run(&mut client, "no-such-program-anywhere");
    assert_eq!(missing["structuredContent"]["exit_code"], 127, "{missing}");
    let killed = run(&mut client, "kill -9 $$");
    assert_eq!(killed["isError"], true, "{killed}");
}

/// The folder of a toolchain that builds this project.
fn toolchain(variable: &str, folder: &str) -> String {
    let home = || std::env::var("HOME").unwrap();
    std::env::var(variable).unwrap_or_else(|_| format!("{}/{folder}", home()))
}

#[test]
fn git_python_npm_and_cargo_work_in_the_sandbox() {
    let stage = TestDesktop::new();
    let scope = Scope::new();
    let mut client = start_client_with(&stage, &scope, &[], |command| {
        command.env("CARGO_HOME", toolchain("CARGO_HOME", ".cargo"));
        command.env("RUSTUP_HOME", toolchain("RUSTUP_HOME", ".rustup"));
        command.env("PYENV_ROOT", toolchain("PYENV_ROOT", ".pyenv"));
        // No network is needed, and npm would check for its own updates.
        command.env("DESKHAND_COMMANDS_NETWORK", "off");
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO_TARGET_DIR");
    });
    output_of(
        &mut client,
        "git init -q . && echo text > file && git add file && \
         git -c user.name=Ann -c user.email=ann@example.org commit -q -m first",
    );
    assert_eq!(output_of(&mut client, "git log --format=%s").trim(), "first");
    assert!(scope.path().join(".git/HEAD").exists());
    let python = "python3 - <<'EOF'\nimport json, pathlib\n\
                  pathlib.Path('made.json').write_text(json.dumps({'sum': sum(range(10))}))\n\
                  print('written')\nEOF";
    assert_eq!(output_of(&mut client, python).trim(), "written");
    assert_eq!(scope.read("made.json"), "{\"sum\": 45}");
    let npm = "mkdir web && cd web && npm init -y >/dev/null && \
               npm pkg set scripts.hello='node -e \"console.log(6*7)\"' && npm run -s hello";
    assert_eq!(output_of(&mut client, npm).trim(), "42");
    let package: Value = serde_json::from_str(&scope.read("web/package.json")).unwrap();
    assert_eq!(package["name"], "web");
    let cargo = "cargo new -q --vcs none small && cd small && cargo build -q --offline && \
                 ./target/debug/small";
    assert_eq!(output_of(&mut client, cargo).trim(), "Hello, world!");
    assert!(scope.path().join("small/target/debug/small").exists());
}
