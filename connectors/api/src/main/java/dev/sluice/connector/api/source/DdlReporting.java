package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.SelectionPattern;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What makes the source report new and altered tables in its log, and keeps altered tables
 * captured: in PostgreSQL event triggers. All tasks of a database share it. Each call is from one
 * thread.
 */
public interface DdlReporting {

  /** What the source calls it, for messages: {@code event triggers}. */
  String kind();

  /**
   * How DDL is noticed without it, and what is not replicated then, in words.
   *
   * @param reason why it is not installed
   */
  String without(String reason);

  /** What it would break for others, so that it is not installed; empty if nothing. */
  Optional<String> hindrance();

  /** Whether this user could install it. */
  boolean mayInstall();

  /**
   * Installs it if it is missing or of another release, all or nothing.
   *
   * @return why it could not be installed, or why the task cannot read its reports yet; empty if it
   *     can from now on
   * @throws SluiceException.Fatal if objects of its names belong to somebody else
   */
  Optional<String> install();

  /**
   * Registers a starting task before its tables are captured. From here on altered tables stay
   * captured, and the source refuses no statement of the application. New tables are not captured
   * before {@link #register}.
   *
   * @param selection of new tables
   * @param tables all tables that the task is to capture
   */
  void begin(List<SelectionPattern> selection, List<TableId> tables);

  /**
   * Begins to capture new selected tables from their first row.
   *
   * @param tables the tables that the task captures already
   */
  void register(List<SelectionPattern> selection, List<TableId> tables);

  /** Stops capturing new tables. Those that are captured stay so. */
  void takeNoNew();

  /** The problem that another task of the same name is registered. */
  Optional<Problem> anothers();

  /**
   * The present names of the tables that the task captures. Empty if nothing is installed, or the
   * task is not registered.
   */
  Optional<Set<TableId>> followed();

  /** Whether the log has the DDL since the task began, so that an altered table is no problem. */
  default boolean isInLog() {
    return followed().isPresent();
  }

  /**
   * Deletes the task's registration, and everything if it was the last task.
   *
   * @return whether the task was registered
   */
  boolean remove();
}
