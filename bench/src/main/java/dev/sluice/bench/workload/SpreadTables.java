package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Equal tables with equally much to do: each transaction is of one table, two updates of rows all
 * over it and two new rows.
 *
 * @param count tables; each begins with 20,000 rows
 */
public record SpreadTables(int count, long transactions) implements Shape {
  private static final int ROWS = 20_000;

  @Override
  public String name() {
    return "spread-tables";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "%d tables, %,d changes, two updates and two inserts of one table in each transaction",
        count,
        changes());
  }

  @Override
  public List<String> tables() {
    return IntStream.range(0, count).mapToObj(table -> "bench_spread_" + table).toList();
  }

  @Override
  public List<String> creation() {
    return tables().stream()
        .map(
            table ->
                "CREATE TABLE "
                    + table
                    + " (id bigint PRIMARY KEY, amount int, price numeric(12,2), note text,"
                    + " changed timestamptz)")
        .toList();
  }

  @Override
  public List<String> filling() {
    return tables().stream()
        .map(
            table ->
                "INSERT INTO "
                    + table
                    + " SELECT g, 0, g, md5(g::text), TIMESTAMPTZ '2026-01-01Z' FROM generate_series(1, "
                    + ROWS
                    + ") g")
        .toList();
  }

  @Override
  public long changes() {
    return 4 * transactions;
  }

  @Override
  public String transaction() {
    return """
        EXECUTE format('UPDATE bench_spread_%%1$s SET amount = amount + 1, changed = clock_timestamp()
            WHERE id IN ($1, $2)', i %% %1$d)
          USING 1 + (i * 7919) %% %2$d, 1 + (i * 7919 + 4001) %% %2$d;
        EXECUTE format('INSERT INTO bench_spread_%%1$s
            SELECT n, 0, n, md5(n::text), clock_timestamp() FROM generate_series($1, $1 + 1) n', i %% %1$d)
          USING %2$d + 2 * i;
        """
        .formatted(count, ROWS);
  }
}
