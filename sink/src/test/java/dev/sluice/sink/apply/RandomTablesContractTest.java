package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.sink.Tunings;
import dev.sluice.sink.apply.ChangingTable.Shape;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Random windows of changes of a random table: after each of them the target has the rows of the
 * source. A dialect's test passes it on a server of its own.
 */
public abstract class RandomTablesContractTest {
  private static final Map<Class<?>, TargetLab> LABS = new ConcurrentHashMap<>();

  /** A new database of the dialect, with an empty schema {@code dst}. */
  protected abstract TargetLab newDatabase() throws SQLException;

  /**
   * Creates the table {@code t} in {@code dst}, again if it is there. Its columns: k, a number; l,
   * a text; u and v, numbers; w and x, texts. Texts of one character and more differ if their bytes
   * do. All may be NULL but those of the key.
   *
   * @param key the columns of its primary key
   * @param unique the columns of its other unique keys
   */
  protected abstract void createTable(TargetLab lab, List<String> key, List<List<String>> unique)
      throws SQLException;

  /** Applies a window; a dialect's test may make that hard. */
  protected void apply(BatchApplier applier, ClosedWindow window) {
    applier.apply(window);
  }

  @AfterContainer
  static void close() throws SQLException {
    for (TargetLab lab : LABS.values()) {
      lab.close();
    }
    LABS.clear();
  }

  @Property(tries = 120)
  public void theTargetHasTheSourcesRowsAfterEachWindow(
      @ForAll @IntRange(min = 1, max = 2) int key,
      @ForAll boolean uniqueU,
      @ForAll boolean uniqueVw,
      @ForAll boolean inOrder,
      @ForAll @Size(max = 80) List<@IntRange(min = 0) Integer> steps)
      throws SQLException {
    TargetLab lab = lab();
    Shape shape = new Shape(key, uniqueU, uniqueVw);
    createTable(lab, key == 1 ? List.of("k") : List.of("k", "l"), unique(shape));
    ChangingTable source = new ChangingTable(shape);
    int replays = lab.replays();
    WindowTuning tuning = inOrder ? Tunings.transactional() : Tunings.splitting(3);
    try (BatchApplier applier = lab.applier(3)) {
      lab.tune(tuning);
      List<List<ChangeEvent>> transactions = new ArrayList<>(List.of(new ArrayList<>()));
      for (int step : steps) {
        transactions.get(transactions.size() - 1).addAll(source.change(step));
        if (step % 5 == 0) {
          transactions.add(new ArrayList<>());
        }
        if (step % 11 == 0) {
          apply(lab, applier, transactions, source);
        }
      }
      apply(lab, applier, transactions, source);
    }
    assertThat(lab.replays()).as("windows that were applied change by change").isEqualTo(replays);
  }

  private void apply(
      TargetLab lab,
      BatchApplier applier,
      List<List<ChangeEvent>> transactions,
      ChangingTable source)
      throws SQLException {
    transactions.removeIf(List::isEmpty);
    if (!transactions.isEmpty()) {
      apply(applier, lab.windowOf(List.copyOf(transactions)));
    }
    transactions.clear();
    transactions.add(new ArrayList<>());
    assertThat(lab.rows("SELECT k, l, u, v, w, x FROM dst.t"))
        .containsExactlyInAnyOrderElementsOf(source.rows());
  }

  private static List<List<String>> unique(Shape shape) {
    List<List<String>> unique = new ArrayList<>();
    if (shape.uniqueU()) {
      unique.add(List.of("u"));
    }
    if (shape.uniqueVw()) {
      unique.add(List.of("v", "w"));
    }
    return unique;
  }

  private TargetLab lab() throws SQLException {
    TargetLab lab = LABS.get(getClass());
    if (lab == null) {
      lab = newDatabase();
      LABS.put(getClass(), lab);
    }
    return lab;
  }
}
