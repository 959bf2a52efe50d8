//! Shards of a manifest: every N-th item.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part of a manifest: of N shards, number I answers the items I, I + N, I + 2 N, …
///
/// Neighbouring items are often equally hard: interleaving distributes them evenly over the shards.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Shard {
    /// Number I of the shard, from 0.
    pub index: u64,
    /// Number of shards N.
    #[schemars(range(min = 1))]
    pub of: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Shard {
    /// The whole manifest.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Number of items of this shard, of `items` in all.
    #[must_use]
    pub fn item_count(self, items: u64) -> u64 {
        items / self.of + u64::from(self.index < items % self.of)
    }

    /// Item at a position in the order of the shard.
    #[must_use]
    pub fn item(self, place: u64) -> u64 {
        self.index + place * self.of
    }

    /// Position of an item in the order of the shard; none where it belongs to another one.
    #[must_use]
    pub fn place(self, item: u64) -> Option<u64> {
        (item % self.of == self.index).then_some(item / self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if index < of => Ok(Self { index, of }),
            _ => Err(String::from("write I/N, with I from 0 to N − 1")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_partition_the_items() {
        for items in [1, 2, 15, 16, 17, 100] {
            for of in [1, 2, 3, 16, 40] {
                let shards = (0..of).map(|index| Shard { index, of });
                let own = |shard: Shard| (0..shard.item_count(items)).map(move |place| shard.item(place));
                let mut all: Vec<u64> = shards.clone().flat_map(own).collect();
                all.sort_unstable();
                assert_eq!(all, (0..items).collect::<Vec<_>>());
                for shard in shards {
                    assert!((0..items).filter_map(|item| shard.place(item)).eq(0..shard.item_count(items)));
                }
            }
        }
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for bad in ["", "3", "3/3", "1/0", "-1/3", "a/3", "1/3/4"] {
            assert!(bad.parse::<Shard>().unwrap_err().contains("I/N"), "{bad}");
        }
    }
}
