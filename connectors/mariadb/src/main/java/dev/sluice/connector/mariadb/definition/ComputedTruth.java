package dev.sluice.connector.mariadb.definition;

/** A condition, which is 0, 1 or NULL in MariaDB. Immutable. */
record ComputedTruth(String sql, boolean nullable) implements Computed {
  ComputedNumber asNumber() {
    return new ComputedNumber(
        "(%s)::integer::numeric".formatted(sql), ExactNumberRange.ofBits(1, true), false, nullable);
  }
}
