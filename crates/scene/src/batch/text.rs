//! Numbers and overlaps as people read them.

use extricate_dynamics::BodyPenetration;

/// A number in as few digits as tell it.
pub fn number(value: f64) -> String {
    let plain = format!("{value:.6}");
    let is_readable = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if is_readable {
        plain.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

/// Coordinates as text.
pub fn text_of(coordinates: &[f64; 3]) -> String {
    coordinates.map(number).join(", ")
}

/// A pair that overlaps.
pub fn overlap(pair: &BodyPenetration) -> String {
    let [a, b] = &pair.bodies;
    let pair_name = if a == b { format!("{a} and itself") } else { format!("{a} and {b}") };
    format!("{pair_name}: {} m deep, {:.2e} of the smaller body", number(pair.depth), pair.depth / pair.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value_in_few_digits() {
        let told = [0.0, 1.0, 0.25, 1.6e-7, 12_345_678.0, -0.5].map(number);
        assert_eq!(told, ["0", "1", "0.25", "1.600e-7", "1.235e7", "-0.5"]);
        assert_eq!(number(f64::NAN), "NaN");
    }
}
