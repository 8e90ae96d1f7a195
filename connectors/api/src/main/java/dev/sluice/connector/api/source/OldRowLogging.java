package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import java.util.List;
import java.util.Map;

/**
 * Restores what the source logs of old rows, after a task that needed more: in PostgreSQL the
 * replica identities. Used by one thread.
 */
public interface OldRowLogging {

  /** What a task gives to tables, for messages: {@code REPLICA IDENTITY FULL}. */
  String kind();

  /** Why tables stay changed that somebody else captures, for messages. */
  String whyLeft();

  /** Whether the task file allows the task to change it. */
  boolean mayChange();

  /** What tables had before the source itself changed them for a task, as text. */
  Map<TableId, String> changedBySource();

  /**
   * Restores each table that still is what the task made it, and that nobody captures.
   *
   * @param before what the tables had
   */
  Outcome restore(Map<TableId, String> before);

  /**
   * The result of restoring.
   *
   * @param back the tables that are as before
   * @param left the tables that stay changed, since somebody else captures them
   */
  record Outcome(List<TableId> back, List<TableId> left) {}
}
