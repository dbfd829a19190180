//! Creates new inputs from existing ones at random.

use fastrand::Rng;

/// The maximum length of an input.
const MAX_INPUT: usize = 8 * 1024;

/// Characters that have confused parsers before.
const ODD_TEXT: &[&str] = &[
    "\0",
    "\r\n",
    "\u{1b}[2J",
    "\u{85}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{200d}",
    "\u{202e}",
    "\u{2028}",
    "\u{feff}",
    "\u{fffd}",
    "\u{ff21}",
    "\u{ff0f}",
    "\u{455}",
    "\u{3bf}",
    "i\u{307}",
    "\u{130}",
    "\u{1e9e}",
    "\u{e0041}",
    "\u{1f469}\u{200d}\u{1f4bb}",
    "\u{10ffff}",
    "\u{fb01}",
    "\\u0000",
    "\\ud800",
    "%00",
    "%2f",
    "%E2%80%8B",
    "${x}",
    "../",
    "''",
    "\"\"",
];

/// Numbers at the limits of integer and float types.
const EDGE_NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "+1",
    "00",
    "1e309",
    "-1e309",
    "1e-400",
    "0x10",
    "127",
    "128",
    "255",
    "256",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "NaN",
    "1_000",
];

/// Mutates an input in one to four places. Some mutations copy parts of `others`.
pub fn mutate(rng: &mut Rng, input: &[u8], words: &[&str], others: &[Vec<u8>]) -> Vec<u8> {
    let mut data = input.to_vec();
    for _ in 0..rng.usize(1..=4) {
        change(rng, &mut data, words, others);
        data.truncate(MAX_INPUT);
    }
    data
}

fn change(rng: &mut Rng, data: &mut Vec<u8>, words: &[&str], others: &[Vec<u8>]) {
    match rng.u8(0..12) {
        0 if !data.is_empty() => {
            let at = rng.usize(0..data.len());
            data[at] ^= 1 << rng.u8(0..8);
        }
        1 if !data.is_empty() => {
            let at = rng.usize(0..data.len());
            data[at] = rng.u8(..);
        }
        2 => insert(rng, data, |rng| vec![rng.u8(..)]),
        3 => {
            let piece = range(rng, data.len());
            data.drain(piece);
        }
        4 => {
            let piece = data[range(rng, data.len())].to_vec();
            insert(rng, data, |_| piece);
        }
        5 => {
            // Repetition and nesting: two levels may work where a thousand do not.
            let short = range(rng, data.len());
            let piece = data[short.start..short.end.min(short.start + 8)].to_vec();
            let times = 1 << rng.u32(1..=10);
            insert(rng, data, |_| piece.repeat(times));
        }
        6 if !words.is_empty() => insert(rng, data, |rng| pick(rng, words)),
        7 => insert(rng, data, |rng| pick(rng, ODD_TEXT)),
        8 => number(rng, data),
        9 if !others.is_empty() => {
            let other = &others[rng.usize(0..others.len())];
            let piece = other[range(rng, other.len())].to_vec();
            insert(rng, data, |_| piece);
        }
        10 if !data.is_empty() => {
            let at = rng.usize(0..data.len());
            data[at] = match data[at] {
                letter if letter.is_ascii_lowercase() => letter.to_ascii_uppercase(),
                letter => letter.to_ascii_lowercase(),
            };
        }
        _ => {
            let end = rng.usize(0..=data.len());
            data.truncate(end);
        }
    }
}

fn pick(rng: &mut Rng, words: &[&str]) -> Vec<u8> {
    words[rng.usize(0..words.len())].as_bytes().to_vec()
}

fn range(rng: &mut Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.usize(0..=length);
    start..rng.usize(start..=length)
}

fn insert(rng: &mut Rng, data: &mut Vec<u8>, piece: impl FnOnce(&mut Rng) -> Vec<u8>) {
    let piece = piece(rng);
    let at = rng.usize(0..=data.len());
    data.splice(at..at, piece);
}

/// Replaces a number by an edge case, or inserts one if there is no number.
fn number(rng: &mut Rng, data: &mut Vec<u8>) {
    let edge = pick(rng, EDGE_NUMBERS);
    let starts: Vec<usize> = (0..data.len())
        .filter(|at| data[*at].is_ascii_digit() && (*at == 0 || !data[at - 1].is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return insert(rng, data, |_| edge);
    }
    let start = starts[rng.usize(0..starts.len())];
    let length = data[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    data.splice(start..start + length, edge);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_none_is_too_long() {
        let all = |seed| {
            let mut rng = Rng::with_seed(seed);
            let others = [b"[[[[".to_vec(), Vec::new()];
            let mut data = b"{\"a\": 12}".to_vec();
            for _ in 0..2_000 {
                data = mutate(&mut rng, &data, &["word"], &others);
                assert!(data.len() <= MAX_INPUT);
            }
            data
        };
        assert_eq!(all(7), all(7));
    }
}
