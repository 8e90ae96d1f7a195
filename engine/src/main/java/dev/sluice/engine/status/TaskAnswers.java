package dev.sluice.engine.status;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Reads what a command says in its query, gives it to the task, and answers. A query that cannot be
 * read is an {@link IllegalArgumentException}. Threadsafe.
 */
final class TaskAnswers {
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(7);

  private final TaskControl task;

  TaskAnswers(TaskControl task) {
    this.task = task;
  }

  Answer fence(Map<String, String> query) throws InterruptedException {
    boolean exceptSuspended = Boolean.parseBoolean(query.getOrDefault("except-suspended", "false"));
    return Answer.of(task.fence(timeout(query), exceptSuspended));
  }

  Answer cutover(Map<String, String> query) throws InterruptedException {
    return Answer.of(task.cutover(order(query)));
  }

  Answer rehearse(Map<String, String> query) throws InterruptedException {
    return Answer.of(task.rehearse(order(query)));
  }

  private static CutoverOrder order(Map<String, String> query) {
    Optional<Duration> budget =
        query.containsKey("budget") ? Optional.of(seconds(query, "budget", "")) : Optional.empty();
    Set<String> accepted = accepted(query);
    List<Problem> problems =
        CutoverOrder.problems(
            budget.isPresent()
                ? OptionalDouble.of(budget.get().toMillis() / 1000.0)
                : OptionalDouble.empty(),
            accepted);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(
          problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    }
    return new CutoverOrder(timeout(query), budget, accepted);
  }

  Answer cutoverReport(Map<String, String> query) throws InterruptedException {
    try {
      return new Answer(200, StatusJson.write(task.cutoverReport(order(query))));
    } catch (SluiceException e) {
      return Answer.refusal(503, "no report can be made now: " + e.getMessage());
    }
  }

  /** The kinds of choices that are accepted, divided by commas. */
  private static Set<String> accepted(Map<String, String> query) {
    return Arrays.stream(query.getOrDefault("accept", "").split(","))
        .filter(kind -> !kind.isEmpty())
        .collect(Collectors.toSet());
  }

  Answer tune(Map<String, String> query) {
    return Answer.of(task.tune(query));
  }

  Answer logging(Map<String, String> query) {
    return Answer.of(task.logging(query));
  }

  Answer resume(Map<String, String> query) {
    return Answer.of(task.resume(tables(query)));
  }

  Answer reload(Map<String, String> query) {
    return Answer.of(task.reload(tables(query)));
  }

  Answer validate(Map<String, String> query) throws InterruptedException {
    Map<String, String> names = new HashMap<>(query);
    Optional<UUID> record = Optional.ofNullable(names.remove("record")).map(UUID::fromString);
    return Answer.of(task.validate(names.isEmpty() ? List.of() : tables(names), record));
  }

  Answer repair(Map<String, String> query) throws InterruptedException {
    Map<String, String> names = new HashMap<>(query);
    boolean deleteExtra = Boolean.parseBoolean(names.remove("delete-extra"));
    return Answer.of(task.repair(names.isEmpty() ? List.of() : tables(names), deleteExtra));
  }

  Answer resync(Map<String, String> query) throws InterruptedException {
    Map<String, String> names = new HashMap<>(query);
    boolean deleteExtra = Boolean.parseBoolean(names.remove("delete-extra"));
    return Answer.of(task.resync(tables(names), deleteExtra));
  }

  Answer retry(Map<String, String> query) {
    return Answer.of(task.retry());
  }

  Answer stop(Map<String, String> query) {
    boolean drop = Boolean.parseBoolean(query.getOrDefault("drop", "false"));
    String text = StatusJson.write(Map.of("stopping", true, "drop", drop));
    return new Answer(202, text, () -> task.stop(drop));
  }

  /** The tables: each parameter's name is a table's name. */
  private static List<TableId> tables(Map<String, String> query) {
    if (query.isEmpty()) {
      throw new IllegalArgumentException("found no table; expected ?SCHEMA.TABLE&SCHEMA.TABLE");
    }
    return query.keySet().stream().map(TableId::parse).sorted().toList();
  }

  private static Duration timeout(Map<String, String> query) {
    return seconds(query, "timeout", "60");
  }

  private static Duration seconds(Map<String, String> query, String name, String unsaid) {
    String text = query.getOrDefault(name, unsaid);
    double seconds;
    try {
      seconds = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text + ", expected seconds", e);
    }
    if (!(seconds >= 0) || seconds > LONGEST_TIMEOUT.toSeconds()) {
      throw new IllegalArgumentException(
          name + "=" + text + ", expected seconds from 0 to " + LONGEST_TIMEOUT.toSeconds());
    }
    return Duration.ofMillis(Math.round(seconds * 1000));
  }
}
