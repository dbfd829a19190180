//! Programs that ask, on terminals in the sandbox.

use std::{
    error::Error as Fault,
    time::{Duration, Instant},
};

use crate::place::{Outcome, Place, STAY, marked, patience, until};
use deskhand_run::{
    Error, Size, Workshop,
    operation::Ended,
    terminal::{Echo, Input, Opening, Reading, Shown, Stopped, Terminal, View, Wait},
};

fn opening(words: &[&str]) -> Opening {
    Opening {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        folder: "".into(),
        size: Size { rows: 24, columns: 80 },
    }
}

fn text(text: &str) -> Input {
    Input::Text(text.to_owned())
}

fn key(name: &str) -> Input {
    Input::Key(name.to_owned())
}

fn read(terminal: &Terminal, view: View, wait: &Wait) -> Shown {
    terminal.read(Reading { view, bytes: 64 << 10 }, wait, patience(), STAY)
}

/// What is new, once a pattern was seen in it.
fn seen(terminal: &Terminal, pattern: &str) -> Result<String, Box<dyn Fault>> {
    let shown = read(terminal, View::New, &Wait::pattern(pattern)?);
    if shown.stopped == Stopped::Seen {
        return Ok(shown.text);
    }
    Err(format!("`{pattern}` is not in {shown:?}").into())
}

fn type_line(terminal: &Terminal, line: &str) -> Outcome {
    let sent = terminal.send(&[text(line), key("Enter")])?;
    assert_eq!((sent.bytes, sent.left), (line.len() + 1, 0));
    Ok(())
}

#[test]
fn a_conversation_with_python() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let python = workshop.open_terminal(opening(&["python3", "-q"]))?;
    seen(&python, "^>>> $")?;
    type_line(&python, "6 * 7")?;
    assert!(seen(&python, "^>>> $")?.contains("\n42\n"));
    type_line(&python, "open('made', 'w').write('by python')")?;
    seen(&python, "^>>> $")?;
    assert_eq!(std::fs::read_to_string(place.scope.join("made"))?, "by python");
    type_line(&python, "import time; print('be' + 'gun'); time.sleep(1000)")?;
    seen(&python, "^begun$")?;
    python.send(&[key("Ctrl+C")])?;
    assert!(seen(&python, "^>>> $")?.contains("KeyboardInterrupt"));
    type_line(&python, "exit(5)")?;
    assert!(until(|| python.ended() == Some(Ended::Exit(5))));
    let last = read(&python, View::New, &Wait::Quiet(Duration::from_secs(9)));
    assert_eq!((last.stopped, last.ended), (Stopped::Ended, Some(Ended::Exit(5))));
    let refused = python.send(&[text("x")]);
    assert!(matches!(refused, Err(Error::TerminalEnded { .. })), "{refused:?}");
    Ok(())
}

#[test]
fn a_secret_is_asked_for_without_echo() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let script = "import getpass; print(len(getpass.getpass('Secret: ')))";
    let terminal = workshop.open_terminal(opening(&["python3", "-c", script]))?;
    assert_eq!(seen(&terminal, "Secret: $")?, "Secret: ");
    assert_eq!(terminal.echo(), Echo::Hidden);
    type_line(&terminal, "hunter2")?;
    let shown = read(&terminal, View::New, &Wait::pattern("^7$")?);
    assert_eq!(shown.text.trim(), "7");
    let all = read(&terminal, View::All, &Wait::Not).text;
    assert!(all.starts_with("Secret: ") && !all.contains("hunter2"), "{all}");
    Ok(())
}

#[test]
fn a_shell_asks_and_knows_its_terminal_and_its_size() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let shell = workshop.open_terminal(opening(&["bash", "--norc"]))?;
    seen(&shell, "[#$] $")?;
    type_line(&shell, "read -p 'Your name? ' name; echo \"Hello, $name.\"")?;
    seen(&shell, r"^Your name\? $")?;
    assert_eq!(shell.echo(), Echo::Shown);
    type_line(&shell, "Ann")?;
    assert!(seen(&shell, "[#$] $")?.contains("Hello, Ann.\n"));
    type_line(&shell, "tty; stty size; trap 'echo resized' WINCH")?;
    let told = seen(&shell, r"^24 80\n[^\n]*[#$] $")?;
    assert!(told.contains("/dev/pts/"), "{told}");
    shell.resize(Size { rows: 50, columns: 132 })?;
    type_line(&shell, "stty size; pwd")?;
    // When the shell says that it was resized, and whether it draws its prompt anew for that, is its own.
    let told = seen(&shell, r"^50 132\n(?s:.*)[#$] $")?;
    assert!(!told.contains("24 80"), "{told}");
    // What says so is the program in front itself: before that the key would be the shell's. It is one process
    // throughout: a shell that is about to start another waits for that in the kernel and does not stop.
    type_line(&shell, "sh -c \"echo be''gun; exec sleep 1000\"")?;
    seen(&shell, "^begun$")?;
    shell.send(&[key("Ctrl+Z")])?;
    seen(&shell, "Stopped")?;
    Ok(())
}

