package dev.sluice.target.yugabytedb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.SegmentLoad;
import dev.sluice.load.SegmentLoader;
import dev.sluice.load.log.StepMark;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A daemon stands still within a step of its load. Another one takes the task over, loads the table
 * from a later snapshot and applies changes. Then the first one goes on.
 */
class YugabyteLateStepTest {
  private static final TableId ITEM = new TableId("dst", "item");
  private static final String SNAPSHOT = "7\told\n";
  private static final String FOUND = "SELECT name FROM dst.item WHERE id = 7";

  private static final CopyLayout LAYOUT =
      new CopyLayout(
          List.of("id", "name"), List.of("id", "name"), CopyFormat.TEXT, Optional.empty());

  /** What a step writes last: it learns that another attempt has begun. */
  private static final StepMark TAKEN =
      (connection, before, rows, bytes, last) -> {
        throw new SluiceException.Fenced("another attempt has begun");
      };

  private YugabyteLoadLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = YugabyteLoadLab.open();
    lab.createTables();
  }

  @AfterEach
  void close() throws SQLException {
    lab.database().drop();
  }

  @Test
  void theRowsOfALateStepGoWithItsTransaction() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(lab.target(), 100);
        SegmentLoad load = loader.begin(ITEM, LAYOUT, TAKEN)) {
      load.add(chunk("1\tfirst\n"));
      anotherTakesOver("INSERT INTO dst.item VALUES (2, 'loaded')");
      load.add(chunk("3\tlate\n"));
      assertThatThrownBy(load::finish).isInstanceOf(SluiceException.Fenced.class);
    }
    assertThat(onTarget("SELECT string_agg(name, ',') FROM dst.item")).isEqualTo("loaded");
  }

  @Test
  void aRowOfALateStepDoesNotReplaceANewerOne() throws SQLException {
    try (SegmentLoader loader = SegmentLoader.open(lab.target(), 100);
        SegmentLoad load = loader.begin(ITEM, LAYOUT, TAKEN)) {
      load.add(chunk("1\tfirst\n"));
      anotherTakesOver(
          "INSERT INTO dst.item VALUES (7, 'old')", "UPDATE dst.item SET name = 'new'");
      assertThatThrownBy(
              () -> {
                load.add(chunk(SNAPSHOT));
                load.finish();
              })
          .isInstanceOf(SluiceException.Data.class)
          .hasMessageContaining("item_pkey");
    }
    assertThat(onTarget(FOUND)).isEqualTo("new");
  }

  /**
   * As {@code yb_disable_transactional_writes} and {@code yb_enable_upsert_mode} would write its
   * rows, which PostgreSQL lacks: each is in the storage at once, and replaces another one. This is
   * why both are refused.
   */
  @Test
  void writtenAtOnceAndAsUpsertsItsOlderRowReplacesTheNewerOneForEver() throws SQLException {
    anotherTakesOver(
        "CREATE EXTENSION dblink SCHEMA public",
        "CREATE TABLE dst.stored (id int PRIMARY KEY, name text)",
        "CREATE TABLE dst.written (id int, name text)",
        """
        CREATE FUNCTION dst.store() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM public.dblink_exec('host=127.0.0.1 port=%d user=postgres dbname=' || current_database(),
            format('INSERT INTO dst.stored VALUES (%%s, %%L) ON CONFLICT (id)'
              ' DO UPDATE SET name = excluded.name', NEW.id, NEW.name));
          RETURN NEW;
        END $$"""
            .formatted(YugabyteLab.postgresPort()),
        "CREATE TRIGGER store BEFORE INSERT ON dst.written FOR EACH ROW EXECUTE FUNCTION dst.store()",
        "ALTER TABLE dst.written ENABLE ALWAYS TRIGGER store");
    try (SegmentLoader loader = SegmentLoader.open(lab.target(), 100);
        SegmentLoad load = loader.begin(new TableId("dst", "written"), LAYOUT, TAKEN)) {
      load.add(chunk("1\tfirst\n"));
      anotherTakesOver(
          "INSERT INTO dst.stored VALUES (7, 'old')", "UPDATE dst.stored SET name = 'new'");
      load.add(chunk(SNAPSHOT));
      assertThatThrownBy(load::finish).isInstanceOf(SluiceException.Fenced.class);
    }
    assertThat(onTarget("SELECT count(*) FROM dst.written")).isEqualTo("0");
    assertThat(onTarget("SELECT name FROM dst.stored WHERE id = 7")).isEqualTo("old");
  }

  private void anotherTakesOver(String... statements) throws SQLException {
    for (String sql : statements) {
      try (Connection session = lab.database().connect();
          Statement statement = session.createStatement()) {
        statement.execute(sql);
      }
    }
  }

  private String onTarget(String query) throws SQLException {
    try (Connection session = lab.database().connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static RowChunk chunk(String text) {
    RowChunk chunk = new RowChunk();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, chunk.bytes(), 0, bytes.length);
    chunk.added(bytes.length);
    chunk.rowEnded();
    return chunk;
  }
}
