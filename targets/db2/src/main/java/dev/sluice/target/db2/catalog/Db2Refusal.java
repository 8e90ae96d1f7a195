package dev.sluice.target.db2.catalog;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetLimit;

/** Refuses what Db2 as a target cannot do. Stateless. */
public final class Db2Refusal {
  private Db2Refusal() {}

  /** The refusal, which names the missing feature. */
  public static SluiceException of(TargetLimit limit) {
    return limit.refusal("db2", "Db2");
  }

  /** The refusal of a DDL change. TableErrorPolicy decides whether it suspends the table. */
  public static SluiceException ofDefinition(String change) {
    return new SluiceException.Data(
        "not replicated, since Sluice does not change definitions on Db2: %s; let TableErrorPolicy suspend the table, change it on the target, then reload it"
            .formatted(change),
        null);
  }
}
