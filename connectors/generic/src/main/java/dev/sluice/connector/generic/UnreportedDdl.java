package dev.sluice.connector.generic;

import dev.sluice.connector.api.source.NothingInstalled;
import java.util.Optional;

/** Debezium reports no definitions in a form that is the same for all connectors. Stateless. */
final class UnreportedDdl extends NothingInstalled {
  private static final Optional<String> REASON =
      Optional.of("definitions are not replicated with source.type debezium");

  @Override
  public String kind() {
    return "reports of DDL";
  }

  @Override
  public Optional<String> hindrance() {
    return REASON;
  }

  @Override
  public String without(String reason) {
    return reason
        + ": TRUNCATE is where the connector sends it; a statement that alters, renames or drops a replicated table stops the"
        + " task, with a message that names it; new tables are not replicated";
  }

  @Override
  public Optional<String> install() {
    return REASON;
  }
}
