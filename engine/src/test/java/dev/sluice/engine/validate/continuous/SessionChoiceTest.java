package dev.sluice.engine.validate.continuous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.validate.followed.Following;
import dev.sluice.engine.validate.schedule.TableOrder;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.SessionFindings;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedLimits;
import dev.sluice.sink.touched.TouchedRows;
import dev.sluice.sink.touched.Uncompared;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two tables: each session is used up by the one that is read first, if that is the large one. */
class SessionChoiceTest {
  private static final TableId LARGE = new TableId("public", "a_large");
  private static final TableId SMALL = new TableId("public", "b_small");
  private static final Instant NOW = Instant.parse("2026-01-10T00:00:00Z");
  private static final Position SINCE = new Position(100);
  private static final TableOrder ORDER = new TableOrder(Duration.ofHours(100));

  /** More than a pass needs to give a table up. */
  private static final int SESSIONS = 100;

  private final TouchedKeys touched = new TouchedKeys(TouchedLimits.of(DataSize.ofMebibytes(100)));
  private final WantedPasses wanted = new WantedPasses();
  private final FirstVacuums vacuums = new FirstVacuums(table -> {});
  private final SessionChoice choice =
      new SessionChoice(
          new OneLane(),
          wanted,
          new RepairBackoff(),
          table -> false,
          vacuums,
          () -> new SessionPlans(touched, ColumnNames.SAME, 1_000));
  private final ValidatedTables tables =
      new ValidatedTables(
          TableMappings.EVERYTHING,
          TaskSettings.DEFAULTS,
          touched,
          Following.from(SINCE),
          List.of(),
          List.of());

  @BeforeEach
  void replicate() {
    tables.replicated(List.of(table(LARGE), table(SMALL)));
    await().until(() -> vacuums.isDone(LARGE) && vacuums.isDone(SMALL));
  }

  @AfterEach
  void close() {
    vacuums.close();
  }

  @Test
  void aPassReadsTheOtherTableAndEndsAlthoughOneIsTooLargeForASession() {
    wanted.begin(PassScope.ALL, () -> 0, () -> SINCE, any -> null, NOW);
    int sessions = 0;
    while (wanted.isRunning()) {
      assertThat(sessions++).isLessThan(SESSIONS);
      session();
      wanted.endIfDone(tables.all(), Set.of(), any -> NOTHING, NOW);
    }
    assertThat(tables.get(SMALL).wasRead()).isTrue();
    assertThat(tables.get(LARGE).wasRead()).isFalse();
  }

  @Test
  void theOtherTableIsReadAlsoWhileNobodyWaits() {
    session();
    session();

    assertThat(tables.get(SMALL).wasRead()).isTrue();
    assertThat(due()).containsExactly(LARGE);
  }

  @Test
  void aTableThatThePassHasGivenUpIsReadAgainAfterIt() {
    wanted.begin(PassScope.ALL, () -> 0, () -> SINCE, any -> null, NOW);
    wanted.ended(found(LARGE, End.REFUSED));
    assertThat(due()).containsExactly(SMALL);

    wanted.end(tables.all(), NOW);

    assertThat(due()).containsExactly(SMALL, LARGE);
  }

  @Test
  void rowsThatArePendingAreLookedUpInEachSecondSessionWhileALargeTableTakesAllTime() {
    wanted.begin(PassScope.ALL, () -> 0, () -> SINCE, any -> null, NOW);
    session();
    session();
    assertThat(tables.get(SMALL).wasRead()).isTrue();
    touch(SINCE, "7");

    List<List<TableId>> sessions = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      SessionPlans plans = choice.plans(LaneId.MAIN, tables, due(), NOW);
      List<TableId> planned = plans.all().stream().map(ComparisonPlan::table).toList();
      sessions.add(planned);
      Set<TableId> missed =
          choice.ended(
              LaneId.MAIN,
              plans,
              List.of(findings(planned.get(0), End.OUT_OF_TIME, List.of(RowKey.of("7")))));
      assertThat(missed).containsExactly(planned.get(1));
    }
    assertThat(sessions)
        .containsExactly(
            List.of(LARGE, SMALL),
            List.of(SMALL, LARGE),
            List.of(LARGE, SMALL),
            List.of(SMALL, LARGE));
  }

  @Test
  void aRowThatAPassWaitsForIsLookedUpBeforeItsLastChangeIsApplied() {
    wanted.begin(PassScope.ALL, () -> 0, () -> SINCE, any -> null, NOW);
    session();
    session();
    touch(SINCE.next(), "7");
    assertThat(choice.plans(LaneId.MAIN, tables, List.of(), NOW).all()).isEmpty();

    wanted.completed(tables.get(SMALL), () -> touched.uncompared(SMALL, 10, Position.MAX));

    assertThat(choice.plans(LaneId.MAIN, tables, List.of(), NOW).all())
        .singleElement()
        .satisfies(plan -> assertThat(plan.touched()).containsExactly(RowKey.of("7")));
  }

  private static final Uncompared NOTHING = new Uncompared(TouchedRows.NONE, 0, Optional.empty());

  private List<TableId> due() {
    return choice.due(tables, ORDER, NOW);
  }

  /** Reads what is due first; the large table has no end. */
  private void session() {
    TableId first = due().get(0);
    SessionFindings found = found(first, first.equals(LARGE) ? End.OUT_OF_TIME : End.DONE);
    wanted.ended(found);
    if (first.equals(SMALL)) {
      TableCoverage read =
          tables.get(first).coverage().read(new Position(200), 1, Optional.empty(), NOW);
      tables.stored(found.tables().get(0), new Outcome(read, List.of(), List.of()));
      tables.countTouched();
      wanted.completed(tables.get(first), () -> NOTHING);
    }
  }

  /** A row of the small table is changed. */
  private void touch(Position at, String key) {
    RowSchema schema = new RowSchema(SMALL, List.of(new Column("id", "integer", false, true)));
    touched.earlier().add(at, new RowChange(schema, null, RowBuilder.rowOf(key)));
    tables.countTouched();
  }

  private static SessionFindings found(TableId table, End end) {
    return new SessionFindings(
        Optional.empty(), Optional.empty(), List.of(findings(table, end, List.of())));
  }

  private static TableFindings findings(TableId table, End end, List<RowKey> equal) {
    return new TableFindings(
        table,
        end,
        Optional.empty(),
        List.of(),
        List.of(),
        end == End.DONE ? List.of() : List.of(KeyRange.ALL),
        equal,
        List.of(),
        List.of(),
        List.of(),
        List.of());
  }

  private static CatalogTable table(TableId name) {
    return new CatalogTable(
        name,
        name,
        CatalogTable.Kind.ORDINARY,
        CatalogTable.Persistence.LOGGED,
        CatalogTable.OldRow.PRIMARY_KEY,
        List.of(new CatalogColumn("id", "int4", false, true, false, false)),
        null,
        0,
        true,
        true,
        false);
  }

  /** A target that is always up to date. */
  private static final class OneLane implements Applied {
    @Override
    public LaneId laneOf(TableId target) {
      return LaneId.MAIN;
    }

    @Override
    public Position position(LaneId lane) {
      return SINCE;
    }

    @Override
    public JournalOffset reached() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Duration> lag() {
      return Optional.of(Duration.ZERO);
    }

    @Override
    public Set<TableId> suspended() {
      return Set.of();
    }

    @Override
    public void hold(LaneId lane, Position from, Duration longest) {}

    @Override
    public void release() {}
  }
}
