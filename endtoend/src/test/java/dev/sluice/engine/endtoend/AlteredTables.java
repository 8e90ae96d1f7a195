package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tables of MariaDB or MySQL that one session alters at random, and writes to between its
 * statements, while another one writes to them as well.
 */
final class AlteredTables {
  private static final List<String> TABLES = List.of("a", "b", "c");

  private final EmbeddedServer source;
  private final Random random;

  /** The columns of each table by its present name; all but one have those of {@link #TABLES}. */
  private final Map<String, List<Column>> columns = new TreeMap<>();

  /** A table that gets other names, and that of another one in its stead. */
  private String spare = "spare";

  private final AtomicInteger statements = new AtomicInteger();
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final List<Thread> threads = new ArrayList<>();
  private int number;
  private volatile boolean stopping;

  private record Column(String name, String type) {}

  private AlteredTables(EmbeddedServer source, long seed) {
    this.source = source;
    this.random = new Random(seed);
  }

  static AlteredTables create(ShopServer kind, EmbeddedServer source, long seed)
      throws SQLException {
    AlteredTables tables = new AlteredTables(source, seed);
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      List<String> all = new ArrayList<>(TABLES);
      all.add(tables.spare);
      for (String table : all) {
        statement.execute(
            ("CREATE TABLE %s (id INT AUTO_INCREMENT PRIMARY KEY, k INT, v VARCHAR(20),"
                    + " g SMALLINT AS (k * 2 + 1))")
                .formatted(table));
        statement.execute(
            "INSERT INTO %s (k, v) SELECT seq, concat('v', seq) FROM %s"
                .formatted(table, kind.numbers(50)));
        tables.columns.put(table, new ArrayList<>(List.of(new Column("v", "VARCHAR(20)"))));
      }
    }
    return tables;
  }

  void start() {
    threads.add(new Thread(() -> run(this::alter), "alters"));
    Random others = new Random(random.nextLong());
    threads.add(new Thread(() -> run(statement -> write(statement, others)), "writes"));
    threads.forEach(Thread::start);
  }

  void stop() throws InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new IllegalStateException(failure.get());
    }
  }

  /** How many statements of DDL there were. */
  int statements() {
    return statements.get();
  }

  private interface Step {
    void run(Statement statement) throws SQLException;
  }

  private void run(Step step) {
    try (Connection connection = source.connect(BinlogShop.DATABASE);
        Statement statement = connection.createStatement()) {
      while (!stopping) {
        step.run(statement);
        Thread.sleep(100);
      }
    } catch (SQLException | InterruptedException e) {
      failure.set(e);
    }
  }

  /** Uses the columns that no statement touches. */
  private static void write(Statement statement, Random random) throws SQLException {
    String table = TABLES.get(random.nextInt(TABLES.size()));
    int one = random.nextInt(100);
    statement.execute(
        switch (random.nextInt(3)) {
          case 0 -> "INSERT INTO %s (k) VALUES (%d), (%d)".formatted(table, one, one + 1);
          case 1 -> "UPDATE %s SET k = k + 1 WHERE id %% 7 = %d".formatted(table, one % 7);
          default -> "DELETE FROM %s WHERE id %% 31 = %d".formatted(table, one % 31);
        });
  }

  private void alter(Statement statement) throws SQLException {
    int chosen = random.nextInt(columns.size());
    String table = chosen == TABLES.size() ? spare : TABLES.get(chosen);
    List<Column> has = columns.get(table);
    if (random.nextInt(3) > 0) {
      rows(statement, table, has);
      return;
    }
    if (random.nextInt(4) == 0) {
      rename(statement, table);
      statements.incrementAndGet();
      return;
    }
    Column some = has.isEmpty() ? null : has.get(random.nextInt(has.size()));
    int kind = random.nextInt(some == null ? 2 : 7);
    switch (kind) {
      case 0, 1 -> {
        Column added = column();
        statement.execute(
            "ALTER TABLE %s ADD COLUMN `%s` %s%s"
                .formatted(table, added.name(), added.type(), kind == 0 ? "" : " FIRST"));
        has.add(added);
      }
      case 2 -> {
        statement.execute("ALTER TABLE %s DROP COLUMN `%s`".formatted(table, some.name()));
        has.remove(some);
      }
      case 3 -> {
        Column renamed = new Column("n" + ++number, some.type());
        statement.execute(
            "ALTER TABLE %s RENAME COLUMN `%s` TO %s"
                .formatted(table, some.name().toUpperCase(Locale.ROOT), renamed.name()));
        has.set(has.indexOf(some), renamed);
      }
      case 4 -> {
        Column added = column();
        statement.execute(
            "/* two at once */ ALTER TABLE %s.%s DROP `%s`, ADD `%s` %s, ADD INDEX (k)"
                .formatted(BinlogShop.DATABASE, table, some.name(), added.name(), added.type()));
        has.set(has.indexOf(some), added);
        statement.execute("DROP INDEX k ON " + table);
      }
      case 5 -> statement.execute("TRUNCATE TABLE " + table);
      default -> {
        // Of the rows that are there, each gets the default again.
        String again = some.name();
        Column added = new Column(again, column().type());
        statement.execute("ALTER TABLE %s DROP COLUMN `%s`".formatted(table, again));
        statement.execute(
            "ALTER TABLE %s ADD COLUMN `%s` %s".formatted(table, again, added.type()));
        has.set(has.indexOf(some), added);
      }
    }
    statements.incrementAndGet();
  }

  /**
   * Gives the spare table another name, or the name of a table that is the spare one then. Each
   * gets rows before its next statement: a start between two statements knows the columns by a row
   * only.
   */
  private void rename(Statement statement, String table) throws SQLException {
    String name = "spare" + ++number;
    boolean swapped = !table.equals(spare);
    if (!swapped) {
      statement.execute(
          (random.nextBoolean() ? "RENAME TABLE %s TO %s" : "ALTER TABLE %s RENAME %s")
              .formatted(spare, name));
      columns.put(name, columns.remove(spare));
    } else {
      statement.execute("RENAME TABLE %s TO %s, %s TO %1$s".formatted(table, name, spare));
      columns.put(name, columns.get(table));
      columns.put(table, columns.remove(spare));
    }
    spare = name;
    rows(statement, spare, columns.get(spare));
    if (swapped) {
      rows(statement, table, columns.get(table));
    }
  }

  private void rows(Statement statement, String table, List<Column> has) throws SQLException {
    int one = random.nextInt(1_000);
    statement.execute("INSERT INTO %s (k) VALUES (%d)".formatted(table, one));
    for (Column column : has) {
      statement.execute(
          "UPDATE %s SET `%s` = '%d' WHERE id %% 5 = %d"
              .formatted(table, column.name(), one, one % 5));
    }
  }

  private Column column() {
    List<String> types =
        List.of(
            "INT",
            "INT NOT NULL DEFAULT 7",
            "SMALLINT UNSIGNED DEFAULT 3",
            "VARCHAR(20)",
            "VARCHAR(20) NOT NULL DEFAULT 'it''s'",
            "DECIMAL(8,2) NOT NULL DEFAULT 1.5",
            "TEXT",
            "ENUM('1','yes') NOT NULL DEFAULT 'yes'");
    String type = types.get(random.nextInt(types.size()));
    // An ENUM takes no other values.
    return new Column("c" + ++number, type.startsWith("ENUM") ? "INT DEFAULT 11" : type);
  }

  /** Asserts that both sides have the same tables, with the same columns and the same rows. */
  void assertEqual(EmbeddedServer from, Connection target) throws SQLException {
    assertThat(
            BinlogDdl.rows(
                target,
                "SELECT table_name::text COLLATE \"C\" FROM information_schema.tables"
                    + " WHERE table_schema = 'shop' ORDER BY 1"))
        .isEqualTo(columns.keySet().stream().map(name -> name + "|").toList());
    try (Connection connection = from.connect(BinlogShop.DATABASE)) {
      for (String table : columns.keySet()) {
        List<String> names = names(connection, table, BinlogShop.DATABASE);
        assertThat(names(target, table, "shop")).as("columns of " + table).isEqualTo(names);
        List<String> bare = names.stream().map(name -> name.replace("|", "")).toList();
        assertThat(
                BinlogDdl.rows(
                    target,
                    "SELECT \"%s\" FROM shop.%s ORDER BY id"
                        .formatted(String.join("\", \"", bare), table)))
            .as("rows of " + table)
            .isEqualTo(
                BinlogDdl.rows(
                    connection,
                    "SELECT `%s` FROM %s ORDER BY id".formatted(String.join("`, `", bare), table)));
      }
    }
  }

  private static List<String> names(Connection connection, String table, String schema)
      throws SQLException {
    List<String> names =
        new ArrayList<>(
            BinlogDdl.rows(
                connection,
                "SELECT column_name FROM information_schema.columns WHERE table_schema = '%s'"
                        .formatted(schema)
                    + " AND table_name = '%s'".formatted(table)));
    names.sort(null);
    return names;
  }
}
