package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ChunkSums;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.HashParts;
import dev.sluice.connector.api.comparison.HashSeeds;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a comparison reads of a target is of one moment, and makes nobody wait. */
@Timeout(300)
class ComparedSnapshotTest {
  private static final Duration LIFE = Duration.ofMinutes(2);
  private static final TableId TABLE = new TableId("test", "compared");
  private static final RowHash HASH =
      new RowHash(new HashSeeds(1, 2), RowHash.Function.SHA256, RowHash.RowForm.UTF8);
  private static final CheckpointQuery CHECKPOINT =
      new CheckpointQuery("SELECT position FROM test.progress WHERE task = ?", List.of("t"));

  ServerKind kind() {
    return ServerKind.MARIADB;
  }

  @BeforeEach
  void create() throws SQLException {
    run(
        "CREATE DATABASE IF NOT EXISTS test",
        "DROP TABLE IF EXISTS test.compared, test.progress",
        "CREATE TABLE test.compared (id int PRIMARY KEY, n int)",
        "CREATE TABLE test.progress (task varchar(9) PRIMARY KEY, position varchar(40))",
        "INSERT INTO test.compared VALUES (1, 0)",
        "INSERT INTO test.progress VALUES ('t', '0/0')");
  }

  @Test
  void aWindowThatIsAppliedAfterTheCheckpointWasReadIsNotSeen() throws Exception {
    try (Connection applying = MariadbLab.embedded(kind()).connect();
        TargetView view = open()) {
      apply(applying, 1);
      assertThat(view.takeSnapshot(CHECKPOINT)).contains(Position.parse("0/1"));
      apply(applying, 2);
      assertThat(row(view)).isEqualTo("1");
      assertThat(view.takeSnapshot(CHECKPOINT)).contains(Position.parse("0/2"));
      assertThat(row(view)).isEqualTo("2");
    }
  }

  @Test
  void rowsAreAlwaysThoseOfTheCheckpointWhileWindowsAreApplied() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Void> applied =
        CompletableFuture.runAsync(
            () -> {
              try (Connection applying = MariadbLab.embedded(kind()).connect()) {
                for (int i = 1; !ended.get(); i++) {
                  apply(applying, i);
                }
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    try (TargetView view = open()) {
      for (int i = 0; i < 200; i++) {
        Position position = view.takeSnapshot(CHECKPOINT).orElseThrow();
        assertThat(Position.parse("0/%X".formatted(Integer.parseInt(row(view)))))
            .isEqualTo(position);
      }
    } finally {
      ended.set(true);
    }
    applied.get();
  }

  @Test
  void aTableThatChangedAfterTheSessionsWereOpenedIsNotRead() throws Exception {
    for (String change :
        List.of(
            "TRUNCATE TABLE test.compared",
            "ALTER TABLE test.compared ADD COLUMN more int DEFAULT 1",
            "ALTER TABLE test.compared FORCE")) {
      create();
      try (TargetView view = open()) {
        view.takeSnapshot();
        run(change);
        assertThatThrownBy(() -> row(view))
            .as(change)
            .isInstanceOfSatisfying(
                NotReadable.class,
                e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.CHANGED));
      }
    }
  }

  /** The read's lock of the table is given up, or its session ends for those who wait. */
  @Test
  void aStatementThatAltersATableDoesNotWaitForTheComparison() throws Exception {
    createPlainUser();
    run("GRANT PROCESS ON *.* TO plain@'%'");
    for (String user : List.of("root", "plain")) {
      try (TargetView view = server(user).comparison().open(LIFE)) {
        view.takeSnapshot();
        assertThat(row(view)).isEqualTo("0");
        run("SET lock_wait_timeout = 100", "ALTER TABLE test.compared FORCE");
      }
    }
  }

  private void createPlainUser() throws SQLException {
    run(
        "DROP USER IF EXISTS plain@'%'",
        "CREATE USER plain@'%'", "GRANT SELECT ON test.* TO plain@'%'");
  }

  @Test
  void aUserWhoCannotSeeThatTablesChangeIsRefused() throws Exception {
    createPlainUser();
    assertThat(TargetChecks.ofComparison(server("plain")).orElseThrow().toString())
        .contains("GRANT PROCESS ON *.*");
    assertThatThrownBy(() -> server("plain").comparison().open(LIFE))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("GRANT PROCESS ON *.*");
    assertThat(TargetChecks.ofComparison(server("root"))).isEmpty();
  }

  /** Otherwise it would be in no range, or end the session. */
  @Test
  void aRowWithoutAKeyIsNamed() throws Exception {
    run(
        "DROP TABLE test.compared",
        "CREATE TABLE test.compared (id int NULL UNIQUE, n int)",
        "INSERT INTO test.compared VALUES (1, 0), (2, 0), (NULL, 0)");
    try (TargetView view = open()) {
      view.takeSnapshot();
      ComparedRows rows = rows(view);
      KeyRange first = new KeyRange(Optional.empty(), Optional.of(RowKey.of("1")));
      assertThat(view.sums(rows, first, HASH, 100).rows()).isEqualTo(2);
      assertThat(view.sums(rows, KeyRange.from(first.upTo()), HASH, 100).rows()).isEqualTo(1);
      assertThatThrownBy(() -> view.hashes(rows, first, HASH, HashParts.all(), 100))
          .isInstanceOfSatisfying(
              NotReadable.class, e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.FAILED))
          .hasMessageContaining("test.compared of the target: a row has NULL in column id");
    }
  }

