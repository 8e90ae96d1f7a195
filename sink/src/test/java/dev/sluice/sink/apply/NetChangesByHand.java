package dev.sluice.sink.apply;

import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.window.compaction.NetChange;
import dev.sluice.sink.window.compaction.TableChanges;
import dev.sluice.sink.window.compaction.TableChanges.Copies;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A simple compaction, so that tests of the applier depend on no other. */
final class NetChangesByHand {
  private NetChangesByHand() {}

  static TableChanges of(RowSchema schema, List<RowChange> changes) {
    return schema.hasKey() ? keyed(schema, changes) : multiset(schema, changes);
  }

  private static TableChanges keyed(RowSchema schema, List<RowChange> changes) {
    Map<Row, NetChange> live = new LinkedHashMap<>();
    List<NetChange> gone = new ArrayList<>();
    for (RowChange change : changes) {
      Row match = change.match();
      Row row = change.row();
      if (match != null) {
        NetChange earlier = live.remove(match);
        if (earlier != null) {
          match = earlier.match();
          row = row == null ? null : row.filledFrom(earlier.row());
        }
      }
      if (row != null) {
        live.put(schema.matchOf(row), new NetChange(match, row));
      } else if (match != null) {
        gone.add(new NetChange(match, null));
      }
    }
    gone.addAll(live.values());
    return new TableChanges.Keyed(schema, gone);
  }

  private static TableChanges multiset(RowSchema schema, List<RowChange> changes) {
    Map<Row, Long> sums = new LinkedHashMap<>();
    for (RowChange change : changes) {
      if (change.match() != null) {
        sums.merge(change.match(), -1L, Long::sum);
      }
      if (change.row() != null) {
        sums.merge(change.row(), 1L, Long::sum);
      }
    }
    List<Copies> takeAway = new ArrayList<>();
    List<Copies> putIn = new ArrayList<>();
    sums.forEach(
        (row, sum) -> {
          if (sum < 0) {
            takeAway.add(new Copies(row, -sum));
          } else if (sum > 0) {
            putIn.add(new Copies(row, sum));
          }
        });
    return new TableChanges.Multiset(schema, takeAway, List.of(), putIn);
  }
}
