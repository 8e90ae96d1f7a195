package dev.sluice.sink.target;

/**
 * A value is not in the form in which PostgreSQL or Debezium print the values of its type, or its
 * row is too large: the row can only be sent as text. Thrown before anything of the row was sent.
 */
public final class NoBinaryForm extends RuntimeException {
  /** Without a stack trace. */
  public static final NoBinaryForm INSTANCE = new NoBinaryForm();

  private static final long serialVersionUID = 1L;

  private NoBinaryForm() {
    super("a value has no binary form", null, false, false);
  }
}
