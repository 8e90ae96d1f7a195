package dev.sluice.engine.validate.repair;

import dev.sluice.engine.validate.session.SessionFindings.Proof;
import java.util.List;

/**
 * Rows of a table that are made equal in one transaction. Immutable.
 *
 * @param columns of the rows' values, by their names on the source
 * @param proof under which both sides were read
 */
public record RepairedRows(List<String> columns, List<RepairedRow> rows, Proof proof) {
  public RepairedRows {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
  }
}
