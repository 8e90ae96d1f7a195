package dev.sluice.engine.load;

import static dev.sluice.engine.load.completion.TwoDatabases.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.Sql;
import dev.sluice.engine.load.completion.CompletionSettings;
import dev.sluice.engine.load.completion.TwoDatabases;
import dev.sluice.engine.load.completion.TwoDatabases.Direction;
import dev.sluice.load.PreparationLocks;
import dev.sluice.load.RowGuard;
import dev.sluice.load.TargetTablePreparation;
import dev.sluice.load.log.CompletionStepStore;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Loads of about as many tables as a target with room for few locks takes. */
class ManyTablesTest {
  private TwoDatabases databases;
  private EmbeddedPostgres small;
  private TargetServer target;
  private List<TableId> tables;

  @BeforeEach
  void start() throws SQLException {
    databases = new TwoDatabases(Direction.TO_NEWER);
    small =
        EmbeddedPostgres.builder()
            .setting("max_locks_per_transaction", "10")
            .setting("max_connections", "20")
            .start();
    target =
        TargetServers.postgres(
            "jdbc:postgresql://127.0.0.1:" + small.port() + "/postgres",
            "postgres",
            null,
            "sluice test",
            50);
    tables = tables(mostAllowed());
    List<String> statements = new ArrayList<>(List.of("CREATE SCHEMA app"));
    for (TableId table : tables) {
      statements.add("CREATE TABLE " + table.quoted() + " (id int PRIMARY KEY, v text, n int)");
      statements.add("CREATE INDEX ON " + table.quoted() + " (n)");
    }
    databases.onSource(statements.toArray(String[]::new));
  }

  @AfterEach
  void close() throws SQLException {
    small.close();
    databases.close();
  }

  @Test
  void aLoadOfAllTablesThatAreAllowedCanBeginAgainAndBeLeft() throws SQLException {
    FullLoad load = load();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    onTarget("INSERT INTO app.t0 VALUES (1, 'of the first attempt', 1)");
    addConstraints();
    List<String> before = relations();

    try (TargetConnection connection = target.connect()) {
      assertThat(new TargetTablePreparation(connection, EpochFence.NONE).canDrop(tables)).isTrue();
    }
    load.prepare(plan, LoadAttempt.AGAIN);

    assertThat(relations()).hasSize(tables.size()).doesNotContainAnyElementsOf(before);
    assertThat(onTarget("SELECT count(*)::text FROM app.t0")).containsExactly("0");
    assertThat(
            onTarget("SELECT count(DISTINCT table_name)::text FROM sluice_control.completion_step"))
        .containsExactly("" + tables.size());

    addConstraints();
    load.leaveBehind(new LoadPlan(List.of()), tables);
    assertThat(relations()).isEmpty();
    assertThat(onTarget("SELECT step::text FROM sluice_control.completion_step")).isEmpty();
  }

  @Test
  void tablesThatDependOnEachOtherAreDroppedTogether() throws SQLException {
    FullLoad load = load();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    List<TableId> some = tables.subList(0, 60);
    onTarget(
        "ALTER TABLE app.t0 ADD PRIMARY KEY (id)",
        "ALTER TABLE app.t59 ADD PRIMARY KEY (id)",
        "ALTER TABLE app.t0 ADD FOREIGN KEY (n) REFERENCES app.t59",
        "ALTER TABLE app.t59 ADD FOREIGN KEY (n) REFERENCES app.t0");
    try (TargetConnection connection = target.connect()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection, EpochFence.NONE);
      assertThat(preparation.canDrop(some)).isTrue();
      assertThat(preparation.canDrop(tables.subList(0, 59))).isFalse();
    }

    load.leaveBehind(new LoadPlan(List.of()), some);

