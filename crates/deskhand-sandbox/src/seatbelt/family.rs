//! Which processes belong to a program. Every cell is a session of its own, so most are told by that;
//! whoever leaves it is told by its parent, and whoever leaves that, too, by the mark of its cell.

use super::mark::Mark;

/// One process, as the system lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Its number.
    pub(crate) pid: i32,
    /// Who started it, or the first process where that one has ended.
    pub(crate) parent: i32,
    /// Its process group.
    pub(crate) group: i32,
    /// Its session; none when it is not told.
    pub(crate) session: Option<i32>,
    /// Whether it has the mark of the cell.
    pub(crate) marked: bool,
}

/// Everything that belongs to the program with this number, itself left out: it may have ended, and wait to
/// be asked how.
pub(crate) fn family(all: &[Seen], leader: i32) -> Vec<i32> {
    let mut found: Vec<i32> = all
        .iter()
        .filter(|one| one.group == leader || one.session == Some(leader) || one.marked)
        .map(|one| one.pid)
        .collect();
    found.push(leader);
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children = all.iter().filter(|one| one.parent == parent).map(|one| one.pid);
        let new: Vec<i32> = children.filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
        at += 1;
    }
    // The first process and this program's own parent are nobody's to end.
    found.retain(|pid| *pid > 1 && *pid != leader);
    found.sort_unstable();
    found.dedup();
    found
}

/// What a server says of its programs, a line each.
pub(crate) fn began(pid: i32, mark: &Mark) -> String {
    format!("+{pid} {}\n", mark.word())
}

/// What it says of one that has ended, with all it started.
pub(crate) fn ended(pid: i32) -> String {
    format!("-{pid}\n")
}

/// Takes down what a server says.
pub(crate) fn heard(line: &str, running: &mut Vec<(i32, Option<Mark>)>) {
    let Some((sign, said)) = line.split_at_checked(1) else { return };
    let mut words = said.split_whitespace();
    let Some(Ok(pid)) = words.next().map(str::parse::<i32>) else { return };
    match sign {
        "+" if pid > 1 => running.push((pid, words.next().and_then(Mark::read))),
        "-" => running.retain(|(one, _)| *one != pid),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pid: i32, parent: i32, group: i32, session: i32) -> Seen {
        Seen { pid, parent, group, session: Some(session), marked: false }
    }

    #[test]
    fn whoever_is_in_the_session_or_descends_from_it_belongs_to_it() {
        let all = [
            seen(1, 0, 1, 1),
            seen(50, 1, 50, 50),
            seen(100, 50, 100, 100),
            // A job of a shell, whose parent has ended.
            seen(101, 1, 101, 100),
            // A session of its own, by a child of the program.
            seen(102, 100, 102, 102),
            seen(103, 102, 103, 102),
            // Somebody else's.
            seen(200, 50, 200, 200),
        ];
        assert_eq!(family(&all, 100), [101, 102, 103]);
        assert!(family(&all, 300).is_empty());
    }

    #[test]
    fn whoever_left_everything_is_told_by_its_mark_with_all_it_started() {
        let stray = Seen { marked: true, ..seen(110, 1, 110, 110) };
        let all = [stray, seen(111, 110, 111, 111), seen(200, 1, 200, 200)];
        assert_eq!(family(&all, 100), [110, 111]);
    }

    #[test]
    fn the_first_process_is_never_of_a_family() {
        let all = [seen(1, 0, 1, 1), seen(0, 0, 0, 0)];
        assert!(family(&all, 1).is_empty());
    }

    #[test]
    fn what_began_and_has_not_ended_runs() {
        let mut running = Vec::new();
        let mark = Mark::new(7, 1, 2);
        let said = [began(12, &mark), began(13, &mark), ended(12)];
        for line in said.iter().map(String::as_str).chain(["nonsense", "+x", "", "+1", "+14"]) {
            heard(line, &mut running);
        }
        assert_eq!(running, [(13, Some(mark)), (14, None)]);
    }
}
