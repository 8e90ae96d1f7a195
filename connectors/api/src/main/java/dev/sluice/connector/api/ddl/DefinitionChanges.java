package dev.sluice.connector.api.ddl;

import dev.sluice.connector.api.load.DefinitionStatement;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What one statement on the source made of its tables. Immutable.
 *
 * @param command the statement's name, such as {@code ALTER TABLE}
 * @param plainCasts whether a type was changed by PostgreSQL's own cast only
 * @param settings of the source's session that casts depend on
 * @param needed schemas and types that the tables need, each made unless it is there
 * @param changes parents before their partitions
 */
public record DefinitionChanges(
    String command,
    boolean plainCasts,
    Map<String, String> settings,
    List<DefinitionStatement> needed,
    List<DefinitionChange> changes) {

  public DefinitionChanges {
    Objects.requireNonNull(command, "command");
    settings = Map.copyOf(settings);
    needed = List.copyOf(needed);
    changes = List.copyOf(changes);
  }

  /** The same statement, with some of its changes only. */
  public DefinitionChanges only(List<DefinitionChange> some) {
    return new DefinitionChanges(command, plainCasts, settings, needed, some);
  }
}
