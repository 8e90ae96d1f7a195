package dev.sluice.bench.cutover;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.workload.TimedTransactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The tables that the applications of the cutover benchmark write. Each transaction adds one to an
 * account and inserts a row that names the account, with an id of a sequence. So each side can be
 * checked alone, and both against each other although one of them goes on. Stateless.
 */
public final class WrittenTables {
  /** Its parameters: the account, twice, the writer, the number. */
  static final String WRITE =
      "WITH changed AS (UPDATE bench_account SET balance = balance + 1 WHERE id = ?)"
          + " INSERT INTO bench_timed (account, writer, number) VALUES (?, ?, ?)";

  private WrittenTables() {}

  /** Makes the tables, the same on source and target. */
  public static void create(Database database) throws SQLException {
    TimedTransactions.createTables(database);
    database.execute("ALTER TABLE bench_timed ADD account int NOT NULL, ADD id bigserial UNIQUE");
  }

  /**
   * Requires that the applications stopped writing to one side at one moment, went on at the other,
   * and that both have every row up to that moment. A lost change, one that came twice, one that
   * went round between the sides, and a sequence that is behind break it.
   *
   * @param left the side that nobody writes any more
   * @param written the side that the applications write
   * @throws IllegalStateException if the sides differ
   */
  public static void requireEqual(Database left, Database written) throws SQLException {
    requireWhole(left);
    requireWhole(written);
    try (Connection of = left.connect();
        Connection with = written.connect()) {
      Map<Integer, Long> last = new TreeMap<>();
      String writersOf = "SELECT count(DISTINCT writer) FROM bench_timed";
      if (!Database.single(of, writersOf).equals(Database.single(with, writersOf))) {
        throw new IllegalStateException("a side lacks all rows of a writer");
      }
      try (ResultSet writers =
          of.createStatement()
              .executeQuery("SELECT writer, max(number) FROM bench_timed GROUP BY writer")) {
        while (writers.next()) {
          last.put(writers.getInt(1), writers.getLong(2));
        }
      }
      for (Map.Entry<Integer, Long> writer : last.entrySet()) {
        String here = rows(of, writer.getKey(), writer.getValue());
        String there = rows(with, writer.getKey(), writer.getValue());
        if (!here.equals(there)) {
          throw new IllegalStateException(
              "writer "
                  + writer.getKey()
                  + " has other rows (number and sum of hashes) on the side that is left, "
                  + here
                  + ", than on the other, "
                  + there);
        }
      }
    }
  }

  private static String rows(Connection connection, int writer, long last) throws SQLException {
    try (PreparedStatement rows =
        connection.prepareStatement(
            "SELECT concat_ws(' ', count(*), sum(hashtextextended(t::text, 0))) FROM bench_timed t"
                + " WHERE writer = ? AND number <= ?")) {
      rows.setInt(1, writer);
      rows.setLong(2, last);
      try (ResultSet row = rows.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  /** Each account has had as many transactions as there are rows that name it. */
  private static void requireWhole(Database side) throws SQLException {
    try (Connection connection = side.connect()) {
      String accounts =
          Database.single(
              connection,
              """
              SELECT count(*) FROM bench_account a
              LEFT JOIN (SELECT account, count(*) FROM bench_timed GROUP BY account) t
                ON t.account = a.id
              WHERE a.balance <> coalesce(t.count, 0)
              """);
      String ahead =
          Database.single(
              connection,
              "SELECT last_value >= (SELECT coalesce(max(id), 0) FROM bench_timed)"
                  + " FROM bench_timed_id_seq");
      if (!accounts.equals("0") || !ahead.equals("t")) {
        throw new IllegalStateException(
            side.name()
                + ": "
                + accounts
                + " accounts have another number of transactions than rows; the sequence is ahead: "
                + ahead);
      }
    }
  }
}
