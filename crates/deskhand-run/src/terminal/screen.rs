//! What a person would see on the terminal.

use std::{
    num::NonZeroU16,
    panic::{AssertUnwindSafe, catch_unwind},
};

use deskhand_sandbox::Size;
use vt100::{Callbacks, Parser, Screen as Vt};

use super::keys::Arrows;

/// A terminal's screen at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its lines, from the top to the last that is not empty.
    pub lines: Vec<String>,
    /// The line the cursor is in, from 0.
    pub row: u16,
    /// The column the cursor is in, from 0.
    pub column: u16,
    /// Its size.
    pub size: Size,
    /// Whether a program has taken the whole screen, as editors and pagers do.
    pub whole_screen: bool,
}

/// Draws what a program shows.
pub(super) struct Screen {
    parser: Parser<Answers>,
}

/// Answers to what programs ask a terminal.
#[derive(Debug, Default)]
struct Answers(Vec<u8>);

impl Callbacks for Answers {
    fn unhandled_csi(
        &mut self,
        screen: &mut Vt,
        first: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        last: char,
    ) {
        let number = parameters.first().and_then(|all| all.first()).copied().unwrap_or(0);
        match (first, last, number) {
            (None, 'n', 5) => self.0.extend_from_slice(b"\x1b[0n"),
            (None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                self.0.extend_from_slice(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
            }
            // A terminal that can do what a VT102 can.
            (None, 'c', 0) => self.0.extend_from_slice(b"\x1b[?6c"),
            (_, _, _) => {}
        }
    }
}

impl Screen {
    pub(super) fn new(size: Size) -> Self {
        let (rows, columns) = sides(size);
        Self { parser: Parser::new_with_callbacks(rows, columns, 0, Answers::default()) }
    }

    /// Draws; answers what was asked meanwhile.
    pub(super) fn draw(&mut self, bytes: &[u8]) -> Vec<u8> {
        // What programs print is anybody's; a fault of the parser must cost the picture alone.
        if catch_unwind(AssertUnwindSafe(|| self.parser.process(bytes))).is_err() {
            *self = Self::new(self.size());
        }
        std::mem::take(&mut self.parser.callbacks_mut().0)
    }

    pub(super) fn resize(&mut self, size: Size) {
        let (rows, columns) = sides(size);
        if catch_unwind(AssertUnwindSafe(|| self.parser.set_size(rows, columns))).is_err() {
            *self = Self::new(size);
        }
    }

    pub(super) fn arrows(&self) -> Arrows {
        if self.parser.screen().application_cursor() { Arrows::Application } else { Arrows::Normal }
    }

    pub(super) fn picture(&self) -> Picture {
        let screen = self.parser.screen();
        let size = self.size();
        let mut lines: Vec<String> =
            screen.rows(0, size.columns).map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let (row, column) = screen.cursor_position();
        Picture { lines, row, column, size, whole_screen: screen.alternate_screen() }
    }

    fn size(&self) -> Size {
        let (rows, columns) = self.parser.screen().size();
        Size { rows: rows.get(), columns: columns.get() }
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Screen").field("size", &self.size()).finish_non_exhaustive()
    }
}

fn sides(size: Size) -> (NonZeroU16, NonZeroU16) {
    let side = |length| NonZeroU16::new(length).unwrap_or(NonZeroU16::MIN);
    (side(size.rows), side(size.columns))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: Size = Size { rows: 4, columns: 10 };

    #[test]
    fn a_picture_is_what_a_person_would_see() {
        let mut screen = Screen::new(SIZE);
        screen.draw(b"one\r\ntwo\rTW\x1b[1;1Hx\x1b[31m!\x1b[m");
        let picture = screen.picture();
        assert_eq!(picture.lines, ["x!e", "TWo"]);
        assert_eq!((picture.row, picture.column, picture.whole_screen), (0, 2, false));
        screen.draw(b"\x1b[?1049h\x1b[2Jother");
        assert!(screen.picture().whole_screen);
    }

    #[test]
    fn who_asks_where_the_cursor_is_gets_an_answer() {
        let mut screen = Screen::new(SIZE);
        assert_eq!(screen.draw(b"ab\x1b[6n"), b"\x1b[1;3R");
        assert_eq!(screen.draw(b"\x1b[c"), b"\x1b[?6c");
        assert_eq!(screen.draw(b"plain"), b"");
    }

    proptest! {
        #[test]
        fn whatever_is_printed_at_whatever_size_is_drawn(
            bytes in prop::collection::vec(prop_oneof![
                any::<u8>(), Just(0x1b), Just(b'['), Just(b';'), b'0'..=b'9', b'A'..=b'z'], 0..300),
            rows in 0..30_u16, columns in 0..30_u16,
        ) {
            let mut screen = Screen::new(SIZE);
            screen.draw(&bytes);
            screen.resize(Size { rows, columns });
            screen.draw(&bytes);
            prop_assert!(screen.picture().lines.len() <= usize::from(rows.max(1)));
        }
    }
}
