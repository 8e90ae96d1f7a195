package dev.sluice.connector.mariadb.capture.statement;

/** The reason why a statement is not followed. */
public final class NotFollowed extends Exception {
  private static final long serialVersionUID = 1;

  public NotFollowed(String reason) {
    super(reason, null, false, false);
  }
}
