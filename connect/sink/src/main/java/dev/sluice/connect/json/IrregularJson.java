package dev.sluice.connect.json;

/**
 * The JSON is not as Kafka's converter writes it, so that converter has to read it. No error: kept
 * without a stack trace.
 */
final class IrregularJson extends Exception {
  private static final long serialVersionUID = 1;

  static final IrregularJson FOUND = new IrregularJson();

  private IrregularJson() {
    super("not as JsonConverter writes it", null, false, false);
  }
}
