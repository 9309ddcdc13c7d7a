//! Four numbers at once: AVX2 where the processor has it, plain arrays elsewhere, the same bits in both.
//!
//! Every operation is one rounding of IEEE 754 (no fused multiplication and addition), so a program that is generic in
//! [`Four`] computes the same numbers in both forms. `wide_and_plain_lanes_agree` compares them operation by operation.

#![allow(unsafe_code)]

use std::ops::{Add, Div, Mul, Sub};

/// Four numbers in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(in crate::solvers) struct Quad(pub(in crate::solvers) [f64; 4]);

/// Which form of lanes is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solvers) enum Width {
    /// Arrays of four numbers.
    Plain,
    /// Registers of four numbers.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Width {
    /// The widest that this processor has.
    pub(in crate::solvers) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Width::Avx2;
        }
        Width::Plain
    }

    /// Runs `work` with lanes of this width.
    #[inline(always)]
    pub(in crate::solvers) fn run<W: Work>(self, work: W) -> W::Result {
        match self {
            Width::Plain => work.run::<Plain>(),
            // SAFETY: only `detect` makes this variant, where the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => unsafe { run_avx2(work) },
        }
    }
}

/// Something to compute with lanes of any width.
pub(in crate::solvers) trait Work {
    type Result;
    fn run<V: Four>(self) -> Self::Result;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<W: Work>(work: W) -> W::Result {
    work.run::<avx2::Avx2>()
}

/// Four numbers, operated on by lanes.
pub(in crate::solvers) trait Four:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn load(x: &Quad) -> Self;
    fn store(self, x: &mut Quad);
    fn splat(x: f64) -> Self;
    fn sqrt(self) -> Self;
    /// By lanes: self where self > other, else other.
    fn larger(self, other: Self) -> Self;
    /// By lanes: `yes` where self > limit, else `no`.
    fn choose_above(self, limit: Self, yes: Self, no: Self) -> Self;
    /// Whether self > limit in some lane.
    fn any_above(self, limit: Self) -> bool;
    /// Rows become columns.
    fn transpose(rows: [Self; 4]) -> [Self; 4];

    /// The sum over the lanes, in a fixed order.
    #[inline(always)]
    fn total(self) -> f64 {
        let mut x = Quad::default();
        self.store(&mut x);
        (x.0[0] + x.0[1]) + (x.0[2] + x.0[3])
    }
}

// Plain loops and lists from here on: closures handed to `map` and `from_fn` are compiled apart, without AVX2.

/// Three components by lanes.
#[inline(always)]
pub(in crate::solvers) fn load<V: Four>(x: &[Quad; 3]) -> [V; 3] {
    [V::load(&x[0]), V::load(&x[1]), V::load(&x[2])]
}

/// a − b.
#[inline(always)]
pub(in crate::solvers) fn minus<V: Four>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a · b.
#[inline(always)]
pub(in crate::solvers) fn dot<V: Four>(a: [V; 3], b: [V; 3]) -> V {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub(in crate::solvers) fn cross<V: Four>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Lanes as an array.
#[derive(Clone, Copy, Debug)]
pub(in crate::solvers) struct Plain([f64; 4]);

impl Plain {
    #[inline(always)]
    fn by_lanes(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|l| f(self.0[l], other.0[l])))
    }
}

impl Add for Plain {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.by_lanes(other, |a, b| a + b)
    }
}

impl Sub for Plain {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.by_lanes(other, |a, b| a - b)
    }
}

impl Mul for Plain {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.by_lanes(other, |a, b| a * b)
    }
}

impl Div for Plain {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.by_lanes(other, |a, b| a / b)
    }
}

impl Four for Plain {
    #[inline(always)]
    fn load(x: &Quad) -> Self {
        Self(x.0)
    }

