//! How long the permutations take: `cargo run --release -p paravent-slicing --example timing [RUNS]`.
//!
//! Four groups, as in Grunert & Heuer 2015; prints the fastest and the median of the runs in milliseconds.

use std::time::Instant;

use paravent_slicing::{Draw, Layout, MinimumSize, Operator, RowOrder, Secret, Windows, permute};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(5), |text| text.parse())?;
    let secret = Secret::from_os()?;
    println!(
        "{:>10} {:>9} {:>10} {:>10}   {} threads",
        "rows",
        "buckets",
        "least ms",
        "median ms",
        rayon::current_num_threads()
    );
    let adult = [1, 2, 5, 10, 25, 50, 75, 100, 200, 300, 400, 500].map(|buckets| (32_561, buckets));
    let large = [1, 100, 10_000, 1_000_000, 5_000_000].map(|buckets| (10_000_000, buckets));
    for (rows, buckets) in adult.into_iter().chain(large) {
        let mut times = Vec::new();
        for run in 0..runs.max(1) {
            let start = Instant::now();
            let layout = Layout::by_rank(rows, Windows::Count(buckets), MinimumSize::TWO)?;
            let draw = Draw { secret: &secret, operator: Operator(run as u64), order: RowOrder::Random };
            let gathers = permute(&layout, 4, &draw);
            times.push(start.elapsed().as_secs_f64() * 1000.0);
            std::hint::black_box(gathers);
        }
        times.sort_by(f64::total_cmp);
        println!("{rows:>10} {buckets:>9} {:>10.2} {:>10.2}", times[0], times[times.len() / 2]);
    }
    Ok(())
}
