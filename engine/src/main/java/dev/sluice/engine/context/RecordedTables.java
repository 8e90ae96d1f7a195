package dev.sluice.engine.context;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.status.StatusJson;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The tables that a task's step lists: those it began with, and the names that tables got while
 * they were captured. Immutable.
 */
public final class RecordedTables {
  /** A name that was gained has the position behind which it counts. */
  private final Map<TableId, Optional<Position>> tables;

  private RecordedTables(Map<TableId, Optional<Position>> tables) {
    this.tables = tables;
  }

  /** Reads what {@link #detail} or {@link FollowedTables#detail} has written. */
  public static RecordedTables parse(String detail) {
    try {
      Map<TableId, Optional<Position>> tables = new LinkedHashMap<>();
      for (JsonNode table : StatusJson.tree(detail)) {
        tables.put(
            new TableId(table.path(0).asText(), table.path(1).asText()),
            Optional.ofNullable(table.path(2).textValue()).map(Position::parse));
      }
      return new RecordedTables(tables);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the remembered tables are no JSON: " + detail, e);
    }
  }

  public Set<TableId> names() {
    return new LinkedHashSet<>(tables.keySet());
  }

  /** These tables and others, which the task replicates from its beginning. */
  public RecordedTables and(Collection<TableId> others) {
    Map<TableId, Optional<Position>> all = new LinkedHashMap<>(tables);
    others.forEach(table -> all.putIfAbsent(table, Optional.empty()));
    return new RecordedTables(all);
  }

  /** These tables and a name that one of them has behind a position. */
  public RecordedTables and(TableId gained, Position behind) {
    Map<TableId, Optional<Position>> all = new LinkedHashMap<>(tables);
    all.putIfAbsent(gained, Optional.of(behind));
    return new RecordedTables(all);
  }

  /** Without the names that were gained where a capture from this position has still to read. */
  public RecordedTables at(Position from) {
    Map<TableId, Optional<Position>> then = new LinkedHashMap<>(tables);
    then.values().removeIf(behind -> behind.isPresent() && !from.isAfter(behind.get()));
    return new RecordedTables(then);
  }

  /** As JSON. */
  public String detail() {
    return StatusJson.write(
        tables.entrySet().stream()
            .map(
                table ->
                    table
                        .getValue()
                        .map(
                            behind ->
                                List.of(
                                    table.getKey().schema(),
                                    table.getKey().name(),
                                    behind.toString()))
                        .orElse(List.of(table.getKey().schema(), table.getKey().name())))
            .collect(Collectors.toList()));
  }
}
