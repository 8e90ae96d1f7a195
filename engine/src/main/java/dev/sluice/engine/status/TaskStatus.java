package dev.sluice.engine.status;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A snapshot of a running task, as the status page shows it. Counters count from the daemon's
 * start. Immutable; absent values are null.
 *
 * @param phase in lower case with dashes
 * @param since when the phase began
 * @param reason why it began
 * @param problem what keeps the task from working at present, such as {@code SWAP_FULL} or a server
 *     that does not answer; null if nothing does
 * @param ddl how the task captures the source's DDL; null before it is known
 * @param sourceWatch what was written on the source after the cutover; null before it
 * @param fullLoad of all tables together; null if this daemon made none
 * @param epoch the epoch that the daemon holds; the term of its capture
 * @param endpoints the servers that the task uses; empty before it has begun to work
 */
public record TaskStatus(
    String task,
    String phase,
    Instant since,
    String reason,
    String problem,
    String ddl,
    long epoch,
    long pid,
    Instant started,
    Source source,
    Target target,
    Latency latency,
    Throughput throughput,
    Backlog backlog,
    Memory memory,
    Swap swap,
    Journal journal,
    List<Guard> guards,
    Windows windows,
    List<Lane> lanes,
    Cutover cutover,
    SourceWatch sourceWatch,
    List<CompletionStep> completion,
    List<Suspended> suspended,
    Load fullLoad,
    List<Table> tables,
    Settings settings,
    List<Endpoint> endpoints) {

  /** Phases in which the task works. */
  private static final Set<String> WORKING =
      Set.of("full-load", "completing", "catching-up", "replicating", "cutting-over", "cut-over");

  /** Why the task does not work at present; empty if it does. */
  List<String> notReady() {
    List<String> reasons = new ArrayList<>();
    if (!WORKING.contains(phase)) {
      reasons.add("phase " + phase);
    }
    for (Endpoint endpoint : endpoints) {
      if (!endpoint.up()) {
        reasons.add(
            endpoint.name()
                + (endpoint.problem() == null ? " was not asked yet" : ": " + endpoint.problem()));
      }
    }
    return reasons;
  }

  /**
   * A server that the task needs.
   *
   * @param name {@code source}, {@code target} or {@code kafka}
   * @param up whether it answered the last check, a few seconds ago
   * @param lastOk when it last answered; null if never
   * @param problem why it did not answer; null if it did, or was not checked yet
   */
  public record Endpoint(String name, boolean up, Instant lastOk, String problem) {}

  /**
   * @param position the last transaction that the journal has
   * @param end the end of the source's log
   * @param retainedBytes log that the source keeps for the slot
   * @param ignoredMessages messages in its log with the task's names that this daemon did not write
   */
  public record Source(
      String position,
      String end,
      String slot,
      String confirmed,
      long retainedBytes,
      long changes,
      long transactions,
      long ignoredMessages) {}

  /**
   * @param position the last transaction on the target
   * @param durable a position that outlives a crash of the target
   */
  public record Target(String position, String durable, long changes, long netChanges) {}

  /**
   * @param sourceSeconds how far the journal is behind the source
   * @param targetSeconds how far the target is behind the source
   */
  public record Latency(double sourceSeconds, double targetSeconds) {}

  /**
   * @param throttled whether LoadRowsPerSecond or LoadMegabytesPerSecond slows a load down
   */
  public record Throughput(
      double sourceRowsPerSecond,
      double targetRowsPerSecond,
      double fullLoadRowsPerSecond,
      boolean throttled) {}

  /**
   * @param changes in the journal or in memory, and not applied; those not read yet are estimated
   *     from the number of journal records
   */
  public record Backlog(long changes, long journalRecords) {}

  /**
   * @param bytes held by open transactions and windows
   * @param limitBytes what they may hold at most
   */
  public record Memory(long bytes, long limitBytes, long heapBytes, long heapLimitBytes) {}

  /**
   * @param limitBytes SwapLimit
   * @param transactionsSpilled transactions that went to swap
   * @param spilledByLimit of them at MemoryLimitTotal
   * @param spilledByAge of them after MemoryKeepTime
   */
  public record Swap(
      long bytes,
      long limitBytes,
      long files,
      long transactionsSpilled,
      long spilledByLimit,
      long spilledByAge) {}

  /**
   * @param bytes of the journal on the broker's disk
   * @param limitBytes JournalLimit; 0 where the user's own cluster has it
   */
  public record Journal(
      String topic,
      boolean embedded,
      long startOffset,
      long endOffset,
      long bytes,
      long limitBytes) {}

  /**
   * How long the room lasts on a disk that the task fills when it falls behind.
   *
   * @param name {@code source log} or {@code kafka disk}
   * @param level {@code fine}, {@code warning} or {@code problem}
   * @param bytes that are held
   * @param roomBytes that may still be added; null if no limit is known
   * @param limitedBy what sets the limit; empty if none is known
   * @param bytesPerHour by which the room shrinks at the rate of the last ten minutes; negative if
   *     it grows, 0 while unknown
   * @param hoursLeft at that rate; null without a limit, or if the room does not shrink
   * @param words all figures as text
   */
  public record Guard(
      String name,
      String level,
      long bytes,
      Long roomBytes,
      String limitedBy,
      long bytesPerHour,
      Double hoursLeft,
      String words) {}

  /**
   * @param last null before the first
   */
  public record Windows(long applied, LastWindow last) {}

  /**
   * One of several connections that apply changes.
   *
   * @param tables of the lane, by their names on the target; empty for the main lane, which has all
   *     tables that no other lane has
   * @param position up to which its tables are on the target
   * @param behindSeconds how far it is behind the source
   * @param changes row changes of its tables that are applied
   * @param backlog changes of its tables that are not applied
   */
  public record Lane(
      String lane,
      List<String> tables,
      String position,
      String durable,
      double behindSeconds,
      long changes,
      long backlog) {}

  public record LastWindow(String reason, long changes, long netChanges, long milliseconds) {}

  /**
   * A running or ended cutover.
   *
   * @param result {@code running}, {@code done} or {@code failed}
   * @param secondsToVerdict from the first fence to the verdict; null before it
   */
  public record Cutover(String result, String step, Double secondsToVerdict, List<String> report) {}

  /**
   * The source after the cutover.
   *
   * @param changes committed there since, which the target does not have
   * @param sequences that returned values since, as text
   * @param unwatched why the last poll of the source failed; null if it did not
   */
  public record SourceWatch(
      Instant lookedAt,
      long changes,
      List<Written> tables,
      List<String> sequences,
      String unwatched) {}

  /**
   * A table of the source that was written to.
   *
   * @param changes number of row changes; a TRUNCATE counts as one
   */
  public record Written(String schema, String table, long changes) {}

  /**
   * An index, constraint or the like that a loaded table gets after its rows.
   *
   * @param kind such as {@code index} or {@code foreign key}
   * @param schema of the table, on the target
   * @param state {@code waiting}, {@code under way}, {@code done}, {@code failed} or {@code left
   *     out}
   * @param seconds that it took, or has taken so far
   * @param detail why it failed or was left out; otherwise empty
   */
  public record CompletionStep(
      String kind,
      String name,
      String schema,
      String table,
      String state,
      Instant started,
      double seconds,
      String detail) {}

  /**
   * The progress of a full load, of one table or of all. Rates are those of the last 15 seconds.
   *
   * @param state {@code waiting}, {@code done}, {@code cancelled} or {@code failed}; empty while it
   *     runs
   * @param percent that is done; for all tables, weighted by their size on the source's disk
   * @param expectedRows the source planner's estimate; null if unknown
   * @param secondsLeft at the present rate; null if unknown
   */
  public record Load(
      String name,
      String state,
      double percent,
      long rows,
      Long expectedRows,
      long bytes,
      double rowsPerSecond,
      double bytesPerSecond,
      Double secondsLeft) {}

  /**
   * The task settings that have an effect.
   *
   * @param inEffect by name
   * @param tables settings of single tables, from the mapping rules
   * @param changes the last changes while the task ran, oldest first
   * @param problems of the files as they are now; the settings stay until they are fixed
   * @param waitingForRestart edited settings that take effect at the next start
   */
  public record Settings(
      Map<String, Setting> inEffect,
      Map<String, String> tables,
      List<SettingChange> changes,
      List<String> problems,
      List<String> waitingForRestart) {}

  /**
   * @param value with its unit
   * @param from {@code default}, {@code file} or {@code tune}
   * @param live whether a running task accepts another value
   * @param effective the value in effect of a memory limit; null if that is {@code value}
   */
  public record Setting(String value, String from, boolean live, String effective) {}

  public record SettingChange(
      Instant at, String from, String setting, String before, String after) {}

  /**
   * A table that is not applied with the others.
   *
   * @param state {@code suspended}, {@code reloading} or {@code catching-up}
   * @param since when
   * @param reason the error that suspended it, or the command
   * @param firstMissing the position of the first transaction that is not applied for it
   * @param position up to which all is applied for it
   * @param journalOffset from which on the journal is kept for it
   * @param rowsWhole whether the target's rows are those of that position; not after a failed
   *     reload, then the table must be reloaded again
   * @param rowsCopied by the running reload
   * @param behindRecords journal records between it and the others
   * @param behindSeconds between the last source transactions applied of both; null if unknown
   */
  public record Suspended(
      String schema,
      String table,
      String state,
      Instant since,
      String reason,
      String firstMissing,
      String position,
      long journalOffset,
      boolean rowsWhole,
      long rowsCopied,
      long behindRecords,
      Double behindSeconds) {}

  /**
   * The counters of DMS's table statistics, without those of error rows: a load stops at a bad row.
   *
   * @param state in DMS's words
   * @param ddls how often it was made, altered, dropped or emptied
   * @param conflicts changes that the target rejected
   * @param upserts inserts and updates that were applied as the other
   * @param suspendedChanges skipped because the table is suspended
   * @param valuesCut by LimitedSizeLobMode or the table's lob-settings, in the load and in changes
   * @param fullLoad progress of its load; null if this daemon made none
   * @param fullLoadReloaded whether an earlier attempt to load it was interrupted
   * @param lastUpdateTime when its counters last changed
   */
  public record Table(
      String schema,
      String table,
      String state,
      long inserts,
      long updates,
      long deletes,
      long ddls,
      long appliedInserts,
      long appliedUpdates,
      long appliedDeletes,
      long appliedDdls,
      long conflicts,
      long upserts,
      long suspendedChanges,
      long valuesCut,
      long fullLoadRows,
      long fullLoadBytes,
      boolean fullLoadReloaded,
      Load fullLoad,
      Instant fullLoadStartTime,
      Instant fullLoadEndTime,
      Instant lastUpdateTime) {}
}
