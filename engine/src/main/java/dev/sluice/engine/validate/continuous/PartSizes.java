package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.engine.validate.session.PartSize;
import dev.sluice.engine.validate.session.TableFindings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The size of the parts in which each table is read. Owned by the thread of the validation. */
final class PartSizes {
  private final Map<TableId, PartSize> sizes = new HashMap<>();

  PartSize of(TableId table) {
    return sizes.getOrDefault(table, PartSize.WHOLE);
  }

  /** Takes the results of a session for its tables, in the order in which it read them. */
  void ended(List<TableFindings> session) {
    for (TableFindings table : FruitlessSessions.thatCount(session)) {
      boolean progressed = FruitlessSessions.hasProgressed(table);
      boolean first = table.equals(session.get(0));
      sizes.put(table.table(), of(table.table()).after(table, progressed, first));
    }
  }
}
