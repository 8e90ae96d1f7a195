package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.PostgresVersion;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
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

  private void commit() throws SQLException {
    connection.jdbc().commit();
    staging.committed();
  }

  @Test
  void aTableIsEmptyInEachTransactionAndHoldsWhatItWasFilledWith() throws SQLException {
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
  void aTableIsCreatedAgainAfterItsCreationWasUndoneOrItsColumnsChanged() throws SQLException {
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
  void tablesThatWereNotUsedForLongestMakeRoom() throws SQLException {
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
