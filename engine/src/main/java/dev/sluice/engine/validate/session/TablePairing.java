package dev.sluice.engine.validate.session;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.SideColumn;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.api.load.LobCut;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.engine.validate.session.UncomparedColumn.Why;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Pairs the columns of a table on the two sides: the source's rows are read in the form that they
 * should have on the target. Pure.
 */
final class TablePairing {
  /** Types that keep any text unchanged. */
  private static final List<String> TEXTS = List.of("text", "character varying", "\"char\"");

  /** From the narrowest to the widest: what fits has the same text in each of them. */
  private static final List<String> INTEGERS = List.of("smallint", "integer", "bigint");

  private final ComparisonPlan plan;
  private final TableMappings mappings;
  private final SideTable source;
  private final SideTable target;
  private final LobCut cut;
  private final List<Pair> pairs = new ArrayList<>();
  private final List<UncomparedColumn> notCompared = new ArrayList<>();

  /**
   * A pair of columns.
   *
   * @param read whether the target's column is printed as the source's type does, so that the
   *     source's values are compared as they are
   */
  private record Pair(SideColumn source, SideColumn target, boolean read) {
    static Pair of(SideColumn source, SideColumn target) {
      return new Pair(
          source, target.readAs(source.bareType()).orElse(target), !target.readings().isEmpty());
    }
  }

  TablePairing(ComparisonPlan plan, TableMappings mappings, SideTable source, SideTable target) {
    this.plan = plan;
    this.mappings = mappings;
    this.source = source;
    this.target = target;
    this.cut =
        LobCut.of(
            source.columns().stream()
                .map(column -> new TableColumn(column.name(), column.type(), column.generated()))
                .toList(),
            plan.key(),
            mappings.lobLimits().of(plan.table()));
    pair();
  }

  private void pair() {
    Set<String> met = new HashSet<>();
    for (SideColumn column : source.columns()) {
      Optional<SideColumn> other =
          mappings.columns().of(plan.table(), column.name()).flatMap(target::column);
      other.map(SideColumn::name).ifPresent(met::add);
      if (other.isEmpty()) {
        notCompared.add(new UncomparedColumn(column.name(), Why.ONLY_ON_SOURCE));
      } else if (column.generated() && !cut.types().isEmpty()) {
        notCompared.add(new UncomparedColumn(column.name(), Why.COMPUTED_FROM_CUT_VALUES));
      } else {
        pairs.add(Pair.of(column, other.get()));
      }
    }
    for (SideColumn column : target.columns()) {
      if (!met.contains(column.name())) {
        notCompared.add(new UncomparedColumn(column.name(), Why.ONLY_ON_TARGET));
      }
    }
  }

  /** Why the rows cannot be compared; empty if they can. */
  List<String> refusals() {
    List<String> refusals = new ArrayList<>(source.refusals());
    refusals.addAll(target.refusals());
    for (String key : plan.key()) {
      if (of(key).isEmpty()) {
        refusals.add(
            "table %s: column %s of its key is not on both sides, so that its rows cannot be matched"
                .formatted(plan.table(), key));
      }
    }
    if (pairs.isEmpty()) {
      refusals.add("table %s: no column is on both sides".formatted(plan.table()));
    }
    return refusals;
  }

  /** Notes for messages. */
  List<String> notes() {
    List<String> notes = new ArrayList<>(source.staleCollations());
    notes.addAll(target.staleCollations());
    return notes;
  }

  List<UncomparedColumn> notCompared() {
    return List.copyOf(notCompared);
  }

  /** The compared columns, by their names on the source. */
  List<String> columns() {
    return pairs.stream().map(pair -> pair.source().name()).toList();
  }

  /** The indexes of the compared columns that the target computes, with their names there. */
  Map<Integer, String> computedByTarget() {
    Map<Integer, String> computed = new LinkedHashMap<>();
    for (int i = 0; i < pairs.size(); i++) {
      if (pairs.get(i).target().generated()) {
        computed.put(i, pairs.get(i).target().name());
      }
    }
    return computed;
  }

  boolean isKeyed() {
    return !plan.key().isEmpty();
  }

  /**
   * Whether both sides sort the rows in the same order, so that a range of keys contains the same
   * rows.
   */
  boolean hasOneOrder() {
    return isKeyed()
        && plan.key().stream()
            .map(this::of)
            .flatMap(Optional::stream)
            .allMatch(
                pair ->
                    pair.source().order().isPresent()
                        && pair.source().order().equals(pair.target().order()));
  }

  private Optional<Pair> of(String sourceColumn) {
    return pairs.stream().filter(pair -> pair.source().name().equals(sourceColumn)).findFirst();
  }

  /**
   * The rows of the source, as they should be on the target.
   *
   * @param sql returns the condition of the table's filter in the source's SQL
   */
  ComparedRows ofSource(Function<RowFilter, String> sql) {
    return new ComparedRows(
        plan.table(),
        source.withLeaves(),
        plan.key().stream().map(key -> wanted(of(key).orElseThrow())).toList(),
        keyOrder(),
        pairs.stream().map(this::wanted).toList(),
        mappings.filter(plan.table()).map(sql),
        List.of(),
        plan.wholeValues());
  }

  /** The rows of the target. */
  ComparedRows ofTarget() {
    return new ComparedRows(
        targetTable(),
        target.withLeaves(),
        plan.key().stream().map(key -> found(of(key).orElseThrow())).toList(),
        keyOrder().stream().map(this::targetName).toList(),
        pairs.stream().map(this::found).toList(),
        Optional.empty(),
        List.of(),
        plan.wholeValues());
  }

  private TableId targetTable() {
    return mappings.targetOf(plan.table());
  }

  private String targetName(String sourceColumn) {
    return of(sourceColumn).orElseThrow().target().name();
  }

  /** The columns in the order of an index that both sides have, otherwise of the source's. */
  private List<String> keyOrder() {
    return source.uniqueIndexes().stream()
        .filter(index -> index.size() == plan.key().size() && index.containsAll(plan.key()))
        .filter(
            index -> target.uniqueIndexes().contains(index.stream().map(this::targetName).toList()))
        .findFirst()
        .orElseGet(() -> source.ordersBy(plan.key()));
  }

  private ComparedValue found(Pair pair) {
    return new ComparedValue(
        pair.target().name(),
        LobCut.NONE,
        pair.read() ? Optional.of(pair.source().bareType()) : Optional.empty(),
        isExact(pair));
  }

  private ComparedValue wanted(Pair pair) {
    return new ComparedValue(pair.source().name(), cut, as(pair), isExact(pair));
  }

  /** A value that the rules cut has another type than the column. */
  private boolean isExact(Pair pair) {
    return pair.target().exact()
        && !cut.types().containsKey(pair.source().name())
        && (as(pair).isPresent() || pair.source().bareType().equals(pair.target().bareType()));
  }

  /**
   * The type to which the source's text is cast, as the target does when the change is applied.
   * Empty for types that keep any text, where a cast would cut it, and for narrower integers, where
   * it would fail for a value that does not fit.
   */
  private static Optional<String> as(Pair pair) {
    SideColumn target = pair.target();
    return pair.read()
            || pair.source().bareType().equals(target.bareType())
            || !target.builtIn()
            || isNarrower(target.bareType(), pair.source().bareType())
            || TEXTS.stream().anyMatch(target.bareType()::startsWith)
        ? Optional.empty()
        : Optional.of(target.bareType());
  }

  private static boolean isNarrower(String type, String than) {
    return INTEGERS.contains(type) && INTEGERS.indexOf(type) < INTEGERS.indexOf(than);
  }
}
