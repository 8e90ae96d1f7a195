package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.postgres.strict.StrictProxy;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What the dialect says of itself, its sessions, its errors and its tables. */
class YugabyteDialectTest {
  private static final YugabyteDialect DIALECT = YugabyteDialect.INSTANCE;

  private static YugabyteLab database;

  @BeforeAll
  static void start() throws SQLException {
    database = YugabyteLab.database();
    try (Connection session = database.connect();
        Statement statement = session.createStatement()) {
      statement.execute("CREATE SCHEMA dst");
      statement.execute("CREATE TABLE dst.plain (id int PRIMARY KEY, code int UNIQUE)");
      statement.execute("CREATE TABLE dst.late (id int PRIMARY KEY, code int UNIQUE DEFERRABLE)");
      statement.execute(
          "CREATE TABLE dst.range (id int PRIMARY KEY, r int4range, EXCLUDE USING gist (r WITH &&))");
    }
  }

  @AfterAll
  static void stop() throws SQLException {
    database.drop();
  }

  @Test
  void thePartsOfTheDialectSayWhatItsLimitsSay() {
    assertThat(DIALECT.ddl().isTransactional())
        .isNotEqualTo(DIALECT.limits().contains(TargetLimit.DEFINITIONS));
    assertThat(DIALECT.emptying().truncatesInTransaction())
        .isNotEqualTo(DIALECT.limits().contains(TargetLimit.TRUNCATION));
    assertThatThrownBy(DIALECT::multiset)
        .hasMessageContaining(TargetLimit.TABLES_WITHOUT_KEY.text());
  }

  @Test
  void whatThisTargetCannotDoIsDocumented() throws IOException {
    String page = Files.readString(Path.of("../../docs/internals/sources-and-dialects.md"));
    String section = page.substring(page.indexOf("### YugabyteDB"), page.indexOf("### Db2"));
    for (TargetLimit limit : TargetLimit.values()) {
      assertThat(section.contains("\n- " + limit.text()))
          .as(limit.text())
          .isEqualTo(DIALECT.limits().contains(limit));
    }
  }

  @Test
  void sessionsLetTheServerRepeatNothingAndSplitNoCopyAlsoWhenTheyAreLentAgain()
      throws SQLException {
    Map<String, String> expected =
        Map.of(
            "transaction_isolation", "read committed",
            "session_replication_role", "replica",
            "yb_max_query_layer_retries", "0",
            "yb_lock_pk_single_rpc", "on",
            "yb_default_copy_from_rows_per_transaction", "0",
            "yb_enable_upsert_mode", "off",
            "yb_disable_transactional_writes", "off",
            "yb_read_from_followers", "off");
    for (int use = 0; use < 2; use++) {
      try (TargetConnection connection = database.server().borrow();
          Statement statement = connection.jdbc().createStatement()) {
        for (Map.Entry<String, String> each : expected.entrySet()) {
          try (ResultSet row = statement.executeQuery("SHOW " + each.getKey())) {
            row.next();
            assertThat(row.getString(1)).as(each.getKey()).isEqualTo(each.getValue());
          }
        }
      }
    }
  }

  @Test
  void aServerThatIsNoYugabytedbIsRefusedByItsVersion() {
    assertThatThrownBy(() -> database.unprotected().connect())
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("YugabyteDB 2025.1 or newer")
        .hasMessageContaining("version 18");
  }

  @Test
  void aYugabytedbThatLacksAdvisoryLocksIsRefusedByItsRelease() throws Exception {
    try (StrictProxy proxy = new StrictProxy(YugabyteLab.postgresPort(), 0)) {
      for (String old : List.of("15.2-YB-2.25.0.0-b1", "15.2-YB-2024.2.1.0-b1")) {
        proxy.withVersion(old);
        assertThatThrownBy(() -> database.serverAt(proxy.port()).connect())
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("YugabyteDB 2025.1 or newer")
            .hasMessageContaining(old);
      }
      for (String fit : List.of("15.12-YB-2025.1.0.0-b1", "15.12-YB-2026.1.0.0-b1")) {
        proxy.withVersion(fit);
        database.serverAt(proxy.port()).connect().close();
      }
    }
  }

  @Test
  void aServerWhoseReadCommittedIsSnapshotIsolationIsRefusedWithTheFlag() throws Exception {
    try (StrictProxy proxy = new StrictProxy(YugabyteLab.postgresPort(), 0)) {
      proxy.withoutReadCommitted();
      assertThatThrownBy(() -> database.serverAt(proxy.port()).connect())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("isolation level repeatable read")
          .hasMessageContaining("yb_enable_read_committed_isolation");
    }
  }

  @Test
  void theDatabaseOfAYugabytedbOfTodayHasNoProblem() throws SQLException {
    try (TargetConnection connection = database.server().connect()) {
      assertThat(DIALECT.checks().database(connection, database.server())).isEmpty();
    }
  }

