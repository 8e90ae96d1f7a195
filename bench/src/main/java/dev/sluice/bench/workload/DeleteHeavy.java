package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;

/** Each transaction deletes eight rows, updates one and inserts one, all over one table. */
public record DeleteHeavy(long transactions) implements Shape {
  private static final int DELETED = 8;
  private static final int CHANGES = DELETED + 2;

  @Override
  public String name() {
    return "delete-heavy";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "delete-heavy, %,d changes, eight of ten are deletes, %d in each transaction",
        changes(),
        CHANGES);
  }

  @Override
  public List<String> tables() {
    return List.of("bench_delete");
  }

  @Override
  public List<String> creation() {
    return List.of(
        "CREATE TABLE bench_delete (id bigint PRIMARY KEY, customer int, amount numeric(12,2),"
            + " changed timestamptz, note text)");
  }

  @Override
  public List<String> filling() {
    return List.of(
        "INSERT INTO bench_delete SELECT g, g % 1000, 0, '2026-01-01 00:00Z', md5(g::text)"
            + " FROM generate_series(1, "
            + rows()
            + ") g");
  }

  @Override
  public long changes() {
    return CHANGES * transactions;
  }

  @Override
  public String transaction() {
    return """
        FOR k IN 1..%1$d LOOP
          DELETE FROM bench_delete WHERE id = %2$s;
        END LOOP;
        UPDATE bench_delete SET amount = amount + 1, changed = clock_timestamp() WHERE id = %3$s;
        INSERT INTO bench_delete VALUES (-i, i %% 1000, 1, clock_timestamp(), md5(i::text));
        """
        .formatted(
            DELETED,
            Scattered.oneOf("(i - 1) * " + (DELETED + 1) + " + k", rows()),
            Scattered.oneOf("i * " + (DELETED + 1), rows()));
  }

  /** Each transaction meets rows that no other does. */
  private long rows() {
    return (DELETED + 1) * transactions;
  }
}
