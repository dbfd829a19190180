//! Removes or marks text that users cannot see. Bounds and states are checked first, and then the
//! pixels.

use std::collections::HashMap;

use deskhand_model::{
    App, Flag, Index, NodeId, Notice, Rect, Snapshot, Window, clean,
    hidden::{self, BoundsScope, HiddenText},
};
use deskhand_platform::{CaptureTarget, Deadline, NodeFields, Pixels};

use super::TreeRead;
use crate::{Context, timing};

/// The number of invisible elements whose bounds are read. The outline of a longer page omits the
/// rest anyway.
const MAX_OFFSCREEN_READS: usize = 300;

/// The number of characters of each text that are searched for invisible ones. Outlines show fewer.
const MAX_SCANNED_CHARS: usize = 2_000;

/// The number of descendants that are checked together with a found element.
const MAX_DESCENDANTS: usize = 50;

/// The number of texts whose pixels are checked.
const MAX_PIXEL_CHECKS: usize = 400;

/// The largest difference of two colors per channel, of 255, that users cannot distinguish.
const MAX_COLOR_DIFFERENCE: u8 = 12;

/// The treatment of text that users cannot see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenTextPolicy {
    /// The text is omitted and counted.
    Omit,
    /// The text is marked.
    Mark,
}

impl HiddenTextPolicy {
    /// Returns `Mark` if the caller wants to see hidden text.
    pub fn from_include_hidden(include_hidden: bool) -> Self {
        if include_hidden { Self::Mark } else { Self::Omit }
    }
}

impl TreeRead {
    /// Removes or marks the hidden text of the snapshot.
    pub fn sanitize(&mut self, cx: &Context<'_>, app: &App, policy: HiddenTextPolicy) {
        // Outlines remove invisible characters from names, so they must be recorded here.
        for (_, node) in self.snapshot.iter() {
            for text in [&node.name, &node.description, node.text().unwrap_or_default()] {
                let end =
                    text.char_indices().nth(MAX_SCANNED_CHARS).map_or(text.len(), |(end, _)| end);
                clean::clean(&text[..end], &mut |flag| cx.hidden_text.record_flag(flag));
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
                hidden.without_hidden_text(&self.snapshot)
            }
            HiddenTextPolicy::Mark => hidden.with_marked_text(&self.snapshot),
        };
        let pairs = self.snapshot.iter().zip(sifted.iter());
        let other = pairs.filter(|((_, was), (_, is))| was != is);
        self.sanitized = other.map(|(_, (_, is))| is.id.clone()).collect();
        self.snapshot = sifted;
    }
}

/// Returns `true` if the text of a found element may be hidden.
pub(crate) fn may_be_hidden(cx: &Context<'_>, app: &App, snapshot: &Snapshot, at: Index) -> bool {
    if !hidden::may_be_hidden(snapshot, at) {
        return false;
    }
    let checked: Vec<Index> =
        snapshot.ancestors(at).chain(snapshot.subtree(at).take(MAX_DESCENDANTS)).collect();
    let deadline = cx.deadline.at_most(timing::SANITIZE_TIMEOUT);
    // If the app does not answer, the next read reports why.
    let Some(whole) = with_bounds(cx, app, snapshot, &checked, deadline) else { return true };
    let hidden = HiddenText::detect(&whole, BoundsScope::Showing);
    let texts = hidden::needs_pixel_check(&whole, &hidden);
    let hidden = hidden.with(blank_texts(cx, app, &whole, texts, deadline));
    hidden.nodes().iter().any(|one| snapshot.subtree(at).any(|inside| inside == *one))
}

/// Finds the hidden text of a snapshot.
pub(crate) fn find_hidden_text(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    facets: NodeFields,
) -> HiddenText {
    if !facets.bounds {
        return HiddenText::default();
    }
    let deadline = cx.deadline.at_most(timing::SANITIZE_TIMEOUT);
    let with_bounds_added =
        if facets.hidden { None } else { with_offscreen_bounds(cx, app, snapshot, deadline) };
    let whole = with_bounds_added.as_ref().unwrap_or(snapshot);
    let placed = if facets.hidden || with_bounds_added.is_some() {
        BoundsScope::All
    } else {
        BoundsScope::Showing
    };
    let hidden = HiddenText::detect(whole, placed);
    let blank = blank_texts(cx, app, whole, hidden::needs_pixel_check(whole, &hidden), deadline);
    hidden.with(blank)
}

/// Adds the bounds of invisible elements to a snapshot; `None` if there are none or too many.
fn with_offscreen_bounds(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    deadline: Deadline,
) -> Option<Snapshot> {
    let away = hidden::elements_without_bounds(snapshot, MAX_OFFSCREEN_READS + 1);
    if away.is_empty() || away.len() > MAX_OFFSCREEN_READS {
        return None;
    }
    with_bounds(cx, app, snapshot, &away, deadline)
}

