package dev.sluice.engine.readiness;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.inventory.SchemaObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds what the source has apart from rows and the target has not. Objects are compared by their
 * names, and indexes, foreign keys and statistics also by their columns. Of a table that is not on
 * the target nothing is reported: the table is. Pure.
 */
final class ObjectComparison {
  private final UnaryOperator<TableId> targetOf;
  private final Set<TableId> tables;
  private final Map<String, Set<String>> targetSchemas;

  /** What is on the target, by its name. */
  private final Set<SchemaObject> named;

  /** What is on the target, by its shape under any name. */
  private final Set<SchemaObject> shapes;

  /** The views and sequences of the target. */
  private final Set<TableId> relations;

  /** Tables whose definitions the cutover completes. */
  private final boolean completed;

  /**
   * @param targetOf the target's name of a table, view or sequence
   * @param tables the selected tables with their partitions
   * @param target the objects of all schemas of {@link #targetSchemas}
   * @param completed whether the cutover itself makes constraints and triggers of the tables
   */
  ObjectComparison(
      UnaryOperator<TableId> targetOf,
      Collection<TableId> tables,
      Set<SchemaObject> target,
      boolean completed) {
    this.targetOf = targetOf;
    this.tables = Set.copyOf(tables);
    this.targetSchemas = targetSchemas(tables, targetOf);
    this.completed = completed;
    this.named = target.stream().map(ObjectComparison::withoutShape).collect(Collectors.toSet());
    this.relations =
        target.stream()
            .filter(object -> isRelation(object.kind()))
            .flatMap(object -> object.of().stream())
            .collect(Collectors.toSet());
    this.shapes =
        target.stream()
            .filter(object -> object.shape().isPresent())
            .map(ObjectComparison::unnamed)
            .collect(Collectors.toSet());
  }

  /** The schemas of the target into which each schema of the source goes. */
  static Map<String, Set<String>> targetSchemas(
      Collection<TableId> tables, UnaryOperator<TableId> targetOf) {
    return tables.stream()
        .collect(
            Collectors.groupingBy(
                TableId::schema,
                Collectors.mapping(table -> targetOf.apply(table).schema(), Collectors.toSet())));
  }

  /** What is missing, by kind, each in words. */
  Map<ObjectKind, List<String>> missing(Collection<SchemaObject> source) {
    Map<ObjectKind, List<String>> missing = new EnumMap<>(ObjectKind.class);
    for (SchemaObject object : source) {
      if (isExpected(object) && !isThere(object)) {
        missing.computeIfAbsent(object.kind(), kind -> new ArrayList<>()).add(words(object));
      }
    }
    missing.values().forEach(names -> names.sort(null));
    return missing;
  }

  private boolean isExpected(SchemaObject object) {
    return switch (object.kind()) {
      case VIEW, MATERIALIZED_VIEW -> !tables.contains(object.of().orElseThrow());
      // Those that the cutover sets are its own matter, and it refuses if one is missing.
      case SEQUENCE -> false;
      case FUNCTION, TYPE, EXTENSION -> true;
      case TRIGGER, CONSTRAINT ->
          hasRelation(object) && !(completed && tables.contains(object.of().orElseThrow()));
      case INDEX, STATISTICS, POLICY, ROW_SECURITY, RULE, OWNER -> hasRelation(object);
      case GRANT -> object.relation().isPresent() ? hasRelation(object) : hasFunction(object);
    };
  }

  /** Whether the table is selected, or the view or sequence is on the target. */
  private boolean hasRelation(SchemaObject object) {
    TableId relation = object.of().orElseThrow();
    return tables.contains(relation) || relations.contains(targetOf.apply(relation));
  }

  private static boolean isRelation(ObjectKind kind) {
    return kind == ObjectKind.VIEW
        || kind == ObjectKind.MATERIALIZED_VIEW
        || kind == ObjectKind.SEQUENCE;
  }

  /** A grant on a function that is missing is missing with it. */
  private boolean hasFunction(SchemaObject grant) {
    int at = grant.name().indexOf(" on ");
    int end = grant.name().lastIndexOf(" to ");
    String function = grant.name().substring(at + " on ".length(), end);
    return !function.contains("(")
        || placed(
                new SchemaObject(
                    ObjectKind.FUNCTION,
                    grant.schema(),
                    Optional.empty(),
                    function,
                    Optional.empty()))
            .anyMatch(named::contains);
  }

  private boolean isThere(SchemaObject object) {
    return placed(object)
        .anyMatch(
            there ->
                named.contains(withoutShape(there))
                    || there.shape().isPresent() && shapes.contains(unnamed(there)));
  }

  /** The object under the names that it may have on the target. */
  private Stream<SchemaObject> placed(SchemaObject object) {
    if (object.schema().isEmpty()) {
      return Stream.of(object);
    }
    if (object.relation().isPresent()) {
      TableId there = targetOf.apply(object.of().orElseThrow());
      return Stream.of(at(object, there.schema(), Optional.of(there.name())));
    }
    return targetSchemas.getOrDefault(object.schema(), Set.of(object.schema())).stream()
        .map(schema -> at(object, schema, Optional.empty()));
  }

  private static SchemaObject at(SchemaObject object, String schema, Optional<String> relation) {
    return new SchemaObject(object.kind(), schema, relation, object.name(), object.shape());
  }

  private static SchemaObject unnamed(SchemaObject object) {
    return new SchemaObject(object.kind(), object.schema(), object.relation(), "", object.shape());
  }

  private static SchemaObject withoutShape(SchemaObject object) {
    return new SchemaObject(
        object.kind(), object.schema(), object.relation(), object.name(), Optional.empty());
  }

  private static String words(SchemaObject object) {
    if (object.schema().isEmpty()) {
      return object.name();
    }
    String place = object.of().map(TableId::toString).orElse(object.schema());
    return object.name().isEmpty() ? place : place + ": " + object.name();
  }
}
