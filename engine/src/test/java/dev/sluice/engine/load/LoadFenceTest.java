package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A daemon that was paused while another one took the task over, and then continues. */
class LoadFenceTest {
  private static final String ROWS = "SELECT a, b FROM app.t ORDER BY a, b";

  private TwoDatabases databases;
  private CheckpointStore store;

  @BeforeEach
  void make() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onSource(
        "CREATE SCHEMA app",
        "CREATE TABLE app.t (a int, b text)",
        "INSERT INTO app.t SELECT i, 'row' FROM generate_series(1, 10) i");
    store = new CheckpointStore(databases.target(), "sluice_control");
    store.create();
  }

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @ParameterizedTest
  @EnumSource(PrepMode.class)
  void theTablesOfItsSuccessorAreNotPreparedAgain(PrepMode mode) throws SQLException {
    FullLoad load = load(mode);
    LoadPlan plan = load.plan();
    databases.onTarget("CREATE SCHEMA app", "CREATE TABLE app.t (a int, b text)");
    store.claim("task");
    databases.onTarget("INSERT INTO app.t VALUES (1, 'loaded by the successor')");

    assertThatThrownBy(() -> load.prepare(plan, LoadAttempt.AGAIN))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(databases.targetRows(ROWS)).containsExactly("1 | loaded by the successor");
  }

  /** The table has no key, so that duplicate rows would stay. */
  @Test
  void noRowIsAddedToThoseOfItsSuccessor() throws SQLException {
    FullLoad load = load(PrepMode.DROP_AND_CREATE);
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    store.claim("task");
    databases.onTarget("INSERT INTO app.t VALUES (1, 'loaded by the successor')");

    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      assertThatThrownBy(() -> load.load(plan, snapshot.name()))
          .isInstanceOf(SluiceException.Fenced.class);
    }
    assertThat(databases.targetRows(ROWS)).containsExactly("1 | loaded by the successor");
  }

  /** Of the one who holds the task. */
  @Test
  void theOwnerOfTheTaskLoads() throws SQLException {
    FullLoad load = load(PrepMode.DROP_AND_CREATE);
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      assertThat(load.load(plan, snapshot.name())).isInstanceOf(LoadOutcome.Loaded.class);
    }
    load.completion().close();
    assertThat(databases.targetRows(ROWS)).hasSize(10);
  }

  private FullLoad load(PrepMode mode) throws SQLException {
    FullLoad load =
        new FullLoad(
            databases.route(TableMappings.EVERYTHING),
            List.of(table("t")),
            TaskSettings.DEFAULTS
                .with(FullLoadSettings.TARGET_TABLE_PREP_MODE, mode)
                .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 2)
                .with(FullLoadSettings.COMMIT_RATE, 3),
            databases.completion(true));
    load.fence(EpochFence.of("sluice_control", store.claim("task")));
    return load;
  }
}
