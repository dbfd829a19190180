//! Interactive programs on terminals in the sandbox.

use std::{
    error::Error as Fault,
    time::{Duration, Instant},
};

use crate::fixture::{Fixture, NEVER_STOP, TestResult, count_processes, test_deadline, wait_until};
use deskhand_run::{
    CommandSession, Error, TerminalSize,
    operation::ExitReason,
    terminal::{
        EchoMode, Input, ReadFormat, ReadRequest, ReadResult, Terminal, TerminalRequest,
        WaitCondition, WaitEnd,
    },
};

fn opening(words: &[&str]) -> TerminalRequest {
    TerminalRequest {
        command: words.iter().map(|&word| word.to_owned()).collect(),
        folder: "".into(),
        size: TerminalSize { rows: 24, columns: 80 },
    }
}

fn text(text: &str) -> Input {
    Input::Text(text.to_owned())
}

fn key(name: &str) -> Input {
    Input::Key(name.to_owned())
}

fn read(terminal: &Terminal, format: ReadFormat, wait: &WaitCondition) -> ReadResult {
    terminal.read(ReadRequest { format, max_bytes: 64 << 10 }, wait, test_deadline(), NEVER_STOP)
}

/// Waits for a pattern and returns the new output.
fn wait_for_pattern(terminal: &Terminal, pattern: &str) -> Result<String, Box<dyn Fault>> {
    let shown = read(terminal, ReadFormat::New, &WaitCondition::pattern(pattern)?);
    if shown.wait_end == WaitEnd::Matched {
        return Ok(shown.text);
    }
    Err(format!("`{pattern}` is not in {shown:?}").into())
}

fn type_line(terminal: &Terminal, line: &str) -> TestResult {
    let sent = terminal.send(&[text(line), key("Enter")])?;
    assert_eq!((sent.sent_bytes, sent.unsent_bytes), (line.len() + 1, 0));
    Ok(())
}

#[test]
fn python_session_works() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let python = session.open_terminal(opening(&["python3", "-q"]))?;
    wait_for_pattern(&python, "^>>> $")?;
    type_line(&python, "6 * 7")?;
    assert!(wait_for_pattern(&python, "^>>> $")?.contains("\n42\n"));
    type_line(&python, "open('made', 'w').write('by python')")?;
    wait_for_pattern(&python, "^>>> $")?;
    assert_eq!(std::fs::read_to_string(fixture.scope.join("made"))?, "by python");
    type_line(&python, "import time; print('be' + 'gun'); time.sleep(1000)")?;
    wait_for_pattern(&python, "^begun$")?;
    python.send(&[key("Ctrl+C")])?;
    assert!(wait_for_pattern(&python, "^>>> $")?.contains("KeyboardInterrupt"));
    type_line(&python, "exit(5)")?;
    assert!(wait_until(|| python.exit() == Some(ExitReason::Exit(5))));
    let last = read(&python, ReadFormat::New, &WaitCondition::Quiet(Duration::from_secs(9)));
    assert_eq!((last.wait_end, last.exit), (WaitEnd::ProgramEnded, Some(ExitReason::Exit(5))));
    let refused = python.send(&[text("x")]);
    assert!(matches!(refused, Err(Error::TerminalEnded { .. })), "{refused:?}");
    Ok(())
}

#[test]
fn password_prompt_has_no_echo() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let script = "import getpass; print(len(getpass.getpass('Secret: ')))";
    let terminal = session.open_terminal(opening(&["python3", "-c", script]))?;
    assert_eq!(wait_for_pattern(&terminal, "Secret: $")?, "Secret: ");
    assert_eq!(terminal.echo(), EchoMode::Hidden);
    type_line(&terminal, "hunter2")?;
    let shown = read(&terminal, ReadFormat::New, &WaitCondition::pattern("^7$")?);
    assert_eq!(shown.text.trim(), "7");
    let all = read(&terminal, ReadFormat::All, &WaitCondition::None).text;
    assert!(all.starts_with("Secret: ") && !all.contains("hunter2"), "{all}");
    Ok(())
}

#[test]
fn shell_knows_its_terminal_and_its_size() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let shell = session.open_terminal(opening(&["bash", "--norc"]))?;
    wait_for_pattern(&shell, "[#$] $")?;
    type_line(&shell, "read -p 'Your name? ' name; echo \"Hello, $name.\"")?;
    wait_for_pattern(&shell, r"^Your name\? $")?;
    assert_eq!(shell.echo(), EchoMode::Echoed);
    type_line(&shell, "Ann")?;
    assert!(wait_for_pattern(&shell, "[#$] $")?.contains("Hello, Ann.\n"));
    type_line(&shell, "tty; stty size; trap 'echo resized' WINCH")?;
    let output = wait_for_pattern(&shell, r"^24 80\n[^\n]*[#$] $")?;
    assert!(output.contains("/dev/pts/"), "{output}");
    shell.resize(TerminalSize { rows: 50, columns: 132 })?;
    type_line(&shell, "stty size; pwd")?;
    // The time of the `resized` line and of a new prompt depends on the shell.
    let output = wait_for_pattern(&shell, r"^50 132\n(?s:.*)[#$] $")?;
    assert!(!output.contains("24 80"), "{output}");
    // The foreground program prints `begun` itself, because before that the key would go to the shell. `exec` keeps it
    // one process: a shell that is starting another waits in the kernel and does not stop.
    type_line(&shell, "sh -c \"echo be''gun; exec sleep 1000\"")?;
    wait_for_pattern(&shell, "^begun$")?;
    shell.send(&[key("Ctrl+Z")])?;
    wait_for_pattern(&shell, "Stopped")?;
    Ok(())
}

