package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.OldRowLogging;
import java.util.List;
import java.util.Map;

/** What the log has of old rows is the DBA's to set: no table is changed. Stateless. */
final class ConnectorRows implements OldRowLogging {
  @Override
  public String kind() {
    return "the logging of old rows";
  }

  @Override
  public String whyLeft() {
    return "the task changes none";
  }

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
