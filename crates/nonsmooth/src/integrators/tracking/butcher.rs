//! Runge–Kutta tableaux.
//!
//! ```text
//! k_i = f(t + c_i τ, x + τ Σ_j a_ij k_j),     x⁺ = x + τ Σ_i b_i k_i,     i, j = 1 … s
//! ```
//!
//! The names carry the order p of x⁺. Two methods bring a second set of weights b̂ for an error estimate, and
//! one of them a polynomial b_i(θ) for the motion inside the step. [Hairer93, sec. II.1, II.4, II.6; HairerWanner96,
//! sec. IV.5]

/// A Runge–Kutta method.
#[derive(Debug)]
pub(crate) struct Tableau {
    /// Name in scene files.
    pub(crate) name: &'static str,
    /// Order p.
    pub(crate) order: i32,
    /// a_ij by rows.
    pub(crate) a: &'static [f64],
    /// Weights b_i.
    pub(crate) b: &'static [f64],
    /// Nodes c_i.
    pub(crate) c: &'static [f64],
    /// Second weights b̂_i; the difference to b is an error of order min(p, p̂) + 1.
    pub(crate) embedded: Option<Embedded>,
    /// Coefficients of b_i(θ) = Σ_k d_ik θ^{k+1}, k = 0 … 3, by rows.
    pub(crate) dense: Option<&'static [[f64; 4]]>,
}

/// The weights of an embedded method.
#[derive(Debug)]
pub(crate) struct Embedded {
    /// b̂_i.
    pub(crate) b: &'static [f64],
    /// Order p̂.
    pub(crate) order: i32,
}

impl Tableau {
    /// Number of stages s.
    pub(crate) fn n_stages(&self) -> usize {
        self.b.len()
    }

    /// Whether each stage needs only those before it.
    pub(crate) fn is_explicit(&self) -> bool {
        let s = self.n_stages();
        (0..s).all(|i| (i..s).all(|j| self.a[i * s + j] == 0.0))
    }
}

/// Every method by family, each family by rising order.
pub(crate) static FAMILIES: [&[&Tableau]; 4] = [
    &[&MIDPOINT, &RK4, &RKF45, &DORMAND_PRINCE],
    &[&GAUSS2, &GAUSS4, &GAUSS6],
    &[&RADAU3, &RADAU5],
    &[&LOBATTO2, &LOBATTO4],
];

/// The words under which the methods are chosen.
pub(crate) const METHODS: &[&str] = &[
    "midpoint",
    "rk4",
    "rkf45",
    "dormand-prince",
    "gauss2",
    "gauss4",
    "gauss6",
    "radau3",
    "radau5",
    "lobatto2",
    "lobatto4",
];

/// The family and place of a method.
pub(crate) fn find(name: &str) -> (&'static [&'static Tableau], usize) {
    let place = |family: &'static [&Tableau]| {
        family.iter().position(|method| method.name == name).map(|place| (family, place))
    };
    FAMILIES.into_iter().find_map(place).expect("an option is one of the words it declares")
}

const SQRT3: f64 = 1.732_050_807_568_877_2;
const SQRT6: f64 = 2.449_489_742_783_178;
const SQRT15: f64 = 3.872_983_346_207_417;

static MIDPOINT: Tableau = Tableau {
    name: "midpoint",
    order: 2,
    a: &[0.0, 0.0, 0.5, 0.0],
    b: &[0.0, 1.0],
    c: &[0.0, 0.5],
    embedded: None,
    dense: None,
};

static RK4: Tableau = Tableau {
    name: "rk4",
    order: 4,
    #[rustfmt::skip]
    a: &[
        0.0, 0.0, 0.0, 0.0,
        0.5, 0.0, 0.0, 0.0,
        0.0, 0.5, 0.0, 0.0,
        0.0, 0.0, 1.0, 0.0,
    ],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    c: &[0.0, 0.5, 0.5, 1.0],
    embedded: None,
    dense: None,
};

