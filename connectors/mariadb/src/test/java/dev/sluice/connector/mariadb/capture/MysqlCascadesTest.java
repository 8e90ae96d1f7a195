package dev.sluice.connector.mariadb.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.mariadb.OnMysql;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Changes that a newer MySQL applies as an older one logged them, without what keys change. */
@OnMysql
class MysqlCascadesTest {
  private static final String PARENT = "CREATE TABLE p (id INT PRIMARY KEY)";
  private static final String CHILD =
      "CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT c_of_p FOREIGN KEY (p)"
          + " REFERENCES %s (id) ON DELETE CASCADE)";

  @Test
  void aDeleteThatWasReplicatedFromAnOlderServerStopsTheCapture() throws SQLException {
    try (LogFixture fixture =
            new LogFixture(PARENT, CHILD.formatted("p"), "INSERT INTO p VALUES (1)").capturing();
        JournalReader reader = fixture.reader()) {
      ReplayedDelete delete = ReplayedDelete.of(fixture, "DELETE FROM p WHERE id = 1");
      fixture.execute("INSERT INTO p VALUES (1)", "INSERT INTO c VALUES (10, 1)");
      assertThat(reader.read(3)).hasSize(3);
      delete.apply(fixture);
      assertThat(fixture.values("SELECT id FROM c")).as("what InnoDB left").isEmpty();
      assertThat(fixture.failure())
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("foreign key c_of_p of table " + fixture.table("c"))
          .hasMessageContaining("ON DELETE CASCADE")
          .hasMessageContaining("a server before MySQL 9.6, or innodb_native_foreign_keys = ON");
    }
  }

  @Test
  void soDoesOneOfATableThatGotAnotherNameSinceTheStart() throws SQLException {
    try (LogFixture fixture =
        new LogFixture(PARENT, CHILD.formatted("p"), "INSERT INTO p VALUES (1)").capturing()) {
      fixture.execute("RENAME TABLE p TO q");
      ReplayedDelete delete = ReplayedDelete.of(fixture, "DELETE FROM q WHERE id = 1");
      fixture.execute("INSERT INTO q VALUES (1)", "INSERT INTO c VALUES (10, 1)");
      delete.apply(fixture);
      assertThat(fixture.failure()).hasMessageContaining("foreign key c_of_p");
    }
  }

  @Test
  void soDoesOneOfATableThatIsNotCaptured() throws SQLException {
    try (LogFixture fixture =
        new LogFixture(
                "CREATE TABLE other (id INT PRIMARY KEY)",
                "CREATE TABLE other2 (id INT PRIMARY KEY, p INT, FOREIGN KEY (p)"
                    + " REFERENCES other (id) ON DELETE CASCADE)",
                CHILD.formatted("other2"),
                "INSERT INTO other VALUES (1)")
            .capturing()) {
      ReplayedDelete delete = ReplayedDelete.of(fixture, "DELETE FROM other");
      fixture.execute(
          "INSERT INTO other VALUES (1)",
          "INSERT INTO other2 VALUES (2, 1)",
          "INSERT INTO c VALUES (10, 2)");
      delete.apply(fixture);
      assertThat(fixture.failure()).hasMessageContaining("table " + fixture.table("other"));
    }
  }

  @Test
  void whereNoKeyReachesACapturedTableItIsRead() throws SQLException {
    try (LogFixture fixture =
            new LogFixture(
                    PARENT,
                    "CREATE TABLE other (id INT PRIMARY KEY, p INT, FOREIGN KEY (p)"
                        + " REFERENCES p (id) ON DELETE CASCADE)",
                    "CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p)"
                        + " REFERENCES p (id))",
                    "INSERT INTO p VALUES (1)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      ReplayedDelete delete = ReplayedDelete.of(fixture, "DELETE FROM p WHERE id = 1");
      fixture.execute("INSERT INTO p VALUES (1)");
      delete.apply(fixture);
      assertThat(MariadbCaptureTest.texts(reader.read(3).get(2))).hasSize(1);
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }

  @Test
  void aSessionThatChecksNoForeignKeysIsNotTakenForAnOlderServer() throws SQLException {
    try (LogFixture fixture =
            new LogFixture(
                    PARENT,
                    CHILD.formatted("p"),
                    "INSERT INTO p VALUES (1)",
                    "INSERT INTO c VALUES (10, 1)")
                .capturing();
        JournalReader reader = fixture.reader()) {
      fixture.execute("SET SESSION foreign_key_checks = OFF", "DELETE FROM p");
      assertThat(MariadbCaptureTest.texts(reader.read(1).get(0))).hasSize(1);
      assertThat(fixture.capture().failure()).isEmpty();
    }
  }
}
