//! One row: an app on a desktop of its own, and the contenders taking turns on it, so that a busy
//! moment of the machine hits all alike.

use std::time::Duration;

use harness::{Program, Stage, Tree};
use indicatif::ProgressBar;
use tiktoken_rs::o200k_base_singleton;

use crate::contender::{Contender, cli};
use crate::error::Result;
use crate::figures::{Figures, Row, Sides};
use crate::lineup::{Entry, Reach};

/// How often one attribute is read in each round.
const READS: &str = "20";
/// How often an app is started anew for a look nobody had before.
const COLD: usize = 3;
/// GTK 4 apps are complete this long after they registered; only a look would tell for sure, and
/// that is what must not have happened yet.
const UNSEEN: Duration = Duration::from_millis(1500);
/// A name is tried on the peers before it counts, as toolkits tell some names in two ways.
const CANDIDATES: usize = 6;

/// How many steps the progress bar takes for a row.
pub(crate) fn steps(rounds: usize) -> usize {
    rounds + 1
}

/// Measures one app.
pub(crate) fn row(entry: &Entry, rounds: usize, progress: &ProgressBar) -> Result<Row> {
    let say = |what: &str| progress.set_message(format!("{}: {what}", entry.name));
    say("first looks at a fresh app");
    let cold = match entry.reach {
        Reach::Gtk4 => cold(entry)?,
        Reach::PeerToPeer | Reach::Qt => Sides::default(),
    };
    say("starting");
    let stage = Stage::new();
    let program = stage.start(entry.app);
    let sought = sought(&stage, &program)?;
    progress.inc(1);

    let mut row = Row {
        name: entry.name.to_owned(),
        reach: entry.reach,
        nodes: 0,
        look: Sides::default(),
        cold,
        alike: Figures::default(),
        everything: Figures::default(),
        cli: Figures::default(),
        sought,
        find: Sides::default(),
        attribute: Sides::default(),
        tokens: tokens(&stage, &program),
    };
    for at in 1..=rounds {
        say(&format!("round {at} of {rounds}"));
        round(&stage, &program, &mut row)?;
        progress.inc(1);
    }
    row.nodes = row.look.ours.nodes;
    Ok(row)
}

fn round(stage: &Stage, program: &Program, row: &mut Row) -> Result<()> {
    let pid = program.pid_text();
    for contender in Contender::ALL {
        let figures = contender.run(stage, &["first-look", "--pid", &pid])?;
        side(&mut row.look, contender).add(figures);
        // Ours between the slow ones as well.
        if contender != Contender::Ours {
            let figures = Contender::Ours.run(stage, &["first-look", "--pid", &pid])?;
            row.look.ours.add(figures);
            let figures = Contender::Ours.run(stage, &["alike", "--pid", &pid])?;
            row.alike.add(figures);
        }
    }
    row.cli.add(cli(stage, &["tree", "--app", &pid])?);
    let everything = Contender::Ours.run(stage, &["everything", "--pid", &pid])?;
    row.everything.add(everything);
    let Some(name) = row.sought.clone() else { return Ok(()) };
    for contender in Contender::ALL {
        let about = ["--pid", &pid, "--name", &name];
        let found = contender.run(stage, &[&["find"], &about[..]].concat())?;
        side(&mut row.find, contender).add(found);
        let read = [&["attribute"], &about[..], &["--repeat", READS]].concat();
        let read = contender.run(stage, &read)?;
        side(&mut row.attribute, contender).add(read);
    }
    Ok(())
}

/// A look at an app that nobody has looked at since it started.
fn cold(entry: &Entry) -> Result<Sides> {
    let mut sides = Sides::default();
    for _ in 0..COLD {
        for contender in Contender::ALL {
            let stage = Stage::new();
            let program = stage.start_unseen(entry.app);
            std::thread::sleep(UNSEEN);
            let figures = contender.run(&stage, &["first-look", "--pid", &program.pid_text()])?;
            side(&mut sides, contender).add(figures);
        }
    }
    Ok(sides)
}

fn side(sides: &mut Sides, contender: Contender) -> &mut Figures {
    match contender {
        Contender::Ours => &mut sides.ours,
        Contender::Pyatspi => &mut sides.pyatspi,
        Contender::Dogtail => &mut sides.dogtail,
    }
}

/// A name that every contender finds, about three quarters down the tree.
fn sought(stage: &Stage, program: &Program) -> Result<Option<String>> {
    let tree = stage.tree(program);
    'names: for name in unique_names(&tree).into_iter().take(CANDIDATES) {
        for contender in Contender::ALL {
            let found =
                contender.run(stage, &["find", "--pid", &program.pid_text(), "--name", &name]);
            if found?.failed > 0 {
                continue 'names;
            }
        }
        return Ok(Some(name));
    }
    Ok(None)
}

/// Names that occur once, those nearest to three quarters of the tree first.
fn unique_names(tree: &Tree) -> Vec<String> {
    // The peers step through every child on their way, and a Calc sheet has two billion.
    let endless = tree.elements.iter().position(|one| one.child_count > 1_000);
    let before = &tree.elements[..endless.unwrap_or(tree.elements.len())];
    let aim = before.len() * 3 / 4;
    let plain = |name: &str| {
        let simple = |c: char| c.is_ascii_alphanumeric() || c == ' ';
        (3..40).contains(&name.len()) && name.chars().all(simple) && name.trim() == name
    };
    let times = |name: &str| tree.elements.iter().filter(|one| one.title == name).count();
    let named = before.iter().enumerate().filter(|(_, one)| plain(&one.title));
    let mut unique: Vec<(usize, &str)> = named
        .filter(|(_, one)| times(&one.title) == 1)
        .map(|(at, one)| (at.abs_diff(aim), one.title.as_str()))
        .collect();
    unique.sort_unstable();
    unique.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// What the outline costs an agent to read.
fn tokens(stage: &Stage, program: &Program) -> usize {
    let outcome = stage.deskhand(&["tree", "--app", &program.pid_text()]);
    o200k_base_singleton().encode_ordinary(&outcome.expect_ok().text()).len()
}
