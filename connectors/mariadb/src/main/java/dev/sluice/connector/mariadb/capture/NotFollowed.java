package dev.sluice.connector.mariadb.capture;

/** The reason why a statement is not followed. */
final class NotFollowed extends Exception {
  private static final long serialVersionUID = 1;

  NotFollowed(String reason) {
    super(reason, null, false, false);
  }
}
