//! The letters refs are encode_within with: `e` and the digits. A font file would weigh more than all the
//! rest of this crate, and refs need eleven letters.

/// How wide a letter is.
pub(crate) const WIDTH: i32 = 6;
/// How high a letter is.
pub(crate) const HEIGHT: i32 = 9;

type Letter = [&'static str; HEIGHT as usize];

/// The rows of a letter, in which `#` is ink; `None` when it is not in the font.
pub(crate) fn letter(letter: char) -> Option<&'static Letter> {
    Some(match letter {
        'e' => &[
            "      ", "      ", "      ", " #### ", "##  ##", "######", "##    ", "##  ##",
            " #### ",
        ],
        '0' => &[
            " #### ", "##  ##", "##  ##", "##  ##", "##  ##", "##  ##", "##  ##", "##  ##",
            " #### ",
        ],
        '1' => &[
            "  ##  ", " ###  ", "####  ", "  ##  ", "  ##  ", "  ##  ", "  ##  ", "  ##  ",
            "######",
        ],
        '2' => &[
            " #### ", "##  ##", "    ##", "    ##", "   ## ", "  ##  ", " ##   ", "##    ",
            "######",
        ],
        '3' => &[
            " #### ", "##  ##", "    ##", "    ##", "  ### ", "    ##", "    ##", "##  ##",
            " #### ",
        ],
        '4' => &[
            "   ## ", "  ### ", " #### ", "## ## ", "## ## ", "######", "   ## ", "   ## ",
            "   ## ",
        ],
        '5' => &[
            "######", "##    ", "##    ", "##### ", "    ##", "    ##", "    ##", "##  ##",
            " #### ",
        ],
        '6' => &[
            " #### ", "##  ##", "##    ", "##    ", "##### ", "##  ##", "##  ##", "##  ##",
            " #### ",
        ],
        '7' => &[
            "######", "    ##", "    ##", "   ## ", "   ## ", "  ##  ", "  ##  ", " ##   ",
            " ##   ",
        ],
        '8' => &[
            " #### ", "##  ##", "##  ##", "##  ##", " #### ", "##  ##", "##  ##", "##  ##",
            " #### ",
        ],
        '9' => &[
            " #### ", "##  ##", "##  ##", "##  ##", " #####", "    ##", "    ##", "##  ##",
            " #### ",
        ],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_its_size_and_no_two_look_alike() {
        let all: Vec<_> = "e0123456789".chars().map(|one| letter(one).unwrap()).collect();
        for (index, rows) in all.iter().enumerate() {
            assert!(rows.iter().all(|row| row.len() == WIDTH as usize), "{rows:?}");
            assert!(all.iter().skip(index + 1).all(|other| other != rows), "{rows:?}");
        }
        assert!(letter('x').is_none());
    }
}
