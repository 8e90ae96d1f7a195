package dev.sluice.sink.apply.plan;

import static dev.sluice.sink.apply.TargetLab.delete;
import static dev.sluice.sink.apply.TargetLab.insert;
import static dev.sluice.sink.apply.TargetLab.keyed;
import static dev.sluice.sink.apply.TargetLab.net;
import static dev.sluice.sink.apply.TargetLab.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.connector.api.RowSchema;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.apply.BatchApplier;
import dev.sluice.sink.apply.TargetLab;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.compaction.NetChange;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StagingTest {
  private TargetLab lab;
  private TargetConnection connection;
  private Staging staging;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
    connection = lab.server().connect();
    staging = new Staging(connection);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    lab.close();
  }

  @Test
  void theSessionIsReplacedSoThatItsTablesDoNotHoldBackTheOldestTransactionId() throws Exception {
    lab.run(
        "CREATE TABLE dst.item (id int PRIMARY KEY)",
        "INSERT INTO dst.item SELECT generate_series(0, 4999)");
    RowSchema item = TargetLab.schema("item", "*id int");
    String held =
        "SELECT min(relfrozenxid::text::bigint) FROM pg_class WHERE relpersistence = 't'"
            + " AND relkind = 'r'";
    String oldest =
        "SELECT datfrozenxid::text::bigint FROM pg_database WHERE datname = current_database()";
    try (BatchApplier applier = lab.applier(0)) {
      // Enough rows for a temporary table.
      NetChange[] deletes = new NetChange[5_000];
      Arrays.setAll(deletes, n -> delete(row(String.valueOf(n))));
      applier.apply(lab.window(net(keyed(item, deletes))));
      applier.rest(0);
      long ofStaging = Long.parseLong(lab.rows(held).get(0));
      for (int i = 0; i < 10; i++) {
        lab.run("SELECT txid_current()");
      }
      applier.rest(SessionAge.LIMIT.toNanos() - 1);
      lab.run("VACUUM (FREEZE)");
      assertThat(Long.parseLong(lab.rows(oldest).get(0))).isLessThanOrEqualTo(ofStaging);
      applier.rest(SessionAge.LIMIT.toNanos());
      // The old session and the transactions of other tests end later.
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .untilAsserted(
              () -> {
                lab.run("VACUUM (FREEZE)");
                assertThat(Long.parseLong(lab.rows(oldest).get(0))).isGreaterThan(ofStaging);
              });
      applier.apply(lab.window(net(keyed(item, insert(row("3"))))));
    }
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id")).containsExactly("3");
  }

  @Test
  void rowsThatATransactionLeavesAreRemovedBeforeTheTableIsFilledAgain() throws SQLException {
    Staging kept = kept(false, Staging.KEPT_TABLES);
    String table = kept.table("kept", "n bigint");
    String anyRow = "SELECT 1 FROM " + table;
    kept.fill(table, "first");
    connection.execute("INSERT INTO " + table + " VALUES (1)");
    connection.jdbc().commit();
    kept.committed();
    assertThat(connection.exists(anyRow)).isTrue();
    assertThat(kept.holds(table, "first")).isFalse();

    kept.fill(table, "second");
    assertThat(connection.exists(anyRow)).isFalse();
    connection.rollback();
    kept.rolledBack();
    assertThat(connection.exists(anyRow)).isTrue();

    kept.fill(table, "third");
    assertThat(connection.exists(anyRow)).isFalse();
  }

  private Staging kept(boolean createdApart, int keptTables) {
    return new Staging(
        connection, new KeptByCommits(connection.dialect().staging(), createdApart), keptTables);
  }

  /** Work needs all its tables at once, and begins again after each that is created. */
  @Test
  void workThatNeedsMoreTablesThanAreKeptGetsThemAllAndTheNextWorkDropsOne() throws SQLException {
    Staging apart = kept(true, 2);
    assertThat(passes(apart, "a", "b", "c", "d")).isEqualTo(5);
    assertThat(passes(apart, "a", "b", "c", "d")).isEqualTo(1);
    assertThat(temporaryTables()).isEqualTo("4");
    assertThat(passes(apart, "e")).isEqualTo(2);
    assertThat(temporaryTables()).isEqualTo("4");
    assertThat(passes(apart, "b", "c", "d")).isEqualTo(1);
  }

  @Test
  void workMayNeedTwoDefinitionsOfOneNameWhereTablesAreCreatedApart() throws SQLException {
    Staging apart = kept(true, Staging.KEPT_TABLES);
    apart.beginWork();
    String[] definitions = {"n int", "n text"};
    for (String definition : definitions) {
      assertThatThrownBy(() -> apart.table("stage", definition))
          .isInstanceOfSatisfying(Staging.Missing.class, missing -> create(apart, missing));
    }
    assertThat(apart.table("stage", "n int")).isNotEqualTo(apart.table("stage", "n text"));
  }

  /** How often the work began. */
  private int passes(Staging apart, String... names) throws SQLException {
    apart.beginWork();
    for (int pass = 1; pass <= 2 * names.length; pass++) {
      try {
        for (String name : names) {
          String table = apart.table(name, "n int");
          apart.fill(table, new Object());
        }
        connection.jdbc().commit();
        apart.committed();
        return pass;
      } catch (Staging.Missing e) {
        connection.rollback();
        apart.rolledBack();
        create(apart, e);
      }
    }
    throw new AssertionError("the work begins again and again");
  }

  private void create(Staging apart, Staging.Missing missing) {
    try {
      apart.create(missing);
      connection.jdbc().commit();
      apart.committed();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private String temporaryTables() throws SQLException {
    return lab.rows("SELECT count(*) FROM pg_class WHERE relpersistence = 't'").get(0);
  }

  /** Temporary tables as those of MariaDB and YugabyteDB, whose rows stay at a commit. */
  private record KeptByCommits(StagingStatements postgres, boolean createdApart)
      implements StagingStatements {

    @Override
    public String table(String name) {
      return postgres.table(name);
    }

    @Override
    public String create(String name, String columns) {
      return "CREATE TEMPORARY TABLE " + name + " (" + columns + ")";
    }

    @Override
    public String drop(String table) {
      return postgres.drop(table);
    }

    @Override
    public List<String> dropIfExists(String table) {
      return postgres.dropIfExists(table);
    }

    @Override
    public boolean emptiedAtCommit() {
      return false;
    }

    @Override
    public List<String> clear(String table, String columns) {
      return List.of("DELETE FROM " + table);
    }

    @Override
    public String columns(List<StagedColumn> columns) {
      return postgres.columns(columns);
    }

    @Override
    public String keptColumns(List<TargetColumn> columns) {
      return postgres.keptColumns(columns);
    }
  }

  @Test
  void aSessionThatCannotBeReplacedIsKept() throws Exception {
    lab.run("CREATE TABLE dst.item (id int PRIMARY KEY)", "CREATE ROLE loader LOGIN");
    lab.run("GRANT ALL ON DATABASE " + lab.database + " TO loader");
    lab.run("GRANT ALL ON SCHEMA dst, sluice_control TO loader");
    lab.run("GRANT ALL ON ALL TABLES IN SCHEMA dst, sluice_control TO loader");
    RowSchema item = TargetLab.schema("item", "*id int");
    TargetServer server = lab.serverAt(lab.postgres.port(), "loader");
    try (BatchApplier applier = lab.applier(server, lab.store().claim("task"), 0)) {
      applier.apply(lab.window(net(keyed(item, insert(row("1"))))));
      applier.rest(0);
      lab.run("ALTER ROLE loader NOLOGIN");
      applier.rest(SessionAge.LIMIT.toNanos());
      applier.apply(lab.window(net(keyed(item, insert(row("2"))))));
      // Those that were lent for a moment end soon.
      Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> sessionsOf("loader") == 1);
    } finally {
      lab.run("DROP OWNED BY loader", "DROP ROLE loader");
    }
    assertThat(lab.rows("SELECT * FROM dst.item ORDER BY id")).containsExactly("1", "2");
  }

  private int sessionsOf(String role) throws SQLException {
    return lab.rows("SELECT 1 FROM pg_stat_activity WHERE usename = '" + role + "'").size();
  }

  private void commit() throws SQLException {
    connection.jdbc().commit();
    staging.committed();
  }

  @Test
  void aTableIsEmptyInEachTransactionUntilItIsFilled() throws SQLException {
    String table = staging.table("stage", "n int");
    staging.fill(table, "first");
    connection.execute("INSERT INTO " + table + " VALUES (1)");
    assertThat(staging.holds(table, "first")).isTrue();
    staging.fill(table, "second");
    assertThat(connection.exists("SELECT FROM " + table)).isFalse();
    connection.execute("INSERT INTO " + table + " VALUES (2)");
    commit();
    assertThat(staging.holds(table, "second")).isFalse();
    assertThat(connection.exists("SELECT FROM " + table)).isFalse();
  }

  @Test
  void aTableIsCreatedAgainAfterARollbackOrWithOtherColumns() throws SQLException {
    staging.table("stage", "n int");
    connection.rollback();
    staging.rolledBack();
    assertThat(connection.exists("SELECT n FROM " + staging.table("stage", "n int"))).isFalse();
    commit();
    assertThat(connection.exists("SELECT m FROM " + staging.table("stage", "m text"))).isFalse();
    connection.rollback();
    staging.rolledBack();
    assertThat(connection.exists("SELECT n FROM " + staging.table("stage", "n int"))).isFalse();
  }

  @Test
  void leastRecentlyUsedTablesAreDropped() throws SQLException {
    for (int i = 0; i < 105; i++) {
      staging.table("stage" + i, "n int");
      staging.table("stage0", "n int");
    }
    commit();
    assertThat(lab.rows("SELECT count(*) FROM pg_class WHERE relpersistence = 't'"))
        .containsExactly("100");
    assertThat(lab.rows("SELECT count(*) FROM pg_class WHERE relname IN ('stage0', 'stage1')"))
        .containsExactly("1");
    assertThat(connection.exists("SELECT n FROM " + staging.table("stage1", "n int"))).isFalse();
  }
}
