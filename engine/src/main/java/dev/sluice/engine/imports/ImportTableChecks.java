package dev.sluice.engine.imports;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.settings.ImportSettings;
import dev.sluice.config.task.ImportConfig;
import dev.sluice.load.ImportTables;
import dev.sluice.sink.target.TargetTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Checks the target's tables before an import. Used by one thread. */
final class ImportTableChecks {
  private final ImportConfig config;
  private final ImportTables tables;

  ImportTableChecks(ImportConfig config, ImportTables tables) {
    this.config = config;
    this.tables = tables;
  }

  /** Finds what prevents an import into the table. */
  List<Problem> problemsOf(TargetTable table) {
    List<Problem> problems = new ArrayList<>();
    String thing = "target table " + table.id();
    boolean act = config.taskSettings().get(ImportSettings.FOREIGN_KEYS_AND_TRIGGERS);
    boolean canSwitchOff = tables.canSwitchOff();
    List<TableId> unreadable = act ? List.of() : tables.unreadable(table.id());
    if (!unreadable.isEmpty()) {
      problems.add(
          new Problem(
              thing,
              config.target().user() + " may not read " + unreadable,
              "the right to, since its foreign keys are compared when all rows are in; or"
                  + " Import.ForeignKeysAndTriggers true",
              "As their owner run: GRANT SELECT ON "
                  + unreadable.stream().map(TableId::quoted).collect(Collectors.joining(", "))
                  + " TO "
                  + TableId.quote(config.target().user())));
    }
    if (table.missingPrivileges().contains("INSERT")) {
      problems.add(
          new Problem(
              thing,
              config.target().user() + " may not insert",
              "the right to insert",
              "As its owner run: GRANT INSERT ON "
                  + table.id().quoted()
                  + " TO "
                  + TableId.quote(config.target().user())));
    }
    if (table.rowSecurity()) {
      problems.add(
          new Problem(
              thing,
              "row security holds for " + config.target().user(),
              "a role for which it does not: COPY is refused otherwise",
              "Use its owner, or a role with BYPASSRLS"));
    }
    if (!act && !canSwitchOff && !table.firing().isEmpty()) {
      problems.add(
          new Problem(
              thing,
              String.join(", ", table.firing())
                  + ": they act on each row, and "
                  + config.target().user()
                  + " may not switch them off",
              "the right to, or Import.ForeignKeysAndTriggers true",
              "As a superuser run: GRANT SET ON PARAMETER session_replication_role TO "
                  + TableId.quote(config.target().user())));
    }
    if (!act && canSwitchOff && !table.deferred().isEmpty()) {
      problems.add(
          new Problem(
              thing,
              "its constraint "
                  + table.deferred().get(0).name()
                  + " is deferrable, so PostgreSQL does not check it while foreign keys and"
                  + " triggers are off",
              "no deferrable unique constraint, or Import.ForeignKeysAndTriggers true",
              "Set Import.ForeignKeysAndTriggers to true"));
    }
    return problems;
  }
}
