package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the role of the way back notes of its DDL is expected; what others do is not. */
class CarriedTablesTest {
  private static final String CLOSED = "'sluice_moved.carried'::regclass";

  private static final String[] TABLES = {
    "CREATE TABLE kept (id int)",
    "CREATE TABLE gone (id int)",
    "CREATE TABLE named (id int)",
    "CREATE TABLE lost (id int)",
  };

  /** The way back is a superuser, so that it may alter all tables. */
  private static WritersFixture moved(String role) throws Exception {
    WritersFixture source = new WritersFixture(TABLES);
    source.execute("CREATE ROLE " + role + " LOGIN SUPERUSER");
    try (StoppedWriters stopped = source.stop("kept", "gone", "named", "lost")) {
      stopped.prepareMove(MOVED_TO, Optional.of(role));
      stopped.decide();
    }
    return source;
  }

  private static String opened(WritersFixture source) {
    return source
        .writers()
        .opened(Optional.of(source.cutover), ids("kept", "gone", "named", "lost"))
        .toString();
  }

  private static String note(WritersFixture source, String was, String now) {
    return "INSERT INTO sluice_moved.carried SELECT '%s', oid, 'public', '%s', %s FROM pg_class WHERE relname = '%s'"
        .formatted(
            source.cutover,
            was,
            now == null ? "NULL, NULL" : "'public', '" + now + "'",
            now == null ? was : now);
  }

  @Test
  void whatWasNotedIsExpectedAndWhatWasNotIsNamed() throws Exception {
    String role = "carrier_that_notes";
    try (WritersFixture source = moved(role)) {
      try {
        try (Connection carrier = source.connect(role)) {
          execute(
              carrier,
              note(source, "gone", null)
                  + "; DROP TABLE gone; ALTER TABLE named RENAME TO renamed; "
                  + note(source, "named", "renamed"));
          assertThat(opened(source)).isEqualTo("[]");
          // Not noted: as if somebody else had done it.
          execute(carrier, "DROP TABLE lost");
        }
        assertThat(opened(source)).contains("public.lost", "dropped or renamed");
        source.alterClosed("ALTER TABLE renamed RENAME TO once_more");
        assertThat(opened(source)).contains("public.renamed", "dropped or renamed");
        source.alterClosed("ALTER TABLE once_more RENAME TO renamed");
        assertThat(opened(source)).doesNotContain("public.renamed");
        // Its triggers are watched under its new name, and a table with its old one is another.
        source.execute("DROP TRIGGER \"!sluice_moved\" ON renamed", "CREATE TABLE named (id int)");
        assertThat(opened(source))
            .contains("public.renamed", "is not there as it was made")
            .contains("public.named", "another table has its name");
      } finally {
        end(source, role);
      }
    }
  }

  @Test
  void aTableThatTheWayBackMadeIsWatched() throws Exception {
    String role = "carrier_that_makes";
    try (WritersFixture source = moved(role)) {
      try {
        try (Connection carrier = source.connect(role)) {
          execute(
              carrier,
              source.makingClosed("made")
                  + "; ALTER TABLE made ENABLE ALWAYS TRIGGER \"!sluice_moved\"; "
                  + note(source, "made", "made"));
        }
        assertThat(opened(source)).isEqualTo("[]");
        source.execute("DROP TRIGGER \"!sluice_moved\" ON made");
        assertThat(opened(source)).contains("public.made", "is not there as it was made");
        source.alterClosed("DROP TABLE made");
        assertThat(opened(source)).contains("public.made", "dropped or renamed");
      } finally {
        end(source, role);
      }
    }
  }

  @Test
  void aCutoverOfAnEarlierReleaseIsWatchedWithoutNotes() throws Exception {
    String role = "carrier_of_before";
    try (WritersFixture source = moved(role)) {
      try {
        source.execute("DROP TABLE sluice_moved.carried");
        assertThat(opened(source)).isEqualTo("[]");
        source.alterClosed("DROP TABLE lost");
        assertThat(opened(source)).contains("public.lost", "dropped or renamed");
      } finally {
        end(source, role);
      }
    }
  }

  @Test
  void onlyTheRoleOfTheWayBackMayNote() throws Exception {
    String role = "carrier_alone";
    try (WritersFixture source = moved(role)) {
      try {
        source.execute("ALTER ROLE " + role + " NOSUPERUSER", "CREATE ROLE bystander");
        String may = "SELECT has_table_privilege('%s', " + CLOSED + ", 'INSERT')";
        assertThat(source.text(may.formatted(role))).isEqualTo("t");
        assertThat(source.text(may.formatted("bystander"))).isEqualTo("f");
        // Everybody may read it, so that a dump works.
        assertThat(source.text("SELECT has_table_privilege('bystander', " + CLOSED + ", 'SELECT')"))
            .isEqualTo("t");
      } finally {
        source.execute("DROP ROLE IF EXISTS bystander");
        end(source, role);
      }
    }
  }

  private static void end(WritersFixture source, String role) throws SQLException {
    source.writers().reopen(WriterStop.Whose.only(source.cutover));
    assertThat(source.text("SELECT to_regnamespace('sluice_moved') IS NULL")).isEqualTo("t");
    source.execute("DROP OWNED BY " + role + " CASCADE", "DROP ROLE " + role);
  }
}
