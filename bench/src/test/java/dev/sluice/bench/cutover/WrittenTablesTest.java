package dev.sluice.bench.cutover;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WrittenTablesTest {
  private static EmbeddedPostgres server;

  private Database left;
  private Database written;

  @BeforeAll
  static void start() {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** The side that is left has three transactions, the other one a fourth. */
  @BeforeEach
  void makeSides() throws SQLException {
    Database maintenance = new Database(server.port(), "postgres");
    left = maintenance.sibling("left");
    written = maintenance.sibling("written");
    for (Database side : new Database[] {left, written}) {
      maintenance.execute(
          "DROP DATABASE IF EXISTS \"" + side.name() + '"',
          "CREATE DATABASE \"" + side.name() + '"');
      WrittenTables.create(side);
      write(side, 1, 1);
      write(side, 1, 2);
      write(side, 2, 1);
    }
    write(written, 1, 3);
  }

  @Test
  void aSideThatGoesOnIsEqual() {
    assertThatCode(() -> WrittenTables.requireEqual(left, written)).doesNotThrowAnyException();
  }

  @Test
  void aRowThatIsLostIsFound() throws SQLException {
    written.execute(
        "DELETE FROM bench_timed WHERE writer = 1 AND number = 2",
        "UPDATE bench_account SET balance = balance - 1 WHERE id = 102");
    assertThatThrownBy(() -> WrittenTables.requireEqual(left, written))
        .hasMessageContaining("writer 1");
  }

  @Test
  void aWriterWhoseRowsAreOnOneSideOnlyIsFound() throws SQLException {
    write(left, 7, 1);
    assertThatThrownBy(() -> WrittenTables.requireEqual(left, written))
        .hasMessageContaining("all rows of a writer");
  }

  @Test
  void aChangeThatCameTwiceIsFound() throws SQLException {
    written.execute("UPDATE bench_account SET balance = balance + 1 WHERE id = 102");
    assertThatThrownBy(() -> WrittenTables.requireEqual(left, written))
        .hasMessageContaining("1 accounts");
  }

  @Test
  void aSequenceThatIsBehindIsFound() throws SQLException {
    written.execute("SELECT setval('bench_timed_id_seq', 2)");
    assertThatThrownBy(() -> WrittenTables.requireEqual(left, written))
        .hasMessageContaining("ahead: f");
  }

  private static void write(Database side, int writer, int number) throws SQLException {
    int account = 100 * writer + number;
    try (Connection connection = side.connect();
        PreparedStatement statement = connection.prepareStatement(WrittenTables.WRITE)) {
      statement.setInt(1, account);
      statement.setInt(2, account);
      statement.setInt(3, writer);
      statement.setLong(4, number);
      statement.execute();
    }
  }
}
