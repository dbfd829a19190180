//! Parses the buffer of `KERN_PROCARGS2`: the number of arguments, the path of the executable, zeros up to the
//! next word, the arguments, and then the environment.

/// The arguments of a process. Empty if the buffer is malformed.
pub(crate) fn parse_arguments(buffer: &[u8]) -> Vec<String> {
    parse(buffer).unwrap_or_default()
}

fn parse(buffer: &[u8]) -> Option<Vec<String>> {
    let (count, rest) = buffer.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_ne_bytes(*count)).ok()?;
    let path_end = rest.iter().position(|byte| *byte == 0)?;
    let rest = rest.get(path_end..)?;
    let first = rest.iter().position(|byte| *byte != 0)?;
    let mut words = rest.get(first..)?.split(|byte| *byte == 0);
    let take = count.min(rest.len());
    let mut all = Vec::new();
    for _ in 0..take {
        // The kernel truncates a long command line.
        let Some(word) = words.next() else { break };
        all.push(String::from_utf8_lossy(word).into_owned());
    }
    Some(all)
}

#[cfg(test)]
pub(super) fn buffer(path: &str, words: &[&str], environment: &[&str]) -> Vec<u8> {
    let mut buffer = i32::try_from(words.len()).unwrap().to_ne_bytes().to_vec();
    buffer.extend(path.as_bytes());
    // The arguments are aligned to the size of a pointer.
    buffer.extend([0; 5]);
    for word in words.iter().chain(environment) {
        buffer.extend(word.as_bytes());
        buffer.push(0);
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_end_where_the_environment_begins() {
        let all = buffer("/usr/bin/python3", &["python3", "", "-c", "ä b"], &["HOME=/x", "A=b"]);
        assert_eq!(parse_arguments(&all), ["python3", "", "-c", "ä b"]);
        assert_eq!(parse_arguments(&buffer("/bin/ls", &["ls"], &[])), ["ls"]);
    }

    #[test]
    fn a_malformed_buffer_has_no_arguments() {
        assert!(parse_arguments(&[]).is_empty() && parse_arguments(&[1, 0, 0]).is_empty());
        assert!(parse_arguments(&buffer("/bin/ls", &[], &["A=b"])).is_empty());
        let mut minus = buffer("/bin/ls", &["ls"], &[]);
        minus[..4].copy_from_slice(&(-1_i32).to_ne_bytes());
        assert!(parse_arguments(&minus).is_empty());
        let mut many = buffer("/bin/ls", &["ls", "-l"], &[]);
        many[..4].copy_from_slice(&i32::MAX.to_ne_bytes());
        assert_eq!(parse_arguments(&many)[..2], ["ls", "-l"]);
        let cut = &buffer("/bin/ls", &["ls", "-long"], &[])[..20];
        assert_eq!(parse_arguments(cut)[0], "ls");
        let mut no_words = 1_i32.to_ne_bytes().to_vec();
        no_words.extend(b"/bin/ls");
        assert!(parse_arguments(&no_words).is_empty());
    }
}
