package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.comparison.FoundRow;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.TablePart;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.engine.validate.session.RowDifference.Image;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads current rows of one target table, in the form in which a session reads them. Opens its
 * sessions at the beginning, so that nobody waits for a login while holding a lock. Has no session
 * on the source. Used by one thread.
 */
public final class TargetRows implements AutoCloseable {
  private final TargetView view;
  private final ComparisonPlan plan;
  private final TableMappings mappings;
  private final SideTable source;
  private List<String> columns = List.of();
  private Map<Integer, String> computed = Map.of();

  /**
   * @param view closed together with this
   * @param source the plan's table as the source has it
   */
  TargetRows(TargetView view, ComparisonPlan plan, TableMappings mappings, SideTable source) {
    this.view = view;
    this.plan = plan;
    this.mappings = mappings;
    this.source = source;
  }

  /**
   * Finds rows: for each key none, one, or several if the key is not unique there.
   *
   * @param keys of the plan's table
   * @param how without an index it reads the complete table
   * @throws NotReadable if the table cannot be read
   */
  public Map<RowKey, List<Image>> read(List<RowKey> keys, Lookup how) {
    view.takeSnapshot();
    TablePairing pairing = pairing();
    columns = pairing.columns();
    computed = pairing.computedByTarget();
    Map<RowKey, List<Image>> found = new HashMap<>();
    for (FoundRow row : view.read(pairing.ofTarget(), keys, how)) {
      found
          .computeIfAbsent(keys.get(row.number()), any -> new ArrayList<>(1))
          .add(new Image(row.values()));
    }
    return found;
  }

  /** The number of pages of the table, or of its largest partition. */
  public long pages() {
    view.takeSnapshot();
    return view.pages(mappings.targetOf(plan.table()));
  }

  /**
   * Those of the keys that occur in rows of a part; found without any index.
   *
   * @throws NotReadable if the part cannot be read in time
   */
  public Set<RowKey> keysIn(TablePart part, List<RowKey> keys) {
    view.takeSnapshot();
    return view.read(pairing().ofTarget(), keys, part).stream()
        .map(row -> keys.get(row.number()))
        .collect(Collectors.toSet());
  }

  /** The columns of the last read's rows, by their names on the source. */
  public List<String> columns() {
    return columns;
  }

  /** The indexes of those columns that the target computes, with their names there. */
  public Map<Integer, String> computed() {
    return computed;
  }

  private TablePairing pairing() {
    TableId name = mappings.targetOf(plan.table());
    return new TablePairing(plan, mappings, source, view.table(name).orElseThrow(() -> gone(name)));
  }

  static NotReadable gone(TableId table) {
    return new NotReadable(NotReadable.Reason.CHANGED, "table %s is gone".formatted(table), null);
  }

  @Override
  public void close() {
    view.close();
  }
}
