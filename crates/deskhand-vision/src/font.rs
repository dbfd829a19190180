//! A bitmap font for refs: `e` and the digits. A font file would be larger than the rest of this
//! crate.

/// The width of a letter in pixels.
pub(crate) const WIDTH: i32 = 6;
/// The height of a letter in pixels.
pub(crate) const HEIGHT: i32 = 9;

type Letter = [&'static str; HEIGHT as usize];

/// Returns the rows of a letter, in which `#` is a set pixel, or `None` if the font lacks it.
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
    fn every_letter_has_the_right_size_and_is_unique() {
        let all: Vec<_> = "e0123456789".chars().map(|one| letter(one).unwrap()).collect();
        for (index, rows) in all.iter().enumerate() {
            assert!(rows.iter().all(|row| row.len() == WIDTH as usize), "{rows:?}");
            assert!(all.iter().skip(index + 1).all(|other| other != rows), "{rows:?}");
        }
        assert!(letter('x').is_none());
    }
}
