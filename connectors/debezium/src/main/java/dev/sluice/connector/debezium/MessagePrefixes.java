package dev.sluice.connector.debezium;

/**
 * The prefixes of the logical messages that a task writes through its source's log, each in a
 * transaction. They tell people and other tools whose a message is. Every role may write under
 * them, so nothing is believed for its prefix. Immutable.
 *
 * @param progress of messages by which an idle source's slot moves
 * @param fence of messages that come out of the sink
 */
public record MessagePrefixes(String progress, String fence) {

  public static MessagePrefixes ofTask(String task) {
    return new MessagePrefixes("sluice." + task + ".progress", "sluice." + task + ".fence");
  }

  /** Whether a message looks like one of the task's. */
  public boolean isOurs(String prefix) {
    return prefix.equals(progress) || prefix.equals(fence);
  }
}
