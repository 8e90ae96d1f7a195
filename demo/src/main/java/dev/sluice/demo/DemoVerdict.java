package dev.sluice.demo;

import dev.sluice.engine.validate.ComparedTable;
import java.util.List;
import java.util.Locale;

/** The comparison of both sides, table by table. Immutable. */
record DemoVerdict(List<ComparedTable> tables) {

  boolean isEqual() {
    return tables.stream().allMatch(ComparedTable::isEqual);
  }

  long equalRows() {
    return tables.stream().mapToLong(ComparedTable::equal).sum();
  }

  /** A line for each table, and the rows that differ. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%n  %-16s %10s %10s %10s %10s %8s %6s%n",
            "table",
            "source",
            "target",
            "equal",
            "differing",
            "missing",
            "extra"));
    for (ComparedTable table : tables) {
      text.append(
          String.format(
              Locale.ROOT,
              "  %-16s %,10d %,10d %,10d %,10d %,8d %,6d%n",
              table.table(),
              table.sourceRows(),
              table.targetRows(),
              table.equal(),
              table.differing(),
              table.missing(),
              table.extra()));
      table.examples().forEach(example -> text.append("    ").append(example).append('\n'));
    }
    return text.toString();
  }
}