#[test]
fn pager_is_read_as_a_screen_and_controlled_by_keys() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let lines: String = (1..=200).map(|line| format!("line {line}\n")).collect();
    std::fs::write(fixture.scope.join("long"), lines)?;
    let less = session.open_terminal(opening(&["less", "long"]))?;
    let screen = |wanted: &str| -> Result<Vec<String>, Box<dyn Fault>> {
        let by = test_deadline();
        loop {
            let shown = read(&less, ReadFormat::Screen, &WaitCondition::None);
            let screen = shown.screen.ok_or("no screen")?;
            if screen.lines.first().is_some_and(|first| first == wanted) {
                assert!(screen.alternate_screen);
                return Ok(screen.lines);
            }
            if Instant::now() > by {
                return Err(format!("{:?}", screen.lines).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    assert_eq!(screen("line 1")?.len(), 24);
    less.send(&[key("Down")])?;
    screen("line 2")?;
    less.send(&[key("PageDown")])?;
    screen("line 25")?;
    less.send(&[key("End")])?;
    assert_eq!(screen("line 178")?.get(22).map(String::as_str), Some("line 200"));
    less.send(&[text("q")])?;
    assert!(wait_until(|| less.exit() == Some(ExitReason::Exit(0))));
    Ok(())
}

#[test]
fn escape_sequences_are_removed_on_request_and_output_is_limited() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let colour = "printf '\\033[31mr\\303\\266d\\033[0m\\n'";
    let terminal = session.open_terminal(opening(&["sh", "-c", colour]))?;
    assert!(wait_until(|| terminal.exit().is_some()));
    assert_eq!(
        read(&terminal, ReadFormat::Raw, &WaitCondition::None).text,
        "\x1b[31mröd\x1b[0m\r\n"
    );
    assert_eq!(read(&terminal, ReadFormat::New, &WaitCondition::None).text, "");
    assert_eq!(read(&terminal, ReadFormat::All, &WaitCondition::None).text, "röd\n");
    let terminal = session.open_terminal(opening(&["seq", "1000001", "1200000"]))?;
    assert!(wait_until(|| terminal.exit().is_some()));
    let shown = read(&terminal, ReadFormat::New, &WaitCondition::None);
    assert!(shown.text.ends_with("1200000\n") && shown.text.len() <= 64 << 10);
    assert_eq!(shown.omitted, 9 * 200_000 - (64 << 10));
    Ok(())
}

#[test]
fn wait_ends_after_silence_at_the_deadline_and_on_request() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let text = "echo one; sleep 0.05; echo two; sleep 1000";
    let terminal = session.open_terminal(opening(&["sh", "-c", text]))?;
    let shown = read(&terminal, ReadFormat::New, &WaitCondition::Quiet(Duration::from_millis(400)));
    assert_eq!((shown.text.as_str(), shown.wait_end), ("one\ntwo\n", WaitEnd::Quiet));
    let quiet = WaitCondition::Quiet(Duration::from_millis(1));
    let reading = ReadRequest { format: ReadFormat::New, max_bytes: 999 };
    let soon = Instant::now() + Duration::from_millis(50);
    assert_eq!(terminal.read(reading, &quiet, soon, NEVER_STOP).wait_end, WaitEnd::TimedOut);
    let unwanted = terminal.read(reading, &quiet, test_deadline(), &|| true);
    assert_eq!(unwanted.wait_end, WaitEnd::Cancelled);
    assert!(matches!(WaitCondition::pattern("("), Err(Error::InvalidPattern { .. })));
    Ok(())
}

#[test]
fn terminals_are_limited_and_end_with_their_session() -> TestResult {
    let fixture = Fixture::with(|config| config.max_terminals = 2)?;
    let word = format!("terminal-{}", std::process::id());
    let stubborn_script =
        format!("trap '' HUP TERM; (setsid sh -c 'sleep 1000; :' {word} &); sleep 1000");
    let open =
        |session: &CommandSession| session.open_terminal(opening(&["sh", "-c", &stubborn_script]));
    let session = fixture.open()?;
    let (first, second) = (open(&session)?, open(&session)?);
    assert!(matches!(open(&session), Err(Error::TooManyTerminals { open: 2 })));
    assert!(wait_until(|| count_processes(&word) >= 4));
    session.close_terminal(first.id())?;
    assert!(session.terminal(first.id()).is_err());
    assert_eq!(session.terminals().len(), 1);
    assert!(first.exit().is_some());
    open(&session)?;
    drop(session);
    assert!(wait_until(|| count_processes(&word) == 0), "{}", count_processes(&word));
    assert!(second.exit().is_some());
    Ok(())
}

#[test]
fn idle_terminal_is_closed() -> TestResult {
    let fixture =
        Fixture::with(|config| config.terminal_idle_timeout = Duration::from_millis(100))?;
    let session = fixture.open()?;
    let terminal = session.open_terminal(opening(&["yes"]))?;
    assert!(wait_until(|| terminal.exit() == Some(ExitReason::Signal(9))));
    Ok(())
}

#[test]
fn send_returns_if_the_program_does_not_read() -> TestResult {
    let fixture = Fixture::new()?;
    let session = fixture.open()?;
    let terminal =
        session.open_terminal(opening(&["sh", "-c", "stty raw; echo on; sleep 1000"]))?;
    wait_for_pattern(&terminal, "on")?;
    let much = "x".repeat(1 << 20);
    let sent = terminal.send(&[text(&much)])?;
    assert!(sent.unsent_bytes > 0 && sent.sent_bytes + sent.unsent_bytes == much.len(), "{sent:?}");
    Ok(())
}
