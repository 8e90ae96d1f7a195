package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;

/** What the log has of old rows is not changed for a task. Stateless. */
public abstract class UnchangedRowLogging implements OldRowLogging {
  @Override
  public boolean mayChange() {
    return false;
  }

  @Override
  public Map<TableId, String> changedBySource() {
    return Map.of();
  }

  @Override
  public Outcome restore(Map<TableId, String> before) {
    return new Outcome(List.of(), List.of());
  }
}