  @Test
  void errorsThatPassAreToldFromThoseThatNeverDo() {
    assertThat(fault("XX000", "Catalog Version Mismatch: A DDL occurred. Try Again"))
        .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    assertThat(fault("XX000", "catalog snapshot has been invalidated: MISMATCHED_SCHEMA"))
        .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    assertThat(fault("40001", "could not serialize access"))
        .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    assertThat(fault("40P01", "deadlock detected")).isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    assertThat(fault("53000", "Sending too long RPC message (288 MB)").mayPass()).isFalse();
    assertThat(fault("XX000", "Sending too long RPC message (288 MB)").mayPass()).isFalse();
    assertThat(fault("XX000", "Timed out waiting kResponseSent"))
        .isEqualTo(TargetFault.UNAVAILABLE);
    assertThat(fault("XX000", "UpdateTransaction RPC to 10.0.0.7 timed out after 15.000s"))
        .isEqualTo(TargetFault.UNAVAILABLE);
    assertThat(fault("XX000", "Not the leader. Local UUID: 1, Consensus state: 2"))
        .isEqualTo(TargetFault.UNAVAILABLE);
    assertThat(fault("XX000", "Tablet split has occurred")).isEqualTo(TargetFault.UNAVAILABLE);
    assertThat(fault("XX000", "Operation failed. Try again: not yet ready"))
        .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
    for (String state : new String[] {"22P02", "23505", "42P01"}) {
      assertThat(fault(state, "\"Catalog Version Mismatch, try again\"").mayPass())
          .as("a text that quotes what the user wrote: " + state)
          .isFalse();
    }
    assertThat(fault("0A000", "not supported yet")).isEqualTo(TargetFault.UNSUPPORTED);
    for (String state : new String[] {"22001", "23505", "42P01"}) {
      assertThat(fault(state, "of the row or the statement").mayPass()).as(state).isFalse();
    }
  }

  @Test
  void anInternalErrorThatIsNotKnownToPassIsTriedAgainForABoundedTimeOnly() {
    assertThat(fault("XX000", "cache lookup failed for relation 16385"))
        .isEqualTo(TargetFault.INTERNAL);
    assertThat(fault("72000", "Snapshot too old. Read point: 1, earliest read time allowed: 2"))
        .isEqualTo(TargetFault.INTERNAL);
    assertThat(DIALECT.errors().classify("look", new SQLException("corrupted", "XX000")))
        .isInstanceOf(SluiceException.Unexplained.class);
    assertThat(DIALECT.errors().classify("look", new SQLException("Timed out", "XX000")))
        .isExactlyInstanceOf(SluiceException.Retryable.class);
  }

  /** A function, a domain or a trigger of the target says what its author wrote. */
  @Test
  void errorsThatPeopleRaiseAreOfTheRowWhateverTheySay() {
    for (String state : List.of("P0001", "23514", "44000", "54000")) {
      for (String text :
          List.of(
              "the code is not valid, correct it and try again",
              "snapshot too old",
              "the order has timed out",
              "sending too long rpc message")) {
        assertThat(fault(state, text)).as(state + " " + text).isEqualTo(TargetFault.BAD_ROW);
      }
    }
    assertThat(fault("40001", "sending too long rpc message"))
        .isEqualTo(TargetFault.TRANSACTION_CONFLICT);
  }

  /** COPY says which row it was at, and the driver adds that to its message. */
  @Test
  void whatAnErrorQuotesOfARowDecidesNothing() {
    for (String quoted : List.of("timed out", "try again", "sending too long rpc message")) {
      SQLException error =
          new PSQLException(
              new ServerErrorMessage(
                  "SERROR\0CXX000\0Munexpected state\0D%1$s\0H%1$s\0WCOPY t, line 1: \"%1$s\"\0"
                      .formatted(quoted)));
      assertThat(error.getMessage()).contains(quoted);
      assertThat(DIALECT.errors().faultOf(error)).as(quoted).isEqualTo(TargetFault.INTERNAL);
      assertThat(
              DIALECT
                  .errors()
                  .faultOf(
                      new BatchUpdateException("Batch entry 0", "XX000", 0, new int[0], error)))
          .as("in a batch: " + quoted)
          .isEqualTo(TargetFault.INTERNAL);
    }
    assertThat(
            DIALECT
                .errors()
                .faultOf(
                    new PSQLException(
                        new ServerErrorMessage("SERROR\0CXX000\0MTimed out waiting\0Da row\0"))))
        .isEqualTo(TargetFault.UNAVAILABLE);
  }

  private static TargetFault fault(String state, String message) {
    return DIALECT.errors().faultOf(new SQLException(message, state));
  }

  @Test
  void constraintsThatAreNotCheckedAtEachStatementMakeATableUnfitByName() throws SQLException {
    assertThat(table("plain").unfit()).isEmpty();
    assertThat(table("late").unfit())
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("late_code_key is a deferrable constraint", "DROP CONSTRAINT \"late_code_key\"");
    assertThat(table("range").unfit())
        .singleElement()
        .extracting(Problem::toString)
        .asString()
        .contains("range_r_excl is an exclusion constraint");
  }

  private static TargetTable table(String name) throws SQLException {
    try (TargetConnection connection = database.server().connect()) {
      return DIALECT.catalog().table(connection.jdbc(), new TableId("dst", name)).orElseThrow();
    }
  }
}
