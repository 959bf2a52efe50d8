//! A line of a golden file: words, numbers and names.

use crate::state::Hash;

/// What is left of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line.trim() }
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word).filter(|word| !word.is_empty())
    }

    /// The next word.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.next().ok_or_else(|| format!("{what} is missing"))
    }

    /// A name in quotation marks, as JSON writes it.
    pub(super) fn name(&mut self, what: &str) -> Result<String, String> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        if !self.rest.starts_with('"') {
            return Err(format!("{what} in quotation marks is missing"));
        }
        match values.next() {
            Some(Ok(name)) => {
                self.rest = self.rest[values.byte_offset()..].trim_start();
                Ok(name)
            }
            _ => Err(format!("{what} is no string as JSON writes it")),
        }
    }

    /// A finite number.
    pub(super) fn number(&mut self, what: &str) -> Result<f64, String> {
        let word = self.word(what)?;
        let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| format!("{what}: `{word}` is no number"))
    }

    /// A finite number above zero.
    pub(super) fn positive(&mut self, what: &str) -> Result<f64, String> {
        let number = self.number(what)?;
        if number > 0.0 { Ok(number) } else { Err(format!("{what}: {number} is not above zero")) }
    }

    /// Several finite numbers.
    pub(super) fn numbers<const N: usize>(&mut self, what: &str) -> Result<[f64; N], String> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number(what)?;
        }
        Ok(numbers)
    }

    /// A number of things.
    pub(super) fn count(&mut self, what: &str) -> Result<u64, String> {
        let word = self.word(what)?;
        word.parse().map_err(|_| format!("{what}: `{word}` is no whole number from zero on"))
    }

    /// A hash.
    pub(super) fn hash(&mut self) -> Result<Hash, String> {
        let word = self.word("a hash")?;
        let is_hash = word.len() == 16 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let hash = Some(word).filter(|_| is_hash).and_then(|word| u64::from_str_radix(word, 16).ok());
        hash.map(Hash).ok_or_else(|| format!("`{word}` is no hash of sixteen hexadecimal digits"))
    }

    /// The next word, which must be this one.
    pub(super) fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.next() {
            Some(found) if found == word => Ok(()),
            Some(found) => Err(format!("`{word}` is expected, not `{found}`")),
            None => Err(format!("`{word}` is missing")),
        }
    }

    /// Nothing may follow.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("`{}` stands too much here", self.rest)) }
    }
}

/// A name as a golden file writes it.
pub(super) fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}
