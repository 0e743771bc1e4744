//! A moment as people write it. Nothing is ever decided by it here, so that a library for
//! the calendar would be a lot for one sentence.

const DAY_MS: u64 = 86_400_000;

/// To the second, as in `2026-11-18T02:49:32Z`.
pub(crate) fn second(wall_ms: u64) -> String {
    let (year, month, day) = civil(wall_ms / DAY_MS);
    let seconds = wall_ms % DAY_MS / 1_000;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date of a day, counted from 1970. Years begin in March, so that a leap day is the last
/// of its year, and four hundred of them always have as many days.
fn civil(days: u64) -> (u64, u64, u64) {
    const ERA_DAYS: u64 = 146_097;
    // From the first of March of the year 0.
    let days = days + 719_468;
    let of_era = days % ERA_DAYS;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + days / ERA_DAYS * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::second;

    #[test]
    fn a_moment_is_told_as_a_date() {
        for (wall_ms, told) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696_999, "2000-02-29T12:34:56Z"),
            (1_709_251_199_000, "2024-02-29T23:59:59Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00Z"),
            (1_794_967_372_600, "2026-11-18T02:02:52Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(second(wall_ms), told);
        }
        // What somebody wrote into the marker is not believed to be a year, and shown.
        assert!(second(u64::MAX).ends_with('Z'));
    }
}
