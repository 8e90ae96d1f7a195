package dev.sluice.engine.validate.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.connector.comparison.PostgresComparisonSource;
import dev.sluice.connector.comparison.SideServer;
import dev.sluice.embedded.derby.EmbeddedDerby;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.target.TargetLogin;
import dev.sluice.target.db2.Db2Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions of a PostgreSQL source and a target of Db2, which has no snapshots: a Derby server. */
class Db2SidesTest {
  private static final CheckpointQuery APPLIED =
      new CheckpointQuery("SELECT position FROM applied.checkpoint", List.of());
  private static final TableId TABLE = new TableId("app", "t");
  private static final ComparisonPlan WHOLE = ComparisonPlan.whole(TABLE, List.of("id"));
  private static final String ON_TARGET = "\"app\".\"t\"";

  private static EmbeddedPostgres source;
  private static EmbeddedDerby target;

  @BeforeAll
  static void start() throws SQLException {
    source = EmbeddedPostgres.start();
    target = EmbeddedDerby.start();
    onTarget(
        "CREATE SCHEMA \"app\"",
        "CREATE SCHEMA \"applied\"",
        "CREATE TABLE \"applied\".\"checkpoint\" (\"position\" VARCHAR(40))",
        "INSERT INTO \"applied\".\"checkpoint\" VALUES ('FFFF/0')",
        "CREATE TABLE " + ON_TARGET + " (\"id\" BIGINT NOT NULL PRIMARY KEY, \"v\" VARCHAR(20))");
  }

  @AfterAll
  static void stop() {
    target.close();
    source.close();
  }

