//! The radii of joints, which MRTK does not record.

/// The distances of the skin from each of [`Joint::WEBXR`](inputanim::Joint::WEBXR), in metres: the radii of IWER's own
/// relaxed hand, to a tenth of a millimetre.
pub(crate) const RADII: [f32; 25] = [
    0.0215, // wrist
    0.0194, 0.0123, 0.0098, 0.0088, // thumb
    0.0212, 0.0103, 0.0085, 0.0076, 0.0066, // index finger
    0.0212, 0.0112, 0.0080, 0.0076, 0.0066, // middle finger
    0.0191, 0.0099, 0.0076, 0.0072, 0.0062, // ring finger
    0.0181, 0.0085, 0.0068, 0.0064, 0.0054, // little finger
];
