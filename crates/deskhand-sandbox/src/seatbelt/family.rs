//! Finds the processes that belong to a program. Every container is a session, so most processes are found by
//! their session. A process that left the session is found by its parent, and one that left that too by the
//! tag of its container.

use super::tag::ContainerTag;

/// One process, as the system lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessInfo {
    /// The process id.
    pub(crate) pid: i32,
    /// The parent's process id; 1 if the parent has ended.
    pub(crate) parent: i32,
    /// Its process group.
    pub(crate) group: i32,
    /// The session id; `None` if the system does not report it.
    pub(crate) session: Option<i32>,
    /// `true` if the process has the tag of the container.
    pub(crate) tagged: bool,
}

/// Returns every process that belongs to `leader`, without the leader itself: it may have ended and wait to be
/// reaped.
pub(crate) fn members(all: &[ProcessInfo], leader: i32) -> Vec<i32> {
    let mut found: Vec<i32> = all
        .iter()
        .filter(|process| {
            process.group == leader || process.session == Some(leader) || process.tagged
        })
        .map(|process| process.pid)
        .collect();
    found.push(leader);
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children =
            all.iter().filter(|process| process.parent == parent).map(|process| process.pid);
        let new: Vec<i32> = children.filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
        at += 1;
    }
    // Process 1 and the leader must not be killed.
    found.retain(|pid| *pid > 1 && *pid != leader);
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the line that tells the broker that a program has started.
pub(crate) fn start_line(pid: i32, tag: &ContainerTag) -> String {
    format!("+{pid} {}\n", tag.text())
}

/// Returns the line that tells the broker that a program and its descendants have ended.
pub(crate) fn end_line(pid: i32) -> String {
    format!("-{pid}\n")
}

/// Applies one line from the server to the list of running programs.
pub(crate) fn apply_line(line: &str, running: &mut Vec<(i32, Option<ContainerTag>)>) {
    let Some((sign, rest)) = line.split_at_checked(1) else { return };
    let mut words = rest.split_whitespace();
    let Some(Ok(pid)) = words.next().map(str::parse::<i32>) else { return };
    match sign {
        "+" if pid > 1 => running.push((pid, words.next().and_then(ContainerTag::parse))),
        "-" => running.retain(|(process, _)| *process != pid),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, parent: i32, group: i32, session: i32) -> ProcessInfo {
        ProcessInfo { pid, parent, group, session: Some(session), tagged: false }
    }

    #[test]
    fn members_share_the_session_or_descend_from_it() {
        let all = [
            process(1, 0, 1, 1),
            process(50, 1, 50, 50),
            process(100, 50, 100, 100),
            // A shell job whose parent has ended.
            process(101, 1, 101, 100),
            // A new session of a child of the program.
            process(102, 100, 102, 102),
            process(103, 102, 103, 102),
            // An unrelated process.
            process(200, 50, 200, 200),
        ];
        assert_eq!(members(&all, 100), [101, 102, 103]);
        assert!(members(&all, 300).is_empty());
    }

    #[test]
    fn a_process_that_left_the_session_is_found_by_its_tag() {
        let stray = ProcessInfo { tagged: true, ..process(110, 1, 110, 110) };
        let all = [stray, process(111, 110, 111, 111), process(200, 1, 200, 200)];
        assert_eq!(members(&all, 100), [110, 111]);
    }

    #[test]
    fn process_one_is_never_a_member() {
        let all = [process(1, 0, 1, 1), process(0, 0, 0, 0)];
        assert!(members(&all, 1).is_empty());
    }

    #[test]
    fn running_programs_have_started_and_not_ended() {
        let mut running = Vec::new();
        let tag = ContainerTag::new(7, 1, 2);
        let lines = [start_line(12, &tag), start_line(13, &tag), end_line(12)];
        for line in lines.iter().map(String::as_str).chain(["nonsense", "+x", "", "+1", "+14"]) {
            apply_line(line, &mut running);
        }
        assert_eq!(running, [(13, Some(tag)), (14, None)]);
    }
}
