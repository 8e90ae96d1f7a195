package dev.sluice.connector.postgres.capture;

/**
 * The prefixes of the logical messages that a task writes into its source's log, each in a
 * transaction. They show people and other tools the message's owner. Any role may write such
 * messages, so a prefix proves nothing. Immutable.
 *
 * @param progress prefix of messages that advance the slot of an idle source
 * @param fence prefix of fences, which are awaited at the sink
 */
public record MessagePrefixes(String progress, String fence) {

  public static MessagePrefixes ofTask(String task) {
    return new MessagePrefixes("sluice." + task + ".progress", "sluice." + task + ".fence");
  }

  /** Whether a prefix is one of the task's. */
  public boolean isOurs(String prefix) {
    return prefix.equals(progress) || prefix.equals(fence);
  }
}
