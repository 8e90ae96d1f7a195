package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.source.DdlReporting;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The binary log has the statements of DDL themselves: nothing is installed for them. Stateless.
 */
final class LoggedDdl implements DdlReporting {
  @Override
  public String kind() {
    return "statements of the log";
  }

  @Override
  public Optional<String> hindrance() {
    return Optional.empty();
  }

  @Override
  public String without(String reason) {
    throw new IllegalStateException("BUG: the log always has the statements: " + reason);
  }

  @Override
  public boolean mayInstall() {
    return true;
  }

  @Override
  public Optional<String> install() {
    return Optional.empty();
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
  public boolean isInLog() {
    return true;
  }

  @Override
  public boolean remove() {
    return false;
  }
}
