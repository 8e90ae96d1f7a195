package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that are truncated, altered or locked between the snapshots and the read. */
class ChangedTablesTest {
  private MovingPair pair;

  @BeforeEach
  void create() throws SQLException {
    pair = new MovingPair();
    pair.onBoth(
        "CREATE TYPE app.mood AS ENUM ('sad', 'ok')",
        "CREATE TABLE app.t (id int PRIMARY KEY, v text, m app.mood DEFAULT 'ok')",
        "CREATE TABLE app.p (id int PRIMARY KEY, v text) PARTITION BY RANGE (id)",
        "CREATE TABLE app.p1 PARTITION OF app.p FOR VALUES FROM (0) TO (1000)",
        "CREATE TABLE app.p2 PARTITION OF app.p FOR VALUES FROM (1000) TO (9000)",
        "CREATE TABLE app.new (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, 'v' FROM generate_series(1, 1000) i",
        "INSERT INTO app.p SELECT i, 'v' FROM generate_series(1, 2000) i");
  }

  @AfterEach
  void close() throws SQLException {
    pair.close();
  }

  /** A journal in which nothing happened: only what the servers say counts. */
  private static final JournalKeys QUIET =
      new JournalKeys() {
        @Override
        public Optional<String> obstacle(String visibleTransactions) {
          return Optional.empty();
        }

        @Override
        public LeftOut notShown(
            TableId table, List<String> key, String visibleTransactions, Position upTo) {
          return new Keys(List.of());
        }

        @Override
        public Optional<String> voidedAfter(TableId table, Position after) {
          return Optional.empty();
        }

        @Override
        public void shown(String visibleTransactions) {}
      };

  private TableFindings compare(String table, BetweenSnapshotAndRead.Action action)
      throws InterruptedException {
    ComparisonSession session =
        pair.session(
            TableMappings.EVERYTHING, new BetweenSnapshotAndRead(QUIET, table(table), action));
    return MovingPair.compare(session, ComparisonPlan.whole(table(table), List.of("id")));
  }

  @Test
  void aTruncateOnBothSidesAfterTheSnapshotsVoidsTheTable() throws Exception {
    pair.onTarget("UPDATE app.t SET v = 'wrong' WHERE id <= 700");

    TableFindings found = compare("t", () -> pair.onBoth("TRUNCATE app.t"));

    assertThat(found.end()).isEqualTo(End.VOID);
    assertThat(found.why().get()).contains("truncated, rewritten or altered after the snapshot");
    assertThat(found.chunks()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TRUNCATE app.t",
        "ALTER TABLE app.t ADD COLUMN w int",
        "ALTER TABLE app.t DROP COLUMN v",
        "ALTER TABLE app.t RENAME COLUMN v TO w",
        "ALTER TABLE app.t ALTER COLUMN v TYPE varchar(1)",
        "ALTER TABLE app.t ALTER COLUMN id TYPE bigint",
        "ALTER TABLE app.t DROP COLUMN v, ADD COLUMN v text",
        "ALTER TABLE app.t RENAME TO other",
        "ALTER TABLE app.t RENAME TO other; ALTER TABLE app.new RENAME TO t",
        "DROP TABLE app.t",
        "ALTER TYPE app.mood RENAME VALUE 'ok' TO 'fine'",
        "VACUUM FULL app.t"
      })
  void aChangeOfEitherSideVoidsTheTable(String change) throws Exception {
    assertThat(compare("t", () -> pair.onSource(change.split("; "))).end()).isEqualTo(End.VOID);
    pair.onSource("DROP TABLE IF EXISTS app.t, app.other CASCADE");
    close();
    create();
    assertThat(compare("t", () -> pair.onTarget(change.split("; "))).end()).isEqualTo(End.VOID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TRUNCATE app.p2",
        "ALTER TABLE app.p DETACH PARTITION app.p2",
        "ALTER TABLE app.new ADD CHECK (id > 10000)",
        "CREATE TABLE app.p3 PARTITION OF app.p FOR VALUES FROM (9000) TO (10000)"
      })
  void aChangeOfAPartitionVoidsTheTable(String change) throws Exception {
    TableFindings found = compare("p", () -> pair.onTarget(change));

    assertThat(found.end()).isEqualTo(change.contains("app.new") ? End.DONE : End.VOID);
  }

  @Test
  void whatTheJournalHasToTheSessionsEndVoidsTheTable() throws Exception {
    pair.replicate();
    JournalKeys journal =
        new BetweenSnapshotAndRead(
            new AppliedKeys(pair.keys(), ColumnNames.SAME),
            table("t"),
            () -> {
              // The other table was read before, and found unchanged: only the journal tells.
              pair.onSource("TRUNCATE app.new");
              Awaitility.await()
                  .until(() -> pair.keys().voidedAfter(table("new"), Position.ZERO).isPresent());
            });
    TableFindings found =
        pair.session(TableMappings.EVERYTHING, journal)
            .run(
                MovingPair.checkpoint(),
                List.of(
                    ComparisonPlan.whole(table("new"), List.of("id")),
                    ComparisonPlan.whole(table("t"), List.of("id"))))
            .tables()
            .get(0);

    assertThat(found.end()).isEqualTo(End.VOID);
  }

  @Test
  void aTableThatOthersHaveLockedIsNotWaitedFor() throws Exception {
    try (Connection other = pair.connectTarget();
        Statement statement = other.createStatement()) {
      TableFindings found =
          compare("t", () -> statement.execute("BEGIN; LOCK TABLE app.t IN ACCESS EXCLUSIVE MODE"));

      assertThat(found.end()).isEqualTo(End.BLOCKED);
      assertThat(found.why().get()).contains("table app.t of the target");
      statement.execute("ROLLBACK");
    }
    assertThat(pair.compare("t").isProven()).isTrue();
  }

  @Test
  void changesOfOtherTablesDoNotMatter() throws Exception {
    assertThat(
            compare(
                    "t",
                    () ->
                        pair.onBoth(
                            "TRUNCATE app.p, app.new", "ALTER TABLE app.p ADD COLUMN w int"))
                .isProven())
        .isTrue();
  }

  @Test
  void changesAfterTheSnapshotsAreNotSeen() throws Exception {
    assertThat(
            compare(
                    "t",
                    () -> {
                      pair.onSource(
                          "UPDATE app.t SET v = 'later'", "DELETE FROM app.t WHERE id < 9");
                      pair.onTarget("DELETE FROM app.t WHERE id > 500");
                    })
                .isProven())
        .isTrue();
  }
}
