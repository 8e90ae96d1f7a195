package dev.sluice.engine.context;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.engine.status.StatusJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables that a task's step lists: those it began with, and names that tables got during the
 * capture, by a rename or when they were created, until they were dropped. Immutable.
 */
public final class StepTables {
  private final List<Recorded> tables;

  /**
   * A table under a name.
   *
   * @param gained empty if the task began with it
   * @param lost the position after which it is gone; empty if it is there
   */
  private record Recorded(TableId table, Optional<Gained> gained, Optional<Position> lost) {}

  /**
   * The facts about a name that a table got.
   *
   * @param behind the position after which it counts
   * @param proven where the source showed what the table is
   */
  private record Gained(Position behind, Position proven) {}

  private StepTables(List<Recorded> tables) {
    this.tables = List.copyOf(tables);
  }

  /** Reads what {@link #detail} or {@link FollowedTables#detail} has written. */
  public static StepTables parse(String detail) {
    try {
      List<Recorded> tables = new ArrayList<>();
      for (JsonNode table : StatusJson.tree(detail)) {
        Optional<Position> behind = position(table.path(2));
        tables.add(
            new Recorded(
                new TableId(table.path(0).asText(), table.path(1).asText()),
                behind.map(from -> new Gained(from, position(table.path(3)).orElse(from))),
                position(table.path(4))));
      }
      return new StepTables(tables);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the remembered tables are no JSON: " + detail, e);
    }
  }

  private static Optional<Position> position(JsonNode text) {
    return Optional.ofNullable(text.textValue()).map(Position::parse);
  }

  /** The names of existing tables. */
  public Set<TableId> names() {
    return present().map(Recorded::table).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private Stream<Recorded> present() {
    return tables.stream().filter(each -> each.lost().isEmpty());
  }

  /** The names that tables got, with the position where the source showed each table. */
  public Map<TableId, Position> proven() {
    return present()
        .filter(each -> each.gained().isPresent())
        .collect(Collectors.toMap(Recorded::table, each -> each.gained().get().proven()));
  }

  /** These tables and others, which the task replicates from its beginning. */
  public StepTables and(Collection<TableId> others) {
    return and(
        others.stream().map(table -> new Recorded(table, Optional.empty(), Optional.empty())));
  }

  /** These tables and a name that a table has after a position. */
  public StepTables and(TableId gained, Position behind, Position proven) {
    return and(
        Stream.of(new Recorded(gained, Optional.of(new Gained(behind, proven)), Optional.empty())));
  }

  /** If a name occurs twice, the first entry counts. */
  private StepTables and(Stream<Recorded> others) {
    Set<TableId> there = names();
    return new StepTables(
        Stream.concat(tables.stream(), others.filter(each -> there.add(each.table()))).toList());
  }

  /** These tables, of which some are gone after a position. */
  public StepTables without(Collection<TableId> lost, Position behind) {
    return changed(
        each ->
            each.lost().isEmpty() && lost.contains(each.table())
                ? new Recorded(each.table(), each.gained(), Optional.of(behind))
                : each);
  }

  /**
   * The tables as a capture must know them at this position: without names that tables got later,
   * and with those that were lost later.
   */
  public StepTables at(Position from) {
    return new StepTables(
            tables.stream()
                .filter(
                    each ->
                        each.gained().filter(gained -> !from.isAfter(gained.behind())).isEmpty())
                .toList())
        .changed(
            each -> new Recorded(each.table(), each.gained(), each.lost().filter(from::isAfter)));
  }

  /** Without tables that were lost before this position. */
  public StepTables since(Position from) {
    return new StepTables(
        tables.stream().filter(each -> each.lost().filter(from::isAfter).isEmpty()).toList());
  }

  private StepTables changed(UnaryOperator<Recorded> change) {
    return new StepTables(tables.stream().map(change).toList());
  }

  /** As JSON. */
  public String detail() {
    return StatusJson.write(tables.stream().map(StepTables::fields).toList());
  }

  private static List<String> fields(Recorded each) {
    List<String> fields = new ArrayList<>(List.of(each.table().schema(), each.table().name()));
    if (each.gained().isPresent() || each.lost().isPresent()) {
      fields.add(each.gained().map(gained -> gained.behind().toString()).orElse(null));
      fields.add(each.gained().map(gained -> gained.proven().toString()).orElse(null));
    }
    each.lost().ifPresent(lost -> fields.add(lost.toString()));
    return fields;
  }
}
