package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.source.DdlReporting;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * DDL reported by event triggers, for one task. Immutable.
 *
 * @param givesIdentity whether the triggers give REPLICA IDENTITY FULL to tables without one
 */
record TriggerReporting(DefinitionTrigger triggers, String publication, boolean givesIdentity)
    implements DdlReporting {

  @Override
  public String kind() {
    return "event triggers";
  }

  @Override
  public String without(String reason) {
    return "no event triggers on the source ("
        + reason
        + "): added, dropped and renamed columns are detected with the next changed row, and"
        + " replicated if the catalog shows what happened to them and to the values of older"
        + " rows; created, renamed and dropped tables and changed types are not replicated";
  }

  @Override
  public Optional<String> hindrance() {
    return triggers.hindrance();
  }

  @Override
  public boolean mayInstall() {
    return triggers.mayInstall();
  }

  @Override
  public Optional<String> install() {
    return triggers.install();
  }

  @Override
  public void begin(List<SelectionPattern> selection, List<TableId> tables) {
    triggers.begin(publication, givesIdentity, selection, tables);
  }

  @Override
  public void register(List<SelectionPattern> selection, List<TableId> tables) {
    triggers.register(publication, givesIdentity, selection, tables);
  }

  @Override
  public void takeNoNew() {
    triggers.takeNoNew();
  }

  @Override
  public Optional<Problem> anothers() {
    return triggers.anothers();
  }

  @Override
  public Optional<Set<TableId>> followed() {
    return triggers.followed();
  }

  @Override
  public boolean remove() {
    return triggers.remove();
  }
}
