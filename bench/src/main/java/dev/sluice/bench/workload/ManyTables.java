package dev.sluice.bench.workload;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Many small tables: each transaction updates a row in four of them and inserts one into a fifth.
 *
 * @param count tables, a multiple of five; each begins with a hundred rows
 */
public record ManyTables(int count, long transactions) implements Shape {
  private static final int GROUPS = 5;
  private static final int ROWS = 100;

  public ManyTables {
    if (count < GROUPS || count % GROUPS != 0) {
      throw new IllegalArgumentException(count + " tables; expected a multiple of " + GROUPS);
    }
  }

  @Override
  public String name() {
    return "many-tables";
  }

  @Override
  public String title() {
    return String.format(
        Locale.ROOT,
        "%d small tables, %,d changes, four updates and an insert in each transaction",
        count,
        changes());
  }

  @Override
  public List<String> tables() {
    return IntStream.range(0, count).mapToObj(table -> "bench_small_" + table).toList();
  }

  @Override
  public List<String> creation() {
    return tables().stream()
        .map(table -> "CREATE TABLE " + table + " (id bigint PRIMARY KEY, amount int, note text)")
        .toList();
  }

  @Override
  public List<String> filling() {
    return tables().stream()
        .map(
            table ->
                "INSERT INTO "
                    + table
                    + " SELECT g, 0, md5(g::text) FROM generate_series(1, "
                    + ROWS
                    + ") g")
        .toList();
  }

  @Override
  public long changes() {
    return GROUPS * transactions;
  }

  /** Goes up through the tables, group by group: two such transactions never wait in a circle. */
  @Override
  public String transaction() {
    int group = count / GROUPS;
    return """
        FOR k IN 0..%1$d LOOP
          EXECUTE format('UPDATE bench_small_%%s SET amount = amount + $1 WHERE id = $2',
              k * %2$d + floor(random() * %2$d)::int)
            USING k, 1 + floor(random() * %3$d)::bigint;
        END LOOP;
        EXECUTE format('INSERT INTO bench_small_%%s VALUES ($1, 0, md5($1::text))',
            %4$d + floor(random() * %2$d)::int)
          USING %3$d + i;
        """
        .formatted(GROUPS - 2, group, ROWS, (GROUPS - 1) * group);
  }
}