static RKF45: Tableau = Tableau {
    name: "rkf45",
    order: 4,
    #[rustfmt::skip]
    a: &[
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        1.0 / 4.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        3.0 / 32.0, 9.0 / 32.0, 0.0, 0.0, 0.0, 0.0,
        1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0, 0.0, 0.0, 0.0,
        439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0, 0.0, 0.0,
        -8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0, 0.0,
    ],
    b: &[25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0],
    c: &[0.0, 0.25, 0.375, 12.0 / 13.0, 1.0, 0.5],
    embedded: Some(Embedded {
        b: &[16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0],
        order: 5,
    }),
    dense: None,
};

static DORMAND_PRINCE: Tableau = Tableau {
    name: "dormand-prince",
    order: 5,
    #[rustfmt::skip]
    a: &[
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0, 0.0,
        19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0, 0.0,
        9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0, 0.0,
        35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0,
    ],
    b: &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0],
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    embedded: Some(Embedded {
        b: &[
            5179.0 / 57600.0,
            0.0,
            7571.0 / 16695.0,
            393.0 / 640.0,
            -92097.0 / 339_200.0,
            187.0 / 2100.0,
            1.0 / 40.0,
        ],
        order: 4,
    }),
    // The order 4 polynomial of [Shampine86], as tabulated in common codes.
    dense: Some(&[
        [
            1.0,
            -8_048_581_381.0 / 2_820_520_608.0,
            8_663_915_743.0 / 2_820_520_608.0,
            -12_715_105_075.0 / 11_282_082_432.0,
        ],
        [0.0; 4],
        [
            0.0,
            131_558_114_200.0 / 32_700_410_799.0,
            -68_118_460_800.0 / 10_900_136_933.0,
            87_487_479_700.0 / 32_700_410_799.0,
        ],
        [
            0.0,
            -1_754_552_775.0 / 470_086_768.0,
            14_199_869_525.0 / 1_410_260_304.0,
            -10_690_763_975.0 / 1_880_347_072.0,
        ],
        [
            0.0,
            127_303_824_393.0 / 49_829_197_408.0,
            -318_862_633_887.0 / 49_829_197_408.0,
            701_980_252_875.0 / 199_316_789_632.0,
        ],
        [
            0.0,
            -282_668_133.0 / 205_662_961.0,
            2_019_193_451.0 / 616_988_883.0,
            -1_453_857_185.0 / 822_651_844.0,
        ],
        [0.0, 40_617_522.0 / 29_380_423.0, -110_615_467.0 / 29_380_423.0, 69_997_945.0 / 29_380_423.0],
    ]),
};

static GAUSS2: Tableau =
    Tableau { name: "gauss2", order: 2, a: &[0.5], b: &[1.0], c: &[0.5], embedded: None, dense: None };

static GAUSS4: Tableau = Tableau {
    name: "gauss4",
    order: 4,
    a: &[0.25, 0.25 - SQRT3 / 6.0, 0.25 + SQRT3 / 6.0, 0.25],
    b: &[0.5, 0.5],
    c: &[0.5 - SQRT3 / 6.0, 0.5 + SQRT3 / 6.0],
    embedded: None,
    dense: None,
};

static GAUSS6: Tableau = Tableau {
    name: "gauss6",
    order: 6,
    #[rustfmt::skip]
    a: &[
        5.0 / 36.0, 2.0 / 9.0 - SQRT15 / 15.0, 5.0 / 36.0 - SQRT15 / 30.0,
        5.0 / 36.0 + SQRT15 / 24.0, 2.0 / 9.0, 5.0 / 36.0 - SQRT15 / 24.0,
        5.0 / 36.0 + SQRT15 / 30.0, 2.0 / 9.0 + SQRT15 / 15.0, 5.0 / 36.0,
    ],
    b: &[5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0],
    c: &[0.5 - SQRT15 / 10.0, 0.5, 0.5 + SQRT15 / 10.0],
    embedded: None,
    dense: None,
};

static RADAU3: Tableau = Tableau {
    name: "radau3",
    order: 3,
    a: &[5.0 / 12.0, -1.0 / 12.0, 0.75, 0.25],
    b: &[0.75, 0.25],
    c: &[1.0 / 3.0, 1.0],
    embedded: None,
    dense: None,
};

