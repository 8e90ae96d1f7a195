package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.source.SourceSession;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.SequenceCopy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks whether the source was used since one moment of a cutover. It counts the changes in the
 * log, since the log's end also moves through checkpoints, vacuum and other databases. Used by the
 * cutover's thread.
 */
final class QuietSource {
  private static final int NAMED_AT_MOST = 5;

  private final TaskContext context;

  /** By the source's clock. */
  private final Instant since;

  private final Map<TableId, SequenceState> sequences;

  private QuietSource(TaskContext context, Instant since, Map<TableId, SequenceState> sequences) {
    this.context = context;
    this.since = since;
    this.sequences = sequences;
  }

  /** Starts the check now. */
  static QuietSource from(TaskContext context) {
    return new QuietSource(context, context.source().log().clock(), read(context));
  }

  /**
   * Reports changes of tables and sequences since the start.
   *
   * @param changes number of changes between the fences around that time, by table
   */
  List<Problem> problems(Map<TableId, Long> changes) {
    List<Problem> problems = new ArrayList<>();
    if (!changes.isEmpty()) {
      problems.add(
          new Problem(
              "source " + context.config().source().endpoint().database(),
              "the source was written to during the cutover: changes by table "
                  + changes
                  + suspects(),
              "no change between the two fences",
              "Stop the applications and run sluice cutover again; the task continues to"
                  + " replicate"));
    }
    List<String> moved = moved();
    if (!moved.isEmpty()) {
      problems.add(
          new Problem(
              Counted.of(moved.size(), "sequence") + " of the source",
              "gave out values during the cutover: "
                  + moved
                  + (changes.isEmpty() ? suspects() : ""),
              "no sequence that is used between the two fences",
              "Stop the applications and run sluice cutover again; the task continues to"
                  + " replicate"));
    }
    return problems;
  }

  /** Formats the number of sessions and the first of them. */
  static String named(List<SourceSession> sessions) {
    List<SourceSession> first = sessions.subList(0, Math.min(NAMED_AT_MOST, sessions.size()));
    return "%s, %s%s"
        .formatted(
            Counted.of(sessions.size(), "session"),
            first,
            first.size() < sessions.size() ? " and others" : "");
  }

  private List<String> moved() {
    List<String> moved = new ArrayList<>();
    read(context)
        .forEach(
            (name, now) -> {
              SequenceState before = sequences.get(name);
              if (before == null) {
                moved.add(name + " (new)");
              } else if (before.lastValue() != now.lastValue() || before.called() != now.called()) {
                moved.add(
                    "%s (from %d to %d)".formatted(name, before.lastValue(), now.lastValue()));
              }
            });
    return moved;
  }

  private String suspects() {
    List<SourceSession> sessions =
        context.source().log().sessions().stream()
            .filter(session -> session.mayHaveActedSince(since))
            .toList();
    return sessions.isEmpty()
        ? "; no session that was active meanwhile is connected any more"
        : "; sessions that were active meanwhile: " + named(sessions);
  }

  private static Map<TableId, SequenceState> read(TaskContext context) {
    List<TableId> tables = context.replicated();
    Map<TableId, SequenceState> states = new TreeMap<>();
    SequenceCopy.states(context.source().reader(), tables, context.config().tableMappings())
        .forEach(state -> states.put(state.sequence(), state));
    return states;
  }
}
