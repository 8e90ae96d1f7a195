package dev.sluice.connector.api.ddl;

import dev.sluice.connector.api.load.DefinitionStatement;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The changes of tables by one DDL statement on the source. Immutable.
 *
 * @param command the statement's name, such as {@code ALTER TABLE}
 * @param plainCasts whether types were changed by PostgreSQL's default cast only
 * @param settings session settings of the source that casts depend on
 * @param needed schemas and types that the tables need, each created if it is missing
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

  /** The same statement with only some of its changes. */
  public DefinitionChanges only(List<DefinitionChange> some) {
    return new DefinitionChanges(command, plainCasts, settings, needed, some);
  }
}
