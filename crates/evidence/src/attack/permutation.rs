//! Is this order better than a random one?

/// Random orders tried at most; one of a hundred may be as good by chance.
pub(super) const ORDERS: u32 = 99;

/// The p-value of a permutation test that stops at the first random order that is as good: 1/L if that is the L-th, 1/(1 + `orders`)
/// if none is. Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78(2), 1991, with h = 1.
pub(super) fn p_value(orders: u32, mut as_good: impl FnMut() -> bool) -> f64 {
    let first = (1..=orders).find(|_| as_good());
    1.0 / f64::from(first.unwrap_or(1 + orders))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_first_order_that_is_as_good() {
        let mut tried = 0;
        let found = p_value(ORDERS, || {
            tried += 1;
            tried == 4
        });
        assert_eq!((found, tried), (0.25, 4));
        assert_eq!(p_value(ORDERS, || false), 0.01);
    }
}
