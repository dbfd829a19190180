//! Attribute values as plain Rust data.

use deskhand_model::Rect;

use super::AxError;

/// An attribute value copied from an app. Elements in it stay handles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<E> {
    /// A string, plain or attributed.
    Text(String),
    /// A boolean.
    Flag(bool),
    /// An integer.
    Whole(i64),
    /// A floating-point number.
    Real(f64),
    /// A position in points from the top left corner of the main display.
    Point(f64, f64),
    /// A width and a height in points.
    Size(f64, f64),
    /// A position with a width and a height in points.
    Rect(f64, f64, f64, f64),
    /// A range of UTF-16 units: start and length.
    Range(i64, i64),
    /// Another element.
    Element(E),
    /// Several values.
    List(Vec<Value<E>>),
    /// The URL of a document or a page.
    Link(String),
    /// A date in seconds since 1 January 2001.
    Date(f64),
    /// The reason that there is no value.
    Error(AxError),
    /// Any other type, as Core Foundation describes it.
    Other(String),
}

impl<E: Clone> Value<E> {
    /// The string, if it is a text or a link.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) | Self::Link(text) = self { Some(text) } else { None }
    }

    /// The number, if it is one. `true` is 1 and `false` is 0.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Flag(on) => Some(f64::from(u8::from(*on))),
            #[allow(clippy::cast_precision_loss)] // Numbers of elements are far below 2^52.
            Self::Whole(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            Self::Text(_)
            | Self::Point(..)
            | Self::Size(..)
            | Self::Rect(..)
            | Self::Range(..)
            | Self::Element(_)
            | Self::List(_)
            | Self::Link(_)
            | Self::Date(_)
            | Self::Error(_)
            | Self::Other(_) => None,
        }
    }

    /// The value as a boolean. Some apps send numbers instead of booleans.
    pub(crate) fn flag(&self) -> Option<bool> {
        self.number().map(|number| number != 0.0)
    }

    /// The element, if it is one.
    pub(crate) fn element(&self) -> Option<&E> {
        if let Self::Element(element) = self { Some(element) } else { None }
    }

    /// All elements in it.
    pub(crate) fn elements(&self) -> Vec<E> {
        match self {
            Self::Element(element) => vec![element.clone()],
            Self::List(values) => values.iter().filter_map(Self::element).cloned().collect(),
            Self::Text(_)
            | Self::Flag(_)
            | Self::Whole(_)
            | Self::Real(_)
            | Self::Point(..)
            | Self::Size(..)
            | Self::Rect(..)
            | Self::Range(..)
            | Self::Link(_)
            | Self::Date(_)
            | Self::Error(_)
            | Self::Other(_) => Vec::new(),
        }
    }

    /// The range in UTF-16 units. Apps report an unknown range with a negative start.
    pub(crate) fn range(&self) -> Option<(usize, usize)> {
        let Self::Range(start, length) = self else { return None };
        Some((usize::try_from(*start).ok()?, usize::try_from(*length).ok()?))
    }

    /// The rectangle in whole points.
    pub(crate) fn rect(&self) -> Option<Rect> {
        let Self::Rect(x, y, width, height) = self else { return None };
        rounded_rect((*x, *y), (*width, *height))
    }

    /// The value as text for the user.
    pub(crate) fn to_display_string(&self) -> String {
        match self {
            Self::Text(text) | Self::Link(text) | Self::Other(text) => text.clone(),
            Self::Flag(on) => on.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Point(x, y) => format!("{x}, {y}"),
            Self::Size(width, height) => format!("{width} x {height}"),
            Self::Rect(x, y, width, height) => format!("{x}, {y}, {width} x {height}"),
            Self::Range(start, length) => format!("{length} from {start}"),
            Self::Element(_) => "an element".to_owned(),
            Self::List(values) if values.iter().all(|one| one.element().is_some()) => {
                format!("{} elements", values.len())
            }
            Self::List(values) => {
                values.iter().map(Self::to_display_string).collect::<Vec<_>>().join(", ")
            }
            Self::Date(seconds) => format_date(*seconds),
            Self::Error(error) => error.name().to_owned(),
        }
    }
}

/// The rectangle with a position and a size, rounded to whole points. `None` if a number is not finite.
pub(crate) fn rounded_rect(at: (f64, f64), size: (f64, f64)) -> Option<Rect> {
    let all = [at.0, at.1, size.0, size.1];
    if !all.iter().all(|number| number.is_finite()) {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // The cast saturates.
    let whole = |number: f64| number.round() as i32;
    Some(Rect::new(whole(at.0), whole(at.1), whole(size.0), whole(size.1)))
}

/// Formats a date given in seconds since 1 January 2001.
fn format_date(seconds: f64) -> String {
    const DAY: i64 = 86_400;
    // Days from 0000-03-01, where this calendar arithmetic starts, to 2001-01-01.
    const DAYS_TO_2001: i64 = 730_791;
    const MAX_SECONDS: f64 = 1e12;
    if !seconds.is_finite() || seconds.abs() > MAX_SECONDS {
        return "an unknown date".to_owned();
    }
    #[allow(clippy::cast_possible_truncation)] // Bounded above.
    let whole = seconds.floor() as i64;
    let (days, time) = (whole.div_euclid(DAY) + DAYS_TO_2001, whole.rem_euclid(DAY));
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}
