package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.db2.value.ValueBinding;
import java.util.ArrayList;
import java.util.List;

/** The problems that make a table unfit for any task. Pure. */
final class UnwritableColumns {
  private UnwritableColumns() {}

  static List<Problem> problems(TableId id, List<TargetColumn> columns) {
    List<Problem> problems = new ArrayList<>();
    for (TargetColumn column : columns) {
      if (!column.generated() && ValueBinding.of(column).isEmpty()) {
        problems.add(
            new Problem(
                "target table " + id,
                "column %s is of type %s".formatted(column.name(), column.type()),
                "a type of numbers, texts, bytes, dates or times that a declared temporary table"
                    + " can have, a TIMESTAMP with six digits of a fraction or more; large objects"
                    + " are none",
                "Make it a VARCHAR, or a TIMESTAMP(6) for times, or exclude the table"));
      }
    }
    return problems;
  }
}
