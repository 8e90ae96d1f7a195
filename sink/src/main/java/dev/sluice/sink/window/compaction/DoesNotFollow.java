package dev.sluice.sink.window.compaction;

/**
 * A change that cannot follow those of its round: a row that comes where one is, or goes where none
 * is. Whether the target takes it is for the target to say, so the round ends before it. Nothing
 * was changed where this is thrown.
 */
final class DoesNotFollow extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final DoesNotFollow INSTANCE = new DoesNotFollow();

  private DoesNotFollow() {
    super(null, null, false, false);
  }
}
