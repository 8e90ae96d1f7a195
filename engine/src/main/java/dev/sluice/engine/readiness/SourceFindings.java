package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.OpenTransaction;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.connector.api.source.TableLockHolder;
import dev.sluice.connector.api.source.TableWork;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reports who uses the source, and the server's own work on the selected tables. Transactions are
 * reported only if they are open at two moments, since on a busy source short ones are open at any
 * moment. Used by one thread.
 */
final class SourceFindings {
  private final Source source;
  private final String task;
  private final List<TableId> tables;
  private final List<OpenTransaction> writers;
  private final List<TableLockHolder> holders;
  private final boolean locks;

  /**
   * Reads the transactions for the first time.
   *
   * @param tables the selected tables; partitions belong to their root
   * @param locks whether the cutover stops the writers by locks
   */
  SourceFindings(Source source, String task, List<TableId> tables, boolean locks) {
    this.source = source;
    this.task = task;
    this.locks = locks;
    this.tables = List.copyOf(tables);
    this.writers = source.log().openTransactions();
    this.holders = source.activity().lockHolders(tables);
  }

  /**
   * Reads the transactions a second time.
   *
   * @param between time since the first one
   */
  void transactions(Duration between, FindingList found) {
    Set<String> stillHeld =
        source.activity().lockHolders(tables).stream()
            .map(TableLockHolder::id)
            .collect(Collectors.toSet());
    Set<String> stillOpen =
        source.log().openTransactions().stream()
            .map(OpenTransaction::id)
            .collect(Collectors.toSet());
    List<TableLockHolder> held =
        holders.stream().filter(holder -> stillHeld.contains(holder.id())).toList();
    Set<String> holding = held.stream().map(TableLockHolder::name).collect(Collectors.toSet());
    // A lock request waits only for transactions with locks on these tables.
    List<OpenTransaction> open =
        writers.stream()
            .filter(writer -> stillOpen.contains(writer.id()))
            .filter(writer -> !locks || holding.contains(writer.name()))
            .toList();
    OpenWriters.problem(task, open, between)
        .ifPresent(
            problem ->
                found.add(
                    "open-transactions",
                    Weight.BLOCKER,
                    problem,
                    open.stream().map(writer -> writer + locks(writer, held)).toList()));
    Set<String> named = open.stream().map(OpenTransaction::name).collect(Collectors.toSet());
    List<String> others =
        held.stream()
            .filter(holder -> !named.contains(holder.name()))
            .map(TableLockHolder::toString)
            .toList();
    if (!others.isEmpty()) {
      found.add(
          "table-locks",
          locks ? Weight.BLOCKER : Weight.CHOICE,
          new Problem(
              Counted.of(others.size(), "lock") + " on selected tables",
              "transactions hold locks for writing, though they have not written yet",
              "no transaction that can still write",
              locks
                  ? "End these transactions: the cutover would wait for their locks and fail"
                  : "End these transactions. The cutover does not wait for them; it fails if they"
                      + " write between its fences"),
          others);
    }
  }

  /** Reports vacuums that do not give way, and index builds. */
  void work(FindingList found) {
    Map<TableWork.Kind, List<TableWork>> work =
        source.activity().work(tables).stream().collect(Collectors.groupingBy(TableWork::kind));
    List<String> vacuums = new ArrayList<>();
    work.getOrDefault(TableWork.Kind.WRAPAROUND_VACUUM, List.of())
        .forEach(vacuum -> vacuums.add(vacuum.toString()));
    work.getOrDefault(TableWork.Kind.VACUUM_OF_UNKNOWN_REASON, List.of())
        .forEach(
            vacuum ->
                vacuums.add(
                    vacuum
                        + ", unknown whether to prevent wraparound (pg_read_all_stats would show"
                        + " it)"));
    if (!vacuums.isEmpty()) {
      found.add(
          "wraparound-vacuum",
          locks ? Weight.BLOCKER : Weight.FACT,
          new Problem(
              Counted.of(vacuums.size(), "selected table"),
              "a vacuum to prevent wraparound runs, which gives way to nobody: it slows the source"
                  + " down, and DDL and locks on the table wait for it",
              "no such vacuum while writers are stopped",
              "Let it end before the cutover, if time allows"),
          vacuums);
    }
    List<TableWork> builds = work.getOrDefault(TableWork.Kind.INDEX_BUILD, List.of());
    if (!builds.isEmpty()) {
      found.add(
          "index-build",
          locks ? Weight.BLOCKER : Weight.CHOICE,
          new Problem(
              Counted.of(builds.size(), "index build") + " on selected tables",
              "an index is being built on the source; it keeps writers waiting unless it is built"
                  + " concurrently, and the target does not get it",
              "no index build",
              "Let it end, and create the same index on the target"),
          builds.stream().map(TableWork::toString).toList());
    }
  }