  /** Of a part that only the target has, millions of rows may be in one block. */
  @Test
  void ofBlocksNoMoreRowsAreReadThanBlocksMayHave() throws Exception {
    run(
        "INSERT INTO test.compared SELECT seq + 1, 0 FROM JSON_TABLE(CONCAT('[', REPEAT('0,', 98),"
            + " '0]'), '$[*]' COLUMNS (seq FOR ORDINALITY)) AS numbers");
    try (TargetView view = open()) {
      view.takeSnapshot();
      ComparedRows rows = rows(view);
      assertThat(view.sumsOfBlocks(rows, List.of(block(0, 1), block(1, 100)), HASH, 16))
          .extracting(ChunkSums::rows)
          .containsExactly(1L, 32L);
      assertThat(view.sumsOfBlocks(rows, List.of(block(0, 1), block(1, 17)), HASH, 16))
          .extracting(ChunkSums::rows)
          .containsExactly(1L, 16L);
    }
  }

  private static KeyRange block(int after, int upTo) {
    return new KeyRange(
        Optional.of(RowKey.of(Integer.toString(after))),
        Optional.of(RowKey.of(Integer.toString(upTo))));
  }

  /** A table that somebody alters keeps only itself from being compared. */
  @Test
  void aTableWhoseDefinitionIsLockedIsReadLater() throws Exception {
    run("DROP TABLE IF EXISTS test.used", "CREATE TABLE test.used (id int PRIMARY KEY)");
    try (TargetView view = open();
        Connection using = MariadbLab.embedded(kind()).connect();
        Statement use = using.createStatement()) {
      view.takeSnapshot();
      using.setAutoCommit(false);
      use.executeQuery("SELECT * FROM test.used").close();
      // Has the definition of the first table, and waits for that of the second.
      CompletableFuture<Void> renaming =
          CompletableFuture.runAsync(
              () -> {
                try {
                  run("RENAME TABLE test.compared TO test.renamed, test.used TO test.renamed_too");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      awaitWaiting();
      try {
        assertThatThrownBy(() -> row(view))
            .isInstanceOfSatisfying(
                NotReadable.class,
                e -> assertThat(e.reason()).isEqualTo(NotReadable.Reason.BLOCKED));
      } finally {
        using.rollback();
        renaming.get();
        run("DROP TABLE test.renamed, test.renamed_too");
      }
    }
  }

  private void awaitWaiting() throws SQLException {
    try (Connection session = MariadbLab.embedded(kind()).connect();
        Statement statement = session.createStatement()) {
      await()
          .until(
              () -> {
                try (ResultSet row =
                    statement.executeQuery(
                        "SELECT count(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata lock%'")) {
                  row.next();
                  return row.getInt(1) == 1;
                }
              });
    }
  }

  private TargetServer server(String user) {
    return MariadbLab.target(kind(), MariadbLab.embedded(kind()).port(), user);
  }

  private TargetView open() {
    return server("root").comparison().open(LIFE);
  }

  private static ComparedRows rows(TargetView view) {
    view.table(TABLE).orElseThrow();
    ComparedValue id = ComparedValue.of("id");
    return new ComparedRows(
        TABLE,
        false,
        List.of(id),
        List.of("id"),
        List.of(id, ComparedValue.of("n")),
        Optional.empty(),
        List.of());
  }

  private static String row(TargetView view) {
    return view.read(rows(view), List.of(RowKey.of("1")), Lookup.BY_INDEX).get(0).values().get(1);
  }

  /** One transaction, as a window is. */
  private static void apply(Connection session, int number) throws SQLException {
    session.setAutoCommit(false);
    try (Statement statement = session.createStatement()) {
      statement.execute("UPDATE test.compared SET n = " + number);
      statement.execute("UPDATE test.progress SET position = '0/%X'".formatted(number));
    }
    session.commit();
  }

  private void run(String... statements) throws SQLException {
    try (Connection session = MariadbLab.embedded(kind()).connect();
        Statement statement = session.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
