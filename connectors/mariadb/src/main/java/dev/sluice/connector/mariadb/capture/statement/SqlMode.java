package dev.sluice.connector.mariadb.capture.statement;

/**
 * The effects of a session's sql_mode on its statements. Immutable.
 *
 * @param strict whether a value that does not fit is an error; otherwise the server changes it
 * @param ordinary whether types have their usual meaning and texts are not padded
 * @param ownEngine whether the engine in a statement is used, or is an error
 */
public record SqlMode(boolean strict, boolean ordinary, boolean ownEngine) {
  private static final long STRICT = 1 << 21 | 1 << 22;
  private static final long NO_ENGINE_SUBSTITUTION = 1L << 30;

  /**
   * REAL_AS_FLOAT, the modes of other databases from POSTGRESQL to MAXDB, PAD_CHAR_TO_FULL_LENGTH.
   */
  private static final long OTHER_TYPES = 1 | 0x1F << 8 | 1L << 31;

  /** From the bits in the log. */
  static SqlMode of(long bits) {
    return new SqlMode(
        (bits & STRICT) != 0, (bits & OTHER_TYPES) == 0, (bits & NO_ENGINE_SUBSTITUTION) != 0);
  }

  /** Fails if the name of a type may have another meaning. */
  void requireOrdinary() throws NotFollowed {
    if (!ordinary) {
      throw new NotFollowed(
          "in the session's sql_mode names of types have another meaning, or texts are padded with spaces");
    }
  }
}