static RADAU5: Tableau = Tableau {
    name: "radau5",
    order: 5,
    #[rustfmt::skip]
    a: &[
        (88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (-2.0 + 3.0 * SQRT6) / 225.0,
        (296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0,
        (16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0,
    ],
    b: &[(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
    c: &[(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0],
    embedded: None,
    dense: None,
};

static LOBATTO2: Tableau = Tableau {
    name: "lobatto2",
    order: 2,
    a: &[0.5, -0.5, 0.5, 0.5],
    b: &[0.5, 0.5],
    c: &[0.0, 1.0],
    embedded: None,
    dense: None,
};

static LOBATTO4: Tableau = Tableau {
    name: "lobatto4",
    order: 4,
    #[rustfmt::skip]
    a: &[
        1.0 / 6.0, -1.0 / 3.0, 1.0 / 6.0,
        1.0 / 6.0, 5.0 / 12.0, -1.0 / 12.0,
        1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0,
    ],
    b: &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0],
    c: &[0.0, 0.5, 1.0],
    embedded: None,
    dense: None,
};

#[cfg(test)]
mod tests {
    use super::*;

    fn methods() -> impl Iterator<Item = &'static Tableau> {
        FAMILIES.into_iter().flatten().copied()
    }

    /// Rounding of a sum of seven numbers up to 12.
    const ROUNDING: f64 = 1e-14;

    #[test]
    fn the_words_are_the_methods() {
        assert!(methods().map(|m| m.name).eq(METHODS.iter().copied()));
        for method in methods() {
            let (family, place) = find(method.name);
            assert_eq!(family[place].name, method.name);
        }
    }

    #[test]
    fn rows_sum_to_the_nodes() {
        for method in methods() {
            let s = method.n_stages();
            assert_eq!((method.a.len(), method.c.len()), (s * s, s), "{}", method.name);
            for (row, c) in method.a.chunks(s).zip(method.c) {
                assert!((row.iter().sum::<f64>() - c).abs() < ROUNDING, "{}", method.name);
            }
        }
    }

    /// Σ b_i c_i^{k−1} = 1/k for k ≤ p: polynomials in t are integrated exactly.
    #[test]
    fn the_weights_integrate_polynomials_of_degree_less_than_the_order() {
        for method in methods() {
            let mut rules = vec![(method.b, method.order)];
            rules.extend(method.embedded.as_ref().map(|e| (e.b, e.order)));
            for (b, order) in rules {
                for k in 1..=order {
                    let sum: f64 = b.iter().zip(method.c).map(|(b, c)| b * c.powi(k - 1)).sum();
                    assert!((sum - 1.0 / f64::from(k)).abs() < ROUNDING, "{}, k = {k}", method.name);
                }
            }
        }
    }

    /// Σ b_i a_ij c_j^{k−1} = 1/(k(k+1)) for k < p: twice integrated polynomials, as in q̈ = f(t).
    #[test]
    fn positions_are_integrated_to_the_order_too() {
        for method in methods() {
            let s = method.n_stages();
            for k in 1..method.order {
                let mut sum = 0.0;
                for i in 0..s {
                    for j in 0..s {
                        sum += method.b[i] * method.a[i * s + j] * method.c[j].powi(k - 1);
                    }
                }
                let exact = 1.0 / f64::from(k * (k + 1));
                assert!((sum - exact).abs() < ROUNDING, "{}, k = {k}", method.name);
            }
        }
    }

    /// b_i(1) = b_i, and Σ b_i(θ) c_i^{k−1} = θ^k/k for k ≤ 4.
    #[test]
    fn the_dense_output_ends_at_the_step_and_has_order_four() {
        for method in methods() {
            let Some(dense) = method.dense else { continue };
            let weight =
                |i: usize, x: f64| (0..4).map(|k| dense[i][k] * x.powi(k as i32 + 1)).sum::<f64>();
            for i in 0..method.n_stages() {
                assert!((weight(i, 1.0) - method.b[i]).abs() < ROUNDING, "stage {i}");
            }
            for (k, x) in [(1, 0.3), (2, 0.3), (3, 0.3), (4, 0.3), (4, 0.8)] {
                let sum: f64 = (0..7).map(|i| weight(i, x) * method.c[i].powi(k - 1)).sum();
                assert!((sum - x.powi(k) / f64::from(k)).abs() < ROUNDING, "k = {k}");
            }
        }
    }
}
