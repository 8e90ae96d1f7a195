package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.SequenceCopy;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetObjects;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports objects, apart from tables and rows, that the selected schemas have on the source and not
 * on the target: Sluice does not create them, or has not yet. Used by one thread.
 */
final class ObjectFindings {
  private static final Map<ObjectKind, String> FIXES =
      Map.of(
          ObjectKind.OWNER,
          "Create the role, and run on the target: ALTER TABLE … OWNER TO …",
          ObjectKind.GRANT,
          "Create the roles, and run the same GRANT statements on the target",
          ObjectKind.ROW_SECURITY,
          "Create the policies, and run on the target: ALTER TABLE … ENABLE ROW LEVEL SECURITY",
          ObjectKind.EXTENSION,
          "Run on the target: CREATE EXTENSION …");

  /** Kinds of objects that applications may need on a target where they are not compared. */
  private static final Set<ObjectKind> BY_HAND =
      EnumSet.of(
          ObjectKind.VIEW,
          ObjectKind.MATERIALIZED_VIEW,
          ObjectKind.FUNCTION,
          ObjectKind.TRIGGER,
          ObjectKind.ROW_SECURITY,
          ObjectKind.RULE);

  private final TaskContext context;
  private final TableMappings mappings;
  private final SourceCatalog catalog;

  /**
   * @param catalog the selected tables of the source
   */
  ObjectFindings(TaskContext context, SourceCatalog catalog) {
    this.context = context;
    this.mappings = context.config().tableMappings();
    this.catalog = catalog;
  }

  /** Reads both sides and adds what is missing. */
  void add(FindingList found) {
    List<TableId> tables =
        Stream.concat(catalog.relations().stream(), context.source().views(mappings).stream())
            .map(CatalogTable::table)
            .toList();
    Map<String, Set<String>> schemas = ObjectComparison.targetSchemas(tables, mappings::targetOf);
    Set<SchemaObject> source = context.source().activity().objects(schemas.keySet());
    boolean comparable = !context.target().dialect().limits().contains(TargetLimit.OBJECTS);
    Set<String> targetSchemas =
        schemas.values().stream().flatMap(Collection::stream).collect(Collectors.toSet());
    new ObjectComparison(
            mappings::targetOf,
            tables,
            comparable ? TargetObjects.read(context.target(), targetSchemas) : Set.of(),
            StartPlan.madeTables(context.steps().all(context.task())))
        .missing(
            source.stream()
                .filter(object -> comparable || BY_HAND.contains(object.kind()))
                .toList())
        .forEach((kind, names) -> add(kind, names, found, comparable));
    sequences(source, found);
  }

  private static void add(
      ObjectKind kind, List<String> names, FindingList found, boolean comparable) {
    found.add(
        wordOf(kind),
        Weight.CHOICE,
        new Problem(
            "%d %s".formatted(names.size(), kind.text(names.size())),
            found(kind, comparable),
            "the same on both sides",
            kind == ObjectKind.TRIGGER && !comparable
                ? "Prepare them, and create them after the cutover: now they would act on the changes that are still applied"
                : FIXES.getOrDefault(kind, "Create on the target what the applications need")),
        names);
  }

  private static String found(ObjectKind kind, boolean comparable) {
    if (!comparable) {
      return "of the selected schemas, on the source; Sluice does not bring it along to such a"
          + " target, nor look for it there";
    }
    return kind == ObjectKind.OWNER
        ? "the target's tables and views have other owners than the source's"
        : "of the selected schemas, on the source and not on the target; Sluice does not bring it"
            + " along";
  }

  /** The words of the kinds, which stay the same in later releases. */
  private static String wordOf(ObjectKind kind) {
    return switch (kind) {
      case VIEW -> "missing-view";
      case MATERIALIZED_VIEW -> "missing-materialized-view";
      case FUNCTION -> "missing-function";
      case TYPE -> "missing-type";
      case SEQUENCE -> "missing-sequence";
      case EXTENSION -> "missing-extension";
      case TRIGGER -> "missing-trigger";
      case INDEX -> "missing-index";
      case CONSTRAINT -> "missing-constraint";
      case STATISTICS -> "missing-statistics";
      case POLICY -> "missing-policy";
      case ROW_SECURITY -> "missing-row-security";
      case RULE -> "missing-rule";
      case OWNER -> "missing-owner";
      case GRANT -> "missing-grant";
    };
  }

  /** Reports sequences that belong to columns that are not selected. */
  private void sequences(Set<SchemaObject> source, FindingList found) {
    List<TableId> tables = catalog.tables().stream().map(CatalogTable::table).toList();
    SequenceReading reading = SequenceCopy.reading(context.source().reader(), tables, mappings);
    Set<TableId> set = new HashSet<>(reading.unreadable());
    reading.states().stream().map(SequenceState::sequence).forEach(set::add);
    List<String> others =
        source.stream()
            .filter(object -> object.kind() == ObjectKind.SEQUENCE)
            .flatMap(object -> object.of().stream())
            .filter(sequence -> !set.contains(sequence))
            .map(TableId::toString)
            .sorted()
            .toList();
    if (!others.isEmpty()) {
      found.add(
          "sequences-not-set",
          Weight.FACT,
          new Problem(
              Counted.of(others.size(), "sequence") + " of the selected schemas",
              "belong to columns that are not selected; the cutover does not set them",
              "",
              "Set them by hand if an application uses them"),
          others);
    }
  }
}
