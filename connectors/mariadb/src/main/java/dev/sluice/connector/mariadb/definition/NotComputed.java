package dev.sluice.connector.mariadb.definition;

/** An expression that may not give the same on both servers, with the reason for messages. */
final class NotComputed extends Exception {
  private static final long serialVersionUID = 1;

  NotComputed(String reason) {
    super(reason);
  }
}
