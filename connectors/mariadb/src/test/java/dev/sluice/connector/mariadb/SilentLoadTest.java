package dev.sluice.connector.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.api.source.load.SegmentRows;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.load.SharedSnapshot;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import dev.sluice.connector.mariadb.log.HistoryProof;
import dev.sluice.connector.mariadb.server.MariadbConfig;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * What a load holds on the source ends with it, also if its process stands still; and a load that
 * works keeps it, however slow it is. The server ends a session here after a few seconds of
 * silence.
 */
class SilentLoadTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final Duration SILENCE = Duration.ofSeconds(4);

  /** More than sockets hold, so that the server waits for the reader. */
  private static final String LARGE =
      "INSERT INTO large SELECT seq, repeat('x', 20000) FROM seq_1_to_3000";

  private static final String[] TABLES = {
    "CREATE TABLE large (id int PRIMARY KEY, x longtext)",
    LARGE,
    "CREATE TABLE small (id int PRIMARY KEY)",
    "INSERT INTO small VALUES (1)"
  };

  @Test
  void aLoadThatStandsStillLosesItsLocksOfTables() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database = new SourceDatabase(TABLES)) {
      String user = "frozen" + database.name;
      // Without the right BINLOG ADMIN a table that was read stays locked, too.
      database.execute(
          "CREATE USER " + user,
          "GRANT SELECT ON %s.* TO %s".formatted(database.name, user),
          "GRANT PROCESS, RELOAD, BINLOG MONITOR ON *.* TO " + user);
      Process load = start(database, user);
      try {
        database.execute("SET lock_wait_timeout = 1");
        for (String table : List.of("large", "small")) {
          assertThatThrownBy(() -> alter(database, table))
              .hasMessageContaining("Lock wait timeout");
        }
        signal(load, "STOP");
        database.execute("SET lock_wait_timeout = 300");
        alter(database, "large");
        alter(database, "small");
        Awaitility.await()
            .atMost(Duration.ofMinutes(5))
            .until(() -> sessions(database, user), count -> count == 0);
        assertThat(load.isAlive()).isTrue();
      } finally {
        load.destroyForcibly();
      }
    }
  }

  @Test
  void aSlowLoadThatWorksKeepsItsSessions() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    try (SourceDatabase database = new SourceDatabase(TABLES)) {
      MariadbServer server = server(database.name, SourceDatabase.server().port(), "root");
      SnapshotOpening snapshots =
          new SnapshotOpening(server, new HistoryProof(server)::at, new CapturedServer());
      MariadbReader source = new MariadbReader(server, snapshots, ValuePolicy.REFUSE);
      RecordedTable large = recorded(source, database.name, "large");
      RecordedTable small = recorded(source, database.name, "small");
      try (SharedSnapshot snapshot = snapshots.open(PATIENCE);
          SnapshotReader reader = source.open(snapshot.name())) {
        Segment segment = held(reader, large);
        int rows = 0;
        try (SegmentRows read = reader.read(segment, layout(large))) {
          RowChunk chunk = new RowChunk();
          long sinceAPause = 0;
          while (read.next(chunk, Integer.MAX_VALUE)) {
            rows += chunk.rows();
            sinceAPause += chunk.length();
            if (sinceAPause > 8_000_000) {
              // The time that passes is what is tested.
              database.execute("DO SLEEP(1)");
              sinceAPause = 0;
            }
          }
          // The target writes what it was given; meanwhile nothing is asked.
          database.execute("DO SLEEP(8)");
          assertThat(reader.difference(large, segment)).isEmpty();
        }
        assertThat(rows).isEqualTo(3_000);
        reader.release(segment);
        // Every session of the snapshot is still there, the last one as the first.
        for (int i = 0; i < snapshot.width(); i++) {
          held(source.open(snapshot.name()), small);
        }
      }
    }
  }

  private static void alter(SourceDatabase database, String table) throws SQLException {
    try (Statement statement = database.connection.createStatement()) {
      statement.execute("ALTER TABLE " + table + " ADD COLUMN y int");
    }
  }

  private static long sessions(SourceDatabase database, String user) throws SQLException {
    try (Statement statement = database.connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM information_schema.processlist WHERE user = '"
                    + user
                    + "'")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Process start(SourceDatabase database, String user) throws IOException {
    Process load =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                FrozenLoad.class.getName(),
                database.name,
                Integer.toString(SourceDatabase.server().port()),
                user)
            .redirectErrorStream(true)
            .start();
    StringBuilder said = new StringBuilder();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(load.getInputStream(), StandardCharsets.UTF_8));
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.equals(FrozenLoad.READY)) {
        return load;
      }
      said.append(line).append('\n');
    }
    throw new IllegalStateException("the load did not begin:\n" + said);
  }

  private static void signal(Process process, String signal) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor())
        .isZero();
  }

  /** A process that reads a large table, holds a small one, and then waits. */
  static final class FrozenLoad {
    static final String READY = "READY";

    private FrozenLoad() {}

    public static void main(String[] arguments) throws Exception {
      MariadbServer server = server(arguments[0], Integer.parseInt(arguments[1]), arguments[2]);
      SnapshotOpening snapshots =
          new SnapshotOpening(server, new HistoryProof(server)::at, new CapturedServer());
      MariadbReader source = new MariadbReader(server, snapshots, ValuePolicy.REFUSE);
      RecordedTable large = recorded(source, arguments[0], "large");
      RecordedTable small = recorded(source, arguments[0], "small");
      SharedSnapshot snapshot = snapshots.open(PATIENCE);
      SnapshotReader reading = source.open(snapshot.name());
      SegmentRows rows = reading.read(held(reading, large), layout(large));
      if (!rows.next(new RowChunk(), 1)) {
        throw new IllegalStateException("there is no row");
      }
      held(source.open(snapshot.name()), small);
      System.out.println(READY);
      synchronized (snapshot) {
        snapshot.wait();
      }
    }
  }

  private static MariadbServer server(String database, int port, String user) {
    return new MariadbServer(
        new Endpoint(MariadbConfig.TYPE, "127.0.0.1", port, database, user, Secret.NONE, Map.of()),
        "test",
        SILENCE);
  }

  private static RecordedTable recorded(MariadbReader source, String database, String table) {
    return source
        .record(
            List.of(new TableId(database, table)),
            new SegmentRules(DataSize.ofMebibytes(1024), Map.of(), any -> Optional.empty()))
        .tables()
        .get(0);
  }

  private static Segment held(SnapshotReader reader, RecordedTable table) {
    Segment segment = new Segment(table.table(), 0, table.table(), new SegmentRange.Whole());
    assertThat(reader.hold(table, segment)).isEmpty();
    return segment;
  }

  private static CopyLayout layout(RecordedTable table) {
    List<TableColumn> asText =
        table.columns().stream()
            .map(column -> new TableColumn(column.name(), "text", false))
            .toList();
    return CopyLayout.between(table.columns(), asText, Optional::of, Optional.empty(), true)
        .asText();
  }
}
