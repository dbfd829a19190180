//! Emulates the screen of a terminal.

use std::{
    num::NonZeroU16,
    panic::{AssertUnwindSafe, catch_unwind},
};

use deskhand_sandbox::TerminalSize;
use vt100::{Callbacks, Parser, Screen as Vt};

use super::keys::CursorKeys;

/// The screen of a terminal at one point in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenSnapshot {
    /// The lines, up to the last one that is not empty.
    pub lines: Vec<String>,
    /// The line of the cursor, from 0.
    pub cursor_row: u16,
    /// The column of the cursor, from 0.
    pub cursor_column: u16,
    /// The size.
    pub size: TerminalSize,
    /// `true` if a program uses the alternate screen, as editors and pagers do.
    pub alternate_screen: bool,
}

/// Emulates the screen of a program.
pub(super) struct ScreenEmulator {
    parser: Parser<QueryReplies>,
}

/// Replies to queries of the program.
#[derive(Debug, Default)]
struct QueryReplies(Vec<u8>);

impl Callbacks for QueryReplies {
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
                let (cursor_row, cursor_column) = screen.cursor_position();
                self.0.extend_from_slice(
                    format!("\x1b[{};{}R", cursor_row + 1, cursor_column + 1).as_bytes(),
                );
            }
            // Identify as a VT102.
            (None, 'c', 0) => self.0.extend_from_slice(b"\x1b[?6c"),
            (_, _, _) => {}
        }
    }
}

impl ScreenEmulator {
    pub(super) fn new(size: TerminalSize) -> Self {
        let (rows, columns) = dimensions(size);
        Self { parser: Parser::new_with_callbacks(rows, columns, 0, QueryReplies::default()) }
    }

    /// Draws output. Returns the replies to queries in it.
    pub(super) fn draw(&mut self, bytes: &[u8]) -> Vec<u8> {
        // The output is untrusted. A panic of the parser must cost the screen alone.
        if catch_unwind(AssertUnwindSafe(|| self.parser.process(bytes))).is_err() {
            *self = Self::new(self.size());
        }
        std::mem::take(&mut self.parser.callbacks_mut().0)
    }

    pub(super) fn resize(&mut self, size: TerminalSize) {
        let (rows, columns) = dimensions(size);
        if catch_unwind(AssertUnwindSafe(|| self.parser.set_size(rows, columns))).is_err() {
            *self = Self::new(size);
        }
    }

    pub(super) fn cursor_keys(&self) -> CursorKeys {
        if self.parser.screen().application_cursor() {
            CursorKeys::Application
        } else {
            CursorKeys::Normal
        }
    }

    pub(super) fn snapshot(&self) -> ScreenSnapshot {
        let screen = self.parser.screen();
        let size = self.size();
        let mut lines: Vec<String> =
            screen.rows(0, size.columns).map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let (cursor_row, cursor_column) = screen.cursor_position();
        ScreenSnapshot {
            lines,
            cursor_row,
            cursor_column,
            size,
            alternate_screen: screen.alternate_screen(),
        }
    }

    fn size(&self) -> TerminalSize {
        let (rows, columns) = self.parser.screen().size();
        TerminalSize { rows: rows.get(), columns: columns.get() }
    }
}

impl std::fmt::Debug for ScreenEmulator {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Screen").field("size", &self.size()).finish_non_exhaustive()
    }
}

fn dimensions(size: TerminalSize) -> (NonZeroU16, NonZeroU16) {
    let side = |length| NonZeroU16::new(length).unwrap_or(NonZeroU16::MIN);
    (side(size.rows), side(size.columns))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: TerminalSize = TerminalSize { rows: 4, columns: 10 };

    #[test]
    fn snapshot_shows_what_a_user_would_see() {
        let mut screen = ScreenEmulator::new(SIZE);
        screen.draw(b"one\r\ntwo\rTW\x1b[1;1Hx\x1b[31m!\x1b[m");
        let snapshot = screen.snapshot();
        assert_eq!(snapshot.lines, ["x!e", "TWo"]);
        assert_eq!(
            (snapshot.cursor_row, snapshot.cursor_column, snapshot.alternate_screen),
            (0, 2, false)
        );
        screen.draw(b"\x1b[?1049h\x1b[2Jother");
        assert!(screen.snapshot().alternate_screen);
    }

    #[test]
    fn cursor_queries_are_answered() {
        let mut screen = ScreenEmulator::new(SIZE);
        assert_eq!(screen.draw(b"ab\x1b[6n"), b"\x1b[1;3R");
        assert_eq!(screen.draw(b"\x1b[c"), b"\x1b[?6c");
        assert_eq!(screen.draw(b"plain"), b"");
    }

    proptest! {
        #[test]
        fn any_output_is_drawn_at_any_size(
            bytes in prop::collection::vec(prop_oneof![
                any::<u8>(), Just(0x1b), Just(b'['), Just(b';'), b'0'..=b'9', b'A'..=b'z'], 0..300),
            rows in 0..30_u16, columns in 0..30_u16,
        ) {
            let mut screen = ScreenEmulator::new(SIZE);
            screen.draw(&bytes);
            screen.resize(TerminalSize { rows, columns });
            screen.draw(&bytes);
            prop_assert!(screen.snapshot().lines.len() <= usize::from(rows.max(1)));
        }
    }
}
