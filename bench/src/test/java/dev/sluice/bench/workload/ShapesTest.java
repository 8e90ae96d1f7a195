package dev.sluice.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.bench.server.Database;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
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

  @Test
  void aCopyOnMariadbIsEqualUntilOneValueDiffers() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    Database source = database("copied");
    source.execute(
        "CREATE TABLE t (id bigint PRIMARY KEY, note text, code char(9), amount numeric(12,2),"
            + " changed timestamptz, local timestamp)",
        "INSERT INTO t SELECT g, CASE g % 3 WHEN 0 THEN NULL WHEN 1 THEN E'tab\\t \\\\ ü€😀' ELSE"
            + " '' END, 'c' || g, g / 4.0, '2026-01-01 00:00Z'::timestamptz + g * interval"
            + " '1.000001 s', '2026-01-01' FROM generate_series(1, 100) g");
    try (EmbeddedMariadb mariadb = EmbeddedMariadb.start()) {
      Database target = new Database(Database.Kind.MARIADB, mariadb.port(), "test");
      TableOnMariadb.createAndFill(source, target, List.of("t"));
      Digest.requireEqual("nobody", source, target, List.of("t"));
      for (String difference :
          List.of(
              "note = '' WHERE id = 3",
              "changed = changed + INTERVAL 1 MICROSECOND WHERE id = 7",
              "amount = amount + 0.01 WHERE id = 9")) {
        target.execute("UPDATE t SET " + difference);
        assertThatThrownBy(() -> Digest.requireEqual("somebody", source, target, List.of("t")))
            .as(difference)
            .hasMessageStartingWith("somebody left other rows")
            .hasMessageContaining("source t 100");
        target.execute("DROP TABLE t");
        TableOnMariadb.createAndFill(source, target, List.of("t"));
      }
    }
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
