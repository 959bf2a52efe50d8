//! Polynomials with big integers for coefficients, and the signs they have at the real roots of one another.
//!
//! Roots in (0, 1) are isolated by Descartes' rule of signs on Bernstein coefficients over halved intervals. A sign at
//! a root is read off an interval around it that is small enough, or is zero by a common divisor: nothing is rounded.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};

/// Halvings after which a multiple root is suspected.
const SUSPECT: u32 = 24;
/// A multiple of every binomial coefficient of degrees up to six.
const BINOMIALS: u32 = 60;

/// Coefficients, the constant one first, without leading zeros.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polynomial(Vec<BigInt>);

/// The number `numerator` / 2^`bits`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dyadic {
    pub(crate) numerator: BigInt,
    pub(crate) bits: u32,
}

/// A real root of a polynomial.
#[derive(Debug, Clone)]
pub(crate) enum Root {
    /// The root itself.
    At(Dyadic),
    /// The only root, and a simple one, between `from` and `from` + 2^-bits, ends not included.
    Between { from: Dyadic, sign_before: Sign },
}

impl Polynomial {
    pub(crate) fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// from + t (to − from).
    pub(crate) fn path(from: &BigInt, to: &BigInt) -> Self {
        Self::new(vec![from.clone(), to - from])
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let longest = self.0.len().max(other.0.len());
        let at = |p: &Self, i: usize| p.0.get(i).cloned().unwrap_or_default();
        Self::new((0..longest).map(|i| at(self, i) + at(other, i)).collect())
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(crate) fn negated(&self) -> Self {
        Self(self.0.iter().map(|c| -c).collect())
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(Vec::new());
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * BigInt::from(i)).collect())
    }

    /// Divided by the greatest common divisor of the coefficients.
    fn primitive(&self) -> Self {
        let divisor = self.0.iter().fold(BigInt::zero(), |divisor, c| max_common(divisor, c.abs()));
        if divisor.is_zero() || divisor.is_one() {
            return self.clone();
        }
        Self(self.0.iter().map(|c| c / &divisor).collect())
    }

    /// Quotient and remainder of a multiple of this polynomial.
    fn divided(&self, divisor: &Self) -> (Self, Self) {
        let lead = divisor.0.last().expect("the divisor is not zero").clone();
        let (mut rest, mut quotient) = (self.clone(), Self(Vec::new()));
        while !rest.is_zero() && rest.0.len() >= divisor.0.len() {
            let mut term = vec![BigInt::zero(); rest.0.len() - divisor.0.len() + 1];
            *term.last_mut().expect("not empty") = rest.0.last().expect("not zero").clone();
            let term = Self(term);
            let scale = Self(vec![lead.clone()]);
            quotient = quotient.times(&scale).plus(&term);
            rest = rest.times(&scale).minus(&term.times(divisor));
        }
        (quotient, rest)
    }

    fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.primitive(), other.primitive());
        while !b.is_zero() {
            let rest = if a.0.len() < b.0.len() { a } else { a.divided(&b).1.primitive() };
            (a, b) = (b, rest);
        }
        a
    }

    /// The polynomial with the same roots, all of them simple.
    fn square_free(&self) -> Self {
        let divisor = self.common_divisor(&self.derivative());
        if divisor.degree() == 0 { self.clone() } else { self.divided(&divisor).0.primitive() }
    }

    /// The sign at a number.
    pub(crate) fn sign_at(&self, place: &Dyadic) -> Sign {
        let mut value = BigInt::zero();
        for (k, coefficient) in self.0.iter().rev().enumerate() {
            value = value * &place.numerator + (coefficient << (place.bits as usize * k));
        }
        value.sign()
    }

    /// Bernstein coefficients over [from, from + 2^-bits], up to a positive factor.
    fn bernstein(&self, from: &Dyadic) -> Vec<BigInt> {
        if self.is_zero() {
            return Vec::new();
        }
        let degree = self.degree();
        let mut shifted: Vec<BigInt> =
            self.0.iter().enumerate().map(|(i, c)| c << (from.bits as usize * (degree - i))).collect();
        for i in 0..degree {
            for j in (i..degree).rev() {
                let carry = &shifted[j + 1] * &from.numerator;
                shifted[j] += carry;
            }
        }
        (0..=degree)
            .map(|j| {
                let weight = |i| BigInt::from(BINOMIALS / binomial(degree, i) * binomial(j, i));
                (0..=j).map(|i| weight(i) * &shifted[i]).sum()
            })
            .collect()
    }

    /// All roots in [0, 1], in any order, and the polynomial whose simple roots they are. The polynomial must not be
    /// zero.
    pub(crate) fn roots(&self) -> (Self, Vec<Root>) {
        let mut roots = Vec::new();
        for end in [0, 1] {
            let place = Dyadic { numerator: BigInt::from(end), bits: 0 };
            if self.sign_at(&place) == Sign::NoSign {
                roots.push(Root::At(place));
            }
        }
        let (ends, whole) = (roots.len(), Dyadic { numerator: BigInt::zero(), bits: 0 });
        if self.isolate(whole.clone(), SUSPECT, &mut roots).is_some() {
            return (self.clone(), roots);
        }
        roots.truncate(ends);
        let simple = self.square_free();
        simple.isolate(whole, u32::MAX, &mut roots).expect("simple roots are isolated in the end");
        (simple, roots)
    }

    /// Roots inside an interval; `None` when the depth is used up.
    fn isolate(&self, from: Dyadic, depth: u32, roots: &mut Vec<Root>) -> Option<()> {
        let heights = self.bernstein(&from);
        match variations(&heights) {
            0 => Some(()),
            1 => {
                let sign_before = heights.iter().map(BigInt::sign).find(|s| *s != Sign::NoSign)?;
                roots.push(Root::Between { from, sign_before });
                Some(())
            }
            _ if depth == 0 => None,
            _ => {
                let [left, right] = from.halves();
                if self.sign_at(&right) == Sign::NoSign {
                    roots.push(Root::At(right.clone()));
                }
                self.isolate(left, depth - 1, roots)?;
                self.isolate(right, depth - 1, roots)
            }
        }
    }

    /// The sign at a root of `of`; the root is narrowed as needed.
    pub(crate) fn sign_at_root(&self, root: &mut Root, of: &Self) -> Sign {
        let mut rounds = 0;
        loop {
            let from = match &*root {
                Root::At(place) => return self.sign_at(place),
                Root::Between { from, .. } => from.clone(),
            };
            let heights = self.bernstein(&from);
            if heights.is_empty() {
                return Sign::NoSign;
            }
            if heights.iter().all(|h| h.sign() == heights[0].sign()) {
                return heights[0].sign();
            }
            rounds += 1;
            // The interval holds one root of `of`, a simple one: a common divisor has it or none.
            if rounds == SUSPECT && variations(&of.common_divisor(self).bernstein(&from)) % 2 == 1 {
                return Sign::NoSign;
            }
            root.narrow(of);
        }
    }
}

