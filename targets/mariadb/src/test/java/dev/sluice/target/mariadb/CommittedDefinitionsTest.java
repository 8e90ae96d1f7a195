package dev.sluice.target.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.load.RowGuard;
import dev.sluice.load.TargetTablePreparation;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is rolled back on other targets is not begun on one whose definitions commit. */
class CommittedDefinitionsTest {
  private static final TableId ITEM = new TableId("dst", "item");
  private static final TableId PART = new TableId("dst", "part");
  private static final String CONTROL = "sluice_committed";

  private TargetServer server;
  private CompletionStepStore steps;

  @BeforeEach
  void create() throws SQLException {
    MariadbLoadLab lab = MariadbLoadLab.open();
    lab.createTables();
    server = lab.target();
    run("DROP DATABASE IF EXISTS " + CONTROL, "INSERT INTO dst.item VALUES (1, 'a')");
    new CheckpointStore(server, CONTROL).create();
    steps = new CompletionStepStore(server, CONTROL, "task");
  }

  @Test
  void noTableIsDroppedByWhatIsRolledBackElsewhere() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection, EpochFence.NONE);
      List<ThrowingCallable> ways =
          List.of(
              () -> preparation.canDrop(List.of(ITEM, PART)),
              () -> preparation.dropOwn(List.of(ITEM, PART), steps),
              () ->
                  preparation.create(
                      List.of(ITEM, PART),
                      new TableDefinitions(
                          List.of(), List.of(), List.of(), List.of(), List.of(), Set.of(),
                          List.of()),
                      true,
                      steps,
                      List.of()));
      for (ThrowingCallable way : ways) {
        assertThatThrownBy(way)
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("TargetTablePrepMode")
            .hasMessageContaining("DROP_AND_CREATE");
      }
    }
    assertThat(texts("SELECT id FROM dst.item")).containsExactly("1");
    assertThat(texts("SELECT COUNT(*) FROM dst.part")).containsExactly("0");
  }

  @Test
  void whoReadsControlTablesOfAnEarlierVersionLeavesThemAsTheyAre() throws SQLException {
    String columns =
        "SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION)"
            + " FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '"
            + CONTROL
            + "' AND TABLE_NAME = 'checkpoint'";
    run("ALTER TABLE " + CONTROL + ".checkpoint DROP COLUMN position");
    List<String> before = texts(columns);
    assertThatThrownBy(() -> new CheckpointStore(server, CONTROL).read("task"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining(CONTROL + ".checkpoint")
        .hasMessageContaining("earlier version");
    assertThat(texts(columns)).isEqualTo(before);
  }

  /** Nothing locks a table, so rows may have come since it was found empty. */
  @Test
  void onlyRowsAreDeletedThatAreTheTasksOwnOrGivenUp() throws SQLException {
    RowGuard guard = new RowGuard(PART::equals, false, (connection, tables) -> List.of());
    RowGuard consent = new RowGuard(PART::equals, true, (connection, tables) -> List.of());
    try (TargetConnection connection = server.connect()) {
      for (PrepMode mode : PrepMode.values()) {
        assertThat(guard.emptied(connection, List.of(ITEM, PART), mode)).containsExactly(PART);
      }
      assertThat(consent.emptied(connection, List.of(ITEM, PART), PrepMode.TRUNCATE_BEFORE_LOAD))
          .containsExactly(ITEM, PART);
      assertThat(consent.emptied(connection, List.of(ITEM, PART), PrepMode.DO_NOTHING))
          .containsExactly(PART);
    }
  }

  private static void run(String... statements) throws SQLException {
    try (Connection session = MariadbLab.embedded().connect();
        Statement statement = session.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> texts(String query) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection session = MariadbLab.embedded().connect();
        Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
