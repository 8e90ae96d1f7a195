package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Compares the tables of two databases by number and hash of their rows. */
public final class Digest {
  private Digest() {}

  /**
   * A line for each table of a PostgreSQL database: its name, the number of its rows, the sum of
   * their hashes.
   */
  public static String of(Database database, List<String> tables) throws SQLException {
    StringBuilder digest = new StringBuilder();
    try (Connection connection = database.connect()) {
      for (String table : tables) {
        digest
            .append(
                Database.single(
                    connection,
                    "SELECT concat_ws(' ', '"
                        + table
                        + "', count(*), coalesce(sum(hashtextextended(t::text, 0)), 0)) FROM "
                        + table
                        + " t"))
            .append('\n');
      }
    }
    return digest.toString();
  }

  /**
   * @param who the contender, for the message
   * @throws IllegalStateException if the tables differ, with the first table that does
   */
  public static void requireEqual(String who, Database source, Database target, List<String> tables)
      throws SQLException {
    if (target.isMariadb()) {
      requireEqualOnMariadb(who, source, target, tables);
      return;
    }
    String[] expected = of(source, tables).split("\n");
    String[] met = of(target, tables).split("\n");
    for (int i = 0; i < expected.length; i++) {
      requireEqual(who, expected[i], met[i]);
    }
  }

  /** By texts that both servers print alike. */
  private static void requireEqualOnMariadb(
      String who, Database source, Database target, List<String> tables) throws SQLException {
    try (Connection from = source.connect();
        Connection to = target.connect()) {
      for (String name : tables) {
        TableOnMariadb table = TableOnMariadb.of(from, name);
        requireEqual(
            who,
            Database.single(from, table.digestOnSource()),
            Database.single(to, table.digestOnTarget()));
      }
    }
  }

  private static void requireEqual(String who, String expected, String met) {
    if (!expected.equals(met)) {
      throw new IllegalStateException(
          who
              + " left other rows than the source has (table, rows, sum of hashes): source "
              + expected
              + ", target "
              + met);
    }
  }
}
