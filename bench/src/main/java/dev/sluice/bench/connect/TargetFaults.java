package dev.sluice.bench.connect;

import dev.sluice.bench.server.Database;
import dev.sluice.bench.server.ServerPair;
import dev.sluice.bench.workload.Backlog;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds wrong rows that each sink leaves on the target: for every kind of change it uses a separate
 * table and connector on the same topics, and compares the rows. Owned by the benchmark's thread.
 */
public final class TargetFaults {
  private static final String SLOT = "faults";
  private static final int SHOWN = 160;

  /**
   * @param rows what makes the rows that both sides begin with
   * @param changes what is done to them on the source
   * @param events row events that Debezium makes of the changes
   */
  private record Case(
      String title, String table, String columns, String rows, List<String> changes, int events) {
    List<String> creation() {
      return List.of(
          "CREATE TABLE " + table + " (" + columns + ")",
          "INSERT INTO " + table + " " + rows + " FROM generate_series(1, 10) i");
    }
  }

  private static final List<Case> CASES =
      List.of(
          new Case(
              "a large value that an UPDATE left as it was (TOAST)",
              "documents",
              "id int PRIMARY KEY, state text, body text STORAGE EXTERNAL",
              "SELECT i, 'new', repeat(md5(i::text), 400)",
              List.of("UPDATE documents SET state = 'read' WHERE id <= 5"),
              5),
          new Case(
              "unique values that change places",
              "ranks",
              "id int PRIMARY KEY, place int UNIQUE",
              "SELECT i, i",
              List.of(
                  "BEGIN; UPDATE ranks SET place = -place; UPDATE ranks SET place = 11 + place;"
                      + " COMMIT"),
              20),
          new Case(
              "a unique value that goes from a deleted row to a new one",
              "names",
              "id int PRIMARY KEY, name text UNIQUE",
              "SELECT i, 'name ' || i",
              List.of(
                  "BEGIN; DELETE FROM names WHERE id = 3; INSERT INTO names VALUES (11, 'name 3');"
                      + " COMMIT"),
              2),
          new Case(
              "a change of a key",
              "keys",
              "id int PRIMARY KEY, note text",
              "SELECT i, 'note ' || i",
              List.of("UPDATE keys SET id = id + 100 WHERE id <= 5"),
              10),
          new Case(
              "a change of a key beside a large value that stays",
              "parts",
              "id int PRIMARY KEY, body text STORAGE EXTERNAL",
              "SELECT i, repeat(md5(i::text), 400)",
              List.of("UPDATE parts SET id = id + 100 WHERE id <= 5"),
              10),
          new Case(
              "TRUNCATE",
              "baskets",
              "id int PRIMARY KEY, item text",
              "SELECT i, 'old'",
              List.of("TRUNCATE baskets", "INSERT INTO baskets VALUES (1, 'new')"),
              2),
          new Case(
              "equal rows of a table without a key (REPLICA IDENTITY FULL)",
              "events",
              "what text, at int",
              "SELECT 'click', i / 2",
              List.of(
                  "DELETE FROM events WHERE ctid IN (SELECT min(ctid) FROM events WHERE at = 3)",
                  "UPDATE events SET what = 'key' WHERE at = 1"),
              3));

  private final ConnectBench bench;
  private final ServerPair servers;
  private final Duration limit;
  private int sinks;

  public TargetFaults(ConnectBench bench, ServerPair servers, Duration limit) {
    this.bench = bench;
    this.servers = servers;
    this.limit = limit;
  }

  /** The lines of a table, in Markdown. */
  public String table(List<SinkKind> kinds) throws Exception {
    Database source = ServerPair.create(servers.source("source_faults"));
    List<String> tables = CASES.stream().map(Case::table).toList();
    for (Case one : CASES) {
      source.execute(one.creation());
    }
    source.execute(
        "ALTER TABLE events REPLICA IDENTITY FULL",
        "CREATE PUBLICATION " + Backlog.PUBLICATION + " FOR ALL TABLES");
    ServerPair.createSlot(source, SLOT);
    int events = 0;
    for (Case one : CASES) {
      source.execute(one.changes());
      events += one.events();
    }
    SourceTopics topics = SourceTopics.byTable(bench, SLOT, tables, RecordConverter.JSON);
    topics.fill(source, events, limit);
    ServerPair.dropSlot(source, SLOT);
    StringBuilder table = new StringBuilder("| what |");
    kinds.forEach(kind -> table.append(' ').append(kind.name()).append(" |"));
    table.append("\n| --- |").append(" --- |".repeat(kinds.size())).append('\n');
    for (Case one : CASES) {
      table.append("| ").append(one.title()).append(" |");
      for (SinkKind kind : kinds) {
        table.append(' ').append(outcome(one, kind, topics, source)).append(" |");
      }
      table.append('\n');
    }
    ServerPair.drop(source);
    return table.toString();
  }

  private String outcome(Case one, SinkKind kind, SourceTopics topics, Database source)
      throws Exception {
    Database target = ServerPair.create(servers.target("target_faults"));
    target.execute(one.creation());
    List<String> read = new ArrayList<>(List.of(SLOT + ".public." + one.table()));
    kind.topics(topics).stream().filter(topics.transactionTopic()::equals).forEach(read::add);
    Optional<String> failure;
    String name = "fault-" + ++sinks;
    try (RunningSink sink = RunningSink.start(bench, name, kind, topics, read, target, 500)) {
      failure = sink.awaitEnd(limit);
    }
    String difference = difference(one.table(), source, target);
    ServerPair.drop(target);
    if (failure.isPresent()) {
      return "the task fails: " + cause(failure.get()) + "; " + difference;
    }
    return difference;
  }

  /** The last cause's message. */
  private static String cause(String trace) {
    String found = "";
    for (String line : trace.split("\n")) {
      if (line.startsWith("Caused by: ") || found.isEmpty()) {
        found = line.replaceFirst("^Caused by: ", "").replaceFirst("^[\\w.$]+: ", "");
      }
    }
    String plain = found.replace("|", "/").trim();
    return plain.length() <= SHOWN ? plain : plain.substring(0, SHOWN) + "…";
  }

  private static String difference(String table, Database source, Database target)
      throws SQLException {
    List<String> missing = rows(table, source);
    List<String> wrong = new ArrayList<>();
    for (String row : rows(table, target)) {
      if (!missing.remove(row)) {
        wrong.add(row);
      }
    }
    if (missing.isEmpty() && wrong.isEmpty()) {
      return "as on the source";
    }
    return "**"
        + missing.size()
        + " rows lacking, "
        + wrong.size()
        + " that the source does not have**"
        + (wrong.isEmpty() ? "" : ", such as `" + wrong.get(0) + "`");
  }

  /** As text; long words by their beginning and length. */
  private static List<String> rows(String table, Database database) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT t::text FROM " + table + " t ORDER BY t::text")) {
      while (row.next()) {
        String text = row.getString(1);
        rows.add(text.length() <= 60 ? text : text.substring(0, 20) + "… " + text.hashCode());
      }
    }
    return rows;
  }
}
