package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.ConflictTable.Shape;
import dev.sluice.sink.apply.UniqueConflict.Step;
import dev.sluice.sink.window.AppliedWindow;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each kind of {@link UniqueConflict}, by its name: the target has the source's rows afterwards. A
 * dialect's test passes it on a server of its own.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class UniqueConflictsContractTest {

  /** Sets from this size on go another way than small ones, on targets that make a difference. */
  private static final int LARGE_SET = 600;

  private TargetLab lab;

  /** A new database of the dialect, with an empty schema {@code dst}. */
  protected abstract TargetLab newDatabase() throws SQLException;

  /** Creates the table of {@link RandomTablesContractTest#createTable}. */
  protected abstract void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException;

  /**
   * Whether the target has the rows of a kind. One that finds texts equal although they differ in
   * trailing spaces does not have two of them in a key.
   */
  protected boolean tellsBlanksApart() {
    return true;
  }

  private boolean canHave(UniqueConflict kind) {
    return tellsBlanksApart() || !kind.differsInBlanksOnly();
  }

  @BeforeAll
  void open() throws SQLException {
    lab = newDatabase();
  }

  @AfterAll
  void close() throws SQLException {
    lab.close();
  }

  @ParameterizedTest
  @EnumSource
  void aKindOfConflictInOneWindow(UniqueConflict kind) throws SQLException {
    applied(kind, List.of(kind.transactions().size()), Tunings.batch());
  }

  @ParameterizedTest
  @EnumSource
  void aKindOfConflictInTwoWindowsWhereverTheyAreSplit(UniqueConflict kind) throws SQLException {
    List<Integer> places = IntStream.range(1, kind.transactions().size()).boxed().toList();
    applied(kind, places, Tunings.splitting(2));
  }

  @ParameterizedTest
  @EnumSource
  void aKindOfConflictInTheSourcesOrder(UniqueConflict kind) throws SQLException {
    if (kind.isValidChangeByChange()) {
      applied(kind, List.of(kind.transactions().size()), Tunings.transactional());
    }
  }

  /** Applies a kind's transactions for each place, so many of them in the first window. */
  private void applied(UniqueConflict kind, List<Integer> places, WindowTuning tuning)
      throws SQLException {
    assumeTrue(canHave(kind), "keys that differ only in trailing spaces");
    create(kind.shape());
    int replays = lab.replays();
    try (BatchApplier applier = lab.applier(0)) {
      lab.tune(tuning);
      for (int first : places) {
        ConflictTable source = new ConflictTable(kind.shape());
        List<Step> steps = kind.transactions();
        apply(applier, source, List.of(kind.start()));
        apply(applier, source, steps.subList(0, first));
        apply(applier, source, steps.subList(first, steps.size()));
        lab.run("DELETE FROM dst.t");
      }
    }
    assertThat(lab.replays()).as("windows that were applied change by change").isEqualTo(replays);
  }

  private void apply(BatchApplier applier, ConflictTable source, List<Step> steps)
      throws SQLException {
    if (!steps.isEmpty()) {
      lab.apply(applier, lab.windowOf(committed(source, steps)));
      assertEqual(source);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aKindOfConflictInAWindowOfWhichAnotherChangeIsRejected(UniqueConflict kind)
      throws SQLException {
    assumeTrue(canHave(kind), "keys that differ only in trailing spaces");
    if (!kind.isValidChangeByChange()) {
      return;
    }
    create(kind.shape());
    TaskSettings logging =
        TaskSettings.DEFAULTS.with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.LOG_ERROR);
    int steps = kind.transactions().size();
    try (BatchApplier applier = lab.applier(logging)) {
      lab.tune(Tunings.batch());
      for (int before : List.of(0, steps)) {
        ConflictTable source = new ConflictTable(kind.shape());
        apply(applier, source, List.of(kind.start()));
        int replays = lab.replays();
        List<List<ChangeEvent>> transactions = committed(source, kind.transactions());
        transactions.add(before, List.of(source.ofMissingRow()));

        AppliedWindow window = lab.apply(applier, lab.windowOf(transactions));

        assertEqual(source);
        assertThat(lab.replays()).isGreaterThan(replays);
        assertThat(window.errors().get(kind.shape().schema().table()).conflicts()).isEqualTo(1);
        lab.run("DELETE FROM dst.t");
      }
    }
  }

  static Stream<Shape> shapes() {
    return Arrays.stream(UniqueConflict.values()).map(UniqueConflict::shape).distinct();
  }

  /** The steps of all are mixed, and each kind is there so often that sets become large. */
  @ParameterizedTest
  @MethodSource("shapes")
  void allKindsOfATableInOneWindowManyTimes(Shape shape) throws SQLException {
    List<UniqueConflict> kinds =
        Arrays.stream(UniqueConflict.values())
            .filter(kind -> kind.shape().equals(shape) && kind.isOfItsRowsOnly())
            .filter(this::canHave)
            .toList();
    assumeTrue(!kinds.isEmpty(), "keys that differ only in trailing spaces");
    create(shape);
    ConflictTable source = new ConflictTable(shape);
    int replays = lab.replays();
    int copies = LARGE_SET / kinds.size();
    try (BatchApplier applier = lab.applier(0)) {
      lab.tune(Tunings.batch());
      lab.apply(applier, lab.windowOf(mixed(source, copies, kinds, kind -> List.of(kind.start()))));
      lab.apply(applier, lab.windowOf(mixed(source, copies, kinds, UniqueConflict::transactions)));
    }
    assertEqual(source);
    assertThat(lab.replays()).as("windows that were applied change by change").isEqualTo(replays);
  }

  private interface StepsOf {
    List<Step> of(UniqueConflict kind);
  }

  private static List<List<ChangeEvent>> mixed(
      ConflictTable source, int copies, List<UniqueConflict> kinds, StepsOf steps) {
    List<List<ChangeEvent>> transactions = new ArrayList<>();
    boolean more = true;
    for (int step = 0; more; step++) {
      more = false;
      for (int kind = 0; kind < kinds.size(); kind++) {
        List<Step> ofKind = steps.of(kinds.get(kind));
        if (step < ofKind.size()) {
          more = true;
          for (int copy = 0; copy < copies; copy++) {
            source.mean(1_000 * (1 + kind * copies + copy));
            ofKind.get(step).accept(source);
          }
          transactions.add(source.commit());
        }
      }
    }
    return transactions;
  }

  private static List<List<ChangeEvent>> committed(ConflictTable source, List<Step> steps) {
    List<List<ChangeEvent>> transactions = new ArrayList<>();
    for (Step step : steps) {
      step.accept(source);
      transactions.add(source.commit());
    }
    return transactions;
  }

  private void create(Shape shape) throws SQLException {
    createTable(lab, shape.key(), shape.unique());
  }

  private void assertEqual(ConflictTable source) throws SQLException {
    assertThat(lab.rows("SELECT k, l, u, v, w, x FROM dst.t"))
        .containsExactlyInAnyOrderElementsOf(source.rows());
  }
}
