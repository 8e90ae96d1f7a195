package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.source.DdlReporting;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Debezium reports no definitions in a form that is the same for all connectors. Stateless. */
final class UnreportedDdl implements DdlReporting {
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

  /** Nobody could. {@link #hindrance} says why. */
  @Override
  public boolean mayInstall() {
    return true;
  }

  @Override
  public Optional<String> install() {
    return REASON;
  }

  @Override
  public void begin(List<SelectionPattern> selection, List<TableId> tables) {
    // Nothing reports.
  }

  @Override
  public void register(List<SelectionPattern> selection, List<TableId> tables) {
    // Nothing reports.
  }

  @Override
  public void takeNoNew() {
    // Nothing reports.
  }

  @Override
  public Optional<Problem> anothers() {
    return Optional.empty();
  }

  @Override
  public Optional<Set<TableId>> followed() {
    return Optional.empty();
  }

  @Override
  public boolean remove() {
    return false;
  }
}
