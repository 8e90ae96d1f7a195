package dev.sluice.sink.target.postgres;

/** A text is not in the form in which PostgreSQL prints the values of its type. */
final class NoBinaryForm extends Exception {
  static final NoBinaryForm INSTANCE = new NoBinaryForm();

  private static final long serialVersionUID = 1L;

  private NoBinaryForm() {
    super(null, null, false, false);
  }
}
