package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;

/**
 * Each row of one table is updated exactly once, all over the table, ten in each transaction: there
 * is nothing to compact.
 */
public record UpdateOnly(long transactions) implements Shape {
  private static final int ROWS = 10;

  @Override
  public String name() {
    return "update-only";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT, "update-only, %,d rows, each once, %d in each transaction", changes(), ROWS);
  }

  @Override
  public List<String> tables() {
    return List.of("bench_update");
  }

  @Override
  public List<String> creation() {
    return List.of(
        "CREATE TABLE bench_update (id bigint PRIMARY KEY, customer int, amount numeric(12,2),"
            + " changed timestamptz, note text) WITH (fillfactor=80)");
  }

  @Override
  public List<String> filling() {
    return List.of(
        "INSERT INTO bench_update SELECT g, g % 1000, 0, '2026-01-01 00:00Z', md5(g::text)"
            + " FROM generate_series(1, "
            + changes()
            + ") g");
  }

  @Override
  public long changes() {
    return ROWS * transactions;
  }

  @Override
  public String transaction() {
    return """
        FOR k IN 1..%1$d LOOP
          UPDATE bench_update SET amount = amount + k, changed = clock_timestamp()
            WHERE id = %2$s;
        END LOOP;
        """
        .formatted(ROWS, Scattered.oneOf("(i - 1) * " + ROWS + " + k", changes()));
  }
}
