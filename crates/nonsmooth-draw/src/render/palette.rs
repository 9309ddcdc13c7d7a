//! Colours of bodies: muted, of about equal lightness, told apart by neighbours in number.

/// Light grey, for fixed bodies.
pub const FIXED: [u8; 3] = [0xc9, 0xcc, 0xd0];

const COLOURS: [[u8; 3]; 10] = [
    [0x4e, 0x79, 0xa7], // steel blue
    [0xd9, 0x8b, 0x4a], // ochre
    [0x6a, 0x9f, 0x6d], // sage
    [0xb8, 0x5c, 0x5c], // brick
    [0x8a, 0x7c, 0xb0], // lavender
    [0x5f, 0xa3, 0xa3], // teal
    [0xcf, 0xb0, 0x5c], // straw
    [0xa6, 0x7c, 0x61], // clay
    [0x7d, 0x93, 0xae], // slate
    [0xc0, 0x86, 0x9a], // rose
];

/// The colour of the body of a number; period 10.
pub fn colour(number: usize) -> [u8; 3] {
    COLOURS[number % COLOURS.len()]
}
