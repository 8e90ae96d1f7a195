package dev.sluice.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ShapesTest {
  private static EmbeddedPostgres server;

  @BeforeAll
  static void start() {
    // The marker comes last, and its commit writes the log as far as that.
    server = EmbeddedPostgres.builder().setting("synchronous_commit", "on").start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void eachShapeWritesAsManyChangesAsItSays() throws Exception {
    for (Shape shape : Shapes.all(0.0005)) {
      Backlog backlog = new Backlog(shape);
      Database database = database(shape.name().replace('-', '_'));
      backlog.createTables(database);
      backlog.publish(database);
      try (Connection connection = database.connect()) {
        Database.single(
            connection, "SELECT pg_create_logical_replication_slot('counted', 'pgoutput')");
        backlog.write(database);
        assertThat(changesInTheLog(connection)).as(shape.name()).isEqualTo(backlog.changes());
        Database.single(connection, "SELECT pg_drop_replication_slot('counted')");
        assertThat(Backlog.hasArrived(connection)).isTrue();
      }
    }
  }

  @Test
  void tablesThatDifferInOneValueAreDistinguished() throws Exception {
    Database one = database("one");
    Database other = database("other");
    for (Database database : new Database[] {one, other}) {
      database.execute(
          "CREATE TABLE t (id int, note text)",
          "INSERT INTO t SELECT g, 'n' || g FROM generate_series(1, 100) g");
    }
    Digest.requireEqual("nobody", one, other, List.of("t"));
    other.execute("UPDATE t SET note = 'n' WHERE id = 7");
    assertThatThrownBy(() -> Digest.requireEqual("somebody", one, other, List.of("t")))
        .hasMessageStartingWith("somebody left other rows")
        .hasMessageContaining("source t 100");
  }

  private static Database database(String name) throws Exception {
    server.createDatabase(name);
    return new Database(server.port(), name);
  }

  /** Inserts, updates and deletes, by the first letter of each of pgoutput's messages. */
  private static long changesInTheLog(Connection connection) throws Exception {
    return Long.parseLong(
        Database.single(
            connection,
            "SELECT count(*) FROM pg_logical_slot_peek_binary_changes('counted', NULL, NULL,"
                + " 'proto_version', '1', 'publication_names', 'bench')"
                + " WHERE get_byte(data, 0) IN (ascii('I'), ascii('U'), ascii('D'))"));
  }
}
