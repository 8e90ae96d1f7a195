package dev.sluice.engine.cutover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.status.StatusJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The changes on the source since the cutover. Immutable.
 *
 * @param upTo the position up to which the log was read
 * @param changes how many of each table
 */
record SourceWrites(Position upTo, Map<TableId, Long> changes) {
  static final SourceWrites NOTHING = new SourceWrites(Position.ZERO, Map.of());

  /** These and more, up to the next position. */
  SourceWrites and(Map<TableId, Long> more, Position next) {
    Map<TableId, Long> all = new TreeMap<>(changes);
    more.forEach((table, count) -> all.merge(table, count, Long::sum));
    return new SourceWrites(upTo.max(next), all);
  }

  /** What they mean, for messages; empty if there are none. */
  Optional<String> words() {
    return changes.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the source was written to after the cutover, and the target does not have it: "
                + words(changes)
                + ". Stop the applications that write there, and copy these changes by hand");
  }

  /** The text by which the target remembers them. */
  String detail() {
    List<List<Object>> tables = new ArrayList<>();
    changes.forEach((table, count) -> tables.add(List.of(table.schema(), table.name(), count)));
    return StatusJson.write(Map.of("up_to", upTo.toString(), "changes", tables));
  }

  static SourceWrites parse(String detail) {
    try {
      JsonNode json = StatusJson.tree(detail);
      Map<TableId, Long> changes = new TreeMap<>();
      for (JsonNode table : json.path("changes")) {
        changes.put(
            new TableId(table.path(0).asText(), table.path(1).asText()), table.path(2).asLong());
      }
      return new SourceWrites(Position.parse(json.path("up_to").asText()), changes);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the noted writes are no JSON: " + detail, e);
    }
  }

  /** Each table with its number of changes, for messages. */
  static String words(Map<TableId, Long> changes) {
    return new TreeMap<>(changes)
        .entrySet().stream()
            .map(table -> table.getKey() + " " + Counted.of(table.getValue(), "change"))
            .collect(Collectors.joining(", "));
  }
}
