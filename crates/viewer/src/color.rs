//! Colours that are distinguishable for colour-blind readers.

/// A colour, sRGB, each channel in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Color {
    /// Red.
    pub red: f32,
    /// Green.
    pub green: f32,
    /// Blue.
    pub blue: f32,
    /// Opacity: 1 is opaque.
    pub alpha: f32,
}

impl Color {
    /// An opaque colour.
    #[must_use]
    pub const fn new(red: f32, green: f32, blue: f32) -> Self {
        Self { red, green, blue, alpha: 1.0 }
    }

    /// The same colour with another opacity.
    #[must_use]
    pub const fn with_alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// Linear interpolation to another colour, opacity included; `fraction` 0 is this colour, 1 the other.
    #[must_use]
    pub fn mixed(self, other: Self, fraction: f32) -> Self {
        let between = |a: f32, b: f32| a + fraction * (b - a);
        Self {
            red: between(self.red, other.red),
            green: between(self.green, other.green),
            blue: between(self.blue, other.blue),
            alpha: between(self.alpha, other.alpha),
        }
    }

    /// The four bytes red, green, blue, opacity.
    #[must_use]
    pub fn bytes(self) -> [u8; 4] {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within 0 and 255")]
        let byte = |channel: f32| (channel.clamp(0.0, 1.0) * 255.0).round() as u8;
        [self.red, self.green, self.blue, self.alpha].map(byte)
    }
}

/// Palette of Okabe and Ito, and greys.
pub mod palette {
    use super::Color;

    /// Orange.
    pub const ORANGE: Color = Color::new(0.90, 0.62, 0.00);
    /// Sky blue.
    pub const SKY: Color = Color::new(0.34, 0.71, 0.91);
    /// Bluish green.
    pub const GREEN: Color = Color::new(0.00, 0.62, 0.45);
    /// Reddish purple.
    pub const PURPLE: Color = Color::new(0.80, 0.47, 0.65);
    /// Yellow.
    pub const YELLOW: Color = Color::new(0.94, 0.89, 0.26);
    /// Blue.
    pub const BLUE: Color = Color::new(0.00, 0.45, 0.70);
    /// Vermilion.
    pub const VERMILION: Color = Color::new(0.84, 0.37, 0.00);

    /// Movable bodies, cyclically.
    pub const BODIES: [Color; 6] = [ORANGE, SKY, GREEN, PURPLE, YELLOW, BLUE];
    /// Fixed bodies.
    pub const FIXED: Color = Color::new(0.70, 0.71, 0.73);
    /// Links of a robot, alternately.
    pub const LINKS: [Color; 2] = [Color::new(0.33, 0.40, 0.48), Color::new(0.52, 0.59, 0.67)];
    /// Colliding bodies.
    pub const COLLIDING: Color = VERMILION;
    /// Bodies free of collisions.
    pub const FREE: Color = GREEN;
    /// Background.
    pub const BACKGROUND: Color = Color::new(0.945, 0.955, 0.965);
    /// The ground.
    pub const GROUND: Color = Color::new(0.925, 0.935, 0.945);
    /// Text.
    pub const INK: Color = Color::new(0.13, 0.15, 0.18);
}

/// A map from [0, 1] to colours of evenly increasing lightness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorMap {
    /// From dark blue to yellow, perceived alike with most kinds of colour vision \[Nuñez18\].
    #[default]
    Cividis,
}

impl ColorMap {
    /// Ten colours of the map at equal distances [Nuñez18, fig. 5].
    const CIVIDIS: [[u8; 3]; 10] = [
        [0x00, 0x22, 0x4e],
        [0x12, 0x35, 0x70],
        [0x3b, 0x49, 0x6c],
        [0x57, 0x5d, 0x6d],
        [0x70, 0x71, 0x73],
        [0x8a, 0x86, 0x78],
        [0xa5, 0x9c, 0x74],
        [0xc3, 0xb3, 0x69],
        [0xe1, 0xcc, 0x55],
        [0xfe, 0xe8, 0x38],
    ];

    /// Colour of a value; values outside [0, 1] have the colour of the nearer end, NaN that of 0.
    #[must_use]
    pub fn color(self, value: f64) -> Color {
        let stops = match self {
            Self::Cividis => &Self::CIVIDIS,
        };
        #[expect(clippy::cast_possible_truncation, reason = "a colour")]
        let at = (value.clamp(0.0, 1.0) as f32).max(0.0) * (stops.len() - 1) as f32;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few stops")]
        let below = (at as usize).min(stops.len() - 2);
        let color = |stop: [u8; 3]| {
            let [red, green, blue] = stop.map(|byte| f32::from(byte) / 255.0);
            Color::new(red, green, blue)
        };
        color(stops[below]).mixed(color(stops[below + 1]), at - below as f32)
    }
}
