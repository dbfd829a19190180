//! Pixels of the screen, or of a drawing the server keeps.
//!
//! They come over the socket. Shared memory was measured and dropped: without `unsafe` it has to be
//! read through its descriptor, and the first picture of 1920x1080 then took 20 ms against 15 ms,
//! as both sides touch 2,000 fresh pages.

use deskhand_model::Rect;
use deskhand_platform::{Error, Flaw, Pixels};
use x11rb::{
    connection::Connection as _,
    protocol::xproto::{ConnectionExt as _, Drawable, ImageFormat, ImageOrder},
};

use super::monitors;
use crate::x11::{Server, Trouble};

/// The most pixels one picture may have: half a gigabyte of them.
const MOST: i64 = 1 << 27;

/// What comes before the pixels in the server's answer, in bytes.
const HEADER: usize = 32;

/// What can be seen in a place of the X screen; black where there is no monitor.
pub(super) fn seen(server: &Server, place: Rect) -> Result<Result<Pixels, Error>, Trouble> {
    let frames = monitors::frames(server)?;
    let refused = |why: &str| {
        Ok(Err(Error::Unsupported {
            what: format!("a picture of {}x{} pixels there", place.width, place.height),
            why: why.to_owned(),
        }))
    };
    if !frames.iter().any(|frame| frame.overlaps(place)) {
        return refused("it lies outside every display");
    }
    if i64::from(place.width) * i64::from(place.height) > MOST {
        return refused("that is more than 134 million pixels");
    }
    let all = monitors::screen(server)?;
    let Some(inside) = place.intersection(all) else {
        return refused("it lies outside the X screen");
    };
    let mut data = read(server, server.root, inside)?;
    if inside != place {
        data = pasted(&data, inside, place);
    }
    let unseen = frames.iter().fold(vec![place], |left, frame| {
        left.into_iter().flat_map(|piece| piece.minus(*frame)).collect()
    });
    for piece in &unseen {
        blacken(&mut data, place, *piece);
    }
    let flaws = if unseen.is_empty() { Vec::new() } else { vec![Flaw::Outside] };
    Ok(Ok(pixels(place, data, flaws)))
}

/// A picture of a place, from its bytes.
pub(super) fn pixels(rect: Rect, data: Vec<u8>, flaws: Vec<Flaw>) -> Pixels {
    let side = |length: i32| u32::try_from(length).unwrap_or(0);
    Pixels { rect, width: side(rect.width), height: side(rect.height), data, flaws }
}

/// Reads a part of something drawn, which must lie inside it.
pub(super) fn read(server: &Server, from: Drawable, part: Rect) -> Result<Vec<u8>, Trouble> {
    let image = server.connection.get_image(
        ImageFormat::Z_PIXMAP,
        from,
        i16::try_from(part.x)?,
        i16::try_from(part.y)?,
        u16::try_from(part.width)?,
        u16::try_from(part.height)?,
        u32::MAX,
    )?;
    // The parsed reply would be a second copy of them, in memory that has never been touched.
    let mut reply = image.raw_reply()?;
    let pixels = part.width.max(0) as usize * part.height.max(0) as usize * 4;
    if reply.len() < HEADER + pixels {
        return Err(x11rb::errors::ParseError::InsufficientData.into());
    }
    reply.truncate(HEADER + pixels);
    reply.drain(..HEADER);
    Ok(reply)
}

/// Whether pixels come as blue, green, red and a spare byte, as on every server in use.
pub(super) fn is_usual(server: &Server) -> bool {
    let setup = server.connection.setup();
    let wide = |depth: u8| {
        let mut formats = setup.pixmap_formats.iter();
        formats.any(|format| format.depth == depth && format.bits_per_pixel == 32)
    };
    let deep = setup.roots.iter().filter(|screen| screen.root == server.root);
    setup.image_byte_order == ImageOrder::LSB_FIRST
        && deep.into_iter().all(|screen| wide(screen.root_depth))
}

/// The bytes of a part, as the bytes of the whole it lies in; the rest is black.
fn pasted(data: &[u8], part: Rect, whole: Rect) -> Vec<u8> {
    let size = |r: Rect| (r.width.max(0) as usize * 4, r.height.max(0) as usize);
    let ((stride, rows), (from, _)) = (size(whole), size(part));
    let mut out = vec![0; stride * rows];
    let (left, top) = ((part.x - whole.x) as usize * 4, (part.y - whole.y) as usize);
    let lines = out.chunks_exact_mut(stride.max(4)).skip(top);
    for (line, row) in lines.zip(data.chunks_exact(from.max(4))) {
        line[left..left + from].copy_from_slice(row);
    }
    out
}

fn blacken(data: &mut [u8], whole: Rect, piece: Rect) {
    let stride = whole.width.max(1) as usize * 4;
    let (left, top) = ((piece.x - whole.x) as usize * 4, (piece.y - whole.y) as usize);
    let lines = data.chunks_exact_mut(stride).skip(top).take(piece.height as usize);
    for line in lines {
        line[left..left + piece.width as usize * 4].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_pasted_where_it_lies() {
        let whole = Rect::new(-1, -1, 3, 2);
        let part = Rect::new(0, 0, 2, 1);
        let mut out = pasted(&[1; 8], part, whole);
        assert_eq!(out, [[0; 12], [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]].concat());
        blacken(&mut out, whole, Rect::new(1, 0, 1, 1));
        assert_eq!(out[12..], [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
    }
}
