package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Many tables whose changes are timed: each transaction inserts a row of {@link TimedTransactions},
 * and updates a row in each of four others. Immutable.
 *
 * @param tables {@code count} small ones, a multiple of five
 */
public record TimedTables(ManyTables tables) {
  /** Changes of one transaction. */
  public static final int CHANGES = 5;

  public static final OpenLoop.Transaction TRANSACTION = OpenLoop.call("bench_timed_tables");

  public static TimedTables of(int count) {
    return new TimedTables(new ManyTables(count, 0));
  }

  /** All tables. */
  public List<String> names() {
    List<String> names = new ArrayList<>(tables.tables());
    names.addAll(TimedTransactions.TABLES);
    return names;
  }

  public void create(Database source) throws SQLException {
    TimedTransactions.createTables(source);
    source.execute(tables.creation());
    source.execute(tables.filling());
    // In the order of the tables: two such transactions never wait in a circle.
    source.execute(
        """
        CREATE FUNCTION bench_timed_tables(w int, n bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          FOR k IN 0..%1$d LOOP
            EXECUTE format('UPDATE bench_small_%%s SET amount = amount + 1 WHERE id = $1',
                k * %2$d + floor(random() * %2$d)::int)
              USING 1 + floor(random() * 100)::bigint;
          END LOOP;
          INSERT INTO %3$s VALUES (w, n);
        END $$"""
            .formatted(CHANGES - 2, tables.count() / (CHANGES - 1), TimedTransactions.TABLE));
  }
}
