package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.DeferredConstraint;
import dev.sluice.sink.target.DeferredConstraint.Element;
import dev.sluice.sink.target.MappedTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Builds the parts of a query for two rows, {@code a} and {@code b}, that violate a deferrable
 * constraint together. Immutable.
 */
final class DeferredConflict {
  private final MappedTable plan;
  private final DeferredConstraint constraint;

  DeferredConflict(MappedTable plan, DeferredConstraint constraint) {
    this.plan = plan;
    this.constraint = constraint;
  }

  /** A subquery for the rows of the constraint's relation: location, constrained values and key. */
  String rows() {
    List<String> outputs = new ArrayList<>();
    for (Element element : constraint.elements()) {
      outputs.add("(" + element.expression() + ") AS e" + outputs.size());
    }
    for (int source : plan.match()) {
      outputs.add(
          plan.hasKey()
              ? plan.column(source).quoted() + " AS k" + source
              : PostgresKeyedStatements.image(plan, source) + " AS k" + source);
    }
    return "(SELECT tableoid AS relation, ctid AS place, %s FROM %s AS t%s)"
        .formatted(
            String.join(", ", outputs),
            (constraint.partitioned() ? "" : "ONLY ") + constraint.relation().quoted(),
            constraint.predicate() == null ? "" : " WHERE " + constraint.predicate());
  }

  /** The condition under which the rows a and b conflict. */
  String condition() {
    List<String> conditions = new ArrayList<>();
    conditions.add("(a.place <> b.place OR a.relation <> b.relation)");
    int number = 0;
    for (Element element : constraint.elements()) {
      String meet = "a.e%d %s b.e%d".formatted(number, element.operator(), number);
      conditions.add(
          constraint.nullsEqual()
              ? "(%s OR a.e%d IS NULL AND b.e%d IS NULL)".formatted(meet, number, number)
              : meet);
      number++;
    }
    return String.join(" AND ", conditions);
  }

  /** The constrained values of row a as text, for messages. */
  String shown() {
    List<String> values = new ArrayList<>();
    for (int number = 0; number < constraint.elements().size(); number++) {
      values.add("a.e" + number);
    }
    return "left(ROW(" + String.join(", ", values) + ")::text, 200)";
  }

  /** The condition under which a row of {@link #rows} is the recorded row. */
  String sameRow(String row, String noted) {
    if (plan.hasKey()) {
      return Arrays.stream(plan.match())
          .mapToObj(
              source ->
                  "%s.k%d %s %s.k%d"
                      .formatted(row, source, plan.column(source).equality(), noted, source))
          .collect(Collectors.joining(" AND "));
    }
    return "ROW(%s)::record OPERATOR(pg_catalog.*=) ROW(%s)::record"
        .formatted(values(row), values(noted));
  }

  private String values(String side) {
    return Arrays.stream(plan.match())
        .mapToObj(source -> side + ".k" + source)
        .collect(Collectors.joining(", "));
  }
}
