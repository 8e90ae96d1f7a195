package dev.sluice.engine.context;

import dev.sluice.engine.status.ProblemKind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Problems that stop the task or need a person: at most one of each kind. Who sets a kind also ends
 * it; nothing ends that of another. Owned by {@link TaskRuntime}, which guards it.
 */
final class OpenProblems {
  /** An attempt whose load, capture or replication has begun is over these. */
  private static final Set<ProblemKind> OF_AN_ATTEMPT =
      EnumSet.of(
          ProblemKind.JOURNAL_FULL,
          ProblemKind.CAPTURE_RETRY,
          ProblemKind.TASK_RETRY,
          ProblemKind.TABLES_CHANGED);

  private final Map<ProblemKind, String> now = new EnumMap<>(ProblemKind.class);

  void set(ProblemKind kind, String what) {
    now.put(kind, what);
  }

  void end(ProblemKind kind) {
    now.remove(kind);
  }

  void atWork() {
    now.keySet().removeAll(OF_AN_ATTEMPT);
  }

  Optional<String> of(ProblemKind kind) {
    return Optional.ofNullable(now.get(kind));
  }

  Set<ProblemKind> kinds() {
    return Set.copyOf(now.keySet());
  }

  Optional<String> words() {
    return now.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", now.values()));
  }
}
