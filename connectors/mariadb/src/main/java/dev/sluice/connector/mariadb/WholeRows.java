package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.OldRowLogging;
import java.util.List;
import java.util.Map;

/** The binary log has whole old rows, which the checks require: no table is changed. Stateless. */
final class WholeRows implements OldRowLogging {
  @Override
  public String kind() {
    return "binlog_row_image";
  }

  @Override
  public String whyLeft() {
    return "it is a setting of the server";
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
