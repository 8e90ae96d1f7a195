package dev.sluice.sink.window.compaction;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds a round that is compacted to net changes while it is filled. Owned by the thread that
 * fills it.
 */
final class NetRoundBuilder extends RoundBuilder {
  private final Map<TableId, NetTable> tables = new LinkedHashMap<>();
  private final WindowTuning tuning;
  private final TableShares shares;
  private NetTable recent;
  private long netChanges;
  private long retained;

  NetRoundBuilder(WindowTuning tuning, TableShares shares) {
    this.tuning = tuning;
    this.shares = shares;
  }

  @Override
  boolean hasSchemaOf(RowChange change) {
    NetTable table = find(change.schema());
    return table == null || table.schema().fingerprint() == change.schema().fingerprint();
  }

  @Override
  void put(RowChange change) {
    NetTable table = find(change.schema());
    if (table == null) {
      table = open(change.schema());
      tables.put(change.schema().table(), table);
    }
    recent = table;
    long netBefore = table.netChanges();
    long retainedBefore = table.retainedBytes();
    table.add(change);
    netChanges += table.netChanges() - netBefore;
    long kept = table.retainedBytes() - retainedBefore;
    retained += kept;
    shares.charge(table.schema().table(), kept);
  }

  @Override
  long netChanges() {
    return netChanges;
  }

  @Override
  long retainedBytes() {
    return retained;
  }

  @Override
  Round build(List<Emptied> tablesToEmpty) {
    return new Round.Net(
        tablesToEmpty,
        tables.values().stream()
            .filter(table -> table.netChanges() > 0)
            .map(NetTable::build)
            .toList());
  }

  private NetTable open(RowSchema schema) {
    return tuning.isOneByOne(schema.table()) ? new OrderedRows(schema) : NetTable.of(schema);
  }

  /**
   * Finds the table of the schema. Changes of one table come in runs with the same schema object,
   * so the last one is checked first.
   */
  private NetTable find(RowSchema schema) {
    if (recent != null && recent.schema() == schema) {
      return recent;
    }
    return tables.get(schema.table());
  }
}
