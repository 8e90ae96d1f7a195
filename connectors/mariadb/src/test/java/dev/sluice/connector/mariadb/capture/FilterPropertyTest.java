package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.Servers;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.filter.FilterSql;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** A row passes in the log if, and only if, it passes in the server's query. */
class FilterPropertyTest {
  private static final int ROWS = 40;
  private static final int FILTERS = 4;

  @Property(tries = 3, shrinking = ShrinkingMode.OFF)
  void theRowsOfTheLogAreThoseOfTheQuery(@ForAll long seed) throws SQLException {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    Random random = new Random(seed);
    List<RandomFilter> kinds = RandomFilter.kinds(Servers.areMysql());
    String columns =
        IntStream.range(0, kinds.size())
            .mapToObj(i -> ", v" + i + " " + kinds.get(i).type())
            .collect(Collectors.joining());
    try (LogFixture fixture =
        new LogFixture(
            "SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'",
            "CREATE TABLE other (id INT PRIMARY KEY" + columns + ")",
            "CREATE TABLE mark (id INT PRIMARY KEY)")) {
      Map<String, RowFilter> filters = new LinkedHashMap<>();
      for (int i = 0; i < FILTERS * kinds.size(); i++) {
        filters.put("t" + i, RandomFilter.of(kinds, i % kinds.size(), random));
        fixture.execute("CREATE TABLE t" + i + " LIKE other");
      }
      filters.forEach(fixture::filtering);
      // Behind the creations, which would be obstacles.
      fixture.withSourceCatalog().from(fixture.end().position()).capturing();
      Map<String, TreeSet<Integer>> logged = new LinkedHashMap<>();
      filters.keySet().forEach(table -> logged.put(table, new TreeSet<>()));
      try (JournalReader reader = fixture.reader()) {
        insert(fixture, kinds, random);
        filters.keySet().forEach(table -> copy(fixture, table));
        compare(fixture, reader, filters, logged, 1);
        update(fixture, kinds, random);
        filters.keySet().forEach(table -> copyAgain(fixture, kinds.size(), table));
        compare(fixture, reader, filters, logged, 2);
        filters
            .keySet()
            .forEach(table -> fixture.execute("DELETE FROM " + table + " WHERE id % 3 = 0"));
        compare(fixture, reader, filters, logged, 3);
      }
    }
  }

  private static void insert(LogFixture fixture, List<RandomFilter> kinds, Random random)
      throws SQLException {
    String marks = ", ?".repeat(kinds.size());
    try (PreparedStatement insert =
        fixture.connection.prepareStatement("INSERT INTO other VALUES (?" + marks + ")")) {
      for (int row = 0; row < ROWS; row++) {
        insert.setInt(1, row);
        for (int i = 0; i < kinds.size(); i++) {
          insert.setString(i + 2, kinds.get(i).value(random));
        }
        insert.executeUpdate();
      }
    }
  }

  private static void update(LogFixture fixture, List<RandomFilter> kinds, Random random)
      throws SQLException {
    for (int i = 0; i < kinds.size(); i++) {
      try (PreparedStatement update =
          fixture.connection.prepareStatement("UPDATE other SET v" + i + " = ? WHERE id = ?")) {
        for (int row = 0; row < ROWS; row += 1 + random.nextInt(3)) {
          update.setString(1, kinds.get(i).value(random));
          update.setInt(2, row);
          update.executeUpdate();
        }
      }
    }
  }

  private static void copy(LogFixture fixture, String table) {
    fixture.execute("INSERT INTO " + table + " SELECT * FROM other");
  }

  private static void copyAgain(LogFixture fixture, int columns, String table) {
    String assigned =
        IntStream.range(0, columns)
            .mapToObj(i -> "t.v%1$d = o.v%1$d".formatted(i))
            .collect(Collectors.joining(", "));
    fixture.execute("UPDATE " + table + " t JOIN other o ON o.id = t.id SET " + assigned);
  }

  private static void compare(
      LogFixture fixture,
      JournalReader reader,
      Map<String, RowFilter> filters,
      Map<String, TreeSet<Integer>> logged,
      int mark)
      throws SQLException {
    fixture.execute("INSERT INTO mark VALUES (" + mark + ")");
    boolean read = false;
    while (!read) {
      List<ChangeEvent> changes =
          reader.read(1).stream().flatMap(transaction -> transaction.changes().stream()).toList();
      for (ChangeEvent change : changes) {
        RowChange row = (RowChange) change;
        String table = row.schema().table().name();
        read |= table.equals("mark");
        if (filters.containsKey(table)) {
          apply(row, logged.get(table));
        }
      }
    }
    Map<String, TreeSet<Integer>> queried = queried(fixture, filters);
    List<String> wrong = new ArrayList<>();
    filters.forEach(
        (table, filter) -> {
          if (!logged.get(table).equals(queried.get(table))) {
            wrong.add(
                "%s: %s in the log, %s by the query"
                    .formatted(filter, logged.get(table), queried.get(table)));
          }
        });
    assertThat(wrong).isEmpty();
    long passing = queried.values().stream().mapToLong(TreeSet::size).sum();
    assertThat(passing).isGreaterThan(ROWS).isLessThan(ROWS * (filters.size() - 1L));
  }

  private static void apply(RowChange change, TreeSet<Integer> rows) {
    if (change.match() != null) {
      assertThat(rows.remove(Integer.valueOf(change.match().text(0)))).isTrue();
    }
    if (change.row() != null) {
      assertThat(rows.add(Integer.valueOf(change.row().text(0)))).isTrue();
    }
  }

  private static Map<String, TreeSet<Integer>> queried(
      LogFixture fixture, Map<String, RowFilter> filters) throws SQLException {
    MariadbServer server =
        new MariadbServer(
            new Endpoint(
                Servers.type(),
                "127.0.0.1",
                LogFixture.server().port(),
                fixture.database,
                "root",
                Secret.NONE,
                Map.of()),
            "test");
    Map<String, TreeSet<Integer>> queried = new LinkedHashMap<>();
    try (Connection session = server.open();
        Statement statement = session.createStatement()) {
      DatabaseTables catalog = DatabaseTables.read(session, fixture.database);
      for (Map.Entry<String, RowFilter> each : filters.entrySet()) {
        TableId table = fixture.table(each.getKey());
        String sql =
            "SELECT id FROM %s WHERE %s"
                .formatted(
                    table.quoted(),
                    FilterSql.of(each.getValue(), catalog.table(table).orElseThrow()));
        TreeSet<Integer> ids = new TreeSet<>();
        try (ResultSet row = statement.executeQuery(sql)) {
          while (row.next()) {
            ids.add(row.getInt(1));
          }
        }
        queried.put(each.getKey(), ids);
      }
    }
    return queried;
  }
}
