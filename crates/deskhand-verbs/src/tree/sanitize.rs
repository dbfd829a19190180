//! Takes words no person could see out of a look, or marks them: by place and state, and where these
//! do not tell, by the pixels.

use std::collections::HashMap;

use deskhand_model::{
    App, Flag, Index, NodeId, Notice, Rect, Snapshot, Window, clean,
    hidden::{self, Hidden, Placed},
};
use deskhand_platform::{Capture, Deadline, Facets, Pixels};

use super::TreeRead;
use crate::{Context, timing};

/// How many elements that do not show are asked where they are; of a long page the rest stays out of
/// outlines anyway.
const MAX_OFFSCREEN_READS: usize = 300;

/// How much of each text is searched for characters nobody sees; outlines show less.
const MAX_SCANNED_CHARS: usize = 2_000;

/// How many elements inside one that was found are looked at with it.
const MAX_DESCENDANTS: usize = 50;

/// How many texts are looked at by their pixels.
const MAX_PIXEL_CHECKS: usize = 400;

/// How far two colours may be apart for nobody to tell them from each other, of 255 a channel.
const MAX_COLOR_DIFFERENCE: u8 = 12;

/// What becomes of words nobody could see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenTextPolicy {
    /// They are left out, and counted.
    Omit,
    /// They are marked.
    Mark,
}

impl HiddenTextPolicy {
    /// Marked when the caller asked for them.
    pub fn from_include_hidden(include_hidden: bool) -> Self {
        if include_hidden { Self::Mark } else { Self::Omit }
    }
}

impl TreeRead {
    /// Takes words nobody could see out of the look, or marks them.
    pub fn sanitize(&mut self, cx: &Context<'_>, app: &App, policy: HiddenTextPolicy) {
        // Outlines show names without what nobody sees in them, so that it must be noted here.
        for (_, node) in self.snapshot.iter() {
            for words in [&node.name, &node.description, node.text().unwrap_or_default()] {
                let end =
                    words.char_indices().nth(MAX_SCANNED_CHARS).map_or(words.len(), |(end, _)| end);
                clean::clean(&words[..end], &mut |flag| cx.hidden_text.record_flag(flag));
            }
        }
        let hidden = find_hidden_text(cx, app, &self.snapshot, self.facets);
        if hidden.nodes().is_empty() {
            return;
        }
        let (texts, telling) = hidden.count(&self.snapshot);
        if telling {
            cx.hidden_text.record_flag(Flag::HiddenText);
        }
        let sifted = match policy {
            HiddenTextPolicy::Omit => {
                cx.hidden_text.record_omitted(texts);
                hidden.left_out(&self.snapshot)
            }
            HiddenTextPolicy::Mark => hidden.marked(&self.snapshot),
        };
        let pairs = self.snapshot.iter().zip(sifted.iter());
        let other = pairs.filter(|((_, was), (_, is))| was != is);
        self.sanitized = other.map(|(_, (_, is))| is.id.clone()).collect();
        self.snapshot = sifted;
    }
}

/// Whether words of an element that was found by its name may be such that nobody sees them.
pub fn may_be_hidden(cx: &Context<'_>, app: &App, snapshot: &Snapshot, at: Index) -> bool {
    if !hidden::is_doubtful(snapshot, at) {
        return false;
    }
    let meant: Vec<Index> =
        snapshot.ancestors(at).chain(snapshot.subtree(at).take(MAX_DESCENDANTS)).collect();
    let deadline = cx.deadline.or_after(timing::SANITIZE_TIMEOUT);
    // Where nobody answers it is looked at once more, which tells why.
    let Some(whole) = with_bounds(cx, app, snapshot, &meant, deadline) else { return true };
    let hidden = Hidden::of(&whole, Placed::Showing);
    let texts = hidden::doubtful(&whole, &hidden);
    let hidden = hidden.and(blank_texts(cx, app, &whole, texts, deadline));
    hidden.nodes().iter().any(|one| snapshot.subtree(at).any(|inside| inside == *one))
}

/// Which words of a look nobody could see.
pub fn find_hidden_text(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    facets: Facets,
) -> Hidden {
    if !facets.bounds {
        return Hidden::default();
    }
    let deadline = cx.deadline.or_after(timing::SANITIZE_TIMEOUT);
    let asked =
        if facets.hidden { None } else { with_offscreen_bounds(cx, app, snapshot, deadline) };
    let whole = asked.as_ref().unwrap_or(snapshot);
    let placed = if facets.hidden || asked.is_some() { Placed::All } else { Placed::Showing };
    let hidden = Hidden::of(whole, placed);
    let blank = blank_texts(cx, app, whole, hidden::doubtful(whole, &hidden), deadline);
    hidden.and(blank)
}