  @BeforeEach
  void fill() throws SQLException {
    onSource(
        "DROP SCHEMA IF EXISTS app CASCADE",
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (id bigint PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, 'v' || i FROM generate_series(1, 300) i");
    onTarget("DELETE FROM " + ON_TARGET);
    onTarget(
        IntStream.rangeClosed(1, 300)
            .mapToObj(i -> "INSERT INTO %s VALUES (%d, 'v%d')".formatted(ON_TARGET, i, i))
            .toArray(String[]::new));
  }

  @Test
  void eachRowThatDiffersIsFoundAndNoOther() throws Exception {
    assertThat(compare(nothingApplied()).differences()).isEmpty();
    onTarget(
        "UPDATE %s SET \"v\" = 'v7 ' WHERE \"id\" = 7".formatted(ON_TARGET),
        "DELETE FROM %s WHERE \"id\" = 300".formatted(ON_TARGET),
        "INSERT INTO %s VALUES (0, NULL)".formatted(ON_TARGET));
    TableFindings found = compare(nothingApplied());
    assertThat(found.end()).isEqualTo(End.DONE);
    assertThat(found.differences())
        .extracting(RowDifference::key)
        .containsExactlyInAnyOrder(key(7), key(300), key(0));
  }

  /** The target's rows are newer than the source's snapshot, and than the checkpoint. */
  @Test
  void aRowThatIsAppliedWhileRowsAreReadIsNoDifference() throws Exception {
    TableFindings found =
        compare(
            new Journal(
                List.of(key(5), key(301), key(9)),
                "UPDATE %s SET \"v\" = 'new' WHERE \"id\" = 5".formatted(ON_TARGET),
                "INSERT INTO %s VALUES (301, 'new')".formatted(ON_TARGET),
                "DELETE FROM %s WHERE \"id\" = 9".formatted(ON_TARGET),
                "UPDATE %s SET \"v\" = 'fault' WHERE \"id\" = 11".formatted(ON_TARGET)));
    assertThat(found.differences()).extracting(RowDifference::key).containsExactly(key(11));
    assertThat(found.hotKeys()).containsExactlyInAnyOrder(key(5), key(301), key(9));
  }

  @Test
  void whatIsNotKnownOfTheRowsAppliedMeanwhileMakesNothingCount() throws Exception {
    TableFindings found =
        compare(
            new Journal(null, "UPDATE %s SET \"v\" = 'new' WHERE \"id\" = 5".formatted(ON_TARGET)));
    assertThat(found.end()).isEqualTo(End.VOID);
    assertThat(found.differences()).isEmpty();
  }

  /** A transaction that waits for rows would wait for the end of the session otherwise. */
  @Test
  void rowsThatWereReadAreFreeForTheApply() throws Exception {
    try (TargetView view = comparisonTarget().open(Duration.ofMinutes(5));
        Connection apply = connect();
        Statement statement = apply.createStatement()) {
      view.takeSnapshot(APPLIED);
      assertThat(view.table(TABLE)).isPresent();
      TargetRows rows =
          new TargetRows(view, WHOLE, TableMappings.EVERYTHING, view.table(TABLE).orElseThrow());
      assertThat(rows.read(List.of(key(5)), TargetView.Lookup.BY_SCAN)).hasSize(1);
      statement.setQueryTimeout(60);
      statement.execute("LOCK TABLE %s IN EXCLUSIVE MODE".formatted(ON_TARGET));
    }
  }

  /** A journal of which one part is applied right after the checkpoint was read. */
  private static final class Journal implements JournalKeys {
    private final List<RowKey> applied;
    private final String[] statements;
    private boolean done;

    /**
     * @param applied keys that are recorded; null if they are not known
     */
    Journal(List<RowKey> applied, String... statements) {
      this.applied = applied;
      this.statements = statements;
    }

    @Override
    public Optional<String> obstacle(String visibleTransactions) {
      return Optional.empty();
    }

    @Override
    public LeftOut notShown(
        TableId table, List<String> key, String visibleTransactions, Position upTo) {
      if (!done) {
        done = true;
        try {
          onTarget(statements);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }
      if (!upTo.equals(Position.MAX)) {
        return new Keys(List.of());
      }
      return applied == null ? new Unknown("too many rows") : new Keys(applied);
    }

    @Override
    public Optional<String> voidedAfter(TableId table, Position after) {
      return Optional.empty();
    }

    @Override
    public void shown(String visibleTransactions) {
      // Nothing is kept.
    }
  }

  private static Journal nothingApplied() {
    return new Journal(List.of());
  }

  private static RowKey key(int id) {
    return new RowKey(List.of(Integer.toString(id)));
  }

  private static TableFindings compare(JournalKeys journal) throws InterruptedException {
    ComparisonSession session =
        new ComparisonSession(
            new PostgresComparisonSource(sourceSide()),
            comparisonTarget(),
            TableMappings.EVERYTHING,
            journal,
            any -> {},
            new SessionLimits(
                Duration.ofMinutes(5), 100, 100_000, 1000, 100_000, Duration.ofMinutes(5)));
    SessionFindings found = session.run(APPLIED, List.of(WHOLE));
    assertThat(found.obstacle()).isEmpty();
    return found.tables().get(0);
  }

  private static ComparisonTarget comparisonTarget() {
    return Db2Dialect.INSTANCE.comparison(
        new TargetLogin(
            "jdbc:db2://127.0.0.1:%d/%s?securityMechanism=3"
                .formatted(target.port(), EmbeddedDerby.DATABASE),
            "app",
            null,
            "test",
            50));
  }

  private static SideServer sourceSide() {
    return new SideServer() {
      @Override
      public Connection open() throws SQLException {
        return DriverManager.getConnection(source.jdbcUrl("postgres"));
      }

      @Override
      public SluiceException failed(String attempted, SQLException error) {
        return new SluiceException.Retryable(attempted, error);
      }

      @Override
      public String toString() {
        return "source";
      }
    };
  }

  private static List<String> onSource(String... statements) throws SQLException {
    try (Connection session = source.connect("postgres")) {
      return Sql.texts(session, statements);
    }
  }

  private static List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = connect()) {
      return Sql.texts(session, statements);
    }
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:db2://127.0.0.1:%d/%s:securityMechanism=3;interruptProcessingMode=2;queryTimeoutInterruptProcessingMode=2;"
            .formatted(target.port(), EmbeddedDerby.DATABASE),
        "app",
        "app");
  }
}
