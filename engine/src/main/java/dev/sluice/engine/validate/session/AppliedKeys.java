package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.source.VisibleTransactions;
import dev.sluice.sink.touched.NotShown;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.TouchedRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** The keys that the sink recorded while it applied transactions. Threadsafe. */
public final class AppliedKeys implements JournalKeys {
  private final TouchedKeys keys;
  private final ColumnNames names;

  /**
   * @param names of columns on the target, by which the sink knows them
   */
  public AppliedKeys(TouchedKeys keys, ColumnNames names) {
    this.keys = keys;
    this.names = names;
  }

  @Override
  public Optional<String> obstacle(String visibleTransactions) {
    return keys.covers(VisibleTransactions.parse(visibleTransactions))
        ? Optional.empty()
        : Optional.of(
            "transactions that began before changes were recorded are still running on the source,"
                + " or a later snapshot was compared already");
  }

  @Override
  public LeftOut notShown(
      TableId table, List<String> key, String visibleTransactions, Position upTo) {
    NotShown found = keys.notShown(table, VisibleTransactions.parse(visibleTransactions), upTo);
    if (found instanceof NotShown.Unknown unknown) {
      return new Unknown(unknown.reason());
    }
    return keysOf(table, key, ((NotShown.Rows) found).rows());
  }

  private LeftOut keysOf(TableId table, List<String> key, TouchedRows rows) {
    if (rows.keys().isEmpty()) {
      return new Keys(List.of());
    }
    List<String> wanted = key.stream().map(column -> names.orSame(table, column)).toList();
    if (!new HashSet<>(wanted).equals(new HashSet<>(rows.columns()))) {
      return new Unknown(
          "its changes are logged with the key %s, and its rows are compared by %s"
              .formatted(rows.columns(), wanted));
    }
    return new Keys(inOrder(wanted, rows));
  }

  /** The keys' values in another order of their columns. */
  public static List<RowKey> inOrder(List<String> columns, TouchedRows rows) {
    int[] positions = columns.stream().mapToInt(rows.columns()::indexOf).toArray();
    List<RowKey> keys = new ArrayList<>(rows.keys().size());
    for (Row row : rows.keys()) {
      keys.add(new RowKey(Arrays.stream(positions).mapToObj(row::text).toList()));
    }
    return keys;
  }

  @Override
  public Optional<String> voidedAfter(TableId table, Position after) {
    return keys.voidedAfter(table, after);
  }

  @Override
  public void shown(String visibleTransactions) {
    keys.shownBy(VisibleTransactions.parse(visibleTransactions));
  }
}
