package dev.sluice.embedded.derby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which statements and values, as other targets take them, do not pass Db2's driver or Derby. */
class Db2StatementsTest {
  private static final OffsetDateTime TIME =
      OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 0, ZoneOffset.UTC);

  private Db2Connection session;

  @BeforeEach
  void createTable() throws SQLException {
    session = Db2Connection.open(SharedDerby.server());
    session.run(
        "CREATE TABLE kept (task VARCHAR(250) NOT NULL PRIMARY KEY, n INT NOT NULL DEFAULT 7, note"
            + " VARCHAR(1000), wide CLOB, since TIMESTAMP, fits SMALLINT)");
  }

  /** The table is gone with its transaction. */
  @AfterEach
  void close() throws SQLException {
    session.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT task, COUNT(*) FROM kept GROUP BY 1",
        "SELECT n FROM kept ORDER BY task FOR UPDATE",
        "SELECT n FROM kept WHERE (task, n) IN (('a', 1))",
        "SELECT n FROM kept LIMIT 1",
        "SELECT n FROM kept WHERE wide = 'a'",
        "UPDATE kept SET (n, note) = (SELECT 1, 'a' FROM SYSIBM.SYSDUMMY1)",
        "MERGE INTO kept AS t USING SYSIBM.SYSDUMMY1 AS s ON t.task = 'a' WHEN MATCHED THEN UPDATE"
            + " SET n = 1",
        "CREATE TABLE reserved (at TIMESTAMP)",
        "CREATE TABLE reserved (rows INT)"
      })
  void doesNotPass(String statement) {
    assertThatThrownBy(() -> session.run(statement)).isInstanceOf(SQLException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT task, COUNT(*) FROM kept GROUP BY task",
        "SELECT n FROM kept WHERE task = 'a' FOR UPDATE",
        "SELECT n FROM kept WHERE task = 'a' FOR UPDATE WITH RS",
        "SELECT n FROM kept FETCH FIRST 1 ROWS ONLY",
        "INSERT INTO kept (task, n) SELECT 'a', 1 FROM SYSIBM.SYSDUMMY1 WHERE NOT EXISTS (SELECT 1"
            + " FROM kept WHERE task = 'a')",
        "UPDATE kept SET n = n + 1, since = CURRENT_TIMESTAMP WHERE task IN ('a', 'b')",
        "LOCK TABLE kept IN EXCLUSIVE MODE",
        "CREATE TABLE passes (\"at\" TIMESTAMP, \"rows\" INT)"
      })
  void passes(String statement) throws SQLException {
    session.run(statement);
  }

  /** Texts as the journal has them need no conversion here but for bytes. */
  @Test
  void valuesPassAsTexts() throws SQLException {
    try (PreparedStatement insert =
        session
            .jdbc()
            .prepareStatement(
                "INSERT INTO kept (task, n, note, wide, since) VALUES (?, ?, ?, ?, ?)")) {
      insert.setString(1, "a");
      insert.setString(2, "12");
      insert.setString(3, "é😀");
      insert.setString(4, "é😀".repeat(100_000));
      insert.setString(5, "2026-01-02 03:04:05.123456");
      assertThat(insert.executeLargeUpdate()).isEqualTo(1);
      // The driver knows the types by now, and judges values before the server does.
      assertThatThrownBy(() -> insert.setString(2, "not a number"))
          .isInstanceOfSatisfying(
              SQLException.class, rejected -> assertThat(rejected.getErrorCode()).isEqualTo(-4461));
    }
    assertThat(session.rows("SELECT n, note, LENGTH(wide), since FROM kept"))
        .containsExactly("12|é😀|300000|2026-01-02 03:04:05.123456");
  }

  /** Control tables have both: a dialect has to convert them. */
  @Test
  void theDriverKnowsNeitherTimesWithAnOffsetNorUuids() throws SQLException {
    try (PreparedStatement insert =
        session.jdbc().prepareStatement("INSERT INTO kept (task, since) VALUES (?, ?)")) {
      assertThatThrownBy(() -> insert.setObject(2, TIME)).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> insert.setObject(1, UUID.randomUUID()))
          .isInstanceOf(SQLException.class);
      insert.setString(1, "a");
      insert.setObject(2, LocalDateTime.of(2026, 1, 2, 3, 4, 5));
      insert.execute();
    }
    try (PreparedStatement select =
            session.jdbc().prepareStatement("SELECT since FROM kept WHERE task = 'a'");
        ResultSet row = select.executeQuery()) {
      row.next();
      assertThatThrownBy(() -> row.getObject(1, OffsetDateTime.class))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void booleansPassAsSmallNumbers() throws SQLException {
    try (PreparedStatement insert =
        session.jdbc().prepareStatement("INSERT INTO kept (task, fits) VALUES ('a', ?)")) {
      insert.setBoolean(1, true);
      insert.execute();
    }
    try (PreparedStatement select = session.jdbc().prepareStatement("SELECT fits FROM kept");
        ResultSet row = select.executeQuery()) {
      row.next();
      assertThat(row.getBoolean(1)).isTrue();
    }
  }
}