impl Root {
    /// Halves the interval around the root.
    fn narrow(&mut self, of: &Polynomial) {
        let Self::Between { from, sign_before } = &*self else { return };
        let ([left, right], before) = (from.halves(), *sign_before);
        let middle = of.sign_at(&right);
        *self = if middle == Sign::NoSign {
            Self::At(right)
        } else if middle == before {
            Self::Between { from: right, sign_before: before }
        } else {
            Self::Between { from: left, sign_before: before }
        };
    }

    /// Whether the root is less than `place`, exactly.
    pub(crate) fn is_before(&self, place: &Dyadic, of: &Polynomial) -> bool {
        let mut root = self.clone();
        loop {
            match &root {
                Self::At(at) => return at.compare(place).is_lt(),
                Self::Between { from, .. } => {
                    let to = Dyadic { numerator: &from.numerator + 1, bits: from.bits };
                    if place.compare(from).is_le() {
                        return false;
                    }
                    if to.compare(place).is_le() {
                        return true;
                    }
                    if of.sign_at(place) == Sign::NoSign {
                        return false;
                    }
                }
            }
            root.narrow(of);
        }
    }
}

impl Dyadic {
    fn halves(&self) -> [Self; 2] {
        let left = Self { numerator: &self.numerator << 1, bits: self.bits + 1 };
        let right = Self { numerator: &left.numerator + 1, bits: left.bits };
        [left, right]
    }

    fn compare(&self, other: &Self) -> Ordering {
        let bits = self.bits.max(other.bits);
        let [a, b] = [self, other].map(|d| &d.numerator << (bits - d.bits) as usize);
        a.cmp(&b)
    }
}

/// Changes of sign in a row of numbers, zeros left out.
fn variations(heights: &[BigInt]) -> u32 {
    let mut last = Sign::NoSign;
    let mut count = 0;
    for sign in heights.iter().map(BigInt::sign).filter(|sign| *sign != Sign::NoSign) {
        count += u32::from(last != Sign::NoSign && sign != last);
        last = sign;
    }
    count
}

fn binomial(n: usize, k: usize) -> u32 {
    (0..k).fold(1, |product, i| product * (n - i) as u32 / (i + 1) as u32)
}

fn max_common(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a
}
