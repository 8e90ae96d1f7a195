package dev.sluice.bench.mariadb;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Tables like those of sysbench, and transactions like those of its oltp_write_only: an update of
 * an indexed column, an update of a text, and a row that is deleted and inserted again.
 */
public final class WrittenRows extends SourceWorkload {
  private static final int CHANGES = 4;

  private final int tables;
  private final int rows;

  /**
   * @param rows of each table
   */
  public WrittenRows(EmbeddedServer server, String database, int tables, int rows) {
    super(server, database);
    this.tables = tables;
    this.rows = rows;
  }

  @Override
  public String description() {
    return "%d tables of %,d rows as sysbench's".formatted(tables, rows);
  }

  /** Of the tables that are compared. */
  List<String> names() {
    return IntStream.rangeClosed(1, tables).mapToObj(i -> "t" + i).toList();
  }

  @Override
  public long count() {
    return (long) tables * rows;
  }

  @Override
  void fill(Statement statement) throws SQLException {
    for (String name : names()) {
      statement.execute(
          "CREATE TABLE %s (id int PRIMARY KEY AUTO_INCREMENT, k int NOT NULL, c char(120) NOT NULL, pad char(60) NOT NULL, KEY k (k))"
              .formatted(name));
      statement.execute(
          "INSERT INTO %s SELECT seq, seq %% 1000, repeat(left(sha2(seq, 256), 32), 3), left(sha2(seq, 256), 32) FROM %s s"
              .formatted(name, numbers(rows)));
      statement.execute(
          """
          CREATE PROCEDURE write_%1$s(transactions int)
          BEGIN
            DECLARE i int DEFAULT 0;
            DECLARE other int;
            WHILE i < transactions DO
              START TRANSACTION;
              SET other = 1 + floor(rand() * %2$d);
              UPDATE %1$s SET k = k + 1 WHERE id = other;
              SET other = 1 + floor(rand() * %2$d);
              UPDATE %1$s SET c = repeat(left(sha2(rand(), 256), 32), 3) WHERE id = other;
              SET other = 1 + floor(rand() * %2$d);
              DELETE FROM %1$s WHERE id = other;
              INSERT INTO %1$s VALUES (other, i %% 1000, repeat(left(sha2(i, 256), 32), 3), left(sha2(other, 256), 32));
              COMMIT;
              SET i = i + 1;
            END WHILE;
          END
          """
              .formatted(name, rows));
    }
  }

  @Override
  long change(Statement statement, int transactions) throws SQLException {
    for (String name : names()) {
      statement.execute("CALL write_%s(%d)".formatted(name, transactions / tables));
    }
    return (long) transactions / tables * tables * CHANGES;
  }

  @Override
  Map<String, String> rows() {
    Map<String, String> queries = new LinkedHashMap<>();
    names()
        .forEach(
            name ->
                queries.put(
                    name,
                    "SELECT id, k, c, pad FROM %s.%s ORDER BY id".formatted(database(), name)));
    return queries;
  }
}
