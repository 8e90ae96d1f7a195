package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.SelectionPattern;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reporting of DDL for which nothing is installed on the source. Stateless. */
public abstract class NothingInstalled implements DdlReporting {
  @Override
  public boolean mayInstall() {
    return true;
  }

  @Override
  public void begin(List<SelectionPattern> selection, List<TableId> tables) {
    // Nothing is installed.
  }

  @Override
  public void register(List<SelectionPattern> selection, List<TableId> tables) {
    // Nothing is installed.
  }

  @Override
  public void takeNoNew() {
    // Nothing is installed.
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
