package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.load.log.LoadMarks;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.replay.ChangeReplay;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One segment of two is kept, and the journal lacks changes up to the next snapshot. */
class PartRenewalTest {
  private static final Position START = Position.parse("0/1000");
  private static final Position NOW = Position.parse("0/2000");

  private final AtomicBoolean paused = new AtomicBoolean();
  private final AtomicBoolean stopping = new AtomicBoolean();

  private TwoDatabases databases;
  private TableMappings mappings;
  private LoadMarks marks;
  private Checkpoint claimed;
  private LoadPlan plan;

  @BeforeEach
  void keepASegment() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    databases.onBoth("CREATE SCHEMA app", "CREATE TABLE app.t (a int PRIMARY KEY)");
    mappings =
        TableMappings.parse(
            "mappings",
            """
            {"rules": [{"rule-type": "selection", "rule-id": "1", "rule-name": "1", "rule-action":
              "include", "object-locator": {"schema-name": "app", "table-name": "%"}},
             {"rule-type": "table-settings", "rule-id": "2", "rule-name": "2",
              "object-locator": {"schema-name": "app", "table-name": "t"},
              "parallel-load": {"type": "ranges", "columns": ["a"], "boundaries": [[10]]}}]}
            """,
            Optional.empty());
    FullLoad load =
        new FullLoad(
            databases.route(mappings),
            List.of(table("t")),
            TaskSettings.DEFAULTS
                .with(FullLoadSettings.MAX_FULL_LOAD_SUB_TASKS, 1)
                .with(FullLoadSettings.COMMIT_RATE, 10),
            databases.completion(true));
    claimed = new CheckpointStore(databases.target(), "sluice_control").claim("task");
    marks = new LoadMarks(databases.target(), "sluice_control", "task");
    LoadPlan first = load.plan();
    marks.begin(claimed, START, first.segmentsToLoad());
    databases.onTarget("UPDATE sluice_control.load_segment SET done = true WHERE segment = 0");
    plan = first.keeping(marks.whole(), marks.parts().read());
    assertThat(plan.inParts()).hasSize(1);
  }

  @AfterEach
  void close() throws SQLException {
    databases.close();
  }

  @Test
  void theSegmentsAreDiscardedIfTheJournalGetsNothingMoreBeforeTheLoadEnds() throws SQLException {
    assertThatThrownBy(() -> renew(paused))
        .isInstanceOf(SluiceException.Overtaken.class)
        .hasMessageContaining("without the kept segments of [app.t]")
        .hasMessageContaining("the journal is full");
    assertThat(marks.parts().read()).isEmpty();
  }

  @Test
  void aStopMeanwhileLeavesThemAsTheyAre() throws SQLException {
    assertThat(renew(stopping)).isFalse();
    assertThat(marks.parts().read()).hasSize(1);
  }

  @Test
  void aRetryableFailureLeavesThemAsTheyAre() throws SQLException {
    assertThatThrownBy(() -> renew(new AtomicBoolean()))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessage("the journal is away");
    assertThat(marks.parts().read()).hasSize(1);
  }

  /**
   * @param becomes true while the journal is read; the reader must end then
   */
  private boolean renew(AtomicBoolean becomes) throws SQLException {
    PartRenewal renewal =
        new PartRenewal(
            new LoadRoute(databases.source(), databases.target(), mappings),
            marks.parts(),
            hopeless -> journal(hopeless, becomes),
            claimed.place(),
            NOW,
            paused::get);
    try (TwoDatabases.Snapshot snapshot = databases.new Snapshot()) {
      return renewal.renew(plan.inParts(), Map.of(), snapshot.name(), stopping::get);
    }
  }

  private ChangeReplay journal(BooleanSupplier hopeless, AtomicBoolean becomes) {
    return (after, upTo, filter) -> {
      assertThat(hopeless.getAsBoolean()).isFalse();
      becomes.set(true);
      assertThat(hopeless.getAsBoolean()).isEqualTo(paused.get() || stopping.get());
      throw new SluiceException.Retryable("the journal is away", null);
    };
  }
}