#[test]
fn a_pager_is_seen_as_a_screen_and_moved_by_keys() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let lines: String = (1..=200).map(|line| format!("line {line}\n")).collect();
    std::fs::write(place.scope.join("long"), lines)?;
    let less = workshop.open_terminal(opening(&["less", "long"]))?;
    let picture = |wanted: &str| -> Result<Vec<String>, Box<dyn Fault>> {
        let by = patience();
        loop {
            let shown = read(&less, View::Screen, &Wait::Not);
            let picture = shown.picture.ok_or("no picture")?;
            if picture.lines.first().is_some_and(|first| first == wanted) {
                assert!(picture.whole_screen);
                return Ok(picture.lines);
            }
            if Instant::now() > by {
                return Err(format!("{:?}", picture.lines).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    assert_eq!(picture("line 1")?.len(), 24);
    less.send(&[key("Down")])?;
    picture("line 2")?;
    less.send(&[key("PageDown")])?;
    picture("line 25")?;
    less.send(&[key("End")])?;
    assert_eq!(picture("line 178")?.get(22).map(String::as_str), Some("line 200"));
    less.send(&[text("q")])?;
    assert!(until(|| less.ended() == Some(Ended::Exit(0))));
    Ok(())
}

#[test]
fn escape_sequences_are_taken_out_or_left_and_much_output_is_bounded() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let colour = "printf '\\033[31mr\\303\\266d\\033[0m\\n'";
    let terminal = workshop.open_terminal(opening(&["sh", "-c", colour]))?;
    assert!(until(|| terminal.ended().is_some()));
    assert_eq!(read(&terminal, View::Raw, &Wait::Not).text, "\x1b[31mröd\x1b[0m\r\n");
    assert_eq!(read(&terminal, View::New, &Wait::Not).text, "");
    assert_eq!(read(&terminal, View::All, &Wait::Not).text, "röd\n");
    let terminal = workshop.open_terminal(opening(&["seq", "1000001", "1200000"]))?;
    assert!(until(|| terminal.ended().is_some()));
    let shown = read(&terminal, View::New, &Wait::Not);
    assert!(shown.text.ends_with("1200000\n") && shown.text.len() <= 64 << 10);
    assert_eq!(shown.left_out, 9 * 200_000 - (64 << 10));
    Ok(())
}

#[test]
fn waiting_stops_by_quiet_by_time_and_when_nobody_wants_it() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let text = "echo one; sleep 0.05; echo two; sleep 1000";
    let terminal = workshop.open_terminal(opening(&["sh", "-c", text]))?;
    let shown = read(&terminal, View::New, &Wait::Quiet(Duration::from_millis(400)));
    assert_eq!((shown.text.as_str(), shown.stopped), ("one\ntwo\n", Stopped::Quiet));
    let quiet = Wait::Quiet(Duration::from_millis(1));
    let reading = Reading { view: View::New, bytes: 999 };
    let soon = Instant::now() + Duration::from_millis(50);
    assert_eq!(terminal.read(reading, &quiet, soon, STAY).stopped, Stopped::TooLate);
    let unwanted = terminal.read(reading, &quiet, patience(), &|| true);
    assert_eq!(unwanted.stopped, Stopped::Unwanted);
    assert!(matches!(Wait::pattern("("), Err(Error::Pattern { .. })));
    Ok(())
}

#[test]
fn terminals_are_few_and_end_when_closed_forgotten_or_with_their_session() -> Outcome {
    let place = Place::with(|setup| setup.terminals = 2)?;
    let word = format!("terminal-{}", std::process::id());
    let stubborn = format!("trap '' HUP TERM; (setsid sh -c 'sleep 1000; :' {word} &); sleep 1000");
    let open = |workshop: &Workshop| workshop.open_terminal(opening(&["sh", "-c", &stubborn]));
    let workshop = place.open()?;
    let (first, second) = (open(&workshop)?, open(&workshop)?);
    assert!(matches!(open(&workshop), Err(Error::TooManyTerminals { open: 2 })));
    assert!(until(|| marked(&word) >= 4));
    workshop.close_terminal(first.id())?;
    assert!(workshop.terminal(first.id()).is_err());
    assert_eq!(workshop.terminals().len(), 1);
    assert!(first.ended().is_some());
    open(&workshop)?;
    drop(workshop);
    assert!(until(|| marked(&word) == 0), "{}", marked(&word));
    assert!(second.ended().is_some());
    Ok(())
}

#[test]
fn a_terminal_nobody_uses_is_closed() -> Outcome {
    let place = Place::with(|setup| setup.terminal_idle = Duration::from_millis(100))?;
    let workshop = place.open()?;
    let terminal = workshop.open_terminal(opening(&["yes"]))?;
    assert!(until(|| terminal.ended() == Some(Ended::Signal(9))));
    Ok(())
}

#[test]
fn what_a_program_does_not_read_does_not_hold_the_caller() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let terminal =
        workshop.open_terminal(opening(&["sh", "-c", "stty raw; echo on; sleep 1000"]))?;
    seen(&terminal, "on")?;
    let much = "x".repeat(1 << 20);
    let sent = terminal.send(&[text(&much)])?;
    assert!(sent.left > 0 && sent.bytes + sent.left == much.len(), "{sent:?}");
    Ok(())
}
