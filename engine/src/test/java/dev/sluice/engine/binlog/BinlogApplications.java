package dev.sluice.engine.binlog;

import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Some applications with random tables in one database of MariaDB or MySQL, whose steps are the
 * same for the same seed. Owned by one thread.
 */
public final class BinlogApplications implements AutoCloseable {
  private final EmbeddedServer server;
  private final String database;
  private final Random random;
  private final List<BinlogWork> works = new ArrayList<>();

  /**
   * Creates the database and the applications, without their tables.
   *
   * @param altering whether they run DDL
   */
  public BinlogApplications(
      EmbeddedServer server, String database, long seed, int count, boolean altering)
      throws SQLException {
    this.server = server;
    this.database = database;
    this.random = new Random(seed);
    boolean mysql = server instanceof EmbeddedMysql;
    server.createDatabase(database);
    BinlogNames names = new BinlogNames(random);
    for (int i = 0; i < count; i++) {
      List<BinlogTable> tables = new ArrayList<>();
      for (int table = 1 + random.nextInt(4); table > 0; table--) {
        tables.add(new BinlogTable(names.next(), tables, random, mysql));
      }
      works.add(
          new BinlogWork(
              server.connect(database), tables, altering, new Random(random.nextLong())));
    }
    if (!mysql) {
      try (Connection connection = server.connect(database);
          Statement statement = connection.createStatement()) {
        statement.execute(
            "SET GLOBAL log_bin_compress = %s, log_bin_compress_min_len = 10"
                .formatted(random.nextBoolean()));
      }
    }
  }

  /** Creates the tables, with rows. */
  public void begin() throws SQLException {
    for (BinlogWork work : works) {
      work.begin();
    }
  }

  /** Runs so many statements of each application on average, in any order. */
  public void work(int steps) throws SQLException {
    for (int i = 0; i < steps * works.size(); i++) {
      works.get(random.nextInt(works.size())).step();
    }
  }

  /** Ends the transactions that are open. */
  public void finish() throws SQLException {
    for (BinlogWork work : works) {
      work.finish();
    }
  }

  /** What differs on the target. */
  public List<String> differences(EmbeddedPostgres target, Set<String> leftOut)
      throws SQLException {
    List<String> differences = new ArrayList<>();
    try (Connection one = server.connect(database);
        Connection other = target.connect(database);
        Statement utc = one.createStatement()) {
      utc.execute("SET time_zone = '+00:00'");
      BinlogSides sides = new BinlogSides(one, other, database);
      for (String table : tables()) {
        if (!leftOut.contains(table)) {
          differences.addAll(sides.differences(table));
        }
      }
    }
    return differences;
  }

  public List<String> tables() {
    return works.stream().flatMap(work -> work.tables().stream()).map(BinlogTable::name).toList();
  }

  /** The statements that the server did. */
  public int succeeded() {
    return works.stream().mapToInt(BinlogWork::succeeded).sum();
  }

  public int tried() {
    return works.stream().mapToInt(BinlogWork::tried).sum();
  }

  public int altered() {
    return works.stream().mapToInt(BinlogWork::altered).sum();
  }

  public int count() {
    return works.size();
  }

  /** How many statements begin so and have these words. */
  public long times(String begin, String words) {
    return told()
        .lines()
        .filter(statement -> statement.startsWith(begin) && statement.contains(words))
        .count();
  }

  /** What was run, for a message. */
  public String told() {
    return works.stream()
        .map(work -> String.join("\n", work.told()))
        .collect(Collectors.joining("\n\n"));
  }

  @Override
  public void close() throws SQLException {
    for (BinlogWork work : works) {
      work.close();
    }
  }
}
