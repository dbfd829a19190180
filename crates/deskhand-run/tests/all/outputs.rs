//! What programs print is kept whole or says what is not, in memory that does not grow with it.

use std::time::Duration;

use crate::place::{Outcome, Place, STAY, patience, ran, script, until};
use deskhand_run::{
    Filter,
    operation::{Listener, State},
    output::{Part, Start},
};

fn from(at: u64) -> Part {
    Part { start: Start::Byte(at), lines: None, bytes: 64 << 10 }
}

/// Megabytes this process holds in memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
fn six_outputs_of_twenty_megabytes_at_once_are_whole_and_take_no_memory() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    // 20,000,000 bytes: 2,500,000 lines of 7 digits.
    let text = "seq 1000001 3500000";
    let all = (0..6).map(|_| workshop.begin(script(text), Listener::Nobody));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let mut most = 0;
    while all.iter().any(|operation| !operation.state().is_over()) {
        most = most.max(resident());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(most < 60 && most > 0, "{most} MB");
    for operation in &all {
        let summary = operation.summary();
        assert_eq!((summary.state, summary.printed), (State::Completed, 20_000_000));
        let line =
            |line| operation.output(Part { start: Start::Line(line), lines: Some(1), bytes: 99 });
        assert_eq!(line(1_234_567).text, "2234567\n");
        let both = operation.excerpt(1000);
        assert!(both.head.starts_with("1000001\n") && both.tail.ends_with("\n3500000\n"));
        assert_eq!(both.left_out + (both.head.len() + both.tail.len()) as u64, 20_000_000);
    }
    // Nothing of it has a name on disk.
    assert_eq!(std::fs::read_dir(place.outputs())?.count(), 0);
    Ok(())
}

#[test]
fn beyond_the_limit_both_ends_are_kept_and_the_gap_is_told() -> Outcome {
    let place = Place::with(|setup| setup.output.whole = 1 << 20)?;
    let workshop = place.open()?;
    let operation = ran(&workshop, script("seq 1000001 1500000"))?;
    let both = operation.excerpt(4096);
    assert_eq!((both.total, both.lost), (4_000_000, 4_000_000 - (1 << 20) - (64 << 10)));
    assert!(both.head.starts_with("1000001\n") && both.tail.ends_with("1500000\n"));
    let page = operation.output(from(2_000_000));
    assert!(page.missing > 0 && page.from == 4_000_000 - (64 << 10), "{}", page.from);
    Ok(())
}

#[test]
fn bytes_that_are_no_text_do_no_harm_and_are_told() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let operation =
        ran(&workshop, script("printf 'a\\377\\000b\\342\\202'; head -c 300000 /dev/urandom"))?;
    let page = operation.output(Part { start: Start::Byte(0), lines: None, bytes: 5 });
    assert!(page.text.starts_with("a\u{fffd}\0b") && page.invalid > 0, "{page:?}");
    let (mut at, mut invalid) = (0, 0);
    while at < 300_006 {
        let page = operation.output(from(at));
        invalid += page.invalid;
        assert!(page.next > at);
        at = page.next;
    }
    assert!(at == 300_006 && invalid > 100_000, "{at} {invalid}");
    Ok(())
}

#[test]
fn following_gives_what_is_new_until_the_end() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let text = "for i in 1 2 3; do echo line $i; sleep 0.05; done; printf 'h\\303'; sleep 0.1; printf '\\266r'";
    let operation = workshop.begin(script(text), Listener::Nobody)?;
    let (mut seen, mut at, mut pages) = (String::new(), 0, 0);
    loop {
        let page = operation.follow(from(at), patience(), STAY);
        assert_eq!(page.invalid, 0);
        seen.push_str(&page.text);
        at = page.next;
        pages += 1;
        if operation.state().is_over() && at == operation.summary().printed {
            break;
        }
    }
    assert_eq!(seen, "line 1\nline 2\nline 3\nhör");
    assert!(pages > 2, "{pages}");
    Ok(())
}

#[test]
fn following_stops_when_told_and_when_the_time_is_over() -> Outcome {
    let place = Place::new()?;
    let workshop = place.open()?;
    let operation = workshop.begin(script("echo one; sleep 1000"), Listener::Nobody)?;
    assert!(until(|| operation.summary().printed == 4));
    assert_eq!(operation.follow(from(4), patience(), &|| true).text, "");
    let soon = std::time::Instant::now() + Duration::from_millis(30);
    assert_eq!(operation.follow(from(4), soon, STAY).text, "");
    assert_eq!(operation.state(), State::Running);
    Ok(())
}

#[test]
fn a_program_that_never_stops_printing_is_held_to_the_bounds() -> Outcome {
    let place = Place::with(|setup| setup.output.whole = 1 << 20)?;
    let workshop = place.open()?;
    let operation = workshop.begin(script("yes"), Listener::Nobody)?;
    assert!(until(|| operation.summary().printed > 50 << 20));
    assert!(resident() < 60);
    operation.cancel("enough");
    assert_eq!(workshop.operations(&Filter::default())?.len(), 1);
    assert!(operation.excerpt(100).tail.ends_with('\n'));
    Ok(())
}

#[test]
fn all_outputs_together_are_bounded_and_the_oldest_make_room() -> Outcome {
    let place = Place::with(|setup| (setup.disk, setup.output.whole) = (3 << 20, 1 << 20))?;
    let workshop = place.open()?;
    let run = || ran(&workshop, script("seq 1000001 1100000"));
    let all = (0..5).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    let whole: Vec<bool> = all.iter().map(|operation| operation.excerpt(99).lost == 0).collect();
    assert_eq!(whole, [false, false, true, true, true]);
    assert!(all[0].unkept().is_some_and(|why| why.contains("room")));
    assert!(all[0].excerpt(99).tail.ends_with("1100000\n"));
    Ok(())
}
