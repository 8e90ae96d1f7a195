package dev.sluice.embedded.postgres.strict;

/**
 * What a session's transaction block has seen, by the statements that it was sent. Owned by the
 * thread that reads from the client; the end of a block comes from the one that reads from the
 * server.
 */
final class BlockState {
  private volatile boolean open;
  private volatile boolean savepoint;
  private volatile boolean definition;
  private volatile boolean answered;

  boolean isOpen() {
    return open;
  }

  boolean hasSavepoint() {
    return savepoint;
  }

  boolean hasDefinition() {
    return definition;
  }

  /** Whether the client got an answer in this block, after which no server repeats it. */
  boolean isAnswered() {
    return answered;
  }

  /** A statement goes to the server. */
  void note(StatementText sql) {
    if (sql.begins("begin", "start")) {
      open = true;
    } else if (sql.begins("savepoint")) {
      savepoint = true;
    } else if (sql.isDefinition()) {
      definition |= open;
    }
  }

  /** The server is ready for the next statement. */
  void ready(boolean inBlock) {
    open = inBlock;
    answered = inBlock;
    if (!inBlock) {
      savepoint = false;
      definition = false;
    }
  }
}
