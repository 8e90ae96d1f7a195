package dev.sluice.engine.status;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A snapshot of a running task: what the daemon writes as the status page, and what the command
 * line and the demo read from it. Counters count from the daemon's start. Immutable; absent values
 * are null. Parts that the page of another release does not have are empty.
 *
 * @param phase in lower case with dashes
 * @param since when the phase began
 * @param reason why it began
 * @param problem what keeps the task from working at present, such as {@code SWAP_FULL} or a server
 *     that does not answer; null if nothing does
 * @param ddl how the task captures the source's DDL; null before it is known
 * @param rehearsal the rehearsal of a cutover that runs, or ran last; null before the first one of
 *     this daemon
 * @param sourceWatch what was written on the source after the cutover; null before it
 * @param fallback the way back; null without one, and before the first look at it
 * @param fullLoad of all tables together; null if this daemon made none
 * @param epoch the epoch that the daemon holds; the term of its capture
 * @param endpoints the servers that the task uses; empty before it has begun to work
 * @param validation null unless EnableValidation is set and changes are applied
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
    WindowsStatus windows,
    List<Lane> lanes,
    CutoverStatus cutover,
    CutoverStatus rehearsal,
    SourceWatchStatus sourceWatch,
    FallbackStatus fallback,
    List<CompletionStatus> completion,
    List<SuspendedStatus> suspended,
    LoadStatus fullLoad,
    List<TableStatus> tables,
    SettingsStatus settings,
    List<Endpoint> endpoints,
    ValidationStatus validation) {

  /** Phases in which the task works. */
  private static final Set<String> WORKING =
      Set.of(
          "armed",
          "full-load",
          "completing",
          "catching-up",
          "replicating",
          "cutting-over",
          "cut-over");

  public TaskStatus {
    phase = Objects.requireNonNullElse(phase, "");
    source = Objects.requireNonNullElse(source, Source.UNKNOWN);
    target = Objects.requireNonNullElse(target, Target.UNKNOWN);
    latency = Objects.requireNonNullElse(latency, new Latency(null, null));
    throughput = Objects.requireNonNullElse(throughput, new Throughput(0, 0, 0, false));
    backlog = Objects.requireNonNullElse(backlog, new Backlog(0, null));
    memory = Objects.requireNonNullElse(memory, new Memory(0, 0, 0, 0));
    swap = Objects.requireNonNullElse(swap, new Swap(0, 0, 0, 0, 0, 0));
    journal = Objects.requireNonNullElse(journal, Journal.UNKNOWN);
    guards = listOf(guards);
    windows = Objects.requireNonNullElse(windows, new WindowsStatus(0, null, null));
    lanes = listOf(lanes);
    completion = listOf(completion);
    suspended = listOf(suspended);
    tables = listOf(tables);
    settings = Objects.requireNonNullElse(settings, SettingsStatus.UNKNOWN);
    endpoints = listOf(endpoints);
  }

  /** The list; empty if the page does not have it. */
  static <T> List<T> listOf(List<T> values) {
    return values == null ? List.of() : List.copyOf(values);
  }

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
   * @param retention what makes the source keep its log for the task, for people: {@code
   *     replication slot sluice_shop}
   * @param confirmed up to where the source knows that its log was read
   * @param retainedBytes log that the source keeps for the task
   * @param ignoredMessages messages in its log with the task's names that this daemon did not write
   */
  public record Source(
      String position,
      String end,
      String retention,
      String confirmed,
      Long retainedBytes,
      long changes,
      long transactions,
      long ignoredMessages) {
    static final Source UNKNOWN = new Source(null, null, null, null, null, 0, 0, 0);
  }

  /**
   * @param position the last transaction on the target
   * @param durable a position that outlives a crash of the target
   */
  public record Target(String position, String durable, long changes, long netChanges) {
    static final Target UNKNOWN = new Target(null, null, 0, 0);
  }

  /**
   * @param sourceSeconds how far the journal is behind the source; null if nothing is captured
   * @param targetSeconds how far the target is behind the source; null if no changes are applied
   */
  public record Latency(Double sourceSeconds, Double targetSeconds) {}

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
   * @param journalRecords not read by the slowest lane; null if no changes are applied, or unknown
   */
  public record Backlog(long changes, Long journalRecords) {}

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
   * @param startOffset of the first record; null before it is measured, as the others
   * @param endOffset of the next record
   * @param bytes of the journal on the broker's disk; null also if Sluice has no right to know
   * @param limitBytes JournalLimit; null if the journal is in the user's own cluster
   */
  public record Journal(
      String topic,
      boolean embedded,
      Long startOffset,
      Long endOffset,
      Long bytes,
      Long limitBytes) {
    static final Journal UNKNOWN = new Journal(null, false, null, null, null, null);
  }

  /**
   * How long the room lasts on a disk that the task fills when it falls behind.
   *
   * @param name {@code source log} or {@code kafka disk}
   * @param level {@code fine}, {@code warning} or {@code problem}
   * @param bytes that are held
   * @param roomBytes that may still be added; null if no limit is known
   * @param limitedBy what sets the limit; null if none is known
   * @param bytesPerHour by which the room shrinks at the rate of the last ten minutes; negative if
   *     it grows, null while unknown
   * @param hoursLeft at that rate; null without a limit, or if the room does not shrink
   * @param words all figures as text
   */
  public record Guard(
      String name,
      String level,
      long bytes,
      Long roomBytes,
      String limitedBy,
      Long bytesPerHour,
      Double hoursLeft,
      String words) {}

  /**
   * One of several connections that apply changes.
   *
   * @param tables of the lane, by their names on the target; empty for the main lane, which has all
   *     tables that no other lane has
   * @param position up to which its tables are on the target
   * @param behindSeconds how far it is behind the source; null before it is measured
   * @param changes row changes of its tables that are applied
   * @param backlog changes of its tables that are not applied
   */
  public record Lane(
      String lane,
      List<String> tables,
      String position,
      String durable,
      Double behindSeconds,
      long changes,
      long backlog) {
    public Lane {
      tables = listOf(tables);
    }
  }
}
