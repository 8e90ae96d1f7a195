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
 * The tables that a task's step lists: those it began with, and the names that tables got, or were
 * made with, while they were captured. Immutable.
 */
public final class RecordedTables {
  private final Map<TableId, Optional<Gained>> tables;

  /**
   * What is known of a name that was gained.
   *
   * @param behind the position behind which it counts
   * @param proven where the source showed what the table is
   */
  private record Gained(Position behind, Position proven) {}

  private RecordedTables(Map<TableId, Optional<Gained>> tables) {
    this.tables = tables;
  }

  /** Reads what {@link #detail} or {@link FollowedTables#detail} has written. */
  public static RecordedTables parse(String detail) {
    try {
      Map<TableId, Optional<Gained>> tables = new LinkedHashMap<>();
      for (JsonNode table : StatusJson.tree(detail)) {
        Optional<Position> behind = position(table.path(2));
        tables.put(
            new TableId(table.path(0).asText(), table.path(1).asText()),
            behind.map(from -> new Gained(from, position(table.path(3)).orElse(from))));
      }
      return new RecordedTables(tables);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the remembered tables are no JSON: " + detail, e);
    }
  }

  private static Optional<Position> position(JsonNode text) {
    return Optional.ofNullable(text.textValue()).map(Position::parse);
  }

  public Set<TableId> names() {
    return new LinkedHashSet<>(tables.keySet());
  }

  /** The names that were gained, and where the source showed what each table is. */
  public Map<TableId, Position> proven() {
    Map<TableId, Position> proven = new LinkedHashMap<>();
    tables.forEach((table, gained) -> gained.ifPresent(of -> proven.put(table, of.proven())));
    return proven;
  }

  /** These tables and others, which the task replicates from its beginning. */
  public RecordedTables and(Collection<TableId> others) {
    Map<TableId, Optional<Gained>> all = new LinkedHashMap<>(tables);
    others.forEach(table -> all.putIfAbsent(table, Optional.empty()));
    return new RecordedTables(all);
  }

  /** These tables and a name that a table has behind a position. */
  public RecordedTables and(TableId gained, Position behind, Position proven) {
    Map<TableId, Optional<Gained>> all = new LinkedHashMap<>(tables);
    all.putIfAbsent(gained, Optional.of(new Gained(behind, proven)));
    return new RecordedTables(all);
  }

  /** Without the names that were gained where a capture from this position has still to read. */
  public RecordedTables at(Position from) {
    Map<TableId, Optional<Gained>> then = new LinkedHashMap<>(tables);
    then.values().removeIf(gained -> gained.isPresent() && !from.isAfter(gained.get().behind()));
    return new RecordedTables(then);
  }

  /** As JSON. */
  public String detail() {
    return StatusJson.write(
        tables.entrySet().stream()
            .map(table -> fields(table.getKey(), table.getValue()))
            .collect(Collectors.toList()));
  }

  private static List<String> fields(TableId table, Optional<Gained> gained) {
    return gained
        .map(
            of ->
                List.of(
                    table.schema(), table.name(), of.behind().toString(), of.proven().toString()))
        .orElse(List.of(table.schema(), table.name()));
  }
}
