package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.Sql;
import dev.sluice.engine.TaskFolder;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.status.TaskControl.Ending;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Generated columns of MariaDB from the load to the cutover. */
@ExtendWith(SharedBroker.class)
class GeneratedColumnsTaskTest {
  private static final TableId ITEM = new TableId("shop", "item");

  private static final String[] TABLES = {
    """
    CREATE TABLE item (id int PRIMARY KEY, qty int, price decimal(10,2) NOT NULL, name varchar(20),
      total decimal(12,2) AS (qty * price) STORED, title varchar(40) AS (concat(name, ' & co')),
      size int AS (length(name)), UNIQUE KEY (title), KEY (total))
    """,
    "INSERT INTO item (id, qty, price, name) SELECT seq, seq, seq / 7, concat('n', seq) FROM seq_1_to_200",
    "INSERT INTO item (id, qty, price, name) VALUES (500, NULL, 1, NULL)"
  };

  private static final String GENERATED =
      "SELECT attname FROM pg_attribute WHERE attrelid = 'shop.item'::regclass AND attgenerated = 's' ORDER BY attnum";

  private static final String ROWS =
      "SELECT concat_ws('|', id, qty, price, name, total, title, size) FROM shop.item ORDER BY id";

  @TempDir Path folder;
  private EmbeddedMariadb source;
  private EmbeddedPostgres target;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(EmbeddedMariadb.isAvailable(), "the MariaDB binaries are for Linux on x86-64");
    source = EmbeddedMariadb.builder().start();
    target = EmbeddedPostgres.start();
    source.createDatabase("shop");
    target.createDatabase("shop");
    onSource(TABLES);
  }

  @AfterEach
  void stop() {
    if (source != null) {
      source.close();
    }
    if (target != null) {
      target.close();
    }
  }

  @Test
  void whatBothServersComputeIsGeneratedFromTheLoadToTheCutover() throws Exception {
    TaskConfig config = config("moved", "");
    assertThat(TaskChecks.of(config).findings().notes())
        .anyMatch(
            note -> note.contains("columns [total, title] are generated on the target as well"))
        .anyMatch(
            note ->
                note.contains("column size becomes an ordinary one") && note.contains("length"));
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      assertThat(onTarget(GENERATED)).containsExactly("total", "title");
      onSource(
          "UPDATE item SET qty = qty + 1, name = concat(name, 'x') WHERE id % 3 = 0",
          "UPDATE item SET qty = NULL WHERE id % 7 = 0",
          "DELETE FROM item WHERE id % 11 = 0",
          "INSERT INTO item (id, qty, price, name) VALUES (501, 3, 9.99, 'new')",
          // The unique values are exchanged.
          "UPDATE item SET name = 'first' WHERE id = 1",
          "UPDATE item SET name = 'n1' WHERE id = 2",
          "UPDATE item SET name = 'n2' WHERE id = 1",
          "ALTER TABLE item RENAME COLUMN qty TO pieces",
          "UPDATE item SET pieces = 77 WHERE id = 5",
          "ALTER TABLE item RENAME COLUMN pieces TO qty",
          "SET SESSION sql_mode = ''",
          "UPDATE item SET qty = 2147483647, price = 99999999.99 WHERE id = 4");
      running.awaitApplied();
      assertEqual();
    }
    // A start finds the column generated, which the catalog of the source has as an ordinary one.
    onSource("INSERT INTO item (id, qty, price, name) VALUES (502, 4, 0.5, 'later')");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      running.awaitApplied();
      assertEqual();
      Outcome equal = running.daemon().validate(List.of(), Optional.empty());
      assertThat(equal.ending()).as(equal.toString()).isEqualTo(Ending.DONE);

      onTarget("UPDATE shop.item SET qty = 9 WHERE id = 10");
      onTarget("DELETE FROM shop.item WHERE id = 12");
      onTarget("INSERT INTO shop.item (id, qty, price) VALUES (999, 1, 1)");
      assertThat(running.daemon().validate(List.of(), Optional.empty()).ending())
          .isNotEqualTo(Ending.DONE);
      Outcome repaired = running.daemon().repair(List.of(), true);
      assertThat(repaired.success()).as(repaired.toString()).isTrue();
      assertEqual();

      onSource(
          "SET SESSION sql_mode = ''",
          "ALTER TABLE item MODIFY total decimal(12,2) AS (qty * price * 2) STORED");
      running.awaitSuspended();
      onTarget("CREATE VIEW shop.totals AS SELECT id, total FROM shop.item");
      running.reload(ITEM);
      onSource("INSERT INTO item (id, qty, price, name) VALUES (503, 5, 0.25, 'reloaded')");
      running.awaitApplied();
      assertThat(onTarget(GENERATED)).isEmpty();
      assertThat(onTarget("SELECT total FROM shop.totals WHERE id = 503")).containsExactly("2.50");
      assertEqual();

      Outcome moved = running.cutover(Duration.ofMinutes(3));
      assertThat(moved.success()).as(moved.toString()).isTrue();
      assertThat(moved.details().toString())
          .contains(
              "expression of shop.item.size",
              "expression of shop.item.total",
              "expression of shop.item.title");
    }
  }

  /** Such tables were made by another release, or by hand. */
  @Test
  void anOrdinaryColumnOfATableThatIsThereIsFilledAndNamedAtTheEnd() throws Exception {
    onTarget(
        "CREATE SCHEMA shop",
        """
        CREATE TABLE shop.item (id int PRIMARY KEY, qty int, price numeric(10,2), name varchar(20),
          total numeric(12,2), title varchar(40) GENERATED ALWAYS AS (name || ' & co') STORED, size int)
        """);
    TaskConfig config = config("there", "TargetTablePrepMode: DO_NOTHING");
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource("UPDATE item SET qty = qty + 1, name = concat(name, 'x') WHERE id % 3 = 0");
      running.awaitApplied();
      assertThat(onTarget(GENERATED)).containsExactly("title");
      assertEqual();
    }
  }

  /**
   * Rules that change columns would be refused by PostgreSQL where a generated column uses them.
   */
  @Test
  void aTableWhoseColumnsRulesChangeHasOrdinaryOnes() throws Exception {
    TaskConfig config =
        task("ruled", "TargetTablePrepMode: DROP_AND_CREATE")
            .replacing(
                "table-mappings:\n  rules:",
                """
                table-mappings:
                  rules:
                    - {rule-type: transformation, rule-id: "9", rule-name: "9", rule-target: column,
                       rule-action: remove-column,
                       object-locator: {schema-name: shop, table-name: item, column-name: qty}}""")
            .config();
    assertThat(TaskChecks.of(config).findings().notes())
        .anyMatch(
            note ->
                note.contains("column total becomes an ordinary one") && note.contains("rules"));
    try (RunningDaemon running = RunningDaemon.replicating(config)) {
      onSource("UPDATE item SET qty = 1000 WHERE id = 5");
      running.awaitApplied();
      assertThat(onTarget(GENERATED)).isEmpty();
      String totals = "SELECT concat_ws('|', id, total, title) FROM shop.item ORDER BY id";
      assertThat(onTarget(totals)).isEqualTo(onSource(totals));
    }
  }

  private TaskConfig config(String name, String load) throws Exception {
    return task(name, load.isEmpty() ? "TargetTablePrepMode: DROP_AND_CREATE" : load).config();
  }

  private TaskFolder task(String name, String load) throws Exception {
    return TaskFolder.of(folder, name, source.port(), target.port(), "shop", "shop")
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/shop\n  password: ${env:HOME}"
                .formatted(source.port()),
            "type: mariadb\n  url: mariadb://root@127.0.0.1:%d/shop".formatted(source.port()))
        .settings(
            "{FullLoadSettings: {%s}, ErrorBehavior: {TableErrorPolicy: SUSPEND_TABLE}, ChangeProcessingTuning: {BatchApplyTimeoutMin: 0.1}}"
                .formatted(load));
  }

  private void assertEqual() throws SQLException {
    assertThat(onTarget(ROWS)).isEqualTo(onSource(ROWS));
  }

  private List<String> onSource(String... statements) throws SQLException {
    try (Connection connection = source.connect("shop")) {
      return Sql.texts(connection, statements);
    }
  }

  private List<String> onTarget(String... statements) throws SQLException {
    try (Connection connection = target.connect("shop")) {
      return Sql.texts(connection, statements);
    }
  }
}
