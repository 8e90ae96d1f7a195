package dev.sluice.connector.debezium;

/**
 * The prefixes of the logical messages that a task writes through its source's log. Immutable.
 *
 * @param progress of messages outside a transaction, by which an idle source's slot moves; their
 *     content is the source's time in microseconds since 1970
 * @param fence of messages in a transaction, which come out of the sink
 * @param definitions of messages in a transaction that tell what tables have become; the same for
 *     all tasks
 */
public record MessagePrefixes(String progress, String fence, String definitions) {

  public static MessagePrefixes ofTask(String task) {
    return new MessagePrefixes(
        "sluice." + task + ".progress", "sluice." + task + ".fence", "sluice.ddl");
  }
}
