//! Measures one app on a new desktop. The contenders take turns, so that a busy moment of the
//! machine affects all of them.

use harness::{Program, TestDesktop, Tree};
use indicatif::ProgressBar;
use tiktoken_rs::o200k_base_singleton;

use crate::apps::{Entry, Reach};
use crate::contender::{Contender, cli};
use crate::error::Result;
use crate::figures::{Figures, Row, ToolFigures};
use crate::timing::STARTUP_DELAY;

/// The number of reads of one attribute in each round.
const ATTRIBUTE_READS: &str = "20";
/// The number of app starts for reads of a tree that was never read before.
const COLD_STARTS: usize = 3;
/// The number of names that are tried on the peers. Toolkits report some names in two ways.
const MAX_NAME_CANDIDATES: usize = 6;

/// Returns the number of progress-bar steps for one app.
pub(crate) fn steps(rounds: usize) -> usize {
    rounds + 1
}

/// Measures one app.
pub(crate) fn measure_app(entry: &Entry, rounds: usize, progress: &ProgressBar) -> Result<Row> {
    let say = |what: &str| progress.set_message(format!("{}: {what}", entry.name));
    say("first reads of a fresh app");
    let cold = match entry.reach {
        Reach::Gtk4 => measure_cold_start(entry)?,
        Reach::PeerToPeer | Reach::Qt => ToolFigures::default(),
    };
    say("starting");
    let desktop = TestDesktop::new();
    let program = desktop.start(entry.app);
    let sought = findable_name(&desktop, &program)?;
    progress.inc(1);

    let mut row = Row {
        name: entry.name.to_owned(),
        reach: entry.reach,
        nodes: 0,
        first_read: ToolFigures::default(),
        cold,
        alike: Figures::default(),
        everything: Figures::default(),
        cli: Figures::default(),
        sought,
        find: ToolFigures::default(),
        attribute: ToolFigures::default(),
        tokens: count_tokens(&desktop, &program),
    };
    for at in 1..=rounds {
        say(&format!("round {at} of {rounds}"));
        measure_round(&desktop, &program, &mut row)?;
        progress.inc(1);
    }
    row.nodes = row.first_read.ours.nodes;
    Ok(row)
}

fn measure_round(desktop: &TestDesktop, program: &Program, row: &mut Row) -> Result<()> {
    let pid = program.pid_text();
    for contender in Contender::ALL {
        let figures = contender.run(desktop, &["first-look", "--pid", &pid])?;
        figures_of(&mut row.first_read, contender).add(figures);
        // Deskhand also runs between the slower peers.
        if contender != Contender::Ours {
            let figures = Contender::Ours.run(desktop, &["first-look", "--pid", &pid])?;
            row.first_read.ours.add(figures);
            let figures = Contender::Ours.run(desktop, &["alike", "--pid", &pid])?;
            row.alike.add(figures);
        }
    }
    row.cli.add(cli(desktop, &["tree", "--app", &pid])?);
    let everything = Contender::Ours.run(desktop, &["everything", "--pid", &pid])?;
    row.everything.add(everything);
    let Some(name) = row.sought.clone() else { return Ok(()) };
    for contender in Contender::ALL {
        let about = ["--pid", &pid, "--name", &name];
        let found = contender.run(desktop, &[&["find"], &about[..]].concat())?;
        figures_of(&mut row.find, contender).add(found);
        let read = [&["attribute"], &about[..], &["--repeat", ATTRIBUTE_READS]].concat();
        let read = contender.run(desktop, &read)?;
        figures_of(&mut row.attribute, contender).add(read);
    }
    Ok(())
}

/// Measures the first read of a freshly started app.
fn measure_cold_start(entry: &Entry) -> Result<ToolFigures> {
    let mut figures_by_tool = ToolFigures::default();
    for _ in 0..COLD_STARTS {
        for contender in Contender::ALL {
            let desktop = TestDesktop::new();
            let program = desktop.start_unread(entry.app);
            std::thread::sleep(STARTUP_DELAY);
            let figures = contender.run(&desktop, &["first-look", "--pid", &program.pid_text()])?;
            figures_of(&mut figures_by_tool, contender).add(figures);
        }
    }
    Ok(figures_by_tool)
}

fn figures_of(figures_by_tool: &mut ToolFigures, contender: Contender) -> &mut Figures {
    match contender {
        Contender::Ours => &mut figures_by_tool.ours,
        Contender::Pyatspi => &mut figures_by_tool.pyatspi,
        Contender::Dogtail => &mut figures_by_tool.dogtail,
    }
}

/// Returns a name that every contender finds, about three quarters down the tree.
fn findable_name(desktop: &TestDesktop, program: &Program) -> Result<Option<String>> {
    let tree = desktop.tree(program);
    'names: for name in unique_names(&tree).into_iter().take(MAX_NAME_CANDIDATES) {
        for contender in Contender::ALL {
            let found =
                contender.run(desktop, &["find", "--pid", &program.pid_text(), "--name", &name]);
            if found?.failed > 0 {
                continue 'names;
            }
        }
        return Ok(Some(name));
    }
    Ok(None)
}

/// Returns the names that occur once, those closest to three quarters of the tree first.
fn unique_names(tree: &Tree) -> Vec<String> {
    // The peers visit every child on the way, and a Calc sheet has two billion.
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

/// Returns the number of tokens in the CLI's outline of the app.
fn count_tokens(desktop: &TestDesktop, program: &Program) -> usize {
    let outcome = desktop.deskhand(&["tree", "--app", &program.pid_text()]);
    o200k_base_singleton().encode_ordinary(&outcome.expect_ok().text()).len()
}