    #[inline(always)]
    fn store(self, x: &mut Quad) {
        x.0 = self.0;
    }

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.by_lanes(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn choose_above(self, limit: Self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|l| if self.0[l] > limit.0[l] { yes.0[l] } else { no.0[l] }))
    }

    #[inline(always)]
    fn any_above(self, limit: Self) -> bool {
        (0..4).any(|l| self.0[l] > limit.0[l])
    }

    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        std::array::from_fn(|i| Self(std::array::from_fn(|j| rows[j].0[i])))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! SAFETY of every intrinsic here: all methods are inlined into `run_avx2`, which runs where the processor has AVX2.

    use super::{Four, Quad};
    use std::arch::x86_64::*;
    use std::ops::{Add, Div, Mul, Sub};

    /// Lanes of a register.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(__m256d);

    impl Add for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            Self(unsafe { _mm256_add_pd(self.0, other.0) })
        }
    }

    impl Sub for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            Self(unsafe { _mm256_sub_pd(self.0, other.0) })
        }
    }

    impl Mul for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            Self(unsafe { _mm256_mul_pd(self.0, other.0) })
        }
    }

    impl Div for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn div(self, other: Self) -> Self {
            Self(unsafe { _mm256_div_pd(self.0, other.0) })
        }
    }

    impl Four for Avx2 {
        #[inline(always)]
        fn load(x: &Quad) -> Self {
            // A `Quad` is aligned to 32 bytes.
            Self(unsafe { _mm256_load_pd(x.0.as_ptr()) })
        }

        #[inline(always)]
        fn store(self, x: &mut Quad) {
            unsafe { _mm256_store_pd(x.0.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self(unsafe { _mm256_set1_pd(x) })
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(unsafe { _mm256_sqrt_pd(self.0) })
        }

        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            Self(unsafe { _mm256_max_pd(self.0, other.0) })
        }

        #[inline(always)]
        fn choose_above(self, limit: Self, yes: Self, no: Self) -> Self {
            Self(unsafe { _mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0)) })
        }

        #[inline(always)]
        fn any_above(self, limit: Self) -> bool {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0)) != 0 }
        }

        #[inline(always)]
        fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
            unsafe {
                let (e, f) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
                let (g, h) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
                [
                    Self(_mm256_permute2f128_pd::<0x20>(e, g)),
                    Self(_mm256_permute2f128_pd::<0x20>(f, h)),
                    Self(_mm256_permute2f128_pd::<0x31>(e, g)),
                    Self(_mm256_permute2f128_pd::<0x31>(f, h)),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on the same numbers.
    struct All([Quad; 4]);

    impl Work for All {
        type Result = Vec<u64>;

        #[inline(always)]
        fn run<V: Four>(self) -> Vec<u64> {
            let x = [V::load(&self.0[0]), V::load(&self.0[1]), V::load(&self.0[2]), V::load(&self.0[3])];
            let [a, b, c, d] = x;
            let [e, f, g, h] = V::transpose(x);
            let (i, j) = (a.larger(b), a.choose_above(b, c, d));
            let made = [a + b, a - b, a * b, a / b, a.sqrt(), i, j, V::splat(2.0) * c, e, f, g, h];
            let mut bits = vec![u64::from(a.any_above(b)), a.total().to_bits()];
            for lanes in made {
                let mut stored = Quad::default();
                lanes.store(&mut stored);
                // A NaN has no sign that counts.
                bits.extend(stored.0.map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }));
            }
            bits
        }
    }

    #[test]
    fn wide_and_plain_lanes_agree() {
        let odd = [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e300, 0.1, 3e-9];
        for seed in 0..500usize {
            let number = |k: usize| match (seed + 3 * k) % 4 {
                0 => odd[(seed * 7 + k * 5) % odd.len()],
                _ => 4.0 * ((seed * 31 + k * 17 + 1) as f64 * 0.618_034).fract() - 2.0,
            };
            let x = std::array::from_fn(|i| Quad(std::array::from_fn(|l| number(4 * i + l))));
            assert_eq!(Width::Plain.run(All(x)), Width::detect().run(All(x)), "seed {seed}: {x:?}");
        }
    }
}