/// Adds the bounds of some elements to a snapshot; `None` if the app does not answer.
fn with_bounds(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    some: &[Index],
    deadline: Deadline,
) -> Option<Snapshot> {
    const BOUNDS_FACETS: NodeFields =
        NodeFields { bounds: true, values: true, hidden: true, ..NodeFields::MINIMAL };
    let ids: Vec<NodeId> = some.iter().map(|at| snapshot.node(*at).id.clone()).collect();
    let nodes = cx.desktop.tree.read(app, &ids, BOUNDS_FACETS, deadline).ok()?;
    Some(snapshot.clone().with_updated_nodes(nodes.into_iter().flatten()))
}

/// Returns those of the areas in which something is drawn.
pub(crate) fn drawn_areas(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    areas: &[(Index, Rect)],
) -> Vec<Index> {
    let deadline = cx.deadline.at_most(timing::SANITIZE_TIMEOUT);
    elements_by_pixels(cx, app, snapshot, areas, deadline, |pixels, area| !is_blank(pixels, area))
}

/// Returns the texts whose pixels do not differ from their surroundings.
fn blank_texts(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    texts: Vec<(Index, Rect)>,
    deadline: Deadline,
) -> Vec<Index> {
    elements_by_pixels(cx, app, snapshot, &texts, deadline, is_blank)
}

/// Returns the elements whose pixels meet a condition.
fn elements_by_pixels(
    cx: &Context<'_>,
    app: &App,
    snapshot: &Snapshot,
    elements: &[(Index, Rect)],
    deadline: Deadline,
    is_wanted: impl Fn(&Pixels, Rect) -> bool,
) -> Vec<Index> {
    let misplaced = |notice: &Notice| matches!(notice, Notice::UnplacedWindow { .. });
    let (Some(windows), Some(screen)) = (&cx.desktop.windows, &cx.desktop.screen) else {
        return Vec::new();
    };
    if elements.is_empty() || snapshot.notices().iter().any(misplaced) {
        return Vec::new();
    }
    // Without pixels the reported states count.
    let Ok(windows) = windows.list(deadline) else { return Vec::new() };
    let own: Vec<Window> =
        windows.into_iter().filter(|window| window.pid == app.pid && !window.minimized).collect();
    let mut pictures: HashMap<u64, Option<Pixels>> = HashMap::new();
    let mut found = Vec::new();
    for (at, area) in elements.iter().copied().take(MAX_PIXEL_CHECKS) {
        let inside = |window: &&Window| window.frame.intersection(area) == Some(area);
        let mut around = own.iter().filter(inside);
        let (Some(window), None) = (around.next(), around.next()) else { continue };
        let picture = pictures.entry(window.id).or_insert_with(|| {
            let taken = screen.capture(CaptureTarget::Window(window.id), deadline).ok();
            taken.filter(|pixels| pixels.flaws.is_empty())
        });
        if picture.as_ref().is_some_and(|pixels| is_wanted(pixels, area)) {
            found.push(at);
        }
    }
    found
}

/// Returns `true` if all pixels of an area have the same color.
fn is_blank(pixels: &Pixels, area: Rect) -> bool {
    let scaled =
        (pixels.width as i32, pixels.height as i32) != (pixels.rect.width, pixels.rect.height);
    let Some(area) = area.intersection(pixels.rect).filter(|_| !scaled) else { return false };
    let (left, top) = ((area.x - pixels.rect.x) as usize, (area.y - pixels.rect.y) as usize);
    let (width, height) = (area.width as usize, area.height as usize);
    let stride = pixels.width as usize * 4;
    let (mut min, mut max) = ([u8::MAX; 3], [u8::MIN; 3]);
    for row in top..top + height {
        let start = row * stride + left * 4;
        let Some(line) = pixels.data.get(start..start + width * 4) else { return false };
        for pixel in line.chunks_exact(4) {
            for channel in 0..3 {
                min[channel] = min[channel].min(pixel[channel]);
                max[channel] = max[channel].max(pixel[channel]);
            }
        }
        if (0..3).any(|channel| max[channel] - min[channel] > MAX_COLOR_DIFFERENCE) {
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
    fn text_in_the_color_of_its_background_is_blank() {
        let stroke = |x: i32, y: i32| if x == 30 && (10..20).contains(&y) { 0 } else { 255 };
        let faint = |x: i32, y: i32| if x == 30 && (10..20).contains(&y) { 250 } else { 255 };
        let area = Rect::new(110, 55, 60, 20);
        assert!(!is_blank(&pixels(200, 100, stroke), area));
        assert!(is_blank(&pixels(200, 100, faint), area));
        assert!(is_blank(&pixels(200, 100, stroke), Rect::new(110, 100, 60, 20)));
    }

    #[test]
    fn an_area_outside_the_image_is_not_blank() {
        assert!(!is_blank(&pixels(20, 20, |_, _| 0), Rect::new(0, 0, 10, 10)));
    }
}