  /** Reports connected sessions, counted by user, application and address. */
  void sessions(FindingList found) {
    Map<String, Long> clients = new TreeMap<>();
    for (SourceSession session : source.log().sessions()) {
      String client =
          "%s, application %s, from %s"
              .formatted(
                  session.user().orElse("an unknown user"),
                  session.application().orElse("without a name"),
                  session.address().orElse("a local socket or an unknown address"));
      clients.merge(client, 1L, Long::sum);
    }
    if (!clients.isEmpty()) {
      found.add(
          "connected-sessions",
          Weight.FACT,
          new Problem(
              Counted.of(clients.values().stream().mapToLong(Long::longValue).sum(), "session")
                  + " on the source's database",
              locks
                  ? "applications are connected; the source refuses their writes once the cutover is"
                      + " decided"
                  : "applications are connected; they must not write once the cutover begins",
              "",
              locks
                  ? "Have the way ready that points them to the target"
                  : "Stop the applications, or point them elsewhere, before sluice cutover"),
          clients.entrySet().stream()
              .map(client -> client.getKey() + ": " + Counted.of(client.getValue(), "session"))
              .toList());
    }
  }

  /** Reports timeouts that would end statements which wait for the cutover's locks. */
  void timeouts(Duration budget, FindingList found) {
    List<String> shorter = source.activity().timeoutsBelow(budget.multipliedBy(2));
    if (!shorter.isEmpty()) {
      found.add(
          "short-timeouts",
          Weight.CHOICE,
          new Problem(
              Counted.of(shorter.size(), "timeout") + " of roles and databases on the source",
              "they may end statements that wait while writers are stopped: the applications get"
                  + " errors",
              "timeouts of at least twice the budget, %d ms"
                  .formatted(budget.multipliedBy(2).toMillis()),
              "Raise them with ALTER ROLE or ALTER DATABASE, which new sessions see; or use a"
                  + " shorter --budget"),
          shorter);
    }
  }

  /** Reports rights that this user lacks to stop the writers. */
  void lockRights(FindingList found) {
    if (!locks) {
      tablesNotLockable(found);
      return;
    }
    Optional<WriterStop> stop = source.writers();
    if (stop.isEmpty()) {
      found.add(
          "no-lock-rights",
          Weight.BLOCKER,
          new Problem(
              "source of task " + task,
              "this type of source has no way to stop its writers",
              "a source whose tables can be locked",
              "Use --quiet-period: it stops nobody, so switch the applications off first"),
          List.of());
      return;
    }
    List<Problem> lacking = stop.get().lacking(tables);
    if (!lacking.isEmpty()) {
      found.add(
          "no-lock-rights",
          Weight.BLOCKER,
          new Problem(
              "the task's user on the source",
              "may not stop the writers of the selected tables, or close them for good: "
                  + Counted.of(lacking.size(), "problem"),
              "the rights that are listed",
              "Give them. Or use --quiet-period: it stops nobody, so switch the applications off"
                  + " first"),
          lacking.stream().map(Problem::toString).toList());
    }
  }

  /** Reports whether the closed tables will also refuse DDL. */
  void ddlRefusal(FindingList found) {
    if (!locks || source.writers().map(WriterStop::mayRefuseDdl).orElse(true)) {
      return;
    }
    found.add(
        "ddl-not-refused",
        Weight.FACT,
        new Problem(
            "the task's user on the source",
            "may not make event triggers: the closed tables will refuse writers, and let themselves"
                + " be altered and dropped",
            "",
            "Nothing is needed. Let nobody alter the source after the cutover"));
  }

  private void tablesNotLockable(FindingList found) {
    List<TableId> refused = source.activity().notLockable(tables);
    if (!refused.isEmpty()) {
      found.add(
          "no-lock-rights",
          Weight.FACT,
          new Problem(
              Counted.of(refused.size(), "selected table"),
              "the task's user on the source may not lock them against writers. With --quiet-period"
                  + " the cutover takes no locks: it rests on a quiet time",
              "",
              "Nothing is needed. UPDATE, DELETE or TRUNCATE on a table would give the right"),
          refused.stream().map(TableId::toString).toList());
    }
  }

  private static String locks(OpenTransaction writer, List<TableLockHolder> held) {
    List<String> locks =
        held.stream()
            .filter(holder -> holder.name().equals(writer.name()))
            .map(holder -> String.join(", ", holder.modes()) + " on " + holder.table())
            .toList();
    return locks.isEmpty() ? "" : "; holds " + String.join("; ", locks);
  }
}
