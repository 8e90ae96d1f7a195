package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;

/** New rows of one table and nothing else, ten in each transaction. */
public record InsertOnly(long transactions) implements Shape {
  private static final int ROWS = 10;

  @Override
  public String name() {
    return "insert-only";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT, "insert-only, %,d rows, %d in each transaction", changes(), ROWS);
  }

  @Override
  public List<String> tables() {
    return List.of("bench_insert");
  }

  @Override
  public List<String> creation() {
    return List.of(
        "CREATE TABLE bench_insert (id bigint PRIMARY KEY, customer int, amount numeric(12,2),"
            + " placed timestamptz, note text)");
  }

  @Override
  public List<String> filling() {
    return List.of();
  }

  @Override
  public long changes() {
    return ROWS * transactions;
  }

  @Override
  public String transaction() {
    return """
        FOR k IN 1..%1$d LOOP
          INSERT INTO bench_insert
            VALUES ((i - 1) * %1$d + k, floor(random() * 100000), random() * 10000,
              clock_timestamp(), md5(random()::text));
        END LOOP;
        """
        .formatted(ROWS);
  }
}
