package dev.sluice.connector.postgres.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How what a task makes on its source says whose it is: sessions by their name, what can have a
 * comment by its comment. Immutable.
 *
 * @param id tells tasks of the same name apart
 * @param keptAt where the task keeps its state, for people
 */
public record TaskMark(String task, UUID id, String keptAt) {
  private static final String BEGINNING = "Made by Sluice for task ";

  private static final Pattern ID =
      Pattern.compile(
          Pattern.quote(BEGINNING)
              + "(\\S+, id ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\b(?:, which reads slot"
              + " (\\S+) and)?.*)",
          Pattern.DOTALL);

  /** With what is left of an id in a session's name, which is cut at 63 bytes. */
  private static final int DIGITS_OF_SESSIONS = 8;

  public TaskMark {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(keptAt, "keptAt");
  }

  /** Of a task that keeps nothing: its name alone says whose its things are. */
  public static TaskMark ofName(String task) {
    return new TaskMark(task, UUID.nameUUIDFromBytes(task.getBytes(UTF_8)), "nothing");
  }

  /** How a session that reads the task's slot names itself in {@code pg_stat_activity}. */
  public String sessionName() {
    return "sluice " + task + " " + id.toString().substring(0, DIGITS_OF_SESSIONS);
  }

  /** For what carries a comment. */
  public String comment(String slot) {
    return BEGINNING
        + "%s, id %s, which reads slot %s and keeps its state in %s"
            .formatted(task, id, slot, keptAt);
  }

  /** What its topics say. */
  public String text() {
    return BEGINNING + "%s, id %s, which keeps its state in %s".formatted(task, id, keptAt);
  }

  /**
   * Who made something, as its comment says.
   *
   * @param words the task's name and id, and where it keeps its state
   * @param slot that it reads; empty where the comment does not say
   */
  public record Maker(String words, String slot) {}

  /** Of a publication. */
  public static Optional<Maker> makerIn(String comment) {
    Matcher matcher = ID.matcher(comment == null ? "" : comment);
    return matcher.matches()
        ? Optional.of(new Maker(matcher.group(1), matcher.group(3) == null ? "" : matcher.group(3)))
        : Optional.empty();
  }

  /** Whether a comment is this task's. */
  public boolean isIn(String comment) {
    return idIn(comment).filter(id::equals).isPresent();
  }

  /** Whether a comment is another task's. */
  public boolean isAnothersIn(String comment) {
    return idIn(comment).filter(other -> !other.equals(id)).isPresent();
  }

  private static Optional<UUID> idIn(String comment) {
    Matcher matcher = ID.matcher(comment == null ? "" : comment);
    return matcher.matches() ? Optional.of(UUID.fromString(matcher.group(2))) : Optional.empty();
  }
}