    assertThat(relations()).hasSize(tables.size() - some.size());
  }

  /** The server has no room for the locks of all, with all that is of them. */
  @Test
  void theFirstAndTheLastOfManyTablesThatDependOnEachOtherAreDropped() throws SQLException {
    FullLoad load = load();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    addConstraints();
    String last = tables.get(tables.size() - 1).quoted();
    onTarget(
        "ALTER TABLE app.t0 ADD PRIMARY KEY (id)",
        "ALTER TABLE %s ADD PRIMARY KEY (id)".formatted(last),
        "ALTER TABLE app.t0 ADD FOREIGN KEY (n) REFERENCES " + last,
        "ALTER TABLE %s ADD FOREIGN KEY (n) REFERENCES app.t0".formatted(last),
        "CREATE SEQUENCE app.numbers OWNED BY " + last + ".id",
        "ALTER TABLE app.t7 ALTER n SET DEFAULT nextval('app.numbers')");

    load.leaveBehind(new LoadPlan(List.of()), tables);

    assertThat(relations()).isEmpty();
  }

  @Test
  void objectsOfOthersThatDependOnManyTablesAreAllNamedWithoutALockOnAllTables()
      throws SQLException {
    FullLoad load = load();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    addConstraints();
    onTarget(
        "CREATE VIEW public.seen AS SELECT id FROM app.t0",
        "CREATE VIEW public.other AS SELECT id FROM app.t120");
    List<String> before = relations();

    assertThatThrownBy(() -> load.prepare(plan, LoadAttempt.AGAIN))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("seen depends on")
        .hasMessageContaining("other depends on");

    assertThat(relations()).isEqualTo(before);
    try (TargetConnection connection = target.connect()) {
      assertThat(new TargetTablePreparation(connection, EpochFence.NONE).canDrop(tables)).isFalse();
    }
  }

  /** A definition that the target refuses may not cost the tables that were there. */
  @Test
  void aFirstLoadOverTablesThatAreThereNeedsRoomForTheLocksOfThemToo() throws SQLException {
    FullLoad load = load();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    addConstraints();
    load.requireOwnRows(plan);

    FullLoad another = load();
    another.guard(
        new RowGuard(table -> false, false, (connection, others) -> List.of(), Optional.empty()));

    assertThatThrownBy(() -> another.requireOwnRows(plan))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("max_locks_per_transaction on the target")
        .hasMessageContaining("drops and creates the " + tables.size() + " tables")
        .hasMessageContaining("load the tables by several tasks")
        .hasMessageNotContaining("yourself");
  }

  /** It is dropped last: the others would be gone by then. */
  @Test
  void noTableIsDroppedWhereAnObjectOfOthersDependsOnOne() throws SQLException {
    FullLoad load = load();
    LoadPlan plan = load.plan();
    load.prepare(plan, LoadAttempt.FIRST);
    onTarget("CREATE VIEW public.seen AS SELECT id FROM app.t0");
    List<String> before = relations();

    assertThatThrownBy(() -> load.prepare(plan, LoadAttempt.AGAIN))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("seen depends on");

    assertThat(relations()).isEqualTo(before);
  }

  private FullLoad load() {
    new CheckpointStore(target, "sluice_control").create();
    return new FullLoad(
        new LoadRoute(
            databases.source(),
            target,
            TableMappings.parse("mappings", FullLoadTest.ALL_OF_APP, Optional.empty())),
        tables,
        TaskSettings.DEFAULTS.with(
            FullLoadSettings.TARGET_TABLE_PREP_MODE, PrepMode.DROP_AND_CREATE),
        new CompletionSettings(
            new CompletionStepStore(target, "sluice_control", "many"),
            2,
            DataSize.ofMebibytes(16),
            true,
            true));
  }

  /** The server locks each of them, too, when it drops their tables. */
  private void addConstraints() throws SQLException {
    String added =
        IntStream.range(0, 10)
            .mapToObj(i -> "ADD CHECK (n <> -%d)".formatted(i))
            .collect(Collectors.joining(", "));
    onTarget(
        tables.stream()
            .map(table -> "ALTER TABLE " + table.quoted() + " " + added)
            .toArray(String[]::new));
  }

  private int mostAllowed() {
    try (TargetConnection connection = target.connect()) {
      return IntStream.iterate(1000, count -> count - 1)
          .filter(
              count ->
                  PreparationLocks.problem(
                          connection, tables(count), PrepMode.DROP_AND_CREATE, table -> true)
                      .isEmpty())
          .findFirst()
          .orElseThrow();
    }
  }

  private static List<TableId> tables(int count) {
    return IntStream.range(0, count).mapToObj(i -> table("t" + i)).toList();
  }

  /** The ids of the tables on the target. */
  private List<String> relations() throws SQLException {
    return onTarget(
        "SELECT oid::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'app'::regnamespace"
            + " ORDER BY oid");
  }

  private List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = small.connect()) {
      return Sql.texts(session, statements);
    }
  }
}