/// The look with the places of what does not show; `None` where that is nothing or too much.
fn with_offscreen_bounds(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    deadline: Deadline,
) -> Option<Snapshot> {
    let away = hidden::unplaced(snapshot, MAX_OFFSCREEN_READS + 1);
    if away.is_empty() || away.len() > MAX_OFFSCREEN_READS {
        return None;
    }
    with_bounds(cx, app, snapshot, &away, deadline)
}

/// A look with the places of some of its elements; `None` when the app does not answer.
fn with_bounds(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    some: &[Index],
    deadline: Deadline,
) -> Option<Snapshot> {
    const BOUNDS_FACETS: Facets =
        Facets { bounds: true, values: true, hidden: true, ..Facets::NAMES };
    let ids: Vec<NodeId> = some.iter().map(|at| snapshot.node(*at).id.clone()).collect();
    let nodes = cx.desktop.tree.read(app, &ids, BOUNDS_FACETS, deadline).ok()?;
    Some(snapshot.clone().renewed(nodes.into_iter().flatten()))
}

/// Those of some texts of which not a single pixel can be told from what is around it.
fn blank_texts(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    texts: Vec<(Index, Rect)>,
    deadline: Deadline,
) -> Vec<Index> {
    let misplaced = |notice: &Notice| matches!(notice, Notice::UnplacedWindow { .. });
    let (Some(windows), Some(screen)) = (&cx.desktop.windows, &cx.desktop.screen) else {
        return Vec::new();
    };
    if texts.is_empty() || snapshot.notices().iter().any(misplaced) {
        return Vec::new();
    }
    // Whoever cannot be looked at is taken at its word.
    let Ok(windows) = windows.list(deadline) else { return Vec::new() };
    let own: Vec<Window> =
        windows.into_iter().filter(|window| window.pid == app.pid && !window.minimized).collect();
    let mut pictures: HashMap<u64, Option<Pixels>> = HashMap::new();
    let mut unseen = Vec::new();
    for (at, place) in texts.into_iter().take(MAX_PIXEL_CHECKS) {
        let inside = |window: &&Window| window.frame.intersection(place) == Some(place);
        let mut around = own.iter().filter(inside);
        let (Some(window), None) = (around.next(), around.next()) else { continue };
        let picture = pictures.entry(window.id).or_insert_with(|| {
            let taken = screen.capture(Capture::Window(window.id), deadline).ok();
            taken.filter(|pixels| pixels.flaws.is_empty())
        });
        if picture.as_ref().is_some_and(|pixels| is_blank(pixels, place)) {
            unseen.push(at);
        }
    }
    unseen
}

/// Whether all pixels of a place are alike.
fn is_blank(pixels: &Pixels, place: Rect) -> bool {
    let scaled =
        (pixels.width as i32, pixels.height as i32) != (pixels.rect.width, pixels.rect.height);
    let Some(place) = place.intersection(pixels.rect).filter(|_| !scaled) else { return false };
    let (left, top) = ((place.x - pixels.rect.x) as usize, (place.y - pixels.rect.y) as usize);
    let (width, height) = (place.width as usize, place.height as usize);
    let stride = pixels.width as usize * 4;
    let (mut least, mut most) = ([u8::MAX; 3], [u8::MIN; 3]);
    for row in top..top + height {
        let start = row * stride + left * 4;
        let Some(line) = pixels.data.get(start..start + width * 4) else { return false };
        for pixel in line.chunks_exact(4) {
            for channel in 0..3 {
                least[channel] = least[channel].min(pixel[channel]);
                most[channel] = most[channel].max(pixel[channel]);
            }
        }
        if (0..3).any(|channel| most[channel] - least[channel] > MAX_COLOR_DIFFERENCE) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(width: u32, height: u32, colour: impl Fn(i32, i32) -> u8) -> Pixels {
        let rect = Rect::new(100, 50, width as i32, height as i32);
        let mut data = Vec::new();
        for y in 0..height as i32 {
            for x in 0..width as i32 {
                data.extend([colour(x, y), 200, 200, 0]);
            }
        }
        Pixels { rect, width, height, data, flaws: Vec::new() }
    }

    #[test]
    fn a_text_of_the_colour_behind_it_is_blank() {
        let stroke = |x: i32, y: i32| if x == 30 && (10..20).contains(&y) { 0 } else { 255 };
        let faint = |x: i32, y: i32| if x == 30 && (10..20).contains(&y) { 250 } else { 255 };
        let place = Rect::new(110, 55, 60, 20);
        assert!(!is_blank(&pixels(200, 100, stroke), place));
        assert!(is_blank(&pixels(200, 100, faint), place));
        assert!(is_blank(&pixels(200, 100, stroke), Rect::new(110, 100, 60, 20)));
    }

    #[test]
    fn a_place_outside_the_picture_tells_nothing() {
        assert!(!is_blank(&pixels(20, 20, |_, _| 0), Rect::new(0, 0, 10, 10)));
    }
}
