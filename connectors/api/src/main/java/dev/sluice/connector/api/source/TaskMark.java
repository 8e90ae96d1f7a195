package dev.sluice.connector.api.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.config.TableId;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Marks what a task creates on its source with its owner: sessions by their name, publications and
 * other objects by a comment. Immutable.
 *
 * @param id distinguishes tasks of the same name
 * @param keptAt where the task stores its state, for messages
 */
public record TaskMark(String task, UUID id, String keptAt) {
  private static final String BEGINNING = "Made by Sluice for task ";

  private static final Pattern ID =
      Pattern.compile(
          Pattern.quote(BEGINNING)
              + "(\\S+, id ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\b(?:, which reads slot"
              + " (\\S+) and)?.*)",
          Pattern.DOTALL);

  /** Digits of the id in a session's name, which PostgreSQL truncates to 63 bytes. */
  private static final int DIGITS_OF_SESSIONS = 8;

  public TaskMark {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(keptAt, "keptAt");
  }

  /** The mark of a task without stored state, recognized by its name alone. */
  public static TaskMark ofName(String task) {
    return new TaskMark(task, UUID.nameUUIDFromBytes(task.getBytes(UTF_8)), "nothing");
  }

  /** The name of the session that reads the task's slot, in {@code pg_stat_activity}. */
  public String sessionName() {
    return "sluice " + task + " " + id.toString().substring(0, DIGITS_OF_SESSIONS);
  }

  /** The comment for an object on the source. */
  public String comment(String slot) {
    return BEGINNING
        + "%s, id %s, which reads slot %s and keeps its state in %s"
            .formatted(task, id, slot, keptAt);
  }

  /** The text that the task's topics carry. */
  public String text() {
    return BEGINNING + "%s, id %s, which keeps its state in %s".formatted(task, id, keptAt);
  }

  /** The comment of a table that the task makes. */
  public String commentOf(TableId table) {
    return text() + ending(table);
  }

  /**
   * Whether the task made a table: another one that was renamed carries the comment of that one.
   */
  public boolean isOf(TableId table, String comment) {
    return isIn(comment) && comment.endsWith(ending(table));
  }

  private static String ending(TableId table) {
    return ", as table " + table;
  }

  /**
   * The task that created an object, read from the object's comment.
   *
   * @param words the task's name and id, and where it stores its state
   * @param slot that it reads; empty if the comment has none
   */
  public record Maker(String words, String slot) {}

  /** The creator in a publication's comment; empty if no task created it. */
  public static Optional<Maker> makerIn(String comment) {
    Matcher matcher = ID.matcher(comment == null ? "" : comment);
    return matcher.matches()
        ? Optional.of(new Maker(matcher.group(1), matcher.group(3) == null ? "" : matcher.group(3)))
        : Optional.empty();
  }

  /** Whether a comment has this task's mark. */
  public boolean isIn(String comment) {
    return idIn(comment).filter(id::equals).isPresent();
  }

  /** Whether a comment has another task's mark. */
  public boolean isAnothersIn(String comment) {
    return idIn(comment).filter(other -> !other.equals(id)).isPresent();
  }

  private static Optional<UUID> idIn(String comment) {
    Matcher matcher = ID.matcher(comment == null ? "" : comment);
    return matcher.matches() ? Optional.of(UUID.fromString(matcher.group(2))) : Optional.empty();
  }
}
