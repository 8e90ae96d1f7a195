package dev.sluice.sink.window.compaction;

/**
 * Thrown if a change cannot follow the changes of its round: it inserts a row that exists, or
 * deletes one that does not. The round then ends before the change, and the target decides about
 * it. The round is unchanged when this is thrown.
 */
final class DoesNotFollow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final DoesNotFollow INSTANCE = new DoesNotFollow();

  private DoesNotFollow() {
    super(null, null, false, false);
  }
}
