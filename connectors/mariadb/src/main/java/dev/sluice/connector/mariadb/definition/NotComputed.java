package dev.sluice.connector.mariadb.definition;

/** An expression that is not known to be the same on both servers, with the reason for people. */
final class NotComputed extends Exception {
  private static final long serialVersionUID = 1;

  NotComputed(String reason) {
    super(reason);
  }
}
