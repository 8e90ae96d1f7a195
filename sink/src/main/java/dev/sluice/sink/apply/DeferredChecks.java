package dev.sluice.sink.apply;

import static dev.sluice.sink.apply.ApplySession.attempt;

import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.Row;
import dev.sluice.sink.target.DeferredConstraint;
import dev.sluice.sink.target.DeferredConstraint.Element;
import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Does for deferrable constraints what PostgreSQL leaves undone in the replica role: at the end of
 * a window, looks beside each row that was put in for a second one it must not meet. Not earlier,
 * since a source transaction may break such a constraint until it commits. Owned by the apply
 * thread; one for each window.
 */
final class DeferredChecks {
  private static final int NAMED_ROWS = 10;

  private final ApplySession session;

  /** Tables with such constraints into which rows were put. */
  private final Map<Long, TablePlan> touched = new LinkedHashMap<>();

  DeferredChecks(ApplySession session) {
    this.session = session;
  }

  /** Whether rows put into the table must be noted. */
  boolean concern(TablePlan plan) {
    return session.connection().replicaRole() && !plan.table().deferred().isEmpty();
  }

  /**
   * Notes rows put in.
   *
   * @param keys of the rows; not looked at for a table without a key, which is checked whole
   */
  void note(TablePlan plan, List<Row> keys) {
    touched.put(plan.table().oid(), plan);
    if (!plan.schema().hasKey() || keys.isEmpty()) {
      return;
    }
    FedSet set = new FedSet(session, plan, SetShape.DELETES, FedRows.ofMatches(keys));
    for (FedSet.Chunk chunk : set.chunks()) {
      attempt(
          "note rows put into " + plan.table().id(),
          () -> {
            String noted = notedTable(plan);
            return set.update(chunk, from -> "INSERT INTO " + noted + " SELECT s.* FROM " + from);
          });
    }
  }

  /**
   * @throws SluiceException.Data where two rows meet
   */
  void check() {
    for (TablePlan plan : touched.values()) {
      for (DeferredConstraint constraint : plan.table().deferred()) {
        List<String> meetings =
            attempt(
                "check constraint %s of %s".formatted(constraint.name(), plan.table().id()),
                () -> session.texts(meetings(plan, constraint)));
        if (!meetings.isEmpty()) {
          throw new SluiceException.Data(
              "rows put into %s break its deferrable constraint %s: %s"
                  .formatted(constraint.relation(), constraint.name(), String.join("; ", meetings)),
              null);
        }
      }
    }
  }

  private String notedTable(TablePlan plan) throws SQLException {
    String definition =
        Arrays.stream(plan.match())
            .mapToObj(source -> "k" + source + " " + plan.column(source).storedType())
            .collect(Collectors.joining(", "));
    String table = session.staging().table("noted_" + plan.table().oid(), definition);
    if (!session.staging().holds(table, this)) {
      session.staging().fill(table, this);
    }
    return table;
  }

  private String meetings(TablePlan plan, DeferredConstraint constraint) throws SQLException {
    List<String> outputs = new ArrayList<>();
    List<String> conditions = new ArrayList<>();
    conditions.add("(a.place <> b.place OR a.relation <> b.relation)");
    List<String> shown = new ArrayList<>();
    for (Element element : constraint.elements()) {
      int number = outputs.size();
      outputs.add("(" + element.expression() + ") AS e" + number);
      shown.add("a.e" + number);
      String meet = "a.e%d %s b.e%d".formatted(number, element.operator(), number);
      conditions.add(
          constraint.nullsEqual()
              ? "(%s OR a.e%d IS NULL AND b.e%d IS NULL)".formatted(meet, number, number)
              : meet);
    }
    String noted = "";
    if (plan.schema().hasKey()) {
      for (int source : plan.match()) {
        TargetColumn column = plan.column(source);
        outputs.add(column.quoted() + " AS k" + source);
        conditions.add("a.k%d %s p.k%d".formatted(source, column.equality(), source));
      }
      noted = ", " + notedTable(plan) + " AS p";
    }
    String rows =
        "(SELECT tableoid AS relation, ctid AS place, %s FROM %s%s)"
            .formatted(
                String.join(", ", outputs),
                (constraint.partitioned() ? "" : "ONLY ") + constraint.relation().quoted(),
                constraint.predicate() == null ? "" : " WHERE " + constraint.predicate());
    return "SELECT DISTINCT left(ROW(%s)::text, 200) FROM %s AS a, %s AS b%s WHERE %s LIMIT %d"
        .formatted(
            String.join(", ", shown),
            rows,
            rows,
            noted,
            String.join(" AND ", conditions),
            NAMED_ROWS);
  }
}
