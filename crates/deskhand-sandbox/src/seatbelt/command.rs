//! The command a program is run by, and the bounds it runs in.

use std::path::Path;

use crate::How;

/// Who holds programs to a profile.
pub(crate) const HOLDER: &str = "/usr/bin/sandbox-exec";

/// The words that run a program; it stands last before what it is given, and is a path, so that the holder
/// takes none of it for an option of its own.
pub(crate) fn line(how: How, profile: &str, program: &Path, arguments: &[String]) -> Vec<String> {
    let program = program.to_string_lossy().into_owned();
    let held = match how {
        How::Kernel => vec![HOLDER.to_owned(), "-p".to_owned(), profile.to_owned(), program],
        How::None => vec![program],
    };
    held.into_iter().chain(arguments.iter().cloned()).collect()
}

/// What a process may have of something, and up to what it may raise that; none is any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) now: Option<u64>,
    pub(crate) most: Option<u64>,
}

/// The limit that keeps a bound; 0 bounds nothing. It never rises above what the server has itself.
pub(crate) fn bounded(bound: u64, has: Limit) -> Limit {
    if bound == 0 {
        return has;
    }
    let kept = has.most.map_or(bound, |most| most.min(bound));
    Limit { now: Some(kept), most: Some(kept) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_run_by_who_holds_it_or_by_itself() {
        let words = ["-x".to_owned(), "a b".to_owned()];
        let held = line(How::Kernel, "(version 1)\n", Path::new("/bin/ls"), &words);
        assert_eq!(held, ["/usr/bin/sandbox-exec", "-p", "(version 1)\n", "/bin/ls", "-x", "a b"]);
        let free = line(How::None, "(version 1)\n", Path::new("/bin/ls"), &words);
        assert_eq!(free, ["/bin/ls", "-x", "a b"]);
    }

    #[test]
    fn a_bound_lowers_and_never_raises() {
        let has = Limit { now: Some(50), most: Some(100) };
        assert_eq!(bounded(0, has), has);
        assert_eq!(bounded(10, has), Limit { now: Some(10), most: Some(10) });
        assert_eq!(bounded(1000, has), Limit { now: Some(100), most: Some(100) });
        let any = Limit { now: None, most: None };
        assert_eq!(bounded(10, any), Limit { now: Some(10), most: Some(10) });
    }
}
